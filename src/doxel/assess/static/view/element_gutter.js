/**
 * The outline beside the text: one bracket per visible block, inner blocks nearer to the text.
 *
 * A click selects the whole element; hovering shows its path and size.  For the keyboard it is a tree: up and down
 * walk through it, left goes to the parent, right to the first child, Enter selects the element.
 */
import { counted } from '../core/page_helpers.js';
import { firstFrom } from '../core/text_offsets.js';
import { reveal, visibleParts, Watch } from './scrolling.js';

/** So many brackets may stand beside each other; where more are nested, the outermost are left out. */
const COLUMNS = 6;
/** Stand beside each other in the text, so that a bracket would be that of their row. */
const BESIDE = /look-(cell|header|rows)/;

export class Gutter {
  #container;
  #rendered;
  #select;
  #tree;
  #items;
  #tip;
  #frame;
  #watch;
  #current = -1;
  #listening = new AbortController();

  /**
   * @param {{container: HTMLElement, rendered: import('./document_render.js').Rendered,
   *   select: (row: number) => void}} parts  `select` is called with the row of an element that was chosen
   */
  constructor({ container, rendered, select }) {
    this.#container = container;
    this.#rendered = rendered;
    this.#select = select;
    this.#tree = made('brackets', { role: 'tree', 'aria-label': 'Elements on the screen' });
    this.#tip = made('tip', { 'aria-hidden': 'true' });
    this.#frame = made('view-frame', { 'aria-hidden': 'true' });
    this.#tip.hidden = true;
    this.#frame.hidden = true;
    container.classList.add('view-gutter');
    container.replaceChildren(this.#tree, this.#tip);
    rendered.layer.append(this.#frame);
    this.#items = new GutterItems(this.#tree, rendered);
    this.#watch = new Watch(rendered, () => this.#draw());
    this.#listen();
    this.#draw();
  }

  /** Take it away. */
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
    // the selection in the text must outlive a click beside it
    on('mousedown', (event) => event.preventDefault());
    on('click', (event) => this.#choose(rowOf(event)));
    on('keydown', (event) => this.#key(event, rowOf(event)));
    on('pointerover', (event) => this.#about(rowOf(event)));
    on('pointerleave', () => this.#about(-1));
    on('focusin', (event) => this.#about(rowOf(event)));
    on('focusout', () => this.#about(-1));
  }

  #choose(row) {
    if (row >= 0) this.#select(row);
  }

  #draw() {
    this.#items.draw();
    const { rows } = this.#items;
    if (!rows.includes(this.#current)) this.#current = rows[0] ?? -1;
    for (const row of rows) this.#items.node(row).tabIndex = row === this.#current ? 0 : -1;
  }

  #key(event, row) {
    if (row < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const goals = {
      ArrowUp: () => this.#beside(row, -1),
      ArrowDown: () => this.#beside(row, 1),
      ArrowLeft: () => this.#items.above(row),
      ArrowRight: () => this.#inside(row),
    };
    if (event.key === 'Enter' || event.key === ' ') this.#choose(row);
    else if (Object.hasOwn(goals, event.key)) this.#goTo(goals[event.key]());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #beside(row, step) {
    const { length } = this.#rendered.outline;
    for (let at = row + step; at >= 0 && at < length; at += step) if (this.#items.depth(at) >= 0) return at;
    return -1;
  }

  #inside(row) {
    const next = this.#beside(row, 1);
    return next >= 0 && this.#items.depth(next) > this.#items.depth(row) ? next : -1;
  }

  /** Move the focus to the bracket of an element, which is brought into sight. */
  #goTo(row) {
    if (row < 0) return;
    this.#current = row;
    const shown = this.#rendered.nodes[row];
    reveal(this.#container, () => {
      const { top } = shown.getBoundingClientRect();
      return { top, height: 20 };
    });
    this.#draw();
    this.#items.node(row)?.focus({ preventScroll: true });
  }

  /** Show what a bracket stands for: its path and size, and a frame around it in the text. */
  #about(row) {
    const node = row < 0 ? undefined : this.#items.node(row);
    this.#tip.hidden = node === undefined;
    this.#frame.hidden = node === undefined;
    if (node === undefined) return;
    const { path, size } = this.#items.about(row);
    this.#tip.replaceChildren(line('path', path), line('size', size));
    const origin = this.#container.getBoundingClientRect();
    const { top } = node.getBoundingClientRect();
    this.#tip.style.top = `${Math.max(top, 0) - origin.top}px`;
    this.#surround(this.#rendered.nodes[row].getBoundingClientRect());
  }

  #surround(rect) {
    const origin = this.#rendered.layer.getBoundingClientRect();
    this.#frame.style.left = `${rect.left - origin.left}px`;
    this.#frame.style.top = `${rect.top - origin.top}px`;
    this.#frame.style.width = `${rect.width}px`;
    this.#frame.style.height = `${rect.height}px`;
  }
}

function made(name, attributes) {
  const node = document.createElement('div');
  node.className = name;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function line(name, words) {
  const node = made(name, {});
  node.textContent = words;
  return node;
}

/** The brackets of the gutter, one per visible block, kept in step with the text. */
class GutterItems {
  #tree;
  #rendered;
  #drawn = new Map(); // nodes by row
  #known = new Map(); // for each row whether it has a bracket, and how deep

  /**
   * @param {HTMLElement} tree  into which brackets go
   * @param {import('./document_render.js').Rendered} rendered
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
