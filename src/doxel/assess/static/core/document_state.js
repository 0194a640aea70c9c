/**
 * The state of a document, undo and redo, and the rules for calling a document done.
 *
 * The state is the fold of the document's events, in the order in which the server stored them.  Undoing adds
 * events that restore the values before.  A step of the history is one action, with all its events.
 *
 * The rules are those of the server:
 * - On scales with highlights: a best entry point if and only if something is highlighted.
 * - No grade is missing.  Grades are needed for elements with highlighted text (but not inside an element that is
 *   too small) or, on scales without highlights, for pooled elements.
 * - Exhaustivity is 0 exactly where nothing is highlighted; on scales without highlights the first grade is its
 *   lowest value exactly where the second one is.
 * - An element has at least the degree of every element inside it.
 *
 * @typedef {import('./text_offsets.js').Span} Span
 * @typedef {{kind: string, body: Object<string, any>}} Event
 * @typedef {{highlights: Span[], bep: number|null, grades: Object<string, Object<string, string>>,
 *   validated: boolean, note: string, pooled_shown: boolean}} State
 * @typedef {{event: Event, undoing: Event[]}} Part
 * @typedef {Part[]} Step
 * @typedef {{name: string, highlights: boolean, grades: Object<string, string[]>, degree: string|null}} Scale
 * @typedef {{code: string, message: string, path: string|null}} Breach
 */
import { counted } from './page_helpers.js';
import { common, firstFrom, joined, without } from './text_offsets.js';

const TOO_SMALL = '?';

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

export class History {
  /** @type {Step[]} */
  #done = [];
  /** @type {Step[]} */
  #undone = [];

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /**
   * Remember a step; one that changed nothing is none.
   *
   * @param {State} stateBefore
   * @param {Event[]} events
   * @returns {boolean}  whether there is something to undo
   */
  did(stateBefore, events) {
    const step = [];
    let state = stateBefore;
    for (const event of events) {
      step.push({ event, undoing: inverse(state, event) });
      state = apply(state, event);
    }
    if (step.every(({ undoing }) => undoing.length === 0)) return false;
    this.#done.push(step);
    this.#undone = [];
    return true;
  }

  /** @returns {Event[]|null}  the events that undo the last step */
  undo() {
    const step = this.#done.pop();
    if (step === undefined) return null;
    this.#undone.push(step);
    return [...step].reverse().flatMap(({ undoing }) => undoing);
  }

  /** @returns {Event[]|null}  the events that do again what was undone last */
  redo() {
    const step = this.#undone.pop();
    if (step === undefined) return null;
    this.#done.push(step);
    return step.map(({ event }) => event);
  }

  /**
   * Learn that an event never came to be: it was refused.  What did not happen need not be undone; what was
   * not undone still can be.
   *
   * @param {Event} event  one that did something, or undid it
   */
  refused(event) {
    const isUndoing = (step) => step.some(({ undoing }) => undoing.includes(event));
    this.#done.push(...this.#undone.filter(isUndoing));
    this.#undone = this.#undone.filter((step) => !isUndoing(step));
    const others = (step) => step.filter((part) => part.event !== event);
    const isStep = (step) => step.some(({ undoing }) => undoing.length > 0);
    this.#done = this.#done.map(others).filter(isStep);
    this.#undone = this.#undone.map(others).filter(isStep);
  }
}

/**
 * Return everything that keeps a document from being done, in document order.
 *
 * @param {State} state
 * @param {Scale} scale
 * @param {import('./document_outline.js').Outline} outline
 * @param {string[]} [pooledPaths]  where there are none, the root stands for the document
 * @returns {Breach[]}
 */
export function breaches(state, scale, outline, pooledPaths = []) {
  const found = scale.highlights ? entryPoint(state) : [];
  if (Object.keys(scale.grades).length === 0) return found;
  const given = new Map();
  for (const [path, grades] of Object.entries(state.grades)) {
    const row = outline.row(path);
    if (row >= 0) given.set(row, grades);
  }
  const marked = scale.highlights ? highlighted(state, outline) : null;
  const byRow = [
    ...missing(marked, outline, given, pooledPaths),
    ...contradictions(marked, scale, outline, given),
    ...order(scale, outline, given),
  ];
  byRow.sort((one, other) => one.row - other.row || compared(one.code, other.code));
  return [...found, ...byRow.map(({ row, code, said }) => breach(outline.path(row), code, said))];
}

