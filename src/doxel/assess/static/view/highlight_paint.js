/**
 * Marks over a document, without changing it: the browser paints spans (CSS Custom Highlight API) or, where it
 * cannot, boxes over the text do; points get a marker.
 *
 * How each name looks is defined in view.css, as `::highlight(name)` and as `.paint-name`.
 */
import { joined } from '../core/text_offsets.js';
import { visibleParts, Watch } from './scrolling.js';
import { caretRect } from './text_positions.js';

/** What a mark lies over, lowest first; others lie over all of these. */
const ORDER = ['judged', 'agreed', 'only-one', 'only-other', 'retrieved'];
/** Underlined or outlined: not every browser that can highlight can do that. */
const DRAWN = new Set(['retrieved', 'only-one', 'only-other', 'selected-passage']);

export class Painter {
  #watch;
  #boxes;
  #registered = null;
  #layer;
  #positions;
  #markers = new Map();

  /**
   * @param {import('./document_render.js').Rendered} rendered
   * @param {import('./text_positions.js').Positions} positions
   */
  constructor(rendered, positions) {
    this.#layer = rendered.layer;
    this.#positions = positions;
    this.#watch = new Watch(rendered, () => this.#moved());
    this.#boxes = new Boxes(rendered, positions);
    if (canHighlight()) this.#registered = new Registered(positions, ORDER);
  }

