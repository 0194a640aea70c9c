/**
 * The keyword panel: words or patterns, each painted over the text in its own colour and style while the user types.
 *
 * Keywords are a reader's private aid: kept in the browser, by account and pool, never sent anywhere.
 */
import { make } from '../core/page_helpers.js';
import { Dropped, Finder, Kept, MOST, offeredWords, patternOf, searchable, STYLES, TooSlow } from './keyword_search.js';

const PAUSE = 150; // milliseconds after the last key
/** Colours in the order in which new keywords get them: far apart, and yellow last, which is for highlights. */
const IN_TURN = [5, 2, 7, 4, 1, 6, 3, 0];
let made = 0;

/** The panel; `show` when another document lies open. */
export class KeywordsPanel {
  #kept;
  #finder;
  #rows = [];
  #list;
  #offers;
  #adder;
  #said;
  #text = null;
  #searched = null;
  #painter = null;
  #timers = new Map();
  #words;

  /**
   * @param {object} parts
   * @param {HTMLElement} parts.container  filled, and shown
   * @param {string} parts.key  whose they are: account and pool
   * @param {{title?: string, keywords?: string}} [parts.topic]  whose words are offered
   * @param {number} [parts.limit]  milliseconds that a pattern may take
   */
  constructor({ container, key, topic = {}, limit }) {
    this.#kept = new Kept(key);
    this.#finder = new Finder({ limit });
    this.#words = offeredWords(topic);
    this.#list = make('ul', {});
    this.#offers = make('p', { class: 'offered' });
    this.#adder = make('button', { type: 'button', click: () => this.#add('').focus() }, 'Add keyword');
    this.#said = make('p', { class: 'problem', role: 'status', hidden: true },
      'This browser keeps nothing: keywords are lost with the page.');
    container.classList.add('keywords');
    container.hidden = false;
    container.replaceChildren(make('h2', {}, 'Keywords'), this.#list, this.#offers, this.#said);
    this.#kept.addEventListener('change', () => this.#load());
    this.#load();
  }

