/**
 * Converts between positions in the text and places on the screen, and finds the rectangle of a caret.
 *
 * @typedef {import('./document_render.js').Rendered} Rendered
 * @typedef {import('../core/text_offsets.js').Span} Span
 */
import { firstFrom } from '../core/text_offsets.js';

const BLANK = /\s/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802-\ud803\ud83a-\ud83b]/;
const HIGH_HALF = /[\ud800-\udbff]/;
const LOW_HALF = /[\udc00-\udfff]/;

export class Positions {
  #rendered;
  #numbers = new Map(); // of text nodes

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
   * Return the position of a place in the document; a place before or after the document is its start or end.
   *
   * @param {Node} node
   * @param {number} offset  as in a Range: units in a text node, children in an element
   * @returns {number}
   */
  point(node, offset) {
    return this.#rendered.text.point(this.#unit(node, offset));
  }

  #unit(node, offset) {
    const { root, units, text } = this.#rendered;
    const number = this.#numbers.get(node);
    if (number !== undefined) return units[number] + offset;
    if (root.contains(node)) return this.#unitBefore(node, offset);
    const isBefore = root.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
    if (!node.contains(root)) return isBefore ? 0 : text.string.length;
    // around the document: is the place before the child that holds it, or after?
    const holder = [...node.childNodes].findIndex((child) => child.contains(root));
    return offset <= holder ? 0 : text.string.length;
  }

  /** Return the unit at which the text begins that follows a place inside the document's elements. */
  #unitBefore(node, offset) {
    const { text, root } = this.#rendered;
    const next = offset < node.childNodes.length ? node.childNodes[offset] : following(node, root);
    const first = next === null ? null : this.#firstText(next);
    return first === null ? text.string.length : this.#rendered.units[first];
  }

  /** Return the number of the first text node that is in a node, or after it. */
  #firstText(node) {
    for (let at = node; at !== null; at = successor(at, this.#rendered.root)) {
      const number = this.#numbers.get(at);
      if (number !== undefined) return number;
    }
    return null;
  }

  /**
   * Return the place of a position: between two text nodes the beginning of the later one, or with "before"
   * the end of the earlier one.
   *
   * @param {number} point
   * @param {"after"|"before"} [side]
   * @returns {{node: Node, offset: number}}
   */
  place(point, side = 'after') {
    const { text, texts, units, root } = this.#rendered;
    if (texts.length === 0) return { node: root, offset: 0 };
    const unit = text.unit(Math.min(Math.max(0, point), text.length));
    const number = this.numberAt(side === 'after' ? unit : unit - 1);
    return { node: texts[number], offset: unit - units[number] };
  }

  /**
   * Return the number of the text node that holds a unit.
   *
   * @param {number} unit
   * @returns {number}
   */
  numberAt(unit) {
    const { units } = this.#rendered;
    return Math.max(0, firstFrom(units.length, (at) => units[at] > unit) - 1);
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
    const { first, last } = this.#ends(start, end);
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset);
    return range;
  }

  /**
   * Return a range that costs nothing while it lies there: it does not follow changes, which there are none.
   *
   * @param {number} start
   * @param {number} end
   * @returns {StaticRange}
   */
  staticRange(start, end) {
    const { first, last } = this.#ends(start, end);
    return new StaticRange({
      startContainer: first.node, startOffset: first.offset, endContainer: last.node, endOffset: last.offset,
    });
  }

  #ends(start, end) {
    const first = this.place(start);
    return { first, last: start === end ? first : this.place(end, 'before') };
  }

  /**
   * Return what a selection covers of the document, [p, p] for a caret; null if it does not touch it.
   *
   * White space between blocks is nowhere to be seen: where a selection goes over it into another block
   * without taking anything there, as after a triple click, it ends with what was seen to be selected.
   *
   * @param {Selection|null} selection
   * @returns {Span|null}
   */
  spanOf(selection) {
    if (selection === null || selection.rangeCount === 0) return null;
    const large = this.large?.spanOf(selection) ?? null;
    if (large !== null) return large;
    const range = selection.getRangeAt(0);
    const { root } = this.#rendered;
    if (!range.intersectsNode(root)) return null;
    const isInside = root.contains(range.commonAncestorContainer);
    if (range.collapsed && !isInside) return null;
    const start = this.point(range.startContainer, range.startOffset);
    const end = this.point(range.endContainer, range.endOffset);
    if (start < end) return this.#seen([start, end]);
    return range.collapsed ? [start, start] : null;
  }

  /** Return a span without the blanks at its ends that stand in another block than what comes before them. */
  #seen([start, end]) {
    const { text } = this.#rendered;
    const { string } = text;
    let [from, until] = [text.unit(start), text.unit(end)];
    const [first, last] = [from, until];
    while (from < until && BLANK.test(string[from])) from += 1;
    while (from < until && BLANK.test(string[until - 1])) until -= 1;
    if (from === until) return [start, end];
    const isNewStart = from > first && this.#blockAt(first) !== this.#blockAt(from);
    // the blanks belong to the block before, or the selection goes to the very beginning of the next one
    const isNewEnd = until < last && this.#blockAt(until - 1) !== this.#blockAt(last - 1)
      || last < string.length && until < last && this.#blockAt(until - 1) !== this.#blockAt(last);
    return [isNewStart ? text.point(from) : start, isNewEnd ? text.point(until) : end];
  }

  /** Return the row of the innermost block that holds the character at a unit. */
  #blockAt(unit) {
    const { text, outline, isBlock } = this.#rendered;
    const point = text.point(unit);
    let row = outline.around(point, point + 1);
    while (row >= 0 && !isBlock[row]) row = outline.parent[row];
    return row;
  }
}

