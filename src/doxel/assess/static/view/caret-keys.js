/**
 * Which keys move the caret, and how.
 *
 * @typedef {{kind: "modify"|"block"|"page"|"edge"|"all", extend: boolean, direction?: string,
 *   granularity?: string}} Move
 */

import { IS_MAC } from '../core/page_helpers.js';

const MOVES = {
  ArrowLeft: { kind: 'modify', direction: 'left', granularity: 'character' },
  ArrowRight: { kind: 'modify', direction: 'right', granularity: 'character' },
  ArrowUp: { kind: 'modify', direction: 'backward', granularity: 'line' },
  ArrowDown: { kind: 'modify', direction: 'forward', granularity: 'line' },
  Home: { kind: 'modify', direction: 'backward', granularity: 'lineboundary' },
  End: { kind: 'modify', direction: 'forward', granularity: 'lineboundary' },
  PageUp: { kind: 'page', direction: 'backward' },
  PageDown: { kind: 'page', direction: 'forward' },
};

const FAR_MOVES = {
  ArrowLeft: { kind: 'modify', direction: 'left', granularity: 'word' },
  ArrowRight: { kind: 'modify', direction: 'right', granularity: 'word' },
  ArrowUp: { kind: 'block', direction: 'backward' },
  ArrowDown: { kind: 'block', direction: 'forward' },
  Home: { kind: 'edge', direction: 'backward' },
  End: { kind: 'edge', direction: 'forward' },
  a: { kind: 'all' },
};

/** On a Mac the far moves are with option, and command goes to the edges. */
const MAC_EDGES = {
  ArrowLeft: MOVES.Home,
  ArrowRight: MOVES.End,
  ArrowUp: FAR_MOVES.Home,
  ArrowDown: FAR_MOVES.End,
  a: FAR_MOVES.a,
};

/**
 * Return what a key does to the caret, null if nothing.
 *
 * @param {KeyboardEvent} event
 * @returns {Move|null}
 */
export function keyMove({ key, ctrlKey, altKey, metaKey, shiftKey }) {
  let moves = MOVES;
  if (IS_MAC && metaKey && !ctrlKey && !altKey) moves = MAC_EDGES;
  else if (IS_MAC ? altKey && !ctrlKey && !metaKey : ctrlKey && !altKey && !metaKey) moves = FAR_MOVES;
  else if (ctrlKey || altKey || metaKey) return null;
  const move = Object.hasOwn(moves, key) ? moves[key] : null;
  return move === null || (move.kind === 'all' && shiftKey) ? null : { ...move, extend: shiftKey };
}
