/**
 * The elements of a document, their names, its blocks, and selections widened to words, sentences or elements.
 *
 * No word and no sentence crosses the boundary of a block, even if the text has no space there (a title and the
 * paragraph after it may touch).  An element is part of running text if there is text beside it in its parent;
 * all elements with the same label are treated like the majority of them.
 *
 * Elements have readable names, such as "section 3.2, paragraph 2", in place of their paths.  An element is named after
 * its look, or after its tag if its look has no noun; elements of the second kind are left out of the names of those
 * inside them.  Elements with the same noun are counted within the nearest element around them that has a noun, so that
 * no two elements of a document have the same name.
 *
 * @typedef {import('./text_offsets.js').Span} Span
 * @typedef {import('./text_offsets.js').Text} Text
 */
import { findFirst } from './text_offsets.js';

/** @type {WeakMap<Outline, Int32Array>}  the boundaries of blocks, sorted */
const BOUNDARIES = new WeakMap();
const GRANULARITIES = { free: 'grapheme', word: 'word', sentence: 'sentence' };
/** The first range to search, in UTF-16 units to either side; it grows up to FARTHEST. */
const REACHES = { grapheme: 64, word: 256, sentence: 2048 };
const FARTHEST = 1 << 18;
const segmenters = new Map();

/** The elements of a document, in document order; an element is identified by its row. */
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
    // backwards, so that each row comes before its later siblings; the last entry holds the roots
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
    const steps = [];
    let at = row;
    for (; at >= 0 && this.#paths[at] === undefined; at = this.parent[at]) steps.push(at);
    let path = at < 0 ? '' : this.#paths[at];
    for (const step of steps.reverse()) {
      path += `/${this.label(step)}[${this.ordinal[step]}]`;
      this.#paths[step] = path;
    }
    return path;
  }

  /**
   * @param {string} path
   * @returns {number}  -1 if there is no such element
   */
  row(path) {
    const knownRow = this.#rows.get(path);
    if (knownRow !== undefined) return knownRow;
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
   * @param {number} row  -1 for the outermost elements
   * @returns {number[]}
   */
  children(row) {
    const rows = [];
    const first = this.#firstChild[row < 0 ? this.length : row];
    for (let at = first; at >= 0; at = this.#nextSibling[at]) rows.push(at);
    return rows;
  }

  /**
   * @param {number} row
   * @returns {number[]}  nearest first
   */
  ancestors(row) {
    const rows = [];
    for (let at = this.parent[row]; at >= 0; at = this.parent[at]) rows.push(at);
    return rows;
  }

  /**
   * Return the smallest element that contains a span; of several with the same span, the innermost.
   *
   * @param {number} start
   * @param {number} end
   * @returns {number}  -1 if there is none
   */
  findAround(start, end) {
    // rows are sorted by start: every element that contains the span also contains the last row that starts before it
    let row = findFirst(this.length, (at) => this.start[at] > start) - 1;
    while (row >= 0 && this.end[row] < end) row = this.parent[row];
    return row;
  }

  /**
   * Return the span of the next larger element around a span; the same span if there is none.
   *
   * @param {Span} span
   * @returns {Span}
   */
  growSpan([start, end]) {
    let row = this.findAround(start, end);
    while (row >= 0 && this.start[row] === start && this.end[row] === end) row = this.parent[row];
    return row < 0 ? [start, end] : this.span(row);
  }

  /**
   * Return the span of the next smaller element that contains the character at a position; the same span if there
   * is none.
   *
   * @param {Span} span
   * @param {number} position
   * @returns {Span}
   */
  shrinkSpan([start, end], position) {
    let smaller = [start, end];
    for (let row = this.findAround(position, position + 1); row >= 0; row = this.parent[row]) {
      const [first, last] = this.span(row);
      if (first < start || last > end || (first === start && last === end)) break;
      smaller = [first, last];
    }
    return smaller;
  }
}

/**
 * Return the stretch of text around a character that contains no boundary of a block.
 *
 * @param {number} position
 * @param {Text} text
 * @param {Outline} outline
 * @returns {[number, number]}
 */
function findStretch(position, text, outline) {
  if (!BOUNDARIES.has(outline)) BOUNDARIES.set(outline, findBoundaries(text, outline));
  const cuts = BOUNDARIES.get(outline);
  const after = findFirst(cuts.length, (at) => cuts[at] > position);
  return [after > 0 ? cuts[after - 1] : 0, after < cuts.length ? cuts[after] : text.length];
}

function findBoundaries(text, outline) {
  const isRunning = findRunningLabels(text, outline);
  const cuts = [];
  for (let row = 0; row < outline.length; row += 1) {
    if (!isRunning[outline.labelNumber[row]]) cuts.push(outline.start[row], outline.end[row]);
  }
  return Int32Array.from(cuts).sort();
}

/**
 * Return for each label whether its elements are part of running text.
 *
 * @param {Text} text
 * @param {Outline} outline
 * @returns {boolean[]}
 */
export function findRunningLabels(text, outline) {
  const isMixed = findMixedElements(text, outline);
  const balance = new Int32Array(outline.labels.length);
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    balance[outline.labelNumber[row]] += above >= 0 && isMixed[above] ? 1 : -1;
  }
  return Array.from(balance, (count) => count > 0);
}

