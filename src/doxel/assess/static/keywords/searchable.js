/**
 * A text as it is read, to be searched: where one block ends and the next begins without a space between them,
 * as in the cells of a table, there is none in the text either, and two words would look like one.
 */

import { firstFrom } from '../core/text_offsets.js';

const BETWEEN = '\u2029'; // a paragraph separator: white space to every pattern
const WORD = /[\p{L}\p{N}_]/u;

/**
 * @param {import('../core/text_offsets.js').Text} text
 * @param {import('../core/document_outline.js').Outline} [outline]
 * @param {Uint8Array} [isBlock]  by row of the outline
 * @returns {{string: string, unit: (at: number) => number}} what to search, and where in the text a place of it is
 */
export function searchable(text, outline, isBlock) {
  const cuts = outline && isBlock ? cutsOf(text, outline, isBlock) : [];
  if (cuts.length === 0) return { string: text.string, unit: (at) => at };
  const pieces = cuts.map((cut, number) => text.string.slice(number === 0 ? 0 : cuts[number - 1], cut));
  pieces.push(text.string.slice(cuts.at(-1)));
  return {
    string: pieces.join(BETWEEN),
    // a cut has moved by as many separators as there are before it
    unit: (at) => at - firstFrom(cuts.length, (number) => cuts[number] + number >= at),
  };
}

/** Return the units at which a block begins or ends in the middle of what looks like a word. */
function cutsOf(text, outline, isBlock) {
  const cuts = new Set();
  for (let row = 0; row < outline.length; row += 1) {
    if (!isBlock[row]) continue;
    for (const point of [outline.start[row], outline.end[row]]) {
      const unit = text.unit(point);
      if (isInWord(text.string, unit)) cuts.add(unit);
    }
  }
  return [...cuts].sort((one, other) => one - other);
}

function isInWord(string, unit) {
  if (unit === 0 || unit === string.length) return false;
  const isWide = string.codePointAt(unit - 2) > 0xffff; // the character before takes two units
  const before = string.slice(unit - (isWide ? 2 : 1), unit);
  return WORD.test(before) && WORD.test(String.fromCodePoint(string.codePointAt(unit)));
}
