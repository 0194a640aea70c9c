/**
 * The elements of a document, in document order, each known by its row.
 *
 * @typedef {import('./characters.js').Span} Span
 */
import { firstFrom } from './offsets.js';

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
