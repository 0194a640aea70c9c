/**
 * The state of a document is the fold of its events, in the order in which the server stored them.
 * Undoing is one more event, or several, that restore what the first one changed.
 *
 * @typedef {import('./characters.js').Span} Span
 * @typedef {{kind: string, body: Object<string, any>}} Event
 * @typedef {{highlights: Span[], bep: number|null, grades: Object<string, Object<string, string>>,
 *   validated: boolean, note: string, pooled_shown: boolean}} State
 */
import { common, joined, without } from './characters.js';

/** @type {State} */
export const EMPTY = Object.freeze({
  highlights: Object.freeze([]),
  bep: null,
  grades: Object.freeze({}),
  validated: false,
  note: '',
  pooled_shown: false,
});

/** The kinds that change an assessment, and so reopen a document. */
const EDITS = new Set(['highlight', 'unhighlight', 'bep', 'grade']);

/**
 * Return the state after some events.
 *
 * @param {Iterable<Event>} events
 * @param {State} [state]
 * @returns {State}
 */
export function fold(events, state = EMPTY) {
  let reached = state;
  for (const event of events) reached = apply(reached, event);
  return reached;
}

/**
 * Return the state after one event; an edit reopens, a note and a look do not.
 *
 * @param {State} state
 * @param {Event} event
 * @returns {State}
 */
export function apply(state, event) {
  const changed = { ...state, ...changes(state, event) };
  if (EDITS.has(event.kind)) changed.validated = false;
  return changed;
}

/** What an event of a later version says is not known here, and changes nothing. */
function changes(state, { kind, body }) {
  switch (kind) {
    case 'highlight':
      return { highlights: joined(state.highlights, body.spans) };
    case 'unhighlight':
      return { highlights: without(state.highlights, body.spans) };
    case 'bep':
      return { bep: body.position };
    case 'grade':
      return { grades: graded(state.grades, body) };
    case 'validate':
    case 'reopen':
      return { validated: kind === 'validate' };
    case 'note':
      return { note: body.text };
    case 'show':
      return { pooled_shown: state.pooled_shown || body.pooled };
    default:
      return {};
  }
}

function graded(grades, { path, grades: given }) {
  const { [path]: _, ...others } = grades;
  return given === null ? others : { ...others, [path]: { ...given } };
}

/**
 * Return the events that restore a state after `event` was applied to it.  What the event did not change
 * is left alone; a document that was validated is validated again; a look cannot be undone.
 *
 * @param {State} state
 * @param {Event} event
 * @returns {Event[]}
 */
export function inverse(state, event) {
  const again = EDITS.has(event.kind) && state.validated;
  return again ? [...restoring(state, event), { kind: 'validate', body: {} }] : restoring(state, event);
}

function restoring(state, { kind, body }) {
  switch (kind) {
    case 'highlight':
      return marks('unhighlight', without(body.spans, state.highlights));
    case 'unhighlight':
      return marks('highlight', common(state.highlights, body.spans));
    case 'bep':
      return [{ kind, body: { position: state.bep } }];
    case 'grade': {
      const before = Object.hasOwn(state.grades, body.path) ? { ...state.grades[body.path] } : null;
      return [{ kind, body: { path: body.path, grades: before } }];
    }
    case 'validate':
    case 'reopen':
      return [{ kind: state.validated ? 'validate' : 'reopen', body: {} }];
    case 'note':
      return [{ kind, body: { text: state.note } }];
    default:
      return [];
  }
}

function marks(kind, spans) {
  return spans.length > 0 ? [{ kind, body: { spans } }] : [];
}

/**
 * Tell whether anything was said of what is relevant.
 *
 * @param {State} state
 * @returns {boolean}
 */
export function isBegun({ highlights, bep, grades }) {
  return highlights.length > 0 || bep !== null || Object.keys(grades).length > 0;
}

/**
 * Tell whether two states say the same.
 *
 * @param {State} one
 * @param {State} other
 * @returns {boolean}
 */
export function isSame(one, other) {
  return one === other || written(one) === written(other);
}

/** Equal states give equal texts, in whatever order grades were given. */
function written(state) {
  const paths = Object.keys(state.grades).sort();
  const grades = paths.map((path) => [path, Object.entries(state.grades[path]).sort()]);
  const { highlights, bep, validated, note, pooled_shown: shown } = state;
  return JSON.stringify([highlights, bep, grades, validated, note, shown]);
}