/** Mark the elements with text of their own beside their children. */
function findMixedElements(text, outline) {
  const isMixed = new Uint8Array(outline.length);
  const checkedUntil = Int32Array.from(outline.start);
  const check = (row, until) => {
    if (!isMixed[row] && checkedUntil[row] < until && /\S/.test(text.slice(checkedUntil[row], until))) isMixed[row] = 1;
  };
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    if (above < 0) continue;
    check(above, outline.start[row]);
    checkedUntil[above] = outline.end[row];
  }
  for (let row = 0; row < outline.length; row += 1) check(row, outline.end[row]);
  return isMixed;
}

/**
 * Return a selection widened to whole characters as people see them, words, sentences, or elements.  An empty
 * selection stays empty.
 *
 * @param {Span} span
 * @param {"free"|"word"|"sentence"|"element"} mode
 * @param {Text} text
 * @param {Outline} outline
 * @returns {Span}
 */
export function snapSpan(span, mode, text, outline) {
  const [start, end] = [Math.max(0, span[0]), Math.min(text.length, span[1])];
  if (start >= end) return [start, start];
  if (mode === 'free') return widenSpan([start, end], 'grapheme', text, outline);
  const inner = trimSpan([start, end], text);
  if (inner === null) return widenSpan([start, end], 'grapheme', text, outline);
  if (mode === 'element') {
    const row = outline.findAround(...inner);
    return row < 0 ? inner : outline.span(row);
  }
  const wide = widenSpan(inner, GRANULARITIES[mode], text, outline);
  // the segmenters may disagree where a character joins two words: end with whole characters
  return widenSpan(trimSpan(wide, text), 'grapheme', text, outline);
}

/** Return a span without the white space at its ends; null if there is only white space. */
function trimSpan([start, end], text) {
  const string = text.slice(start, end);
  const before = string.length - string.trimStart().length;
  if (before === string.length) return null;
  // white space never takes two units, so units and code points are equal here
  return [start + before, end - (string.length - string.trimEnd().length)];
}

function widenSpan([start, end], granularity, text, outline) {
  const [first] = findSegment(start, granularity, text, outline);
  const [, last] = findSegment(end - 1, granularity, text, outline);
  return [first, last];
}

/** Return the segment that contains the character at a position. */
function findSegment(position, granularity, text, outline) {
  const [low, high] = findStretch(position, text, outline).map((point) => text.toUnit(point));
  const unit = text.toUnit(position);
  for (let reach = REACHES[granularity]; ; reach *= 4) {
    const from = findSafeStart(text.string, Math.max(low, unit - reach), low);
    const until = Math.min(high, unit + reach);
    const [start, end] = findSegmentWithin(text.string, from, until, unit, granularity);
    // near the ends of the searched range, the text beyond may change the result
    const isWhole = (start > from || from === low) && (end < until - reach / 4 || until === high);
    if (isWhole || reach > FARTHEST) return [text.toPoint(start), text.toPoint(end)];
  }
}

