/**
 * Converts between positions in the text and places on the screen, and finds the rectangle of a caret.
 *
 * @typedef {import('./document_render.js').Rendered} Rendered
 * @typedef {import('../core/text_offsets.js').Span} Span
 */
import { findFirst } from '../core/text_offsets.js';

const BLANK = /\s/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802-\ud803\ud83a-\ud83b]/;
const HIGH_HALF = /[\ud800-\udbff]/;
const LOW_HALF = /[\udc00-\udfff]/;

/** Converts between positions in the text, in code points, and places in the DOM. */
export class Positions {
  #rendered;
  #numbers = new Map(); // by text node

  /** @param {Rendered} rendered */
  constructor(rendered) {
    this.#rendered = rendered;
    /** @type {Rendered} */
    this.rendered = rendered;
    /** @type {import('./text_caret.js').LargeSelection|null} */
    this.large = null;
    rendered.texts.forEach((node, number) => this.#numbers.set(node, number));
  }

  /**
   * Return the position of a DOM place; a place before or after the document gives its start or end.
   *
   * @param {Node} node
   * @param {number} offset  as in a Range: units in a text node, children in an element
   * @returns {number}
   */
  point(node, offset) {
    return this.#rendered.text.toPoint(this.#findUnit(node, offset));
  }

  #findUnit(node, offset) {
    const { root, units, text } = this.#rendered;
    const number = this.#numbers.get(node);
    if (number !== undefined) return units[number] + offset;
    if (root.contains(node)) return this.#findUnitBefore(node, offset);
    const isBefore = root.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
    if (!node.contains(root)) return isBefore ? 0 : text.string.length;
    // the node contains the document: the place is before or after the child that contains it
    const holder = [...node.childNodes].findIndex((child) => child.contains(root));
    return offset <= holder ? 0 : text.string.length;
  }

  /** Return the unit of the text that follows a place inside the document's elements. */
  #findUnitBefore(node, offset) {
    const { text, root } = this.#rendered;
    const next = offset < node.childNodes.length ? node.childNodes[offset] : findFollowing(node, root);
    const first = next === null ? null : this.#findFirstText(next);
    return first === null ? text.string.length : this.#rendered.units[first];
  }

  /** Return the number of the first text node in a node or after it. */
  #findFirstText(node) {
    for (let at = node; at !== null; at = findSuccessor(at, this.#rendered.root)) {
      const number = this.#numbers.get(at);
      if (number !== undefined) return number;
    }
    return null;
  }

  /**
   * Return the DOM place of a position: between two text nodes the start of the later one, or with "before" the
   * end of the earlier one.
   *
   * @param {number} point
   * @param {"after"|"before"} [side]
   * @returns {{node: Node, offset: number}}
   */
  place(point, side = 'after') {
    const { text, texts, units, root } = this.#rendered;
    if (texts.length === 0) return { node: root, offset: 0 };
    const unit = text.toUnit(Math.min(Math.max(0, point), text.length));
    const number = this.findTextNumber(side === 'after' ? unit : unit - 1);
    return { node: texts[number], offset: unit - units[number] };
  }

  /**
   * Return the number of the text node that contains a unit.
   *
   * @param {number} unit
   * @returns {number}
   */
  findTextNumber(unit) {
    const { units } = this.#rendered;
    return Math.max(0, findFirst(units.length, (at) => units[at] > unit) - 1);
  }

  /**
   * Return a range over a span.
   *
   * @param {number} start
   * @param {number} end
   * @returns {Range}
   */
  range(start, end) {
    const range = document.createRange();
    const { first, last } = this.#findEnds(start, end);
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset);
    return range;
  }

  /**
   * Return a range that does not follow changes of the document, and so costs nothing: the document never changes.
   *
   * @param {number} start
   * @param {number} end
   * @returns {StaticRange}
   */
  staticRange(start, end) {
    const { first, last } = this.#findEnds(start, end);
    return new StaticRange({
      startContainer: first.node, startOffset: first.offset, endContainer: last.node, endOffset: last.offset,
    });
  }

  #findEnds(start, end) {
    const first = this.place(start);
    return { first, last: start === end ? first : this.place(end, 'before') };
  }

  /**
   * Return the span of the document that a selection covers, [p, p] for a caret; null if it is outside.
   *
   * White space between blocks is invisible.  If a selection reaches over it into another block without selecting
   * anything there, as after a triple click, the span ends with the visibly selected text.
   *
   * @param {Selection|null} selection
   * @returns {Span|null}
   */
  readSpan(selection) {
    if (selection === null || selection.rangeCount === 0) return null;
    const large = this.large?.readSpan(selection) ?? null;
    if (large !== null) return large;
    const range = selection.getRangeAt(0);
    const { root } = this.#rendered;
    if (!range.intersectsNode(root)) return null;
    const isInside = root.contains(range.commonAncestorContainer);
    if (range.collapsed && !isInside) return null;
    const start = this.point(range.startContainer, range.startOffset);
    const end = this.point(range.endContainer, range.endOffset);
    if (start < end) return this.#trimToVisible([start, end]);
    return range.collapsed ? [start, start] : null;
  }

  /** Return a span without the blanks at its ends that belong to another block than the rest. */
  #trimToVisible([start, end]) {
    const { text } = this.#rendered;
    const { string } = text;
    let [from, until] = [text.toUnit(start), text.toUnit(end)];
    const [first, last] = [from, until];
    while (from < until && BLANK.test(string[from])) from += 1;
    while (from < until && BLANK.test(string[until - 1])) until -= 1;
    if (from === until) return [start, end];
    const isNewStart = from > first && this.#findBlock(first) !== this.#findBlock(from);
    // the blanks belong to the block before, or the selection ends at the very start of the next one
    const isNewEnd = until < last && this.#findBlock(until - 1) !== this.#findBlock(last - 1)
      || last < string.length && until < last && this.#findBlock(until - 1) !== this.#findBlock(last);
    return [isNewStart ? text.toPoint(from) : start, isNewEnd ? text.toPoint(until) : end];
  }

  /** Return the row of the innermost block that contains the character at a unit. */
  #findBlock(unit) {
    const { text, outline, isBlock } = this.#rendered;
    const point = text.toPoint(unit);
    let row = outline.findAround(point, point + 1);
    while (row >= 0 && !isBlock[row]) row = outline.parent[row];
    return row;
  }
}

