/** What the topic asks, the narrative first: it is what people judge by. */

import { byId, capitalised, make } from '../core/page_helpers.js';

const ORDER = ['narrative', 'description', 'castitle', 'keywords'];
const FOLDED = 'doxel-topic-folded';

/**
 * Write the topic beside the document.
 * @param {import('./desk.js').Desk} desk
 * @returns {{toggle: () => boolean}} toggle folds or unfolds it, and tells whether it is seen now
 */
export function showTopic(desk) {
  const { topic, topic_fields: fields } = desk.pool;
  const [first, ...others] = ORDER.filter((name) => fields[name]);
  const words = first ? fields[first] : 'The server was started without topics.';
  const more = others.flatMap((name) => [make('h3', {}, name), make('p', {}, fields[name])]);
  byId('topic').replaceChildren(make('p', { class: 'narrative' }, words),
    others.length ? make('details', {}, make('summary', {}, capitalised(others.join(', '))), ...more) : '');
  byId('topic-fold').replaceChildren(`Topic ${topic}`, fields.title ? `: ${fields.title}` : '');
  byId('topic-fold').addEventListener('click', () => fold(!byId('topic').hidden));
  fold(remembered());
  return { toggle: () => { fold(!byId('topic').hidden); return !byId('topic').hidden; } };
}

function fold(isFolded) {
  byId('topic').hidden = isFolded;
  byId('topic-fold').setAttribute('aria-expanded', String(!isFolded));
  try {
    sessionStorage.setItem(FOLDED, isFolded ? 'yes' : 'no');
  } catch {
    // a browser that keeps nothing shows the topic every time
  }
}

function remembered() {
  try {
    return sessionStorage.getItem(FOLDED) === 'yes';
  } catch {
    return false;
  }
}