/**
 * Return how many characters of each element are highlighted.
 *
 * @param {State} state
 * @param {import('./document_outline.js').Outline} outline
 * @returns {Int32Array}
 */
function highlighted(state, outline) {
  const spans = joined(state.highlights);
  const before = [0];
  for (const [start, end] of spans) before.push(before.at(-1) + end - start);
  const until = (position) => {
    const at = firstFrom(spans.length, (one) => spans[one][1] > position);
    return before[at] + (at < spans.length ? Math.max(0, position - spans[at][0]) : 0);
  };
  return Int32Array.from(outline.start, (start, row) => until(outline.end[row]) - until(start));
}

function breach(path, code, said) {
  return { code, message: `${path} ${said}`, path };
}

function entryPoint({ highlights, bep }) {
  const isMarked = highlights.length > 0;
  if (isMarked && bep === null) {
    const message = 'something is highlighted, and there is no best entry point';
    return [{ code: 'bep-missing', message, path: null }];
  }
  if (!isMarked && bep !== null) {
    const message = 'there is a best entry point, and nothing is highlighted';
    return [{ code: 'bep-alone', message, path: null }];
  }
  return [];
}

function* missing(marked, outline, given, pooledPaths) {
  // mostly nothing is: then nobody has to look
  const mayBeInside = marked !== null && Array.from(given.values()).some(isTooSmall);
  for (const row of wanted(marked, outline, pooledPaths)) {
    const isExcused = mayBeInside && isInsideTooSmall(outline, given, row);
    if (!given.has(row) && !isExcused) yield { row, code: 'grade-missing', said: 'has no grade' };
  }
}

function wanted(marked, outline, pooledPaths) {
  if (marked !== null) return Array.from(marked.keys()).filter((row) => marked[row] > 0);
  return toGrade(outline, pooledPaths).map((path) => outline.row(path));
}

/**
 * Return the elements that must have grades where text is not highlighted: the pooled ones, or the root.
 *
 * @param {import('./document_outline.js').Outline} outline
 * @param {string[]} pooledPaths
 * @returns {string[]}  their paths
 */
export function toGrade(outline, pooledPaths) {
  const known = pooledPaths.filter((path) => outline.row(path) >= 0);
  return known.length > 0 || outline.length === 0 ? known : [outline.path(0)];
}

function isInsideTooSmall(outline, given, row) {
  return outline.ancestors(row).some((above) => given.has(above) && isTooSmall(given.get(above)));
}

function isTooSmall({ exhaustivity }) {
  return exhaustivity === TOO_SMALL;
}

function* contradictions(marked, scale, outline, given) {
  for (const [row, grades] of given) {
    const found = marked === null ? unlikeGrades(scale, grades) : unlikeMarks(grades, marked[row]);
    if (found !== null) yield { row, code: 'grade-contradiction', said: `has ${found}` };
  }
}

function unlikeMarks({ exhaustivity }, characters) {
  const isLike = (exhaustivity === '0') === (characters === 0);
  return isLike ? null : `exhaustivity ${exhaustivity} with ${counted(characters, 'highlighted character')}`;
}

function unlikeGrades(scale, grades) {
  const [first, second] = Object.keys(scale.grades);
  const isLike = (grades[first] === '0') === (grades[second] === scale.grades[second][0]);
  return isLike ? null : `${first} ${grades[first]} with ${second} ${grades[second]}`;
}

function* order(scale, outline, given) {
  const degree = (row) => given.get(row)[scale.degree];
  const rank = (row) => (scale.degree === null ? 0 : scale.grades[scale.degree].indexOf(degree(row)));
  for (const row of given.keys()) {
    const above = outline.ancestors(row).find((one) => given.has(one));
    if (above !== undefined && rank(above) < rank(row)) {
      const said = `has ${degree(row)}, ${outline.path(above)} has ${degree(above)} around it`;
      yield { row, code: 'grade-order', said };
    }
  }
}

function compared(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
