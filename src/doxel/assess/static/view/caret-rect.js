/** Where a caret stands on the screen: at the edge of the character after a position, or of the one before. */

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802-\ud803\ud83a-\ud83b]/;
const HIGH_HALF = /[\ud800-\udbff]/;
const LOW_HALF = /[\udc00-\udfff]/;

/**
 * Return the place of a caret in the window; null where nothing is shown.
 *
 * A position at which a line was broken is at the end of one line and at the start of the next: "before"
 * asks for the former.
 *
 * @param {import('./positions.js').Positions} positions
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
 * @param {import('./positions.js').Positions} positions
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
