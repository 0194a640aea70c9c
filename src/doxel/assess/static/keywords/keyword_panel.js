/**
 * The keyword panel: words or patterns, each painted over the text in its own colour and style while the user types.
 *
 * Keywords are a reader's private aid: kept in the browser, by account and assignment, never sent anywhere.
 */
import { make } from '../core/page_helpers.js';
import {
  DroppedError, KeywordStore, makePattern, makeSearchable, MOST_KEYWORDS, PatternFinder, STYLES, suggestWords,
  TooSlowError,
} from './keyword_search.js';

const PAUSE = 150; // milliseconds after the last key, before a search
/** The order in which new keywords get colours: far apart, and yellow last, which highlights have. */
const COLOUR_ORDER = [5, 2, 7, 4, 1, 6, 3, 0];
const COLOURS = ['yellow', 'orange', 'red', 'pink', 'violet', 'blue', 'teal', 'green'];
let rowCount = 0;
let styleSheet = null;

/** The panel of all keywords; call `show` for each opened document. */
export class KeywordPanel {
  #store;
  #finder;
  #rows = [];
  #list;
  #offered;
  #addButton;
  #problem;
  #text = null;
  #searched = null;
  #painter = null;
  #timers = new Map();
  #topicWords;

  /**
   * @param {object} parts
   * @param {HTMLElement} parts.container  filled and shown
   * @param {string} parts.key  the owner: account and assignment
   * @param {{title?: string, keywords?: string}} [parts.topic]  its words are offered
   * @param {number} [parts.limit]  the longest time of a search, in milliseconds
   */
  constructor({ container, key, topic = {}, limit }) {
    this.#store = new KeywordStore(key);
    this.#finder = new PatternFinder({ limit });
    this.#topicWords = suggestWords(topic);
    this.#list = make('ul', {});
    this.#offered = make('p', { class: 'offered' });
    this.#addButton = make('button', { type: 'button', click: () => this.#add('').focus() }, 'Add keyword');
    this.#problem = make('p', { class: 'problem', role: 'status', hidden: true },
      'This browser cannot store keywords: they are lost when you leave the page.');
    container.classList.add('keywords');
    container.hidden = false;
    container.replaceChildren(make('h2', {}, 'Keywords'), this.#list, this.#offered, this.#problem);
    this.#store.addEventListener('change', () => this.#load());
    this.#load();
  }

  /**
   * Paint the keywords over another document.
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
    this.#searched = makeSearchable(text, outline, isBlock);
    this.#finder.setText(this.#searched.string);
    for (const row of this.#rows) this.#search(row);
  }

  #load() {
    this.#rows = [];
    this.#list.replaceChildren();
    for (const keyword of this.#store.read()) this.#append(keyword);
    this.#update();
    this.#clearFrom(this.#rows.length);
    for (const row of this.#rows) this.#search(row);
  }

  #append(keyword) {
    const row = new KeywordRow(keyword, {
      changed: () => { this.#save(); this.#update(); this.#search(row); },
      typed: () => { this.#save(); this.#showOffers(); this.#searchLater(row); },
      removed: () => this.#remove(row),
    });
    this.#rows.push(row);
    this.#list.append(row.node);
    return row;
  }

  #add(text) {
    const usedColours = this.#rows.map((row) => row.keyword.colour);
    const colour = COLOUR_ORDER.find((candidate) => !usedColours.includes(candidate)) ?? COLOUR_ORDER[0];
    const row = this.#append({ text, kind: 'words', colour, style: STYLES[0], isOn: true });
    this.#save();
    this.#update();
    this.#search(row);
    return row;
  }

  #remove(row) {
    const at = this.#rows.indexOf(row);
    this.#rows.splice(at, 1);
    row.node.remove();
    this.#save();
    this.#update();
    this.#clearFrom(this.#rows.length);
    for (const other of this.#rows.slice(at)) this.#search(other); // each has another slot now
    (this.#rows[at] ?? this.#rows.at(-1))?.focus();
    if (this.#rows.length === 0) this.#addButton.focus();
  }

  #save() {
    this.#problem.hidden = this.#store.write(this.#rows.map((row) => row.keyword));
  }

  #update() {
    applyLooks(this.#rows.map((row) => row.keyword));
    this.#showOffers();
  }

  /** Offer the words of the topic that are not keywords yet. */
  #showOffers() {
    const isFull = this.#rows.length >= MOST_KEYWORDS;
    const usedWords = new Set(this.#rows.map((row) => row.keyword.text.trim().toLowerCase()));
    const offers = isFull ? [] : this.#topicWords.filter((word) => !usedWords.has(word.toLowerCase()));
    this.#addButton.disabled = isFull;
    this.#addButton.title = isFull ? `At most ${MOST_KEYWORDS} keywords` : '';
    const buttons = offers.map((word) => make('button', {
      type: 'button', title: `Add “${word}”`, click: () => { this.#add(word); this.#addButton.focus(); },
    }, `+ ${word}`));
    this.#offered.replaceChildren(this.#addButton, ...buttons);
  }

  #searchLater(row) {
    clearTimeout(this.#timers.get(row.name));
    this.#timers.set(row.name, setTimeout(() => this.#search(row), PAUSE));
  }

  async #search(row) {
    const { isOn } = row.keyword;
    if (this.#painter === null || !this.#rows.includes(row)) return;
    let pattern = null;
    try {
      pattern = makePattern(row.keyword);
    } catch (error) {
      row.showError(`This is not a valid pattern: ${error.message.replace(/^.*:\s*/u, '')}.`);
    }
    if (pattern === null || !isOn) {
      if (pattern !== null || row.keyword.text.trim() === '') row.showCount(null);
      this.#paint(row, []);
      return;
    }
    try {
      const { places, isCut } = await this.#finder.find(row.name, pattern.source, pattern.flags);
      row.showCount(places.length / 2, isCut);
      this.#paint(row, this.#toSpans(places));
    } catch (error) {
      if (error instanceof DroppedError) return;
      this.#paint(row, []);
      row.showError(error instanceof TooSlowError
        ? 'This search took too long and was stopped. Make the pattern simpler.' : 'This browser cannot search here.');
    }
  }

  /** Return places in the searched text as spans in code points. */
  #toSpans(places) {
    const points = places.map((at) => this.#text.toPoint(this.#searched.toUnit(at)));
    return Array.from({ length: points.length / 2 }, (_, number) => [points[2 * number], points[2 * number + 1]]);
  }

  #paint(row, spans) {
    const slot = this.#rows.indexOf(row);
    if (slot >= 0) this.#painter.set(`keyword-${slot}`, spans);
  }

