/**
 * Cuts a long document into parts of some thousand characters, each in a box of its own that the browser
 * lays out only when it comes near the screen.  Boxes begin and end where a line does, so they show nowhere.
 *
 * @typedef {object} Open  an element that is being filled
 * @property {HTMLElement} node
 * @property {Open|null} above
 * @property {number} end  where its text ends, in UTF-16 units
 * @property {boolean} isFlow  whether it holds text and blocks one below the other
 * @property {boolean} [isCut]  whether all that it holds is in boxes, or cut itself
 * @property {{node: HTMLElement, start: number, isRunning: boolean}|null} [box]
 */

/** Up to this many units a document is laid out as a whole. */
const SHORT = 100_000;
/** How many units a part should hold. */
const SIZE = 8_000;
/** What is assumed of a part until it is laid out: units in a line, the height of a line in em. */
const LINE = 66;
const LINE_HEIGHT = 1.75;

export class Cutter {
  #isLong;
  #parts;

  /**
   * @param {number} length
   * @param {import('./render.js').Part[]} parts  to which parts are added
   */
  constructor(length, parts) {
    this.#isLong = length > SHORT;
    this.#parts = parts;
  }

  /**
   * Tell whether something of a size is to be cut, if it can be.
   *
   * @param {number} size
   * @returns {boolean}
   */
  isLarge(size) {
    return this.#isLong && size > SIZE;
  }

  /**
   * Begin to fill an element.
   *
   * @param {Open} open
   * @param {number} start
   * @returns {Open}
   */
  enter(open, start) {
    const mayBe = open.isFlow && (open.above === null || open.above.isCut);
    open.isCut = mayBe && this.isLarge(open.end - start);
    open.box = null;
    return open;
  }

  /**
   * Return where an element goes inside another.
   *
   * @param {Open} above
   * @param {Open} open
   * @param {boolean} isBlock
   * @param {number} start
   * @returns {HTMLElement}
   */
  placeOf(above, open, isBlock, start) {
    if (!above.isCut) return above.node;
    if (open.isCut) {
      this.#close(above, start);
      return above.node;
    }
    return this.#boxFor(above, isBlock, start, open.end);
  }

  /**
   * Return where text goes inside an element.
   *
   * @param {Open} above
   * @param {string} string
   * @param {number} start
   * @returns {HTMLElement}
   */
  placeOfText(above, string, start) {
    if (!above.isCut) return above.node;
    const isBlank = !/\S/.test(string);
    if (isBlank && above.box !== null) return above.box.node;
    return this.#boxFor(above, isBlank, start, start + string.length);
  }

  /**
   * End an element.
   *
   * @param {Open} open
   * @param {number} end
   */
  leave(open, end) {
    if (open.isCut) this.#close(open, end);
    else if (open.above === null) this.#parts.push({ node: open.node, start: 0, end });
  }

  #boxFor(above, isBlock, start, end) {
    const { box } = above;
    // inside running text there is no end of a line at which to begin another box
    const mayEnd = box !== null && (isBlock || !box.isRunning);
    if (mayEnd && end - box.start > SIZE) this.#close(above, start);
    if (above.box === null) this.#open(above, start);
    above.box.isRunning = !isBlock;
    return above.box.node;
  }

  #open(above, start) {
    const node = document.createElement('div');
    node.className = 'view-part';
    above.node.appendChild(node);
    above.box = { node, start, isRunning: false };
  }

  #close(open, end) {
    if (open.box === null) return;
    const { node, start } = open.box;
    const height = Math.ceil(((end - start) / LINE) * LINE_HEIGHT);
    node.style.containIntrinsicBlockSize = `auto ${height}em`;
    this.#parts.push({ node, start, end });
    open.box = null;
  }
}
