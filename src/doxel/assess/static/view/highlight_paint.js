/**
 * Marks over a document, without changing it: the browser paints spans (CSS Custom Highlight API) or, where it
 * cannot, boxes over the text do; points get a marker.
 *
 * How each name looks is defined in view.css, as `::highlight(name)` and as `.paint-name`.
 */
import { joinSpans } from '../core/text_offsets.js';
import { findVisibleParts, MoveWatcher } from './scrolling.js';
import { findCaretRect } from './text_positions.js';

/** Marks from the lowest to the highest; others are above all of these. */
const LAYERS = ['judged', 'agreed', 'only-one', 'only-other', 'retrieved'];
/** Marks that are underlined or outlined: not every browser with the highlight API can do that. */
const DECORATED = new Set(['retrieved', 'only-one', 'only-other', 'selected-passage']);

/** The marks of several assessors are lines below each other, which the highlight API cannot draw. */
const SOURCE = 'source-';

/** Paints the marks of one document, by name. */
export class Painter {
  #watch;
  #boxes;
  #registry = null;
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
    this.#watch = new MoveWatcher(rendered, () => this.#redraw());
    this.#boxes = new HighlightBoxes(rendered, positions);
    if (canHighlight()) this.#registry = new HighlightRegistry(positions, LAYERS);
  }

  /**
   * Mark spans, in place of the earlier ones with this name.
   *
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    const isDecorated = DECORATED.has(name) && !canDecorate();
    const isInRegistry = this.#registry !== null && !isDecorated && !name.startsWith(SOURCE);
    (isInRegistry ? this.#registry : this.#boxes).set(name, spans);
  }

  /**
   * Mark a point, in place of the earlier one with this name.
   *
   * @param {string} name
   * @param {number|null} position
   */
  setPoint(name, position) {
    this.#markers.get(name)?.remove();
    this.#markers.delete(name);
    if (position === null) return;
    const marker = new PointMarker(this.#layer, name, this.#positions, position);
    this.#markers.set(name, marker);
    marker.move();
  }

  /** Remove all marks. */
  destroy() {
    this.#watch.stop();
    this.#boxes.clear();
    this.#registry?.clear();
    for (const marker of this.#markers.values()) marker.remove();
    this.#markers.clear();
  }

  #redraw() {
    this.#boxes.draw();
    for (const marker of this.#markers.values()) marker.move();
  }
}

function canHighlight() {
  return typeof Highlight === 'function' && typeof CSS !== 'undefined' && 'highlights' in CSS;
}

/** Firefox highlights, but draws no lines under highlighted text. */
function canDecorate() {
  return !CSS.supports('-moz-appearance', 'none') || CSS.supports('-webkit-app-region', 'none');
}

/** Spans painted by the browser: ranges in its highlight registry, which several documents share. */
class HighlightRegistry {
  #positions;
  #layers;
  #ranges = new Map(); // by name, then by span: the ranges of this document

  /**
   * @param {import('./text_positions.js').Positions} positions
   * @param {string[]} layers  names from the lowest to the highest; other names are above all of them
   */
  constructor(positions, layers) {
    this.#positions = positions;
    this.#layers = layers;
  }

  /**
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    const highlight = this.#findHighlight(name);
    const before = this.#ranges.get(name) ?? new Map();
    const after = new Map();
    for (const [start, end] of spans) {
      const key = `${start}-${end}`;
      if (start >= end || after.has(key)) continue;
      // unchanged ranges stay: the cost of painting depends on the changes only
      const range = before.get(key) ?? this.#positions.staticRange(start, end);
      if (!before.delete(key)) highlight.add(range);
      after.set(key, range);
    }
    for (const range of before.values()) highlight.delete(range);
    this.#ranges.set(name, after);
  }

  #findHighlight(name) {
    const knownHighlight = CSS.highlights.get(name);
    if (knownHighlight !== undefined) return knownHighlight;
    const highlight = new Highlight();
    const layer = this.#layers.indexOf(name);
    highlight.priority = layer < 0 ? this.#layers.length : layer;
    CSS.highlights.set(name, highlight);
    return highlight;
  }

  /** Remove the ranges of this document. */
  clear() {
    for (const name of this.#ranges.keys()) this.set(name, []);
    this.#ranges.clear();
  }
}

/**
 * Spans painted as boxes over the text, for browsers without the highlight API: only the visible ones, line by
 * line, redrawn when the document moves.
 */
class HighlightBoxes {
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
    else this.#spans.set(name, joinSpans(spans)); // two boxes over the same text would be visible
    this.draw();
  }

  /** Remove all boxes. */
  clear() {
    this.#spans.clear();
    this.#layer.remove();
  }

  /** Draw the visible boxes. */
  draw() {
    if (this.#spans.size === 0) {
      this.#layer.replaceChildren();
      return;
    }
    const origin = this.#layer.getBoundingClientRect();
    const visible = findVisibleParts(this.#rendered);
    const boxes = [];
    for (const [name, spans] of this.#spans) {
      for (const rect of this.#findRects(spans, visible)) boxes.push(makeBox(name, rect, origin));
    }
    this.#layer.replaceChildren(...boxes);
  }

  #findRects(spans, visible) {
    const { text } = this.#rendered;
    const rects = [];
    for (const [start, end] of spans) {
      const [from, until] = [text.toUnit(start), text.toUnit(end)];
      for (const part of visible) {
        const [first, last] = [Math.max(from, part.start), Math.min(until, part.end)];
        if (first < last) rects.push(...this.#findLines(first, last));
      }
    }
    return rects;
  }

  /** Return the rectangles of a stretch of text; those that touch in a line are joined. */
  #findLines(first, last) {
    const { texts, units } = this.#rendered;
    const lines = [];
    const range = document.createRange();
    for (let at = this.#positions.findTextNumber(first); at < texts.length && units[at] < last; at += 1) {
      range.setStart(texts[at], Math.max(0, first - units[at]));
      range.setEnd(texts[at], Math.min(texts[at].length, last - units[at]));
      const table = texts[at].parentElement.closest('.view-wide')?.getBoundingClientRect();
      for (const rect of range.getClientRects()) addRect(lines, table === undefined ? rect : clipToTable(rect, table));
    }
    return lines;
  }
}

/** Return the visible part of a rectangle in a table that scrolls sideways. */
function clipToTable(rect, table) {
  const left = Math.max(rect.left, table.left);
  const right = Math.min(rect.right, table.right);
  return { left, right, top: rect.top, bottom: rect.bottom, width: right - left };
}

function addRect(lines, rect) {
  if (rect.width < 0.5) return;
  const last = lines.at(-1);
  const isBeside = last !== undefined && Math.abs(last.top - rect.top) < 3 && Math.abs(last.bottom - rect.bottom) < 3;
  if (isBeside && Math.abs(last.right - rect.left) < 2) last.right = rect.right;
  else if (isBeside && Math.abs(rect.right - last.left) < 2) last.left = rect.left;
  else lines.push({ left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom });
}

function makeBox(name, rect, origin) {
  const node = document.createElement('div');
  node.className = `paint paint-${name}`;
  node.style.left = `${rect.left - origin.left}px`;
  node.style.top = `${rect.top - origin.top}px`;
  node.style.width = `${rect.right - rect.left}px`;
  node.style.height = `${rect.bottom - rect.top}px`;
  return node;
}

/** A marker at a point of the text, such as the flag of the best entry point. */
class PointMarker {
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

  /** Move the marker to the present place of its point. */
  move() {
    const rect = findCaretRect(this.#positions, this.#position);
    this.#node.hidden = rect === null;
    if (rect === null) return;
    const origin = this.#node.parentElement.getBoundingClientRect();
    this.#node.style.left = `${rect.left - origin.left}px`;
    this.#node.style.top = `${rect.top - origin.top}px`;
    this.#node.style.height = `${rect.height}px`;
  }

  /** Remove the marker. */
  remove() {
    this.#node.remove();
  }
}
