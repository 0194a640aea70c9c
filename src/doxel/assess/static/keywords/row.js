/** One keyword in the panel: what is searched for, how it looks, how often it is there, what is wrong with it. */

import { make } from '../core/page_helpers.js';
import { STYLES } from './kept.js';
import { COLOURS } from './looks.js';

let made = 0;

/** The line of a keyword; calls `changed` when its looks, or `typed` when its words have changed. */
export class Row {
  #keyword;
  #field;
  #sample;
  #count;
  #problem;
  #choices;

  /**
   * @param {import('./kept.js').Keyword} keyword changed in place
   * @param {{changed: (row: Row) => void, typed: (row: Row) => void, removed: (row: Row) => void}} listeners
   */
  constructor(keyword, { changed, typed, removed }) {
    this.name = `keyword-row-${made += 1}`;
    this.#keyword = keyword;
    this.#field = make('input', {
      type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: 500,
      input: () => { keyword.text = this.#field.value; typed(this); },
      keydown: (event) => { if (event.key === 'Escape' && !event.isComposing) this.#field.blur(); },
    });
    this.#field.value = keyword.text;
    this.#sample = make('span', { class: 'sample', 'aria-hidden': 'true' }, 'Aa');
    this.#count = make('output', { class: 'count' });
    this.#problem = make('p', { class: 'problem', role: 'status', hidden: true });
    this.#choices = this.#makeChoices(() => { this.#dress(); changed(this); }, () => typed(this));
    this.node = make('li', { class: 'keyword' }, this.#makeShown(() => changed(this)), this.#field, this.#count,
      this.#makeOpener(), this.#makeRemover(() => removed(this)), this.#choices, this.#problem);
    this.#dress();
  }

  get keyword() { return this.#keyword; }

  /** Begin to type. */
  focus() {
    this.#field.focus();
  }

  /**
   * Say how often the keyword is there.
   * @param {number|null} count null if nothing is searched for
   * @param {boolean} isCut whether there are more
   */
  tell(count, isCut = false) {
    this.#count.value = count === null ? '' : `${count.toLocaleString('en')}${isCut ? '+' : ''}`;
    this.#count.title = isCut ? `Only the first ${count.toLocaleString('en')} are shown` : '';
    this.#complain('');
  }

  /**
   * Say what is wrong.
   * @param {string} sentence
   */
  refuse(sentence) {
    this.#count.value = '';
    this.#complain(sentence);
  }

  #complain(sentence) {
    this.#problem.hidden = sentence === '';
    if (this.#problem.textContent !== sentence) this.#problem.textContent = sentence;
    this.#field.setAttribute('aria-invalid', String(sentence !== ''));
  }

  #makeShown(changed) {
    const box = make('input', {
      type: 'checkbox', 'aria-label': 'Paint this keyword',
      change: () => { this.#keyword.isOn = box.checked; changed(); },
    });
    box.checked = this.#keyword.isOn;
    return make('label', { class: 'shown' }, box, this.#sample);
  }

  #makeOpener() {
    const opener = make('button', {
      type: 'button', class: 'quiet', title: 'How it looks', 'aria-label': 'How it looks', 'aria-expanded': 'false',
      click: () => {
        this.#choices.hidden = !this.#choices.hidden;
        opener.setAttribute('aria-expanded', String(!this.#choices.hidden));
      },
    }, '⋯');
    return opener;
  }

  #makeRemover(removed) {
    return make('button', {
      type: 'button', class: 'quiet', title: 'Remove', 'aria-label': 'Remove this keyword', click: removed,
    }, '×');
  }

  #makeChoices(changed, typed) {
    const keyword = this.#keyword;
    const colour = choice('Colour', COLOURS, COLOURS[keyword.colour], (value) => {
      keyword.colour = COLOURS.indexOf(value);
      changed();
    });
    const style = choice('Style', STYLES, keyword.style, (value) => { keyword.style = value; changed(); });
    const kind = choice('Kind', ['words', 'pattern'], keyword.kind, (value) => {
      keyword.kind = value;
      this.#dress();
      typed();
    });
    return make('div', { class: 'choices', hidden: true }, kind, colour, style);
  }

  /** Bring what is seen in step with the keyword. */
  #dress() {
    const { colour, style, kind } = this.#keyword;
    this.#sample.className = `sample colour-${colour} ${style}`;
    this.#field.setAttribute('aria-label', kind === 'pattern' ? 'Pattern' : 'Words');
    this.#field.placeholder = kind === 'pattern' ? 'a regular expression' : 'words, apart by commas';
  }
}

function choice(label, values, chosen, changed) {
  const select = make('select', { 'aria-label': label, change: () => changed(select.value) },
    ...values.map((value) => make('option', { value, selected: value === chosen }, value)));
  return make('label', {}, label, select);
}
