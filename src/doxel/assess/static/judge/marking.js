/** Marking: highlights, the entry point, and the elements that one selects for them. */

import { counted, excerpt } from '../core/page_helpers.js';
import { common, without } from '../core/text_offsets.js';
import { say } from './say.js';

const SELECT_FIRST = 'Select some text first: with the mouse, with shift and the arrows, or with e for the element.';

/**
 * The actions that are about highlights, the entry point and elements.
 * @param {import('./desk.js').Desk} desk
 * @returns {Object<string, () => void>}
 */
export function markingActions(desk) {
  const grown = []; // what was selected before it grew, so that it can shrink to exactly that

  function highlight() {
    const span = desk.selected();
    if (span === null) return say(SELECT_FIRST, 'wrong');
    if (without([span], desk.state.highlights).length === 0) return say('That is highlighted already.');
    const quoted = desk.reading.quoted(span, 60);
    desk.act({ kind: 'highlight', body: { spans: [span] } });
    desk.reading.place(span[0]);
    return say(`Highlighted: “${quoted}”`);
  }

  function remove() {
    const span = desk.selected();
    return span === null ? removePassage() : removeCharacters(span);
  }

  function removeCharacters(span) {
    const there = common(desk.state.highlights, [span]);
    if (there.length === 0) return say('Nothing in the selection is highlighted.', 'wrong');
    const before = desk.state.highlights.length;
    desk.act({ kind: 'unhighlight', body: { spans: [span] } });
    desk.reading.place(there[0][0]);
    const after = desk.state.highlights.length;
    return say(after > before ? 'Removed from the middle: two passages now.' : 'The highlight is removed there.');
  }

  function removePassage() {
    const passage = passageAt(desk.state.highlights, desk.reading.span()?.[0]);
    if (!passage) return say('The caret is in no passage, and nothing is selected.', 'wrong');
    desk.act({ kind: 'unhighlight', body: { spans: [passage] } });
    return say('The passage is removed.');
  }

  function enter() {
    if (desk.text.length === 0) return say('There is no text in this document.', 'wrong');
    const span = desk.reading.span();
    const first = desk.state.highlights[0];
    if (span === null && !first) return say('Put the caret where reading should start, then press b.', 'wrong');
    const position = span === null ? first[0] : desk.entryAt(span[0]);
    if (position === desk.state.bep) return say('The best entry point is here already.');
    desk.act({ kind: 'bep', body: { position } });
    return say(`Best entry point: “${excerpt(desk.reading.from(position), 50)}”`);
  }

  function noEntry() {
    if (desk.state.bep === null) return say('There is no best entry point.', 'wrong');
    desk.act({ kind: 'bep', body: { position: null } });
    return say('The best entry point is removed.');
  }

  function grow() {
    const span = desk.reading.span();
    if (span === null) return say('Put the caret into the text first.', 'wrong');
    const larger = desk.outline.grown(span);
    if (same(larger, span)) return say('That is the whole document.');
    if (!grown.length || !same(grown.at(-1).larger, span)) grown.length = 0;
    grown.push({ span, larger });
    return select(larger);
  }

  function shrink() {
    const span = desk.reading.span();
    if (span === null) return say('Put the caret into the text first.', 'wrong');
    const before = grown.pop();
    if (before && same(before.larger, span)) return select(before.span);
    grown.length = 0;
    const smaller = desk.outline.shrunk(span, span[0]);
    if (same(smaller, span)) return say('There is no smaller element here.');
    return select(smaller);
  }

  function select(span) {
    if (span[0] === span[1]) return desk.reading.place(span[0]);
    desk.reading.select(span);
    const row = desk.outline.around(...span);
    const isElement = same(desk.outline.span(row), span);
    return isElement && say(`Selected: ${desk.outline.path(row)}, ${counted(span[1] - span[0], 'character')}`);
  }

  return { highlight, remove, enter, noEntry, grow, shrink, select };
}

/**
 * The passage a caret is in, or at the end of.
 * @param {[number, number][]} passages
 * @param {number|undefined} point
 * @returns {[number, number]|undefined}
 */
export function passageAt(passages, point) {
  if (point === undefined) return undefined;
  const inside = passages.find(([start, end]) => start <= point && point < end);
  return inside ?? passages.find(([, end]) => end === point);
}

function same([start, end], [otherStart, otherEnd]) {
  return start === otherStart && end === otherEnd;
}
