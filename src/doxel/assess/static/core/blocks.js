/**
 * Where the blocks of a document begin and end: no word and no sentence goes on across such a place, even if
 * the text shows nothing there (a title and the paragraph after it may touch).
 *
 * What is a block is seen from the document: an element is part of running text if text stands beside it in
 * its parent.  Elements of one label are all treated as most of them are.
 */
import { firstFrom } from './offsets.js';

/** @type {WeakMap<object, Int32Array>} */
const KNOWN = new WeakMap();

/**
 * Return the stretch of text around a character that no boundary of a block divides.
 *
 * @param {number} position
 * @param {import('./offsets.js').Text} text
 * @param {import('./outline.js').Outline} outline
 * @returns {[number, number]}
 */
export function stretchAt(position, text, outline) {
  if (!KNOWN.has(outline)) KNOWN.set(outline, boundaries(text, outline));
  const cuts = KNOWN.get(outline);
  const after = firstFrom(cuts.length, (at) => cuts[at] > position);
  return [after > 0 ? cuts[after - 1] : 0, after < cuts.length ? cuts[after] : text.length];
}

function boundaries(text, outline) {
  const isRunning = runningLabels(text, outline);
  const cuts = [];
  for (let row = 0; row < outline.length; row += 1) {
    if (!isRunning[outline.labelNumber[row]]) cuts.push(outline.start[row], outline.end[row]);
  }
  return Int32Array.from(cuts).sort();
}

/**
 * Tell of each label whether its elements are part of running text.
 *
 * @param {import("./offsets.js").Text} text
 * @param {import("./outline.js").Outline} outline
 * @returns {boolean[]}
 */
export function runningLabels(text, outline) {
  const isMixed = mixedElements(text, outline);
  const balance = new Int32Array(outline.labels.length);
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    balance[outline.labelNumber[row]] += above >= 0 && isMixed[above] ? 1 : -1;
  }
  return Array.from(balance, (count) => count > 0);
}

/** Tell which elements have text of their own beside their children. */
function mixedElements(text, outline) {
  const isMixed = new Uint8Array(outline.length);
  const reached = Int32Array.from(outline.start);
  const look = (row, until) => {
    if (!isMixed[row] && reached[row] < until && /\S/.test(text.slice(reached[row], until))) isMixed[row] = 1;
  };
  for (let row = 0; row < outline.length; row += 1) {
    const above = outline.parent[row];
    if (above < 0) continue;
    look(above, outline.start[row]);
    reached[above] = outline.end[row];
  }
  for (let row = 0; row < outline.length; row += 1) look(row, outline.end[row]);
  return isMixed;
}
