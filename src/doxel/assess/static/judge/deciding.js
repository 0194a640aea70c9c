/** Deciding: done, nothing relevant, undo; what is about the document as a whole. */

import { fold, isSame } from '../core/document_state.js';
import { counted } from '../core/page_helpers.js';
import { say } from './say.js';

/**
 * @param {import('./desk.js').Desk} desk
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
 * @param {import('./desk.js').Desk} desk
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
 * @param {import('./desk.js').Desk} desk
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
