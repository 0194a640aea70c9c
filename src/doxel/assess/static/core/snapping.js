/**
 * Selections that fall on sensible places: whole characters as people see them, words, sentences, elements.
 *
 * @typedef {import('./characters.js').Span} Span
 * @typedef {import('./offsets.js').Text} Text
 * @typedef {import('./outline.js').Outline} Outline
 */
import { stretchAt } from './blocks.js';

const GRANULARITIES = { free: 'grapheme', word: 'word', sentence: 'sentence' };
/** How far is looked at first, in UTF-16 units, to either side. */
const REACHES = { grapheme: 64, word: 256, sentence: 2048 };
const FARTHEST = 1 << 18;
const segmenters = new Map();

/**
 * Return the span that is meant by a selection.  One without characters stays as it is.
 *
 * @param {Span} span
 * @param {"free"|"word"|"sentence"|"element"} mode
 * @param {Text} text
 * @param {Outline} outline
 * @returns {Span}
 */
export function snapped(span, mode, text, outline) {
  const [start, end] = [Math.max(0, span[0]), Math.min(text.length, span[1])];
  if (start >= end) return [start, start];
  if (mode === 'free') return widened([start, end], 'grapheme', text, outline);
  const inner = trimmed([start, end], text);
  if (inner === null) return widened([start, end], 'grapheme', text, outline);
  if (mode === 'element') {
    const row = outline.around(...inner);
    return row < 0 ? inner : outline.span(row);
  }
  const found = widened(inner, GRANULARITIES[mode], text, outline);
  // a word is a whole number of characters, but where one joins two of them the segmenters may not agree
  return widened(trimmed(found, text), 'grapheme', text, outline);
}

/** Return a span without the white space at its ends; null if there is nothing else. */
function trimmed([start, end], text) {
  const held = text.slice(start, end);
  const before = held.length - held.trimStart().length;
  if (before === held.length) return null;
  // white space is never wide: so many units are so many code points
  return [start + before, end - (held.length - held.trimEnd().length)];
}

function widened([start, end], granularity, text, outline) {
  const [first] = segmentAt(start, granularity, text, outline);
  const [, last] = segmentAt(end - 1, granularity, text, outline);
  return [first, last];
}

/** Return the segment that holds the character at a position. */
function segmentAt(position, granularity, text, outline) {
  const [low, high] = stretchAt(position, text, outline).map((point) => text.unit(point));
  const unit = text.unit(position);
  for (let reach = REACHES[granularity]; ; reach *= 4) {
    const from = safeStart(text.string, Math.max(low, unit - reach), low);
    const until = Math.min(high, unit + reach);
    const [start, end] = segmentIn(text.string, from, until, unit, granularity);
    // near the ends of what was looked at, what comes beyond might have a say
    const isWhole = (start > from || from === low) && (end < until - reach / 4 || until === high);
    if (isWhole || reach > FARTHEST) return [text.point(start), text.point(end)];
  }
}

function segmentIn(string, from, until, unit, granularity) {
  const near = string.slice(from, until);
  const read = granularity === 'sentence' ? near.replace(/\s+/g, asSpaces) : near;
  const found = segmenter(granularity).segment(read).containing(unit - from);
  const start = from + found.index;
  return [start, start + found.segment.length];
}

/** The lines of the source mean nothing, unless one is empty: Unicode would end a sentence with each. */
function asSpaces(white) {
  const lines = white.match(/\r\n?|[\n\u0085\u2028]/g) ?? [];
  return lines.length === 1 ? ' '.repeat(white.length) : white;
}

/** Move back to a space: no character that people see goes on across the place before it. */
function safeStart(string, from, low) {
  const first = Math.max(low, from - 4096);
  return first + Math.max(0, string.slice(first, from).lastIndexOf(' '));
}

function segmenter(granularity) {
  // the document's language is not known; "und" is nobody's rules but Unicode's
  if (!segmenters.has(granularity)) {
    segmenters.set(granularity, new Intl.Segmenter('und', { granularity }));
  }
  return segmenters.get(granularity);
}
