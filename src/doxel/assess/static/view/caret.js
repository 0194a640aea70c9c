/**
 * A caret in text that nobody can edit: it is seen, moves with the keys, and selects with shift.
 *
 * The browser moves it (Selection.modify), so it goes as it does in any editor, in either direction of
 * reading.  What it cannot do is drawn or computed here.
 */
import { keyMove } from './caret-keys.js';
import { caretRect, selectionRect } from './caret-rect.js';
import { LargeSelection } from './large.js';
import { frameOf, reveal, revealSideways, scrollBy, scrollerOf } from './scrolling.js';
import { Watch } from './watch.js';

const PAGE_KEEPS = 40; // pixels that stay in sight when a page is turned

export class Caret {
  #rendered;
  #positions;
  #container;
  #node;
  #large;
  #watch;
  #side = 'after';
  #column = null;
  #listening = new AbortController();

  /**
   * @param {{container: HTMLElement, positions: import('./positions.js').Positions, label: string}} parts
   */
  constructor({ container, positions, label }) {
    const { rendered } = positions;
    this.#rendered = rendered;
    this.#positions = positions;
    this.#container = container;
    this.#large = new LargeSelection(positions);
    this.#node = document.createElement('div');
    this.#node.className = 'view-caret';
    this.#node.hidden = true;
    rendered.layer.append(this.#node);
    container.tabIndex = 0;
    container.setAttribute('role', 'document');
    container.setAttribute('aria-label', label);
    this.#listen();
    this.#watch = new Watch(rendered, () => this.#draw());
  }

  #listen() {
    const { signal } = this.#listening;
    this.#container.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#container.addEventListener('focus', () => this.#draw(), { signal });
    this.#container.addEventListener('blur', () => this.#draw(), { signal });
    this.#container.addEventListener('mousedown', (event) => this.#pressed(event), { signal });
    this.#container.addEventListener('copy', (event) => this.#copy(event), { signal });
    document.addEventListener('selectionchange', () => this.#changed(), { signal });
  }

  /** Where the caret is: the end of the selection that moves; null if it is not in the text. */
  get point() {
    const { focusNode, focusOffset } = document.getSelection();
    if (focusNode === null || !this.#rendered.root.contains(focusNode)) return null;
    return this.#positions.point(focusNode, focusOffset);
  }

  /**
   * Put the caret somewhere, and bring it into sight.
   *
   * @param {number} point
   * @param {{focus?: boolean}} [how]
   */
  place(point, { focus = true } = {}) {
    this.#reset();
    const { node, offset } = this.#positions.place(point);
    document.getSelection().collapse(node, offset);
    this.#show(focus);
  }

  /**
   * Select a span, the caret at its end, and bring its beginning into sight.
   *
   * @param {number} start
   * @param {number} end
   * @param {{focus?: boolean}} [how]
   */
  select(start, end, { focus = true } = {}) {
    this.#reset();
    if (this.#large.isFor(start, end)) this.#large.select(start, end);
    else {
      const first = this.#positions.place(start);
      const last = this.#positions.place(end, 'before');
      document.getSelection().setBaseAndExtent(first.node, first.offset, last.node, last.offset);
      this.#side = 'before';
    }
    this.#show(focus, start);
  }

  /** Take the caret away. */
  destroy() {
    this.#listening.abort();
    this.#watch.stop();
    this.#large.destroy();
    this.#node.remove();
  }

  #reset() {
    this.#large.drop();
    this.#side = 'after';
    this.#column = null;
  }

  /** Return where the caret is in the window, null if it is not in the text. */
  #rect() {
    return this.point === null ? null : selectionRect(this.#positions, document.getSelection(), this.#side);
  }

  #show(focus, point = null) {
    if (focus) this.#container.focus({ preventScroll: true });
    const rect = this.#rect();
    const table = document.getSelection().focusNode?.parentElement?.closest('.view-wide') ?? null;
    if (rect !== null) revealSideways(table, rect);
    reveal(this.#container, () => (point === null ? this.#rect() : caretRect(this.#positions, point)));
    this.#draw();
  }

  #changed() {
    this.#large.check();
    this.#draw();
  }

  /** A press of the mouse begins another selection, also on what is selected: nobody drags text away here. */
  #pressed({ button, shiftKey, detail }) {
    this.#reset();
    if (button === 0 && !shiftKey && detail === 1) document.getSelection().removeAllRanges();
  }

