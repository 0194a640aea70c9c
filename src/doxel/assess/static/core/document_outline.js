/**
 * The elements of a document, its blocks, and selections widened to words, sentences or elements.
 *
 * No word and no sentence crosses the boundary of a block, even if the text has no space there (a title and the
 * paragraph after it may touch).  An element is part of running text if there is text beside it in its parent;
 * all elements with the same label are treated like the majority of them.
 *
 * @typedef {import('./text_offsets.js').Span} Span
 * @typedef {import('./text_offsets.js').Text} Text
 */
import { firstFrom } from './text_offsets.js';

/** @type {WeakMap<object, Int32Array>} */
const KNOWN = new WeakMap();
const GRANULARITIES = { free: 'grapheme', word: 'word', sentence: 'sentence' };
/** How far is looked at first, in UTF-16 units, to either side. */
const REACHES = { grapheme: 64, word: 256, sentence: 2048 };
const FARTHEST = 1 << 18;
const segmenters = new Map();

export class Outline {
  #firstChild;
  #nextSibling;
  #rows = new Map();
  /** @type {string[]} */
  #paths;

  /**
   * @param {{labels: string[], label: number[], ordinal: number[], start: number[], end: number[],
   *   parent: number[]}} columns  an element's path is that of its parent and `/label[ordinal]`
   */
  constructor({ labels, label, ordinal, start, end, parent }) {
    this.labels = labels;
    this.length = start.length;
    this.start = Int32Array.from(start);
    this.end = Int32Array.from(end);
    this.parent = Int32Array.from(parent);
    this.ordinal = Int32Array.from(ordinal);
    this.labelNumber = Int32Array.from(label);
    this.#paths = new Array(this.length);
    this.#link();
  }

  #link() {
    this.#firstChild = new Int32Array(this.length + 1).fill(-1);
    this.#nextSibling = new Int32Array(this.length).fill(-1);
    // backwards, so that each row is put before the siblings that were met already; last holds the roots
    for (let row = this.length - 1; row >= 0; row -= 1) {
      const above = this.parent[row] < 0 ? this.length : this.parent[row];
      this.#nextSibling[row] = this.#firstChild[above];
      this.#firstChild[above] = row;
    }
  }

  /**
   * @param {number} row
   * @returns {string}
   */
  label(row) {
    return this.labels[this.labelNumber[row]];
  }

  /**
   * @param {number} row
   * @returns {Span}
   */
  span(row) {
    return [this.start[row], this.end[row]];
  }

  /**
   * @param {number} row
   * @returns {string}  such as `/article[1]/sec[2]`
   */
  path(row) {
    const wanted = [];
    let at = row;
    for (; at >= 0 && this.#paths[at] === undefined; at = this.parent[at]) wanted.push(at);
    let path = at < 0 ? '' : this.#paths[at];
    for (const one of wanted.reverse()) {
      path += `/${this.label(one)}[${this.ordinal[one]}]`;
      this.#paths[one] = path;
    }
    return path;
  }

  /**
   * @param {string} path
   * @returns {number}  -1: there is no such element
   */
  row(path) {
    const known = this.#rows.get(path);
    if (known !== undefined) return known;
    const steps = [...path.matchAll(/\/([^/[\]]+)\[([0-9]+)\]/g)];
    let row = steps.map((step) => step[0]).join('') === path && path !== '' ? this.length : -1;
    for (const [, label, ordinal] of steps) {
      if (row >= 0) row = this.#child(row, label, Number(ordinal));
    }
    if (row >= 0 && this.path(row) !== path) row = -1; // such as [01]
    this.#rows.set(path, row);
    return row;
  }

  #child(row, label, ordinal) {
    for (let at = this.#firstChild[row]; at >= 0; at = this.#nextSibling[at]) {
      if (this.ordinal[at] === ordinal && this.label(at) === label) return at;
    }
    return -1;
  }

  /**
   * @param {number} row  -1: the outermost elements
   * @returns {number[]}
   */
  children(row) {
    const found = [];
    const first = this.#firstChild[row < 0 ? this.length : row];
    for (let at = first; at >= 0; at = this.#nextSibling[at]) found.push(at);
    return found;
  }

  /**
   * @param {number} row
   * @returns {number[]}  the elements around one, nearest first
   */
  ancestors(row) {
    const found = [];
    for (let at = this.parent[row]; at >= 0; at = this.parent[at]) found.push(at);
    return found;
  }

  /**
   * Return the smallest element that holds a span, the innermost of equals.
   *
   * @param {number} start
   * @param {number} end
   * @returns {number}  -1: there is none
   */
  around(start, end) {
    // rows are sorted by their starts, and whatever holds the span is around the last that starts before it
    let row = firstFrom(this.length, (at) => this.start[at] > start) - 1;
    while (row >= 0 && this.end[row] < end) row = this.parent[row];
    return row;
  }

  /**
   * Return the span of the next larger element around a span; the same span where nothing is larger.
   *
   * @param {Span} span
   * @returns {Span}
   */
  grown([start, end]) {
    let row = this.around(start, end);
    while (row >= 0 && this.start[row] === start && this.end[row] === end) row = this.parent[row];
    return row < 0 ? [start, end] : this.span(row);
  }

  /**
   * Return the span of the next smaller element, of those that hold the character at a position; the same
   * span where nothing is smaller.
   *
   * @param {Span} span
   * @param {number} position
   * @returns {Span}
   */
  shrunk([start, end], position) {
    let found = [start, end];
    for (let row = this.around(position, position + 1); row >= 0; row = this.parent[row]) {
      const [first, last] = this.span(row);
      if (first < start || last > end || (first === start && last === end)) break;
      found = [first, last];
    }
    return found;
  }
}

