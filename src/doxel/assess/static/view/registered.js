/** Spans painted by the browser: ranges in its registry of highlights, which several documents share. */

export class Registered {
  #positions;
  #order;
  #own = new Map(); // by name: the ranges of this document by their span

  /**
   * @param {import('./positions.js').Positions} positions
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
