/**
 * A visible caret in read-only text: it moves with the keys, and selects with shift.
 *
 * The browser moves it (Selection.modify), so it behaves as in any editor, in both reading directions.  Everything
 * that the browser cannot do is drawn or computed here.
 *
 * @typedef {{kind: "modify"|"block"|"page"|"edge"|"all", extend: boolean, direction?: string,
 *   granularity?: string}} Move
 */
import { snapSpan } from '../core/document_outline.js';
import { IS_MAC } from '../core/page_helpers.js';
import { Painter } from './highlight_paint.js';
import { findFrame, findScroller, MoveWatcher, reveal, revealSideways, scrollBy } from './scrolling.js';
import { findCaretRect, findSelectionRect } from './text_positions.js';

const PAGE_OVERLAP = 40; // pixels that stay visible when a page is turned
const MOVES = {
  ArrowLeft: { kind: 'modify', direction: 'left', granularity: 'character' },
  ArrowRight: { kind: 'modify', direction: 'right', granularity: 'character' },
  ArrowUp: { kind: 'modify', direction: 'backward', granularity: 'line' },
  ArrowDown: { kind: 'modify', direction: 'forward', granularity: 'line' },
  Home: { kind: 'modify', direction: 'backward', granularity: 'lineboundary' },
  End: { kind: 'modify', direction: 'forward', granularity: 'lineboundary' },
  PageUp: { kind: 'page', direction: 'backward' },
  PageDown: { kind: 'page', direction: 'forward' },
};

const FAR_MOVES = {
  ArrowLeft: { kind: 'modify', direction: 'left', granularity: 'word' },
  ArrowRight: { kind: 'modify', direction: 'right', granularity: 'word' },
  ArrowUp: { kind: 'block', direction: 'backward' },
  ArrowDown: { kind: 'block', direction: 'forward' },
  Home: { kind: 'edge', direction: 'backward' },
  End: { kind: 'edge', direction: 'forward' },
  a: { kind: 'all' },
};

/** On a Mac, option makes the far moves, and command goes to the edges. */
const MAC_EDGES = {
  ArrowLeft: MOVES.Home,
  ArrowRight: MOVES.End,
  ArrowUp: FAR_MOVES.Home,
  ArrowDown: FAR_MOVES.End,
  a: FAR_MOVES.a,
};
const LONG_PRESS = 600; // milliseconds; a little longer than browsers wait that select by themselves
const LEAST_MOVE = 10; // pixels of a finger that moves
/** The longest span, in characters, that the browser itself selects in a document that is cut into parts. */
const LARGEST_NATIVE = 50_000;

