/**
 * Offsets into a document's text, and sets of its characters.
 *
 * The server counts code points, JavaScript strings count UTF-16 units; `Text` converts between the two.  A set
 * of characters is a sorted list of spans that do not touch, in code points.
 *
 * @typedef {[number, number]} Span  start and end, half open
 */

/**
 * A text with positions in code points, as on the server, over a string with positions in UTF-16 units.
 *
 * Only characters beyond the basic plane take two units.  Without such characters both positions are equal.
 */
export class Text {
  /** The positions, in code points, of the characters that take two units. */
  #wide;

  /** @param {string} string */
  constructor(string) {
    /** @type {string} */
    this.string = string;
    this.#wide = findWidePositions(string);
    /** The number of code points. */
    this.length = string.length - this.#wide.length;
  }

  /**
   * Return the unit at which a code point starts.
   *
   * @param {number} point
   * @returns {number}
   */
  toUnit(point) {
    const wide = this.#wide;
    return point + findFirst(wide.length, (at) => wide[at] >= point);
  }

  /**
   * Return the code point of a unit; the second unit of a character gives the same code point.
   *
   * @param {number} unit
   * @returns {number}
   */
  toPoint(unit) {
    const wide = this.#wide;
    return unit - findFirst(wide.length, (at) => wide[at] + at >= unit);
  }

  /**
   * Return the characters of a span, in code points.
   *
   * @param {number} start
   * @param {number} [end]
   * @returns {string}
   */
  slice(start, end = this.length) {
    return this.string.slice(this.toUnit(start), this.toUnit(end));
  }
}

/**
 * Return the first number below `count` for which a condition holds, else `count`.  Once the condition holds, it
 * must hold for all larger numbers.
 *
 * @param {number} count
 * @param {(number: number) => boolean} holds
 * @returns {number}
 */
export function findFirst(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function findWidePositions(string) {
  if (!/[\ud800-\udbff]/.test(string)) return new Int32Array(0);
  const positions = [];
  // a lone surrogate is a code point of its own, here as in Python
  for (const { index } of string.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    positions.push(index - positions.length);
  }
  return Int32Array.from(positions);
}

/**
 * Return the union of two sets; their spans need not be sorted, and may overlap.
 *
 * @param {Span[]} spans
 * @param {Span[]} [others]
 * @returns {Span[]}
 */
export function joinSpans(spans, others = []) {
  const [left, right] = [sortSpans(spans), sortSpans(others)];
  const result = [];
  let last = null;
  for (let leftAt = 0, rightAt = 0; leftAt < left.length || rightAt < right.length; ) {
    const isLeft = rightAt === right.length || (leftAt < left.length && left[leftAt][0] <= right[rightAt][0]);
    const span = isLeft ? left[leftAt++] : right[rightAt++];
    if (last !== null && span[0] <= last[1]) {
      if (span[1] > last[1]) last = result[result.length - 1] = [last[0], span[1]];
    } else {
      last = span;
      result.push(span);
    }
  }
  return result;
}

/** Return spans in order, without empty ones; spans that are in order already are not copied. */
function sortSpans(spans) {
  const isInOrder = ([start, end], at) => start >= 0 && start < end && (at === 0 || spans[at - 1][0] <= start);
  if (spans.every(isInOrder)) return spans;
  const valid = spans.filter(([start, end]) => start >= 0 && start < end);
  return valid.sort((left, right) => left[0] - right[0]);
}

/**
 * Return the intersection of two sets.
 *
 * @param {Span[]} spans
 * @param {Span[]} others
 * @returns {Span[]}
 */
export function intersectSpans(spans, others) {
  const [left, right] = [joinSpans(spans), joinSpans(others)];
  const result = [];
  for (let leftAt = 0, rightAt = 0; leftAt < left.length && rightAt < right.length; ) {
    const start = Math.max(left[leftAt][0], right[rightAt][0]);
    const end = Math.min(left[leftAt][1], right[rightAt][1]);
    if (start < end) result.push([start, end]);
    if (left[leftAt][1] < right[rightAt][1]) leftAt += 1;
    else rightAt += 1;
  }
  return result;
}

/**
 * Return the characters of the first set that are not in the second.
 *
 * @param {Span[]} spans
 * @param {Span[]} others
 * @returns {Span[]}
 */
export function subtractSpans(spans, others) {
  const gaps = joinSpans(others);
  const ends = [0, ...gaps.map(([, end]) => end)];
  const starts = [...gaps.map(([start]) => start), Infinity];
  return intersectSpans(spans, ends.map((end, at) => [end, starts[at]]));
}