  /**
   * Paint another document.
   *
   * @param {object} opened
   * @param {import('../core/text_offsets.js').Text} opened.text
   * @param {import('../view/highlight_paint.js').Painter} opened.painter
   * @param {import('../core/document_outline.js').Outline} [opened.outline]
   * @param {Uint8Array} [opened.isBlock]  by row of the outline: whether it is a block
   */
  show({ text, painter, outline, isBlock }) {
    this.#text = text;
    this.#painter = painter;
    this.#searched = searchable(text, outline, isBlock);
    this.#finder.take(this.#searched.string);
    for (const row of this.#rows) this.#search(row);
  }

  #load() {
    this.#rows = [];
    this.#list.replaceChildren();
    for (const keyword of this.#kept.read()) this.#append(keyword);
    this.#changed();
    this.#unpaint(this.#rows.length);
    for (const row of this.#rows) this.#search(row);
  }

  #append(keyword) {
    const row = new Row(keyword, {
      changed: () => { this.#keep(); this.#changed(); this.#search(row); },
      typed: () => { this.#keep(); this.#offer(); this.#later(row); },
      removed: () => this.#remove(row),
    });
    this.#rows.push(row);
    this.#list.append(row.node);
    return row;
  }

  #add(text) {
    const used = this.#rows.map((row) => row.keyword.colour);
    const colour = IN_TURN.find((one) => !used.includes(one)) ?? IN_TURN[0];
    const row = this.#append({ text, kind: 'words', colour, style: STYLES[0], isOn: true });
    this.#keep();
    this.#changed();
    this.#search(row);
    return row;
  }

  #remove(row) {
    const at = this.#rows.indexOf(row);
    this.#rows.splice(at, 1);
    row.node.remove();
    this.#keep();
    this.#changed();
    this.#unpaint(this.#rows.length);
    for (const other of this.#rows.slice(at)) this.#search(other); // each has moved to another place
    (this.#rows[at] ?? this.#rows.at(-1))?.focus();
    if (this.#rows.length === 0) this.#adder.focus();
  }

  #keep() {
    this.#said.hidden = this.#kept.write(this.#rows.map((row) => row.keyword));
  }

  #changed() {
    showLooks(this.#rows.map((row) => row.keyword));
    this.#offer();
  }

  /** Offer the topic's words that are not among the keywords yet. */
  #offer() {
    const isFull = this.#rows.length >= MOST;
    const used = new Set(this.#rows.map((row) => row.keyword.text.trim().toLowerCase()));
    const offers = isFull ? [] : this.#words.filter((word) => !used.has(word.toLowerCase()));
    this.#adder.disabled = isFull;
    this.#adder.title = isFull ? `There can be ${MOST}` : '';
    const buttons = offers.map((word) => make('button', {
      type: 'button', title: `Add “${word}”`, click: () => { this.#add(word); this.#adder.focus(); },
    }, `+ ${word}`));
    this.#offers.replaceChildren(this.#adder, ...buttons);
  }

  #later(row) {
    clearTimeout(this.#timers.get(row.name));
    this.#timers.set(row.name, setTimeout(() => this.#search(row), PAUSE));
  }

  async #search(row) {
    const { isOn } = row.keyword;
    if (this.#painter === null || !this.#rows.includes(row)) return;
    let pattern = null;
    try {
      pattern = patternOf(row.keyword);
    } catch (error) {
      row.refuse(`This is no pattern: ${error.message.replace(/^.*:\s*/u, '')}.`);
    }
    if (pattern === null || !isOn) {
      if (pattern !== null || row.keyword.text.trim() === '') row.tell(null);
      this.#paint(row, []);
      return;
    }
    try {
      const { places, isCut } = await this.#finder.find(row.name, pattern.source, pattern.flags);
      row.tell(places.length / 2, isCut);
      this.#paint(row, this.#spans(places));
    } catch (error) {
      if (error instanceof Dropped) return;
      this.#paint(row, []);
      row.refuse(error instanceof TooSlow
        ? 'This pattern takes too long, and was stopped. Make it simpler.' : 'Patterns cannot be searched for here.');
    }
  }

  /** Places in what was searched as spans in code points. */
  #spans(places) {
    const points = places.map((at) => this.#text.point(this.#searched.unit(at)));
    return Array.from({ length: points.length / 2 }, (_, number) => [points[2 * number], points[2 * number + 1]]);
  }

  #paint(row, spans) {
    const slot = this.#rows.indexOf(row);
    if (slot >= 0) this.#painter.set(`keyword-${slot}`, spans);
  }

  #unpaint(from) {
    for (let slot = from; slot < MOST; slot += 1) this.#painter?.set(`keyword-${slot}`, []);
  }
}

/** The line of a keyword; calls `changed` when its looks, or `typed` when its words have changed. */
export class Row {
  #keyword;
  #field;
  #sample;
  #count;
  #problem;
  #choices;

  /**
   * @param {import('./keyword_search.js').Keyword} keyword changed in place
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

export const COLOURS = ['yellow', 'orange', 'red', 'pink', 'violet', 'blue', 'teal', 'green'];

let sheet = null;

/**
 * Say how the keywords look, instead of how they looked before.
 *
 * @param {{colour: number, style: string}[]} keywords
 */
function showLooks(keywords) {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync(keywords.map(({ colour, style }, slot) => rules(slot, colour, style)).join('\n'));
}

/** The names of colours are properties of keywords.css, lighter or darker with the page. */
function rules(slot, colour, style) {
  const [line, ground] = [`var(--keyword-${colour})`, `var(--keyword-${colour}-ground)`];
  if (style === 'marked') {
    return `::highlight(keyword-${slot}) { background-color: ${ground}; }
      .paint-keyword-${slot} { background: ${ground}; mix-blend-mode: var(--keyword-blend); }`;
  }
  const drawn = { underlined: 'solid', dotted: 'dotted', wavy: 'wavy' }[style];
  // a colour for the letters too: not every browser draws lines under what is highlighted
  return `::highlight(keyword-${slot}) { color: ${line}; text-decoration: underline ${drawn} ${line} 2px; }
    .paint-keyword-${slot} { border-bottom: 3px ${drawn === 'wavy' ? 'double' : drawn} ${line}; }`;
}