/** The caret of one document. */
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
   * @param {{container: HTMLElement, positions: import('./text_positions.js').Positions, label: string}} parts
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
    this.#watch = new MoveWatcher(rendered, () => this.#draw());
  }

  #listen() {
    const { signal } = this.#listening;
    this.#container.addEventListener('keydown', (event) => this.#handleKey(event), { signal });
    this.#container.addEventListener('focus', () => this.#draw(), { signal });
    this.#container.addEventListener('blur', () => this.#draw(), { signal });
    this.#container.addEventListener('mousedown', (event) => this.#handlePress(event), { signal });
    this.#container.addEventListener('copy', (event) => this.#copy(event), { signal });
    document.addEventListener('selectionchange', () => this.#handleSelectionChange(), { signal });
    const actions = { press: (x, y) => this.#selectWord(x, y), move: (x, y) => this.#extendTo(x, y) };
    listenToTouch(this.#container, actions, signal);
  }

  /** Select the word at a place in the window; return whether there is one that is not selected yet. */
  #selectWord(x, y) {
    const point = this.#findPoint(x, y);
    const { text, outline } = this.#rendered;
    if (point === null || point >= text.length || !document.getSelection().isCollapsed) return false;
    const [start, end] = snapSpan([point, point + 1], 'word', text, outline);
    this.select(start, end);
    return start < end;
  }

  /** Extend the selection to a place in the window. */
  #extendTo(x, y) {
    const point = this.#findPoint(x, y);
    if (point !== null) this.#goTo(point, true);
  }

  /** The position of the caret, the moving end of the selection; null if it is not in the text. */
  get point() {
    const { focusNode, focusOffset } = document.getSelection();
    if (focusNode === null || !this.#rendered.root.contains(focusNode)) return null;
    return this.#positions.point(focusNode, focusOffset);
  }

  /**
   * Put the caret at a position, and bring it into view.
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
   * Select a span, with the caret at its end, and bring its start into view.
   *
   * @param {number} start
   * @param {number} end
   * @param {{focus?: boolean}} [how]
   */
  select(start, end, { focus = true } = {}) {
    this.#reset();
    if (this.#large.isNeeded(start, end)) this.#large.select(start, end);
    else {
      const first = this.#positions.place(start);
      const last = this.#positions.place(end, 'before');
      document.getSelection().setBaseAndExtent(first.node, first.offset, last.node, last.offset);
      this.#side = 'before';
    }
    this.#show(focus, start);
  }

  /** Remove the caret. */
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

  /** Return the rectangle of the caret in the window; null if it is not in the text. */
  #findRect() {
    return this.point === null ? null : findSelectionRect(this.#positions, document.getSelection(), this.#side);
  }

  #show(focus, point = null) {
    if (focus) this.#container.focus({ preventScroll: true });
    const rect = this.#findRect();
    const table = document.getSelection().focusNode?.parentElement?.closest('.view-wide') ?? null;
    if (rect !== null) revealSideways(table, rect);
    reveal(this.#container, () => (point === null ? this.#findRect() : findCaretRect(this.#positions, point)));
    this.#draw();
  }

  #handleSelectionChange() {
    this.#large.check();
    this.#draw();
  }

  /** Start another selection with the mouse, also on selected text: dragging text is of no use here. */
  #handlePress({ button, shiftKey, detail }) {
    this.#reset();
    if (button === 0 && !shiftKey && detail === 1) document.getSelection().removeAllRanges();
  }

  /** Copy a large selection, which is not the browser's own. */
  #copy(event) {
    const span = this.#large.readSpan(document.getSelection());
    if (span === null) return;
    event.clipboardData.setData('text/plain', this.#rendered.text.slice(...span));
    event.preventDefault();
  }

  #draw() {
    const rect = document.activeElement === this.#container ? this.#findRect() : null;
    this.#node.hidden = rect === null;
    if (rect === null) return;
    const origin = this.#rendered.layer.getBoundingClientRect();
    this.#node.style.left = `${rect.left - origin.left}px`;
    this.#node.style.top = `${rect.top - origin.top}px`;
    this.#node.style.height = `${rect.height}px`;
  }

  #handleKey(event) {
    const move = event.target === this.#container ? findMove(event) : null;
    if (move === null) return;
    event.preventDefault();
    if (this.point === null) this.#placeAtTop();
    this.#large.drop();
    this.#moves[move.kind](move);
  }

  /** Put the caret at the first visible text. */
  #placeAtTop() {
    this.#goTo(this.#findTop() ?? 0, false);
  }

  /** Return the position of the first visible text; null if there is none. */
  #findTop() {
    const { left, width } = this.#container.getBoundingClientRect();
    const { top } = findFrame(findScroller(this.#container));
    return this.#findPoint(left + width / 2, top + 40);
  }

  /**
   * Return where the user is reading: at the caret if it is on the screen, else at the first visible text.
   *
   * @returns {{point: number, offset: number}|null}  offset: pixels below the top; null if no text can be seen
   */
  findReadingPlace() {
    const { top, bottom } = findFrame(findScroller(this.#container));
    const rect = this.#findRect();
    if (rect !== null && rect.top >= top && rect.top < bottom) return { point: this.point, offset: rect.top - top };
    const point = this.#findTop();
    const first = point === null ? null : findCaretRect(this.#positions, point);
    return first === null ? null : { point, offset: first.top - top };
  }

  /**
   * Put the caret at a position, and scroll so that it is at a distance from the top.
   *
   * @param {{point: number, offset: number}} place
   */
  resume({ point, offset }) {
    this.place(point);
    const scroller = findScroller(this.#container);
    // parts of a long document change their height when they come near the screen: there the place is only shown
    const rect = this.#rendered.parts.length > 1 ? null : this.#findRect();
    if (rect !== null) scrollBy(scroller, rect.top - findFrame(scroller).top - offset);
  }

  #moves = {
    modify: ({ extend, direction, granularity }) => {
      const selection = document.getSelection();
      const before = [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
      let point;
      do {
        point = this.point;
        selection.modify(extend ? 'extend' : 'move', direction, granularity);
        // browsers also stop in the white space between blocks, which cannot be seen
      } while (granularity === 'word' && this.#isBetweenBlanks() && this.point !== point);
      if (this.point === null) selection.setBaseAndExtent(...before); // it has left the document
      this.#side = granularity === 'lineboundary' && direction === 'forward' ? 'before' : 'after';
      this.#show(false);
    },
    block: ({ extend, direction }) => this.#goTo(this.#findBlockStart(direction), extend),
    edge: ({ extend, direction }) => {
      this.#goTo(direction === 'forward' ? this.#rendered.text.length : 0, extend);
    },
    page: ({ extend, direction }) => this.#turnPage(direction, extend),
    all: () => this.select(0, this.#rendered.text.length),
  };

  /** Return whether there is white space, or nothing, on both sides of the caret. */
  #isBetweenBlanks() {
    const { point } = this;
    const { text } = this.#rendered;
    return point !== null && !/\S/.test(text.slice(Math.max(0, point - 1), Math.min(text.length, point + 1)));
  }

  #goTo(point, extend) {
    this.#side = 'after';
    const { node, offset } = this.#positions.place(point);
    const selection = document.getSelection();
    const anchor = extend ? this.#positions.point(selection.anchorNode, selection.anchorOffset) : point;
    if (this.#large.isNeeded(Math.min(anchor, point), Math.max(anchor, point))) {
      this.#large.select(Math.min(anchor, point), Math.max(anchor, point));
    } else if (extend) selection.extend(node, offset);
    else selection.collapse(node, offset);
    this.#show(false);
  }

  /** Return the start of this block, or of the one before or after. */
  #findBlockStart(direction) {
    const { outline, isBlock, text } = this.#rendered;
    const caretPoint = this.point;
    const isForward = direction === 'forward';
    let nearest = isForward ? text.length : 0;
    for (let row = 0; row < outline.length; row += 1) {
      const start = outline.start[row];
      if (!isBlock[row] || start === outline.end[row]) continue;
      if (!isForward && start < caretPoint) nearest = start;
      if (isForward && start > caretPoint) return start;
    }
    return nearest;
  }

  /** Scroll by one screen, together with the caret. */
  #turnPage(direction, extend) {
    const scroller = findScroller(this.#container);
    const { top, bottom } = findFrame(scroller);
    const rect = this.#findRect();
    const step = (bottom - top - 2 * PAGE_OVERLAP) * (direction === 'forward' ? 1 : -1);
    if (!scrollBy(scroller, step) || rect === null) {
      this.#moves.edge({ direction, extend });
      return;
    }
    this.#column ??= rect.left;
    const y = Math.min(Math.max(rect.top + rect.height / 2, top + PAGE_OVERLAP), bottom - PAGE_OVERLAP);
    // newly visible parts are laid out with the next frame
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const point = this.#findPoint(this.#column, y);
      if (point !== null) this.#goTo(point, extend);
    }));
  }

  /** Return the position in the text nearest to a place in the window; null if it is not over the text. */
  #findPoint(x, y) {
    const place = document.caretPositionFromPoint?.(x, y);
    const range = place === undefined ? document.caretRangeFromPoint(x, y) : null;
    const [node, offset] = range ? [range.startContainer, range.startOffset] : [place?.offsetNode, place?.offset];
    return node && this.#rendered.root.contains(node) ? this.#positions.point(node, offset) : null;
  }
}