/** Return the node after a node and all that is in it. */
function following(node, root) {
  for (let at = node; at !== root; at = at.parentNode) {
    if (at.nextSibling !== null) return at.nextSibling;
  }
  return null;
}

function successor(node, root) {
  return node.firstChild ?? following(node, root);
}

/**
 * Return the place of a caret in the window; null where nothing is shown.
 *
 * A position at which a line was broken is at the end of one line and at the start of the next: "before"
 * asks for the former.
 *
 * @param {Positions} positions
 * @param {number} point
 * @param {"after"|"before"} [side]
 * @returns {{left: number, top: number, height: number}|null}
 */
export function caretRect(positions, point, side = 'after') {
  const after = () => edge(characterAfter(positions.place(point, 'after')), 'start');
  const before = () => edge(characterBefore(positions.place(point, 'before')), 'end');
  const [first, second] = side === 'after' ? [after, before] : [before, after];
  return first() ?? second() ?? whole(positions.place(point));
}

/**
 * Return where the caret of a selection is: its end that moves.  The end of one block and the start of the
 * next may be the same position, but are not the same place.
 *
 * @param {Positions} positions
 * @param {Selection} selection
 * @param {"after"|"before"} side
 * @returns {{left: number, top: number, height: number}|null}
 */
export function selectionRect(positions, { focusNode, focusOffset }, side) {
  const isEnd = focusNode instanceof Text && focusOffset > 0 && focusOffset === focusNode.length;
  const here = isEnd ? edge(characterBefore({ node: focusNode, offset: focusOffset }), 'end') : null;
  return here ?? caretRect(positions, positions.point(focusNode, focusOffset), side);
}

function characterAfter({ node, offset }) {
  if (!(node instanceof Text) || offset >= node.length) return null;
  const size = HIGH_HALF.test(node.data[offset]) ? 2 : 1;
  return { node, start: offset, end: Math.min(node.length, offset + size) };
}

function characterBefore({ node, offset }) {
  if (!(node instanceof Text) || offset === 0) return null;
  const size = offset > 1 && LOW_HALF.test(node.data[offset - 1]) ? 2 : 1;
  return { node, start: offset - size, end: offset };
}

/** Return the edge at which a character starts or ends, which depends on the direction in which it is read. */
function edge(character, which) {
  if (character === null) return null;
  const { node, start, end } = character;
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  const rects = [...range.getClientRects()].filter((rect) => rect.height > 0);
  if (rects.length === 0) return null;
  const rect = which === 'start' ? rects[0] : rects.at(-1);
  const isTurned = RIGHT_TO_LEFT.test(node.data.slice(start, end));
  const left = (which === 'start') === isTurned ? rect.right : rect.left;
  return { left, top: rect.top, height: rect.height };
}

/** Return the beginning of what a node shows, for want of a character. */
function whole({ node }) {
  const shown = node instanceof Text ? node.parentElement : node;
  const rect = shown?.getBoundingClientRect();
  if (rect === undefined || (rect.width === 0 && rect.height === 0)) return null;
  return { left: rect.left, top: rect.top, height: Math.min(rect.height, 24) };
}
