/**
 * Large selections in long documents.  Browsers lay out whatever is selected, on the screen or not, which
 * takes seconds; so a large selection is painted like any other mark, and the browser's own is a caret at its
 * beginning.  It holds as long as nobody moves that.
 */
import { Painter } from './paint.js';

/** In a document that is cut into parts, the browser itself may select so many units. */
const MOST = 50_000;

export class LargeSelection {
  #positions;
  #painter;
  /** @type {{span: [number, number], node: Node, offset: number}|null} */ #held = null;

  /** @param {import('./positions.js').Positions} positions */
  constructor(positions) {
    this.#positions = positions;
    this.#painter = new Painter(positions.rendered, positions);
    positions.large = this;
  }

  /**
   * Tell whether a span is too large to be selected by the browser.
   *
   * @param {number} start
   * @param {number} end
   * @returns {boolean}
   */
  isFor(start, end) {
    return end - start > MOST && this.#positions.rendered.parts.length > 1;
  }

  /**
   * Select a span.
   *
   * @param {number} start
   * @param {number} end
   */
  select(start, end) {
    const { node, offset } = this.#positions.place(start);
    document.getSelection().collapse(node, offset);
    this.#held = { span: [start, end], node, offset };
    this.#painter.set('selection', [[start, end]]);
  }

  /**
   * Return what is selected, if it is by way of this selection.
   *
   * @param {Selection} selection
   * @returns {[number, number]|null}
   */
  spanOf(selection) {
    const { span, node, offset } = this.#held ?? {};
    const isHeld = selection.isCollapsed && selection.anchorNode === node && selection.anchorOffset === offset;
    return span !== undefined && isHeld ? span : null;
  }

  /** Give up, if the browser's selection has moved. */
  check() {
    if (this.spanOf(document.getSelection()) === null) this.drop();
  }

  /** Select nothing any more. */
  drop() {
    if (this.#held !== null) this.#painter.set('selection', []);
    this.#held = null;
  }

  /** End it. */
  destroy() {
    this.#painter.destroy();
    this.#positions.large = null;
  }
}
