/**
 * Offsets into a document's text, and sets of its characters.
 *
 * The server counts code points, JavaScript strings count UTF-16 units; `Text` converts between the two.  A set
 * of characters is a sorted list of spans that do not touch, in code points.
 *
 * @typedef {[number, number]} Span  start and end, half open
 */

/**
 * A text by code points, as the server counts, over a string that counts UTF-16 units.
 *
 * Only characters beyond the basic plane take two units.  Where there are none, nothing is computed.
 */
export class Text {
  /** Positions, in code points, of the characters that take two units. */
  #wide;

  /** @param {string} string */
  constructor(string) {
    /** @type {string} */
    this.string = string;
    this.#wide = wideOnes(string);
    /** How many code points there are. */
    this.length = string.length - this.#wide.length;
  }

  /**
   * Return the unit at which a code point begins.
   *
   * @param {number} point
   * @returns {number}
   */
  unit(point) {
    const wide = this.#wide;
    return point + firstFrom(wide.length, (at) => wide[at] >= point);
  }

  /**
   * Return the code point that a unit belongs to: the second half of a character belongs to it.
   *
   * @param {number} unit
   * @returns {number}
   */
  point(unit) {
    const wide = this.#wide;
    return unit - firstFrom(wide.length, (at) => wide[at] + at >= unit);
  }

  /**
   * Return the characters of a span, in code points.
   *
   * @param {number} start
   * @param {number} [end]
   * @returns {string}
   */
  slice(start, end = this.length) {
    return this.string.slice(this.unit(start), this.unit(end));
  }
}

/**
 * Return the first number below `count` for which something holds that goes on to hold, else `count`.
 *
 * @param {number} count
 * @param {(at: number) => boolean} holds
 * @returns {number}
 */
export function firstFrom(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function wideOnes(string) {
  if (!/[\ud800-\udbff]/.test(string)) return new Int32Array(0);
  const found = [];
  // a lone surrogate is a code point of its own, here as in Python
  for (const { index } of string.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    found.push(index - found.length);
  }
  return Int32Array.from(found);
}

/**
 * Return all characters that are in either of two sets, however their spans lie.
 *
 * @param {Span[]} one
 * @param {Span[]} [other]
 * @returns {Span[]}
 */
export function joined(one, other = []) {
  const [left, right] = [sorted(one), sorted(other)];
  const found = [];
  let last = null;
  for (let here = 0, there = 0; here < left.length || there < right.length; ) {
    const isLeft = there === right.length || (here < left.length && left[here][0] <= right[there][0]);
    const span = isLeft ? left[here++] : right[there++];
    if (last !== null && span[0] <= last[1]) {
      if (span[1] > last[1]) last = found[found.length - 1] = [last[0], span[1]];
    } else {
      last = span;
      found.push(span);
    }
  }
  return found;
}

/** Return spans in order, without those that hold nothing; what is in order already is not copied. */
function sorted(spans) {
  const isFine = ([start, end], at) => start >= 0 && start < end && (at === 0 || spans[at - 1][0] <= start);
  if (spans.every(isFine)) return spans;
  const held = spans.filter(([start, end]) => start >= 0 && start < end);
  return held.sort((left, right) => left[0] - right[0]);
}

/**
 * Return the characters that are in both sets.
 *
 * @param {Span[]} one
 * @param {Span[]} other
 * @returns {Span[]}
 */
export function common(one, other) {
  const [left, right] = [joined(one), joined(other)];
  const found = [];
  for (let here = 0, there = 0; here < left.length && there < right.length; ) {
    const start = Math.max(left[here][0], right[there][0]);
    const end = Math.min(left[here][1], right[there][1]);
    if (start < end) found.push([start, end]);
    if (left[here][1] < right[there][1]) here += 1;
    else there += 1;
  }
  return found;
}

/**
 * Return the characters of the first set that are not in the second.
 *
 * @param {Span[]} one
 * @param {Span[]} other
 * @returns {Span[]}
 */
export function without(one, other) {
  const gone = joined(other);
  const ends = [0, ...gone.map(([, end]) => end)];
  const starts = [...gone.map(([start]) => start), Infinity];
  return common(one, ends.map((end, at) => [end, starts[at]]));
}
