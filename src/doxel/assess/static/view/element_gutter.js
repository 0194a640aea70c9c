/**
 * The outline beside the text: one bracket per visible block, inner blocks nearer to the text.
 *
 * A click selects the whole element; hovering shows its path and size.  For the keyboard it is a tree: up and down
 * walk through it, left goes to the parent, right to the first child, Enter selects the element.
 */
import { pluralise } from '../core/page_helpers.js';
import { findFirst } from '../core/text_offsets.js';
import { findVisibleParts, MoveWatcher, reveal } from './scrolling.js';

/** The most brackets side by side; of deeper nesting the outermost are left out. */
const COLUMNS = 6;
/** These looks are side by side in the text, so that their brackets would coincide. */
const BESIDE = /look-(cell|header|rows)/;

/** The gutter of one document. */
export class Gutter {
  #container;
  #rendered;
  #select;
  #tree;
  #brackets;
  #tip;
  #frame;
  #watch;
  #current = -1;
  #listening = new AbortController();

  /**
   * @param {{container: HTMLElement, rendered: import('./document_render.js').Rendered,
   *   select: (row: number) => void}} parts  `select` is called with the row of a chosen element
   */
  constructor({ container, rendered, select }) {
    this.#container = container;
    this.#rendered = rendered;
    this.#select = select;
    this.#tree = makeNode('brackets', { role: 'tree', 'aria-label': 'Elements on the screen' });
    this.#tip = makeNode('tip', { 'aria-hidden': 'true' });
    this.#frame = makeNode('view-frame', { 'aria-hidden': 'true' });
    this.#tip.hidden = true;
    this.#frame.hidden = true;
    container.classList.add('view-gutter');
    container.replaceChildren(this.#tree, this.#tip);
    rendered.layer.append(this.#frame);
    this.#brackets = new GutterBrackets(this.#tree, rendered);
    this.#watch = new MoveWatcher(rendered, () => this.#draw());
    this.#listen();
    this.#draw();
  }

  /** Remove the gutter. */
  destroy() {
    this.#listening.abort();
    this.#watch.stop();
    this.#frame.remove();
    this.#container.replaceChildren();
  }

  #listen() {
    const { signal } = this.#listening;
    const rowOf = (event) => Number(event.target.closest?.('.bracket')?.dataset.row ?? -1);
    const on = (type, act) => this.#tree.addEventListener(type, act, { signal });
    // a click beside the text must not change the selection
    on('mousedown', (event) => event.preventDefault());
    on('click', (event) => this.#choose(rowOf(event)));
    on('keydown', (event) => this.#handleKey(event, rowOf(event)));
    on('pointerover', (event) => this.#showTip(rowOf(event)));
    on('pointerleave', () => this.#showTip(-1));
    on('focusin', (event) => this.#showTip(rowOf(event)));
    on('focusout', () => this.#showTip(-1));
  }

  #choose(row) {
    if (row >= 0) this.#select(row);
  }

  #draw() {
    this.#brackets.draw();
    const { rows } = this.#brackets;
    if (!rows.includes(this.#current)) this.#current = rows[0] ?? -1;
    for (const row of rows) this.#brackets.node(row).tabIndex = row === this.#current ? 0 : -1;
  }

  #handleKey(event, row) {
    if (row < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const goals = {
      ArrowUp: () => this.#findBeside(row, -1),
      ArrowDown: () => this.#findBeside(row, 1),
      ArrowLeft: () => this.#brackets.findAbove(row),
      ArrowRight: () => this.#findInside(row),
    };
    if (event.key === 'Enter' || event.key === ' ') this.#choose(row);
    else if (Object.hasOwn(goals, event.key)) this.#goTo(goals[event.key]());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #findBeside(row, step) {
    const { length } = this.#rendered.outline;
    for (let at = row + step; at >= 0 && at < length; at += step) if (this.#brackets.depth(at) >= 0) return at;
    return -1;
  }

  #findInside(row) {
    const next = this.#findBeside(row, 1);
    return next >= 0 && this.#brackets.depth(next) > this.#brackets.depth(row) ? next : -1;
  }

  /** Move the focus to the bracket of an element, and bring the element into view. */
  #goTo(row) {
    if (row < 0) return;
    this.#current = row;
    const element = this.#rendered.nodes[row];
    reveal(this.#container, () => {
      const { top } = element.getBoundingClientRect();
      return { top, height: 20 };
    });
    this.#draw();
    this.#brackets.node(row)?.focus({ preventScroll: true });
  }

  /** Show the element of a bracket: its path and size, and a frame around it in the text. */
  #showTip(row) {
    const node = row < 0 ? undefined : this.#brackets.node(row);
    this.#tip.hidden = node === undefined;
    this.#frame.hidden = node === undefined;
    if (node === undefined) return;
    const { path, size } = this.#brackets.describe(row);
    this.#tip.replaceChildren(makeLine('path', path), makeLine('size', size));
    const origin = this.#container.getBoundingClientRect();
    const { top } = node.getBoundingClientRect();
    this.#tip.style.top = `${Math.max(top, 0) - origin.top}px`;
    this.#placeFrame(this.#rendered.nodes[row].getBoundingClientRect());
  }

  #placeFrame(rect) {
    const origin = this.#rendered.layer.getBoundingClientRect();
    this.#frame.style.left = `${rect.left - origin.left}px`;
    this.#frame.style.top = `${rect.top - origin.top}px`;
    this.#frame.style.width = `${rect.width}px`;
    this.#frame.style.height = `${rect.height}px`;
  }
}

function makeNode(name, attributes) {
  const node = document.createElement('div');
  node.className = name;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function makeLine(name, words) {
  const node = makeNode(name, {});
  node.textContent = words;
  return node;
}

/** The brackets of the gutter, one per visible block, kept in step with the text. */
class GutterBrackets {
  #tree;
  #rendered;
  #drawn = new Map(); // nodes by row
  #depths = new Map(); // by row; -1 for elements without a bracket

  /**
   * @param {HTMLElement} tree  contains the brackets
   * @param {import('./document_render.js').Rendered} rendered
   */
  constructor(tree, rendered) {
    this.#tree = tree;
    this.#rendered = rendered;
  }

  /** The rows of the drawn brackets, in document order. */
  get rows() {
    return [...this.#drawn.keys()].sort((left, right) => left - right);
  }

  /**
   * @param {number} row
   * @returns {HTMLElement|undefined}
   */
  node(row) {
    return this.#drawn.get(row);
  }

  /** Draw the brackets of the visible blocks, and no others. */
  draw() {
    const origin = this.#tree.getBoundingClientRect();
    const { nodes } = this.#rendered;
    const blocks = this.#findVisibleRows().map((row) => ({ row, rect: nodes[row].getBoundingClientRect() }));
    const visible = blocks.filter(({ rect }) => rect.height > 0 && rect.bottom > 0 && rect.top < innerHeight);
    const deepest = Math.max(0, ...visible.map(({ row }) => this.depth(row)));
    const first = Math.max(0, deepest - COLUMNS + 1);
    const visibleRows = new Set();
    for (const { row, rect } of visible) {
      if (this.depth(row) < first) continue;
      visibleRows.add(row);
      this.#place(this.#drawn.get(row) ?? this.#make(row), rect, origin, this.depth(row) - first);
    }
    for (const [row, node] of this.#drawn) {
      // a bracket with the focus stays, even out of view: else the keyboard would lose its place
      if (visibleRows.has(row) || node === document.activeElement) continue;
      node.remove();
      this.#drawn.delete(row);
    }
    this.#tree.hidden = this.#drawn.size === 0;
  }

  /** Return the rows of the blocks in the visible parts. */
  #findVisibleRows() {
    const { outline, text } = this.#rendered;
    const rows = new Set();
    for (const part of findVisibleParts(this.#rendered)) {
      const [start, end] = [text.toPoint(part.start), text.toPoint(part.end)];
      let row = findFirst(outline.length, (at) => outline.start[at] >= start);
      for (const around of row > 0 ? [row - 1, ...outline.ancestors(row - 1)] : []) {
        if (outline.end[around] > start) rows.add(around);
      }
      for (; row < outline.length && outline.start[row] < end; row += 1) rows.add(row);
    }
    return [...rows].filter((candidate) => this.depth(candidate) >= 0).sort((left, right) => left - right);
  }

  /**
   * Return the number of brackets around that of an element; -1 if it has no bracket.
   *
   * @param {number} row
   * @returns {number}
   */
  depth(row) {
    if (!this.#depths.has(row)) this.#depths.set(row, this.#hasBracket(row) ? this.#countAround(row) : -1);
    return this.#depths.get(row);
  }

  #hasBracket(row) {
    const { isBlock, nodes, outline } = this.#rendered;
    if (!isBlock[row] || nodes[row] === null || outline.start[row] === outline.end[row]) return false;
    return !BESIDE.test(nodes[row].className);
  }

  #countAround(row) {
    const parent = this.findAbove(row);
    return parent < 0 ? 0 : this.depth(parent) + 1;
  }

  /**
   * Return the row of the next bracket around that of an element; -1 if there is none.
   *
   * @param {number} row
   * @returns {number}
   */
  findAbove(row) {
    const { outline } = this.#rendered;
    let at = outline.parent[row];
    while (at >= 0 && !this.#hasBracket(at)) at = outline.parent[at];
    return at;
  }

  /**
   * Return the path of an element, and the size of its text.
   *
   * @param {number} row
   * @returns {{path: string, size: string}}
   */
  describe(row) {
    const { outline } = this.#rendered;
    return { path: outline.path(row), size: pluralise(outline.end[row] - outline.start[row], 'character') };
  }

  #make(row) {
    const { outline } = this.#rendered;
    const node = document.createElement('div');
    node.className = 'bracket';
    node.setAttribute('role', 'treeitem');
    node.setAttribute('aria-level', String(this.depth(row) + 1));
    node.setAttribute('aria-label', `${outline.label(row)} ${outline.ordinal[row]}, ${this.describe(row).size}`);
    node.dataset.row = String(row);
    node.tabIndex = -1;
    const after = this.rows.find((other) => other > row);
    this.#tree.insertBefore(node, after === undefined ? null : this.#drawn.get(after));
    this.#drawn.set(row, node);
    return node;
  }

  #place(node, rect, origin, column) {
    node.style.setProperty('--column', String(column));
    node.style.top = `${rect.top - origin.top}px`;
    node.style.height = `${rect.height}px`;
  }
}
