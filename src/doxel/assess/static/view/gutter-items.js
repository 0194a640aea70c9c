/** The brackets of the gutter: one for each block that is on the screen, kept in step with the text. */
import { counted } from '../core/page_helpers.js';
import { firstFrom } from '../core/text_offsets.js';
import { visibleParts } from './visible.js';

/** So many brackets may stand beside each other; where more are nested, the outermost are left out. */
const COLUMNS = 6;
/** Stand beside each other in the text, so that a bracket would be that of their row. */
const BESIDE = /look-(cell|header|rows)/;

export class GutterItems {
  #tree;
  #rendered;
  #drawn = new Map(); // nodes by row
  #known = new Map(); // for each row whether it has a bracket, and how deep

  /**
   * @param {HTMLElement} tree  into which brackets go
   * @param {import('./render.js').Rendered} rendered
   */
  constructor(tree, rendered) {
    this.#tree = tree;
    this.#rendered = rendered;
  }

  /** The rows whose brackets are there, in document order. */
  get rows() {
    return [...this.#drawn.keys()].sort((one, other) => one - other);
  }

  /**
   * @param {number} row
   * @returns {HTMLElement|undefined}
   */
  node(row) {
    return this.#drawn.get(row);
  }

  /** Draw the brackets of what is on the screen, and no others. */
  draw() {
    const origin = this.#tree.getBoundingClientRect();
    const found = this.#onScreen().map((row) => ({ row, rect: this.#rendered.nodes[row].getBoundingClientRect() }));
    const wanted = found.filter(({ rect }) => rect.height > 0 && rect.bottom > 0 && rect.top < innerHeight);
    const deepest = Math.max(0, ...wanted.map(({ row }) => this.depth(row)));
    const first = Math.max(0, deepest - COLUMNS + 1);
    const shown = new Set();
    for (const { row, rect } of wanted) {
      if (this.depth(row) < first) continue;
      shown.add(row);
      this.#place(this.#drawn.get(row) ?? this.#make(row), rect, origin, this.depth(row) - first);
    }
    for (const [row, node] of this.#drawn) {
      // what has the focus stays, even out of sight: else the keyboard would be nowhere
      if (shown.has(row) || node === document.activeElement) continue;
      node.remove();
      this.#drawn.delete(row);
    }
    this.#tree.hidden = this.#drawn.size === 0;
  }

  /** Return the rows of blocks that are in the parts on the screen. */
  #onScreen() {
    const { outline, text } = this.#rendered;
    const found = new Set();
    for (const part of visibleParts(this.#rendered)) {
      const [start, end] = [text.point(part.start), text.point(part.end)];
      let row = firstFrom(outline.length, (at) => outline.start[at] >= start);
      for (const around of row > 0 ? [row - 1, ...outline.ancestors(row - 1)] : []) {
        if (outline.end[around] > start) found.add(around);
      }
      for (; row < outline.length && outline.start[row] < end; row += 1) found.add(row);
    }
    return [...found].filter((row) => this.depth(row) >= 0).sort((one, other) => one - other);
  }

  /**
   * Return how many brackets are around that of an element; -1 if it has none.
   *
   * @param {number} row
   * @returns {number}
   */
  depth(row) {
    if (!this.#known.has(row)) this.#known.set(row, this.#hasBracket(row) ? this.#around(row) : -1);
    return this.#known.get(row);
  }

  #hasBracket(row) {
    const { isBlock, nodes, outline } = this.#rendered;
    if (!isBlock[row] || nodes[row] === null || outline.start[row] === outline.end[row]) return false;
    return !BESIDE.test(nodes[row].className);
  }

  #around(row) {
    const parent = this.above(row);
    return parent < 0 ? 0 : this.depth(parent) + 1;
  }

  /**
   * Return the row of the next bracket around that of an element, -1 if there is none.
   *
   * @param {number} row
   * @returns {number}
   */
  above(row) {
    const { outline } = this.#rendered;
    let at = outline.parent[row];
    while (at >= 0 && !this.#hasBracket(at)) at = outline.parent[at];
    return at;
  }

  /**
   * Say which element a bracket stands for, and how much text it holds.
   *
   * @param {number} row
   * @returns {{path: string, size: string}}
   */
  about(row) {
    const { outline } = this.#rendered;
    return { path: outline.path(row), size: counted(outline.end[row] - outline.start[row], 'character') };
  }

  #make(row) {
    const { outline } = this.#rendered;
    const node = document.createElement('div');
    node.className = 'bracket';
    node.setAttribute('role', 'treeitem');
    node.setAttribute('aria-level', String(this.depth(row) + 1));
    node.setAttribute('aria-label', `${outline.label(row)} ${outline.ordinal[row]}, ${this.about(row).size}`);
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
