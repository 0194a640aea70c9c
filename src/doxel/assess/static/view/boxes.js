/**
 * Spans painted as boxes over the text, for browsers without highlights of their own: only those that are on
 * the screen, line by line, drawn anew when it moves.
 */
import { joined } from '../core/text_offsets.js';
import { visibleParts } from './visible.js';

export class Boxes {
  #rendered;
  #positions;
  #layer;
  #spans = new Map();

  /**
   * @param {import('./render.js').Rendered} rendered
   * @param {import('./positions.js').Positions} positions
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
