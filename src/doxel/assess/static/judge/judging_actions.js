/**
 * The actions of the judging page: marking passages and the entry point, moving between documents and passages,
 * and deciding on the document as a whole.
 */
import { fold, isSame } from '../core/document_state.js';
import { counted, excerpt } from '../core/page_helpers.js';
import { common, without } from '../core/text_offsets.js';
import { say } from './dialogs.js';

const SELECT_FIRST = 'Select some text first: with the mouse, with shift and the arrows, or with e for the element.';

/**
 * The actions that are about highlights, the entry point and elements.
 * @param {import('./judging_desk.js').Desk} desk
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

/**
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./grade_panel.js').Grading} grading
 * @returns {Object<string, () => any>}
 */
export function movingActions(desk, grading) {
  function turn(step, edge) {
    const doc = desk.neighbour(step);
    return doc === undefined ? say(edge) : desk.open(doc);
  }

  function move(step) {
    if (grading.isOpen || !desk.pool.scale.highlights) return grading.move(step);
    const passages = desk.state.highlights;
    if (!passages.length) return say('There is no passage yet.');
    const index = neighbour(passages, desk.reading.span()?.[0], step);
    return goTo(desk, index);
  }

  return {
    before: () => turn(-1, 'This is the first document.'),
    after: () => turn(1, 'This is the last document.'),
    next: () => move(1),
    previous: () => move(-1),
  };
}

/**
 * Go to a passage: the caret at its start, in sight.
 * @param {import('./judging_desk.js').Desk} desk
 * @param {number} index
 */
export function goTo(desk, index) {
  const passages = desk.state.highlights;
  desk.reading.place(passages[index][0]);
  say(`Passage ${index + 1} of ${passages.length}.`);
}

/** The number of the passage before or after a place; beyond the last one the first comes again. */
function neighbour(passages, point, step) {
  const here = passages.indexOf(passageAt(passages, point));
  if (here >= 0) return (here + step + passages.length) % passages.length;
  const later = point === undefined ? 0 : passages.findIndex(([start]) => start > point);
  if (step > 0) return Math.max(later, 0);
  return (later < 0 ? passages.length : later || passages.length) - 1;
}

/**
 * @param {import('./judging_desk.js').Desk} desk
 * @param {{open: (path: string) => void}} grading where grades are given
 * @returns {Object<string, () => any>}
 */
export function decidingActions(desk, grading) {
  function validate() {
    if (desk.state.validated) {
      say('This document is done. Any change opens it again.');
      return true;
    }
    if (desk.breaches.length > 0) {
      explain(desk, grading, desk.breaches[0]);
      return false;
    }
    desk.act({ kind: 'validate', body: {} });
    say(`${isWithoutHighlights(desk) ? 'Nothing relevant here: done.' : 'Done.'} ${left(desk)}`);
    return true;
  }

  function validateNext() {
    if (!validate()) return undefined;
    const next = undone(desk);
    if (next === undefined) return say(`${all(desk.docs.length)} done. Thank you.`);
    return desk.open(next);
  }

  function nothing() {
    const events = nothingRelevant(desk);
    const lost = desk.state.highlights.length;
    if (isSame(fold(events, desk.state), desk.state)) return say('This document is done: nothing relevant.');
    desk.act(...events);
    const taken = lost ? ` ${counted(lost, 'passage')} taken away; undo brings ${lost === 1 ? 'it' : 'them'} back.` : '';
    return say(`Nothing relevant here: done.${taken} ${left(desk)}`);
  }

  function reopen() {
    if (!desk.state.validated) return;
    desk.act({ kind: 'reopen', body: {} });
    say('Opened again.');
  }

  function undo() {
    if (!desk.journal.canUndo) return say('There is nothing to undo.');
    desk.journal.undo();
    return say('Undone.');
  }

  function redo() {
    if (!desk.journal.canRedo) return say('There is nothing to redo.');
    desk.journal.redo();
    return say('Done again.');
  }

  return { validate, validateNext, nothing, reopen, undo, redo };
}

/**
 * The events that leave nothing relevant in a document, and call it done.
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{kind: string, body: object}[]}
 */
function nothingRelevant(desk) {
  const { state, text, pool: { scale } } = desk;
  const events = [];
  if (state.highlights.length) events.push({ kind: 'unhighlight', body: { spans: [[0, text.length]] } });
  if (state.bep !== null) events.push({ kind: 'bep', body: { position: null } });
  const graded = Object.keys(state.grades);
  const isGradedAlone = Object.keys(scale.grades).length > 0 && !scale.highlights;
  const zero = Object.fromEntries(Object.entries(scale.grades).map(([name, values]) => [name, values[0]]));
  const grades = isGradedAlone ? zero : null;
  for (const path of new Set([...desk.wanted, ...graded])) events.push({ kind: 'grade', body: { path, grades } });
  return [...events, { kind: 'validate', body: {} }];
}

/**
 * Whether text could have been highlighted, and none was.
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {boolean}
 */
export function isWithoutHighlights({ pool: { scale }, state }) {
  return scale.highlights && state.highlights.length === 0;
}

/** Say what is missing, in a sentence to act on, and go there. */
export function explain(desk, grading, breach) {
  const more = desk.breaches.length > 1 ? ` (${desk.breaches.length.toLocaleString('en')} things are missing in all.)` : '';
  const { highlights, bep } = desk.state;
  if (breach.code === 'bep-missing') {
    desk.reading.place(highlights[0][0]);
    say(`Not done yet: where should reading start? Put the caret there and press b.${more}`, 'wrong');
  } else if (breach.code === 'bep-alone') {
    desk.reading.place(bep);
    say('Not done yet: there is an entry point, but nothing is highlighted. Highlight, or remove it with ⇧B.', 'wrong');
  } else {
    grading.open(breach.path);
    say(`Not done yet: ${breach.message}.${more}`, 'wrong');
  }
}

/** The next document that is not done, after the open one and then from the beginning. */
function undone(desk) {
  const { listed } = desk.pool;
  const later = [...listed.slice(desk.place + 1), ...listed.slice(0, desk.place)];
  return later.find((one) => one.status !== 'validated')?.doc;
}

function all(count) {
  return count === 1 ? 'The only document is' : `All ${counted(count, 'document')} are`;
}

function left(desk) {
  const count = desk.pool.listed.filter((one) => one.status !== 'validated').length;
  return count ? `${counted(count, 'document')} left.` : 'All documents of the topic are done.';
}
