/** The open document on the screen: its text and elements, the marks, the caret, the gutter, and the search in it. */
import { ElementNames } from '../core/document_outline.js';
import { byId, pluralise, shorten } from '../core/page_helpers.js';
import { render } from '../view/document_render.js';
import { Gutter } from '../view/element_gutter.js';
import { Painter } from '../view/highlight_paint.js';
import { reveal } from '../view/scrolling.js';
import { Caret } from '../view/text_caret.js';
import { findCaretRect, Positions } from '../view/text_positions.js';

const MOST_MATCHES = 2_000; // painted at once

/** The view of one document, as long as it is open. */
export class DocumentView extends EventTarget {
  #rendered;
  #positions;
  #caret;
  #gutter;
  #lastSpan = [0, 0];
  #listening = new AbortController();

  /**
   * @param {object} fetched  the document as the server sends it
   * @param {object} styles
   * @param {string} label  for screen readers
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
    this.names = new ElementNames(rendered.outline, rendered.findLook);
    this.#rendered = rendered;
    this.#positions = positions;
    this.#caret = new Caret({ container, positions, label });
    this.#gutter = new Gutter({
      container: byId('gutter'), rendered,
      select: (row) => this.dispatchEvent(new CustomEvent('element', { detail: { row } })),
    });
    this.#listen();
  }

  /** Remember the selection, which text fields take away, and restore it with the focus. */
  #listen() {
    const { signal } = this.#listening;
    const remember = () => { this.#lastSpan = this.readSpan() ?? this.#lastSpan; };
    // selectionchange comes late: read the selection also before a key or a click acts
    for (const kind of ['selectionchange', 'keydown', 'pointerdown']) {
      document.addEventListener(kind, remember, { signal, capture: true });
    }
    this.#rendered.container.addEventListener('focus', () => {
      if (this.readSpan() !== null) return;
      if (this.#lastSpan[0] === this.#lastSpan[1]) this.#caret.place(this.#lastSpan[0], { focus: false });
      else this.#caret.select(...this.#lastSpan, { focus: false });
    }, { signal });
  }

  /** Return the selected span, [p, p] for a caret; null if the selection is elsewhere. */
  readSpan() {
    return this.#positions.readSpan(document.getSelection());
  }

  /** Return the position of the caret, or its last position in the text. */
  position() {
    return this.#lastSpan[0];
  }

  /** Return where the user is reading: a position, and its distance from the top in pixels. */
  readingPlace() {
    return this.#caret.findReadingPlace() ?? { point: this.position(), offset: 0 };
  }

  /**
   * Put the caret at a position, and bring it into view.
   *
   * @param {number} point
   */
  place(point) {
    this.#caret.place(point);
  }

  /**
   * Select a span, and bring it into view.
   *
   * @param {[number, number]} span
   */
  select([start, end]) {
    this.#caret.select(start, end);
  }

  /** Go back to the text, to the last position of the caret. */
  focus() {
    this.#rendered.container.focus({ preventScroll: true });
  }

  /**
   * Bring a position into view without moving the caret.
   *
   * @param {number} point
   */
  show(point) {
    reveal(this.#rendered.container, () => findCaretRect(this.#positions, point));
  }

  /**
   * Return the beginning of a span on one line, with a space between paragraphs.
   *
   * @param {[number, number]} span
   * @param {number} most  characters
   * @returns {string}
   */
  quote([start, end], most) {
    const { outline, text } = this;
    const last = Math.min(end, start + 3 * most);
    const cuts = [];
    for (let row = outline.findAround(start, start + 1); row < outline.length && outline.start[row] < last; row += 1) {
      if (this.#rendered.isBlock[row]) cuts.push(outline.start[row], outline.end[row]);
    }
    const inside = [...new Set(cuts)].filter((cut) => cut > start && cut < last).sort((left, right) => left - right);
    const pieces = [...inside, last].map((cut, at) => text.slice(at ? inside[at - 1] : start, cut));
    return shorten(pieces.join(' '), most);
  }

  /**
   * Return the readable name of an element; its path, if the document does not have it.
   *
   * @param {string} path
   * @returns {string}
   */
  name(path) {
    return this.names.replacePaths(path);
  }

  /**
   * Return the name of an element with its first words: "section 3, paragraph 2: In the last years".
   *
   * @param {string} path
   * @returns {string}
   */
  describe(path) {
    const row = this.outline.row(path);
    const words = row < 0 ? '' : this.quote(this.outline.span(row), 40);
    return words ? `${this.name(path)}: ${words}` : this.name(path);
  }

  /**
   * Return the text from a position to the end of its paragraph.
   *
   * @param {number} point
   * @returns {string}
   */
  readFrom(point) {
    let row = this.outline.findAround(point, point + 1);
    while (row >= 0 && !this.#rendered.isBlock[row]) row = this.outline.parent[row];
    return this.text.slice(point, Math.min(row < 0 ? this.text.length : this.outline.end[row], point + 300));
  }

  /** Remove the caret, the gutter and all marks. */
  close() {
    this.#listening.abort();
    for (const part of [this.#caret, this.#gutter, this.painter]) part.destroy();
  }

  /**
   * Show the document from where the user stopped reading, or else from its start with the caret at a position.
   *
   * @param {{point: number, offset: number}|undefined} place
   * @param {number} point
   */
  start(place, point) {
    byId('reading').scrollTop = 0;
    if (place === undefined || place.point > this.text.length) this.place(point);
    else this.#caret.resume(place);
  }
}

/**
 * Connect the search in the document; the match is selected, so that one key can highlight it.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{open: () => void, close: () => boolean}}  close returns whether it was open
 */
export function setUpFind(desk) {
  const [form, field, count] = ['find', 'find-words', 'find-count'].map(byId);
  let matches = [];
  let current = -1;
  let origin = 0; // where the search started

  function search() {
    matches = findMatches(field.value, desk.text);
    current = -1;
    desk.view.painter.set('found', matches);
    desk.view.painter.set('found-here', []);
    showCount();
  }

  function showCount() {
    const more = matches.length === MOST_MATCHES ? 'at least ' : '';
    if (!field.value.trim()) count.textContent = '';
    else if (current >= 0) count.textContent = `${current + 1} of ${more}${matches.length.toLocaleString('en')}`;
    else count.textContent = matches.length ? more + pluralise(matches.length, 'place') : 'not found';
  }

  function goBy(by) {
    if (!matches.length) return;
    current = current < 0 ? findNearest(by) : (current + by + matches.length) % matches.length;
    desk.view.show(matches[current][0]);
    desk.view.painter.set('found-here', [matches[current]]);
    showCount();
  }

  /** Return the match nearest to the caret, not the first of the document. */
  function findNearest(by) {
    const later = matches.findIndex(([at]) => at >= origin);
    if (by > 0) return Math.max(later, 0);
    return (later <= 0 ? matches.length : later) - 1;
  }

  function open() {
    origin = desk.view.position();
    form.hidden = false;
    field.select();
    field.focus();
    search();
  }

  function close() {
    if (form.hidden) return false;
    const match = matches[current];
    form.hidden = true;
    matches = [];
    desk.view?.painter.set('found', []);
    desk.view?.painter.set('found-here', []);
    if (match) desk.view.select(match);
    else desk.view?.focus();
    current = -1;
    return true;
  }

  field.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field) goBy(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  });
  byId('find-next').addEventListener('click', () => goBy(1));
  byId('find-previous').addEventListener('click', () => goBy(-1));
  byId('find-close').addEventListener('click', close);
  desk.addEventListener('opened', () => {
    origin = 0;
    if (!form.hidden) search();
  });
  return { open, close };
}

/**
 * Return the places of words in a text, whatever their case and the space between them.
 *
 * @param {string} words
 * @param {import('../core/text_offsets.js').Text} text
 * @returns {[number, number][]}
 */
function findMatches(words, text) {
  const parts = words.trim().split(/\s+/).filter(Boolean);
  if (!parts.length) return [];
  const pattern = new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu');
  const places = [];
  for (const match of text.string.matchAll(pattern)) {
    places.push([text.toPoint(match.index), text.toPoint(match.index + match[0].length)]);
    if (places.length === MOST_MATCHES) break;
  }
  return places;
}