  /** Copy a large selection, which the browser does not know. */
  #copy(event) {
    const span = this.#large.spanOf(document.getSelection());
    if (span === null) return;
    event.clipboardData.setData('text/plain', this.#rendered.text.slice(...span));
    event.preventDefault();
  }

  #draw() {
    const rect = document.activeElement === this.#container ? this.#rect() : null;
    this.#node.hidden = rect === null;
    if (rect === null) return;
    const origin = this.#rendered.layer.getBoundingClientRect();
    this.#node.style.left = `${rect.left - origin.left}px`;
    this.#node.style.top = `${rect.top - origin.top}px`;
    this.#node.style.height = `${rect.height}px`;
  }

  #key(event) {
    const move = event.target === this.#container ? keyMove(event) : null;
    if (move === null) return;
    event.preventDefault();
    if (this.point === null) this.#begin();
    this.#large.drop();
    this.#moves[move.kind](move);
  }

  /** Put the caret at the first text on the screen. */
  #begin() {
    const { left, width } = this.#container.getBoundingClientRect();
    const { top } = frameOf(scrollerOf(this.#container));
    this.#go(this.#pointAt(left + width / 2, top + 40) ?? 0, false);
  }

  #moves = {
    modify: ({ extend, direction, granularity }) => {
      const selection = document.getSelection();
      const before = [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
      selection.modify(extend ? 'extend' : 'move', direction, granularity);
      if (this.point === null) selection.setBaseAndExtent(...before); // it had left the document
      this.#side = granularity === 'lineboundary' && direction === 'forward' ? 'before' : 'after';
      this.#show(false);
    },
    block: ({ extend, direction }) => this.#go(this.#blockStart(direction), extend),
    edge: ({ extend, direction }) => {
      this.#go(direction === 'forward' ? this.#rendered.text.length : 0, extend);
    },
    page: ({ extend, direction }) => this.#page(direction, extend),
    all: () => this.select(0, this.#rendered.text.length),
  };

  #go(point, extend) {
    this.#side = 'after';
    const { node, offset } = this.#positions.place(point);
    const selection = document.getSelection();
    const anchor = extend ? this.#positions.point(selection.anchorNode, selection.anchorOffset) : point;
    if (this.#large.isFor(Math.min(anchor, point), Math.max(anchor, point))) {
      this.#large.select(Math.min(anchor, point), Math.max(anchor, point));
    } else if (extend) selection.extend(node, offset);
    else selection.collapse(node, offset);
    this.#show(false);
  }

  /** Return the first character of this block, or of the one before or after. */
  #blockStart(direction) {
    const { outline, isBlock, text } = this.#rendered;
    const here = this.point;
    const isForward = direction === 'forward';
    let found = isForward ? text.length : 0;
    for (let row = 0; row < outline.length; row += 1) {
      const start = outline.start[row];
      if (!isBlock[row] || start === outline.end[row]) continue;
      if (!isForward && start < here) found = start;
      if (isForward && start > here) return start;
    }
    return found;
  }

  /** Scroll by what is on the screen, the caret along with it. */
  #page(direction, extend) {
    const scroller = scrollerOf(this.#container);
    const { top, bottom } = frameOf(scroller);
    const rect = this.#rect();
    const step = (bottom - top - 2 * PAGE_KEEPS) * (direction === 'forward' ? 1 : -1);
    if (!scrollBy(scroller, step) || rect === null) {
      this.#moves.edge({ direction, extend });
      return;
    }
    this.#column ??= rect.left;
    const y = Math.min(Math.max(rect.top + rect.height / 2, top + PAGE_KEEPS), bottom - PAGE_KEEPS);
    // what has come into sight is laid out with the next frame
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const point = this.#pointAt(this.#column, y);
      if (point !== null) this.#go(point, extend);
    }));
  }

  /** Return the position in the text nearest to a place in the window; null if it is not over the text. */
  #pointAt(x, y) {
    const found = document.caretPositionFromPoint?.(x, y);
    const range = found === undefined ? document.caretRangeFromPoint(x, y) : null;
    const [node, offset] = range ? [range.startContainer, range.startOffset] : [found?.offsetNode, found?.offset];
    return node && this.#rendered.root.contains(node) ? this.#positions.point(node, offset) : null;
  }
}
