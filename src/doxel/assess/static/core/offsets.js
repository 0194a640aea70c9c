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
