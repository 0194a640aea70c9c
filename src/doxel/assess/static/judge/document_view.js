/** The open document on the screen: its text and elements, the marks, the caret, the gutter, and the search in it. */
import { byId, counted, excerpt } from '../core/page_helpers.js';
import { render } from '../view/document_render.js';
import { Gutter } from '../view/element_gutter.js';
import { Painter } from '../view/highlight_paint.js';
import { reveal } from '../view/scrolling.js';
import { Caret } from '../view/text_caret.js';
import { caretRect, Positions } from '../view/text_positions.js';

const MOST = 2_000; // places that are painted

/** One document, as long as it lies open. */
export class Reading extends EventTarget {
  #rendered;
  #positions;
  #caret;
  #gutter;
  #last = [0, 0];
  #listening = new AbortController();

  /**
   * @param {object} fetched the document as the server tells it
   * @param {object} styles
   * @param {string} label what screen readers call it
   */
  constructor(fetched, styles, label) {
    super();
    this.doc = fetched.doc;
    this.fingerprint = fetched.fingerprint;
    const container = byId('document');
    const rendered = render(fetched, styles, container);
    const positions = new Positions(rendered);
    this.text = rendered.text;
    this.outline = rendered.outline;
    this.isBlock = rendered.isBlock;
    this.painter = new Painter(rendered, positions);
    this.#rendered = rendered;
    this.#positions = positions;
    this.#caret = new Caret({ container, positions, label });
    this.#gutter = new Gutter({
      container: byId('gutter'), rendered,
      select: (row) => this.dispatchEvent(new CustomEvent('element', { detail: { row } })),
    });
    this.#listen();
  }

  /** Remember where one was: a text field takes the selection away, and coming back brings it back. */
  #listen() {
    const { signal } = this.#listening;
    const remember = () => { this.#last = this.span() ?? this.#last; };
    // the browser tells of a selection a little later: whatever a key or a click does comes after this
    for (const kind of ['selectionchange', 'keydown', 'pointerdown']) {
      document.addEventListener(kind, remember, { signal, capture: true });
    }
    this.#rendered.container.addEventListener('focus', () => {
      if (this.span() !== null) return;
      if (this.#last[0] === this.#last[1]) this.#caret.place(this.#last[0], { focus: false });
      else this.#caret.select(...this.#last, { focus: false });
    }, { signal });
  }

  /** What is selected in the text, [p, p] for a caret, null if it is elsewhere. */
  span() {
    return this.#positions.spanOf(document.getSelection());
  }

  /** Where the caret is, or was before a text field had it. */
  position() {
    return this.#last[0];
  }

  /**
   * Put the caret somewhere, in sight.
   * @param {number} point
   */
  place(point) {
    this.#caret.place(point);
  }

  /**
   * Select a span, in sight.
   * @param {[number, number]} span
   */
  select([start, end]) {
    this.#caret.select(start, end);
  }

  /** Go back to the text, to where the caret was. */
  focus() {
    this.#rendered.container.focus({ preventScroll: true });
  }

  /**
   * Bring a place into sight without leaving where one is.
   * @param {number} point
   */
  show(point) {
    reveal(this.#rendered.container, () => caretRect(this.#positions, point));
  }

  /**
   * The beginning of a span on one line; where one paragraph ends and another begins there is a space.
   * @param {[number, number]} span
   * @param {number} most characters
   * @returns {string}
   */
  quoted([start, end], most) {
    const { outline, text } = this;
    const last = Math.min(end, start + 3 * most);
    const cuts = [];
    for (let row = outline.around(start, start + 1); row < outline.length && outline.start[row] < last; row += 1) {
      if (this.#rendered.isBlock[row]) cuts.push(outline.start[row], outline.end[row]);
    }
    const inside = [...new Set(cuts)].filter((cut) => cut > start && cut < last).sort((one, other) => one - other);
    const pieces = [...inside, last].map((cut, at) => text.slice(at ? inside[at - 1] : start, cut));
    return excerpt(pieces.join(' '), most);
  }

  /**
   * What one reads from a place on, as far as its paragraph goes.
   * @param {number} point
   * @returns {string}
   */
  from(point) {
    let row = this.outline.around(point, point + 1);
    while (row >= 0 && !this.#rendered.isBlock[row]) row = this.outline.parent[row];
    return this.text.slice(point, Math.min(row < 0 ? this.text.length : this.outline.end[row], point + 300));
  }

  /** Take everything down. */
  close() {
    this.#listening.abort();
    for (const part of [this.#caret, this.#gutter, this.painter]) part.destroy();
  }

  /** Begin to read: the caret at a place, the beginning of the document in sight. */
  begin(point) {
    byId('reading').scrollTop = 0;
    this.place(point);
  }
}

/**
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{open: () => void, close: () => boolean}} close tells whether it was open
 */
export function findWords(desk) {
  const [form, field, count] = ['find', 'find-words', 'find-count'].map(byId);
  let places = [];
  let here = -1;
  let start = 0; // where one reads

  function search() {
    places = placesOf(field.value, desk.text);
    here = -1;
    desk.reading.painter.set('found', places);
    desk.reading.painter.set('found-here', []);
    tell();
  }

  function tell() {
    const more = places.length === MOST ? 'at least ' : '';
    if (!field.value.trim()) count.textContent = '';
    else if (here >= 0) count.textContent = `${here + 1} of ${more}${places.length.toLocaleString('en')}`;
    else count.textContent = places.length ? more + counted(places.length, 'place') : 'not found';
  }

  function step(by) {
    if (!places.length) return;
    here = here < 0 ? first(by) : (here + by + places.length) % places.length;
    desk.reading.show(places[here][0]);
    desk.reading.painter.set('found-here', [places[here]]);
    tell();
  }

  /** From where one reads, not from the beginning. */
  function first(by) {
    const later = places.findIndex(([at]) => at >= start);
    if (by > 0) return Math.max(later, 0);
    return (later <= 0 ? places.length : later) - 1;
  }

  function open() {
    start = desk.reading.position();
    form.hidden = false;
    field.select();
    field.focus();
    search();
  }

  function close() {
    if (form.hidden) return false;
    const found = places[here];
    form.hidden = true;
    places = [];
    desk.reading?.painter.set('found', []);
    desk.reading?.painter.set('found-here', []);
    if (found) desk.reading.select(found);
    else desk.reading?.focus();
    here = -1;
    return true;
  }

  field.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field) step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  });
  byId('find-next').addEventListener('click', () => step(1));
  byId('find-previous').addEventListener('click', () => step(-1));
  byId('find-close').addEventListener('click', close);
  desk.addEventListener('opened', () => {
    start = 0;
    if (!form.hidden) search();
  });
  return { open, close };
}

/**
 * Where words stand in a text, whatever their case and the space between them.
 * @param {string} words
 * @param {import('../core/text_offsets.js').Text} text
 * @returns {[number, number][]}
 */
function placesOf(words, text) {
  const parts = words.trim().split(/\s+/).filter(Boolean);
  if (!parts.length) return [];
  const pattern = new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu');
  const found = [];
  for (const match of text.string.matchAll(pattern)) {
    found.push([text.point(match.index), text.point(match.index + match[0].length)]);
    if (found.length === MOST) break;
  }
  return found;
}