  /**
   * Mark some spans, instead of those that had the name before.
   *
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    const isRegistered = this.#registered !== null && !(DRAWN.has(name) && !canDecorate());
    (isRegistered ? this.#registered : this.#boxes).set(name, spans);
  }

  /**
   * Mark a point, instead of the one that had the name before.
   *
   * @param {string} name
   * @param {number|null} position
   */
  setPoint(name, position) {
    this.#markers.get(name)?.remove();
    this.#markers.delete(name);
    if (position === null) return;
    const marker = new Marker(this.#layer, name, this.#positions, position);
    this.#markers.set(name, marker);
    marker.move();
  }

  /** Take everything away. */
  destroy() {
    this.#watch.stop();
    this.#boxes.clear();
    this.#registered?.clear();
    for (const marker of this.#markers.values()) marker.remove();
    this.#markers.clear();
  }

  #moved() {
    this.#boxes.draw();
    for (const marker of this.#markers.values()) marker.move();
  }
}

function canHighlight() {
  return typeof Highlight === 'function' && typeof CSS !== 'undefined' && 'highlights' in CSS;
}

/** Firefox highlights, but draws no lines under what is highlighted. */
function canDecorate() {
  return !CSS.supports('-moz-appearance', 'none') || CSS.supports('-webkit-app-region', 'none');
}

/** Spans painted by the browser: ranges in its highlight registry, which several documents share. */
class Registered {
  #positions;
  #order;
  #own = new Map(); // by name: the ranges of this document by their span

  /**
   * @param {import('./text_positions.js').Positions} positions
   * @param {string[]} order  what lies over what, lowest first; other names lie over all of them
   */
  constructor(positions, order) {
    this.#positions = positions;
    this.#order = order;
  }

  /**
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    const highlight = this.#highlight(name);
    const before = this.#own.get(name) ?? new Map();
    const after = new Map();
    for (const [start, end] of spans) {
      const key = `${start}-${end}`;
      if (start >= end || after.has(key)) continue;
      // what stays is not touched: painting costs as much as has changed
      const range = before.get(key) ?? this.#positions.staticRange(start, end);
      if (!before.delete(key)) highlight.add(range);
      after.set(key, range);
    }
    for (const range of before.values()) highlight.delete(range);
    this.#own.set(name, after);
  }

  #highlight(name) {
    const known = CSS.highlights.get(name);
    if (known !== undefined) return known;
    const made = new Highlight();
    const place = this.#order.indexOf(name);
    made.priority = place < 0 ? this.#order.length : place;
    CSS.highlights.set(name, made);
    return made;
  }

  /** Take away all that is this document's. */
  clear() {
    for (const name of this.#own.keys()) this.set(name, []);
    this.#own.clear();
  }
}

/**
 * Spans painted as boxes over the text, for browsers without the highlight API: only the visible ones, line by
 * line, redrawn when the document moves.
 */
class Boxes {
  #rendered;
  #positions;
  #layer;
  #spans = new Map();

  /**
   * @param {import('./document_render.js').Rendered} rendered
   * @param {import('./text_positions.js').Positions} positions
   */
  constructor(rendered, positions) {
    this.#rendered = rendered;
    this.#positions = positions;
    this.#layer = document.createElement('div');
    this.#layer.className = 'view-boxes';
    rendered.layer.append(this.#layer);
  }

  /**
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    if (spans.length === 0) this.#spans.delete(name);
    else this.#spans.set(name, joined(spans)); // two boxes over the same text would show
    this.draw();
  }

  /** Take all boxes away. */
  clear() {
    this.#spans.clear();
    this.#layer.remove();
  }

  /** Draw what is on the screen. */
  draw() {
    if (this.#spans.size === 0) {
      this.#layer.replaceChildren();
      return;
    }
    const origin = this.#layer.getBoundingClientRect();
    const visible = visibleParts(this.#rendered);
    const drawn = [];
    for (const [name, spans] of this.#spans) {
      for (const rect of this.#rects(spans, visible)) drawn.push(box(name, rect, origin));
    }
    this.#layer.replaceChildren(...drawn);
  }

  #rects(spans, visible) {
    const { text } = this.#rendered;
    const found = [];
    for (const [start, end] of spans) {
      const [from, until] = [text.unit(start), text.unit(end)];
      for (const part of visible) {
        const [first, last] = [Math.max(from, part.start), Math.min(until, part.end)];
        if (first < last) found.push(...this.#lines(first, last));
      }
    }
    return found;
  }

  /** Return the boxes of a stretch of text, those that touch in one line joined. */
  #lines(first, last) {
    const { texts, units } = this.#rendered;
    const lines = [];
    const range = document.createRange();
    for (let at = this.#positions.numberAt(first); at < texts.length && units[at] < last; at += 1) {
      range.setStart(texts[at], Math.max(0, first - units[at]));
      range.setEnd(texts[at], Math.min(texts[at].length, last - units[at]));
      const table = texts[at].parentElement.closest('.view-wide')?.getBoundingClientRect();
      for (const rect of range.getClientRects()) join(lines, table === undefined ? rect : within(rect, table));
    }
    return lines;
  }
}

/** Return what is seen of a box in a table that scrolls sideways. */
function within(rect, table) {
  const left = Math.max(rect.left, table.left);
  const right = Math.min(rect.right, table.right);
  return { left, right, top: rect.top, bottom: rect.bottom, width: right - left };
}

function join(lines, rect) {
  if (rect.width < 0.5) return;
  const last = lines.at(-1);
  const isBeside = last !== undefined && Math.abs(last.top - rect.top) < 3 && Math.abs(last.bottom - rect.bottom) < 3;
  if (isBeside && Math.abs(last.right - rect.left) < 2) last.right = rect.right;
  else if (isBeside && Math.abs(rect.right - last.left) < 2) last.left = rect.left;
  else lines.push({ left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom });
}

function box(name, rect, origin) {
  const made = document.createElement('div');
  made.className = `paint paint-${name}`;
  made.style.left = `${rect.left - origin.left}px`;
  made.style.top = `${rect.top - origin.top}px`;
  made.style.width = `${rect.right - rect.left}px`;
  made.style.height = `${rect.bottom - rect.top}px`;
  return made;
}

/** A marker at a point of the text, such as the flag of the best entry point. */
class Marker {
  #node;
  #positions;
  #position;

  /**
   * @param {HTMLElement} layer
   * @param {string} name
   * @param {import('./text_positions.js').Positions} positions
   * @param {number} position
   */
  constructor(layer, name, positions, position) {
    this.#positions = positions;
    this.#position = position;
    this.#node = document.createElement('div');
    this.#node.className = `point point-${name}`;
    layer.append(this.#node);
  }

  /** Put the marker where its point is now. */
  move() {
    const rect = caretRect(this.#positions, this.#position);
    this.#node.hidden = rect === null;
    if (rect === null) return;
    const origin = this.#node.parentElement.getBoundingClientRect();
    this.#node.style.left = `${rect.left - origin.left}px`;
    this.#node.style.top = `${rect.top - origin.top}px`;
    this.#node.style.height = `${rect.height}px`;
  }

  /** Take it away. */
  remove() {
    this.#node.remove();
  }
}