  #clearFrom(from) {
    for (let slot = from; slot < MOST_KEYWORDS; slot += 1) this.#painter?.set(`keyword-${slot}`, []);
  }
}

/** The row of one keyword; calls `changed` when its look, or `typed` when its text has changed. */
class KeywordRow {
  #keyword;
  #field;
  #sample;
  #count;
  #problem;
  #choices;

  /**
   * @param {import('./keyword_search.js').Keyword} keyword  changed in place
   * @param {{changed: (row: KeywordRow) => void, typed: (row: KeywordRow) => void,
   *   removed: (row: KeywordRow) => void}} listeners
   */
  constructor(keyword, { changed, typed, removed }) {
    this.name = `keyword-row-${rowCount += 1}`;
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
    this.#choices = this.#makeChoices(() => { this.#updateLook(); changed(this); }, () => typed(this));
    this.node = make('li', { class: 'keyword' }, this.#makeCheckbox(() => changed(this)), this.#field, this.#count,
      this.#makeOpener(), this.#makeRemover(() => removed(this)), this.#choices, this.#problem);
    this.#updateLook();
  }

  get keyword() { return this.#keyword; }

  /** Focus the text field. */
  focus() {
    this.#field.focus();
  }

  /**
   * Show the number of matches.
   *
   * @param {number|null} count  null without a search
   * @param {boolean} isCut  whether there are more
   */
  showCount(count, isCut = false) {
    this.#count.value = count === null ? '' : `${count.toLocaleString('en')}${isCut ? '+' : ''}`;
    this.#count.title = isCut ? `Only the first ${count.toLocaleString('en')} matches are shown` : '';
    this.#showProblem('');
  }

  /**
   * Show a problem.
   *
   * @param {string} sentence
   */
  showError(sentence) {
    this.#count.value = '';
    this.#showProblem(sentence);
  }

  #showProblem(sentence) {
    this.#problem.hidden = sentence === '';
    if (this.#problem.textContent !== sentence) this.#problem.textContent = sentence;
    this.#field.setAttribute('aria-invalid', String(sentence !== ''));
  }

  #makeCheckbox(changed) {
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
    const colour = makeChoice('Colour', COLOURS, COLOURS[keyword.colour], (value) => {
      keyword.colour = COLOURS.indexOf(value);
      changed();
    });
    const style = makeChoice('Style', STYLES, keyword.style, (value) => { keyword.style = value; changed(); });
    const kind = makeChoice('Kind', ['words', 'pattern'], keyword.kind, (value) => {
      keyword.kind = value;
      this.#updateLook();
      typed();
    });
    return make('div', { class: 'choices', hidden: true }, kind, colour, style);
  }

  /** Update the sample and the text field to the keyword. */
  #updateLook() {
    const { colour, style, kind } = this.#keyword;
    this.#sample.className = `sample colour-${colour} ${style}`;
    this.#field.setAttribute('aria-label', kind === 'pattern' ? 'Pattern' : 'Words');
    this.#field.placeholder = kind === 'pattern' ? 'a regular expression' : 'words or phrases, separated by commas';
  }
}

function makeChoice(label, values, chosen, changed) {
  const select = make('select', { 'aria-label': label, change: () => changed(select.value) },
    ...values.map((value) => make('option', { value, selected: value === chosen }, value)));
  return make('label', {}, label, select);
}

/**
 * Set the style rules of all keywords.
 *
 * @param {{colour: number, style: string}[]} keywords
 */
function applyLooks(keywords) {
  if (styleSheet === null) {
    styleSheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styleSheet];
  }
  styleSheet.replaceSync(keywords.map(({ colour, style }, slot) => makeRules(slot, colour, style)).join('\n'));
}

/** Return the style rules of one keyword; keywords.css defines the colours. */
function makeRules(slot, colour, style) {
  const [line, ground] = [`var(--keyword-${colour})`, `var(--keyword-${colour}-ground)`];
  if (style === 'marked') {
    return `::highlight(keyword-${slot}) { background-color: ${ground}; }
      .paint-keyword-${slot} { background: ${ground}; mix-blend-mode: var(--keyword-blend); }`;
  }
  const lineStyle = { underlined: 'solid', dotted: 'dotted', wavy: 'wavy' }[style];
  // colour the letters too: not every browser draws lines under highlighted text
  return `::highlight(keyword-${slot}) { color: ${line}; text-decoration: underline ${lineStyle} ${line} 2px; }
    .paint-keyword-${slot} { border-bottom: 3px ${lineStyle === 'wavy' ? 'double' : lineStyle} ${line}; }`;
}