/** Return the node after a node and all its descendants. */
function findFollowing(node, root) {
  for (let at = node; at !== root; at = at.parentNode) {
    if (at.nextSibling !== null) return at.nextSibling;
  }
  return null;
}

function findSuccessor(node, root) {
  return node.firstChild ?? findFollowing(node, root);
}

/**
 * Return the rectangle of a caret in the window; null if its place is not shown.
 *
 * A position at a line break is both at the end of one line and at the start of the next: "before" asks for the
 * former.
 *
 * @param {Positions} positions
 * @param {number} point
 * @param {"after"|"before"} [side]
 * @returns {{left: number, top: number, height: number}|null}
 */
export function findCaretRect(positions, point, side = 'after') {
  const after = () => findEdge(findCharacterAfter(positions.place(point, 'after')), 'start');
  const before = () => findEdge(findCharacterBefore(positions.place(point, 'before')), 'end');
  const [first, second] = side === 'after' ? [after, before] : [before, after];
  return first() ?? second() ?? findNodeStart(positions.place(point));
}

/**
 * Return the rectangle of the moving end of a selection.  The end of one block and the start of the next may be
 * the same position, but are different places.
 *
 * @param {Positions} positions
 * @param {Selection} selection
 * @param {"after"|"before"} side
 * @returns {{left: number, top: number, height: number}|null}
 */
export function findSelectionRect(positions, { focusNode, focusOffset }, side) {
  const isEnd = focusNode instanceof Text && focusOffset > 0 && focusOffset === focusNode.length;
  const endRect = isEnd ? findEdge(findCharacterBefore({ node: focusNode, offset: focusOffset }), 'end') : null;
  return endRect ?? findCaretRect(positions, positions.point(focusNode, focusOffset), side);
}

function findCharacterAfter({ node, offset }) {
  if (!(node instanceof Text) || offset >= node.length) return null;
  const size = HIGH_HALF.test(node.data[offset]) ? 2 : 1;
  return { node, start: offset, end: Math.min(node.length, offset + size) };
}

function findCharacterBefore({ node, offset }) {
  if (!(node instanceof Text) || offset === 0) return null;
  const size = offset > 1 && LOW_HALF.test(node.data[offset - 1]) ? 2 : 1;
  return { node, start: offset - size, end: offset };
}

/** Return the edge at which a character starts or ends, depending on its reading direction. */
function findEdge(character, which) {
  if (character === null) return null;
  const { node, start, end } = character;
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  const rects = [...range.getClientRects()].filter((rect) => rect.height > 0);
  if (rects.length === 0) return null;
  const rect = which === 'start' ? rects[0] : rects.at(-1);
  const isRightToLeft = RIGHT_TO_LEFT.test(node.data.slice(start, end));
  const left = (which === 'start') === isRightToLeft ? rect.right : rect.left;
  return { left, top: rect.top, height: rect.height };
}

/** Return the start of a node, for a place without characters. */
function findNodeStart({ node }) {
  const element = node instanceof Text ? node.parentElement : node;
  const rect = element?.getBoundingClientRect();
  if (rect === undefined || (rect.width === 0 && rect.height === 0)) return null;
  return { left: rect.left, top: rect.top, height: Math.min(rect.height, 24) };
}