/**
 * Return the move of a key; null if it does not move the caret.
 *
 * @param {KeyboardEvent} event
 * @returns {Move|null}
 */
function findMove({ key, ctrlKey, altKey, metaKey, shiftKey }) {
  let moves = MOVES;
  if (IS_MAC && metaKey && !ctrlKey && !altKey) moves = MAC_EDGES;
  else if (IS_MAC ? altKey && !ctrlKey && !metaKey : ctrlKey && !altKey && !metaKey) moves = FAR_MOVES;
  else if (ctrlKey || altKey || metaKey) return null;
  const move = Object.hasOwn(moves, key) ? moves[key] : null;
  return move === null || (move.kind === 'all' && shiftKey) ? null : { ...move, extend: shiftKey };
}

/**
 * Select by touch where the browser does not: a long press selects a word, and moving on extends the selection.
 *
 * @param {HTMLElement} container
 * @param {{press: (x: number, y: number) => boolean, move: (x: number, y: number) => void}} actions  press returns
 *   whether it has selected something
 * @param {AbortSignal} signal
 */
function listenToTouch(container, { press, move }, signal) {
  let timer = 0;
  let start = null;
  let isSelecting = false;
  const stop = () => { clearTimeout(timer); start = null; };
  container.addEventListener('touchstart', ({ touches }) => {
    stop();
    isSelecting = false;
    if (touches.length > 1) return;
    const { clientX, clientY } = touches[0];
    start = { clientX, clientY };
    timer = setTimeout(() => { isSelecting = press(clientX, clientY); }, LONG_PRESS);
  }, { signal, passive: true });
  container.addEventListener('touchmove', (event) => {
    const { clientX, clientY } = event.touches[0];
    if (isSelecting) {
      event.preventDefault(); // else it would scroll
      move(clientX, clientY);
    } else if (start && Math.hypot(clientX - start.clientX, clientY - start.clientY) > LEAST_MOVE) stop();
  }, { signal, passive: false });
  container.addEventListener('touchend', (event) => {
    if (isSelecting) event.preventDefault(); // else a click would follow, and clear the selection
    stop();
  }, { signal, passive: false });
  // the browser scrolls, or selects by itself
  for (const kind of ['touchcancel', 'contextmenu']) container.addEventListener(kind, stop, { signal });
}

