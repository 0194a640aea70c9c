/** A document on the screen: its text and elements, what is painted over it, the caret, the gutter. */

import { byId, excerpt } from '../core/page_helpers.js';
import { render } from '../view/document_render.js';
import { Gutter } from '../view/element_gutter.js';
import { Painter } from '../view/highlight_paint.js';
import { reveal } from '../view/scrolling.js';
import { Caret } from '../view/text_caret.js';
import { caretRect, Positions } from '../view/text_positions.js';

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