/**
 * Return the stretch of text around a character that no boundary of a block divides.
 *
 * @param {number} position
 * @param {import('./text_offsets.js').Text} text
 * @param {Outline} outline
 * @returns {[number, number]}
 */
function stretchAt(position, text, outline) {
  if (!KNOWN.has(outline)) KNOWN.set(outline, boundaries(text, outline));
  const cuts = KNOWN.get(outline);
  const after = firstFrom(cuts.length, (at) => cuts[at] > position);
  return [after > 0 ? cuts[after - 1] : 0, after < cuts.length ? cuts[after] : text.length];
}

function boundaries(text, outline) {
  const isRunning = runningLabels(text, outline);
  const cuts = [];
  for (let row = 0; row < outline.length; row += 1) {
    if (!isRunning[outline.labelNumber[row]]) cuts.push(outline.start[row], outline.end[row]);
  }
  return Int32Array.from(cuts).sort();
}

/**
 * Tell of each label whether its elements are part of running text.
 *
 * @param {import('./text_offsets.js').Text} text
 * @param {Outline} outline
 * @returns {boolean[]}
 */
export function runningLabels(text, outline) {
  const isMixed = mixedElements(text, outline);
  const balance = new Int32Array(outline.labels.length);
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    balance[outline.labelNumber[row]] += above >= 0 && isMixed[above] ? 1 : -1;
  }
  return Array.from(balance, (count) => count > 0);
}

/** Tell which elements have text of their own beside their children. */
function mixedElements(text, outline) {
  const isMixed = new Uint8Array(outline.length);
  const reached = Int32Array.from(outline.start);
  const look = (row, until) => {
    if (!isMixed[row] && reached[row] < until && /\S/.test(text.slice(reached[row], until))) isMixed[row] = 1;
  };
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    if (above < 0) continue;
    look(above, outline.start[row]);
    reached[above] = outline.end[row];
  }
  for (let row = 0; row < outline.length; row += 1) look(row, outline.end[row]);
  return isMixed;
}

/**
 * Return the span that is meant by a selection.  One without characters stays as it is.
 *
 * @param {Span} span
 * @param {"free"|"word"|"sentence"|"element"} mode
 * @param {Text} text
 * @param {Outline} outline
 * @returns {Span}
 */
export function snapped(span, mode, text, outline) {
  const [start, end] = [Math.max(0, span[0]), Math.min(text.length, span[1])];
  if (start >= end) return [start, start];
  if (mode === 'free') return widened([start, end], 'grapheme', text, outline);
  const inner = trimmed([start, end], text);
  if (inner === null) return widened([start, end], 'grapheme', text, outline);
  if (mode === 'element') {
    const row = outline.around(...inner);
    return row < 0 ? inner : outline.span(row);
  }
  const found = widened(inner, GRANULARITIES[mode], text, outline);
  // a word is a whole number of characters, but where one joins two of them the segmenters may not agree
  return widened(trimmed(found, text), 'grapheme', text, outline);
}

/** Return a span without the white space at its ends; null if there is nothing else. */
function trimmed([start, end], text) {
  const held = text.slice(start, end);
  const before = held.length - held.trimStart().length;
  if (before === held.length) return null;
  // white space is never wide: so many units are so many code points
  return [start + before, end - (held.length - held.trimEnd().length)];
}

function widened([start, end], granularity, text, outline) {
  const [first] = segmentAt(start, granularity, text, outline);
  const [, last] = segmentAt(end - 1, granularity, text, outline);
  return [first, last];
}

/** Return the segment that holds the character at a position. */
function segmentAt(position, granularity, text, outline) {
  const [low, high] = stretchAt(position, text, outline).map((point) => text.unit(point));
  const unit = text.unit(position);
  for (let reach = REACHES[granularity]; ; reach *= 4) {
    const from = safeStart(text.string, Math.max(low, unit - reach), low);
    const until = Math.min(high, unit + reach);
    const [start, end] = segmentIn(text.string, from, until, unit, granularity);
    // near the ends of what was looked at, what comes beyond might have a say
    const isWhole = (start > from || from === low) && (end < until - reach / 4 || until === high);
    if (isWhole || reach > FARTHEST) return [text.point(start), text.point(end)];
  }
}

function segmentIn(string, from, until, unit, granularity) {
  const near = string.slice(from, until);
  const read = granularity === 'sentence' ? near.replace(/\s+/g, asSpaces) : near;
  const found = segmenter(granularity).segment(read).containing(unit - from);
  const start = from + found.index;
  return [start, start + found.segment.length];
}

/** The lines of the source mean nothing, unless one is empty: Unicode would end a sentence with each. */
function asSpaces(white) {
  const lines = white.match(/\r\n?|[\n\u0085\u2028]/g) ?? [];
  return lines.length === 1 ? ' '.repeat(white.length) : white;
}

/** Move back to a space: no character that people see goes on across the place before it. */
function safeStart(string, from, low) {
  const first = Math.max(low, from - 4096);
  return first + Math.max(0, string.slice(first, from).lastIndexOf(' '));
}

function segmenter(granularity) {
  // the document's language is not known; "und" is nobody's rules but Unicode's
  if (!segmenters.has(granularity)) {
    segmenters.set(granularity, new Intl.Segmenter('und', { granularity }));
  }
  return segmenters.get(granularity);
}