function findSegmentWithin(string, from, until, unit, granularity) {
  const part = string.slice(from, until);
  const text = granularity === 'sentence' ? part.replace(/\s+/g, replaceLineBreak) : part;
  const { index, segment } = getSegmenter(granularity).segment(text).containing(unit - from);
  return [from + index, from + index + segment.length];
}

/** Replace a single line break by spaces: Unicode would end a sentence there, but only empty lines do. */
function replaceLineBreak(white) {
  const lines = white.match(/\r\n?|[\n\u0085\u2028]/g) ?? [];
  return lines.length === 1 ? ' '.repeat(white.length) : white;
}

/** Move back to a space: no visible character crosses the position before a space. */
function findSafeStart(string, from, low) {
  const first = Math.max(low, from - 4096);
  return first + Math.max(0, string.slice(first, from).lastIndexOf(' '));
}

function getSegmenter(granularity) {
  // the document's language is unknown: "und" stands for Unicode's own rules
  if (!segmenters.has(granularity)) {
    segmenters.set(granularity, new Intl.Segmenter('und', { granularity }));
  }
  return segmenters.get(granularity);
}

/** The nouns for elements, by their looks. */
const NOUNS = {
  section: 'section', paragraph: 'paragraph', heading: 'heading', title: 'title', caption: 'caption', list: 'list',
  item: 'item', table: 'table', row: 'row', cell: 'cell', header: 'cell', figure: 'figure', picture: 'picture',
  quotation: 'quotation', note: 'note', reference: 'reference', formula: 'formula', code: 'code',
};
/** These are numbered even if there is only one. */
const ALWAYS_NUMBERED = new Set(['section', 'paragraph', 'item', 'row', 'cell']);
const PATH = /(?:\/[^\s/[\]]+\[[0-9]+\])+/gu;

/** The names of the elements of one document. */
export class ElementNames {
  #outline;
  #findLook;
  /** @type {Int32Array|null} by row: the nearest element around it that is part of its name */ #context = null;
  /** @type {Int32Array} by row: its number among the elements of the same noun in its context */ #number;
  /** @type {Map<string, number>} */ #counts = new Map();

  /**
   * @param {Outline} outline
   * @param {(row: number) => string} findLook
   */
  constructor(outline, findLook) {
    this.#outline = outline;
    this.#findLook = findLook;
  }

  /**
   * Return the name of an element.
   *
   * @param {number} row
   * @returns {string}
   */
  find(row) {
    if (this.#outline.parent[row] < 0) return 'the whole document';
    if (this.#context === null) this.#count();
    const steps = [];
    for (let at = row; this.#outline.parent[at] >= 0; at = this.#context[at]) steps.unshift(at);
    return steps.reduce((name, at) => this.#extend(name, at), '');
  }

  /**
   * Return a message with the names of elements in place of their paths.
   *
   * @param {string} message
   * @returns {string}
   */
  replacePaths(message) {
    return message.replace(PATH, (path) => {
      const row = this.#outline.row(path);
      return row < 0 ? path : this.find(row);
    });
  }

  #extend(name, row) {
    const noun = this.#findNoun(row);
    const number = this.#number[row];
    const isAlone = this.#counts.get(`${this.#context[row]} ${noun}`) === 1 && !ALWAYS_NUMBERED.has(noun);
    // a section in a section: "section 3.2"
    if (noun === 'section' && /(?:^|, )section [0-9.]+$/.test(name)) return `${name}.${number}`;
    return `${name}${name && ', '}${noun}${isAlone ? '' : ` ${number}`}`;
  }

  #findNoun(row) {
    return NOUNS[this.#findLook(row)] ?? this.#outline.label(row);
  }

  /** Number all elements, in document order. */
  #count() {
    const { length, parent } = this.#outline;
    this.#context = new Int32Array(length);
    this.#number = new Int32Array(length);
    for (let row = 0; row < length; row += 1) {
      const above = parent[row];
      const isNamed = above >= 0 && (parent[above] < 0 || this.#findLook(above) in NOUNS);
      this.#context[row] = above < 0 || isNamed ? above : this.#context[above];
      const key = `${this.#context[row]} ${this.#findNoun(row)}`;
      this.#number[row] = (this.#counts.get(key) ?? 0) + 1;
      this.#counts.set(key, this.#number[row]);
    }
  }
}
