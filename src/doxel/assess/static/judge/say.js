/** What has just happened, in one line that can be seen and that screen readers read. */

import { byId } from '../core/page_helpers.js';

const SHOWN = { done: 5000, wrong: 9000 }; // milliseconds

let timer = 0;

/**
 * Say what happened, or what is missing.
 * @param {string} sentence
 * @param {'done'|'wrong'} [tone]
 */
export function say(sentence, tone = 'done') {
  const line = byId('said');
  clearTimeout(timer);
  // the same sentence twice would not be read twice: a space more makes it another
  line.textContent = line.textContent === sentence ? `${sentence}\u00a0` : sentence;
  line.dataset.tone = tone;
  timer = setTimeout(() => { line.textContent = ''; }, SHOWN[tone]);
}
