/**
 * The outline beside the text: a bracket for each block that is on the screen, inner ones nearer to the text.
 * A click takes the whole element; hovering shows its path and size.  For the keyboard it is a tree: up and
 * down go through it, left to what is around, right to what is inside, Enter takes the element.
 */
import { GutterItems } from './gutter-items.js';
import { reveal } from './scrolling.js';
import { Watch } from './watch.js';

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
   * @param {{container: HTMLElement, rendered: import('./render.js').Rendered,
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