/**
 * A large selection in a long document.  Browsers lay out everything that is selected, visible or not, which takes
 * seconds.  So a large selection is painted like any other mark, and the browser's own selection is a caret at its
 * start.  The large selection lasts until that caret moves.
 */
class LargeSelection {
  #positions;
  #painter;
  /** @type {{span: [number, number], node: Node, offset: number}|null} */ #current = null;

  /** @param {import('./text_positions.js').Positions} positions */
  constructor(positions) {
    this.#positions = positions;
    this.#painter = new Painter(positions.rendered, positions);
    positions.large = this;
  }

  /**
   * Return whether a span is too large to be selected by the browser.
   *
   * @param {number} start
   * @param {number} end
   * @returns {boolean}
   */
  isNeeded(start, end) {
    return end - start > LARGEST_NATIVE && this.#positions.rendered.parts.length > 1;
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
    this.#current = { span: [start, end], node, offset };
    this.#painter.set('selection', [[start, end]]);
  }

  /**
   * Return the selected span; null if the large selection is not in use.
   *
   * @param {Selection} selection
   * @returns {[number, number]|null}
   */
  readSpan(selection) {
    const { span, node, offset } = this.#current ?? {};
    const isUnmoved = selection.isCollapsed && selection.anchorNode === node && selection.anchorOffset === offset;
    return span !== undefined && isUnmoved ? span : null;
  }

  /** Drop the selection if the browser's caret has moved. */
  check() {
    if (this.readSpan(document.getSelection()) === null) this.drop();
  }

  /** Select nothing. */
  drop() {
    if (this.#current !== null) this.#painter.set('selection', []);
    this.#current = null;
  }

  /** Remove the selection and its painter. */
  destroy() {
    this.#painter.destroy();
    this.#positions.large = null;
  }
}
