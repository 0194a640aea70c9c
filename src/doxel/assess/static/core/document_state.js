/**
 * The state of a document, undo and redo, and the rules for marking a document as done.
 *
 * The state is the fold of the document's events, in the order in which the server stored them.  Undoing adds
 * events that restore the values before.  A step of the history is one action, with all its events.
 *
 * The rules are those of the server:
 * - On scales that ask for an entry point (2006): there is one if and only if something is highlighted.
 * - No grade is missing.  Grades are needed for elements with highlighted text (but not inside an element that is
 *   too small) or, on scales without highlights, for pooled elements.
 * - Exhaustivity is 0 exactly where nothing is highlighted; on scales without highlights the first grade is its
 *   lowest value exactly where the second one is.
 * - An element has at least the degree of every element inside it.
 *
 * @typedef {import('./text_offsets.js').Span} Span
 * @typedef {{kind: string, body: Object<string, any>}} Event
 * @typedef {{highlights: Span[], bep: number|null, grades: Object<string, Object<string, string>>,
 *   validated: boolean, note: string, aspects: Object<string, string>, weights: Object<string, string>,
 *   vital: Object<string, string>, flagged: boolean,
 *   decisions: Object<string, string>, pooled_shown: boolean}} State
 * @typedef {{type: string|(string|null)[], into?: string, most?: number, default?: any}} BodyField
 * @typedef {{about: string, fold: string, body: Object<string, BodyField>, at?: string, on?: string,
 *   edits?: boolean, sets?: Partial<State>}} Kind
 * @typedef {{event: Event, undoing: Event[]}} Part
 * @typedef {{id: string|null, parts: Part[], by?: string|null}} Step  one action; `by` is the step that undid it
 * @typedef {{name: string, highlights: boolean, entry_point: boolean, grades: Object<string, string[]>,
 *   degree: string|null}} Scale
 * @typedef {{code: string, message: string, path: string|null}} Breach
 */
import { pluralise } from './page_helpers.js';
import { findFirst, joinSpans, subtractSpans } from './text_offsets.js';

const TOO_SMALL = '?';

/**
 * The declared empty state and kinds of events; the server reads the same file, and its module `judging_events`
 * explains the parts of a declaration.
 */
const DECLARED = await (await fetch(new URL('judging_events.json', import.meta.url))).json();

/** @type {State} */
export const EMPTY = freeze(DECLARED.state);

/** @type {Object<string, Kind>} */
export const EVENT_KINDS = freeze(DECLARED.kinds);

function freeze(value) {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/**
 * Return the state after a sequence of events.
 *
 * @param {Iterable<Event>} events
 * @param {State} [state]
 * @returns {State}
 */
export function foldEvents(events, state = EMPTY) {
  let current = state;
  for (const event of events) current = applyEvent(current, event);
  return current;
}

/**
 * Return the state after one event.  An edit reopens the document; a note, or a look at the pooled elements, does
 * not.
 *
 * @param {State} state
 * @param {Event} event
 * @returns {State}
 */
export function applyEvent(state, { kind: name, body }) {
  if (!Object.hasOwn(EVENT_KINDS, name)) return { ...state }; // of a later version
  const kind = EVENT_KINDS[name];
  const changed = { ...state, ...(kind.edits && { validated: false }), ...kind.sets };
  for (const [key, { into, default: missing }] of listFolded(kind)) {
    const value = Object.hasOwn(body, key) ? body[key] : missing;
    changed[into] = foldValue(kind.fold, state[into], value, body[kind.at]);
  }
  return changed;
}

/** Return the fields of a body that are folded into the state, with their names. */
function listFolded({ body }) {
  return Object.entries(body).filter(([, { into }]) => into !== undefined);
}

function foldValue(fold, old, value, path) {
  switch (fold) {
    case 'join':
      return joinSpans(old, value);
    case 'subtract':
      return subtractSpans(old, value);
    case 'put': {
      const { [path]: _, ...others } = old;
      return value === null ? others : { ...others, [path]: value };
    }
    case 'latch':
      return old || value;
    default:
      return value;
  }
}

/**
 * Return the events that restore a state after `event` was applied to it.
 *
 * They touch only the parts that the event changed; a document that was validated is validated again.  A look at
 * the pooled elements cannot be undone.
 *
 * @param {State} state
 * @param {Event} event
 * @returns {Event[]}
 */
export function invertEvent(state, event) {
  return findEventsBetween(applyEvent(state, event), state);
}

/**
 * Return events that lead from a state to another, except for what cannot be undone.
 *
 * @param {State} state
 * @param {State} target
 * @returns {Event[]}
 */
export function findEventsBetween(state, target) {
  const events = [];
  let current = state;
  // kinds that set values come last, and among them those that set the values of the target
  const findTurn = ([, kind]) => (kind.sets ? 1 + hasSet(kind, target) : 0);
  const kinds = Object.entries(EVENT_KINDS).sort((left, right) => findTurn(left) - findTurn(right));
  for (const [name, kind] of kinds) {
    for (const body of findBodies(kind, current, target)) {
      events.push({ kind: name, body });
      current = applyEvent(current, events.at(-1));
    }
  }
  return events;
}

function hasSet({ sets = {} }, state) {
  return Object.entries(sets).every(([name, value]) => state[name] === value);
}

/** Return the bodies of a kind's events that lead from a state towards another. */
function findBodies(kind, state, target) {
  const folded = listFolded(kind);
  switch (kind.fold) {
    case 'join':
    case 'subtract': {
      const [from, to] = kind.fold === 'join' ? [target, state] : [state, target];
      return folded.map(([key, { into }]) => ({ [key]: subtractSpans(from[into], to[into]) }))
        .filter((body) => Object.values(body).every((spans) => spans.length > 0));
    }
    case 'put': {
      const paths = new Set(folded.flatMap(([, { into }]) => Object.keys({ ...state[into], ...target[into] })));
      const read = (values, path) => (Object.hasOwn(values, path) ? values[path] : null);
      const isChanged = (path) => folded.some(([, { into }]) => (
        !areEqual(read(state[into], path), read(target[into], path))));
      return [...paths].filter(isChanged).sort(compareStrings)
        .map((path) => ({ [kind.at]: path, ...makeBody(folded, ({ into }) => read(target[into], path)) }));
    }
    case 'replace': {
      const isSetting = hasSet(kind, target) && !hasSet(kind, state);
      const isChanged = folded.some(([, { into }]) => !areEqual(state[into], target[into]));
      return isSetting || isChanged ? [makeBody(folded, ({ into }) => target[into])] : [];
    }
    default:
      return [];
  }
}

/** Return a body with these values; those that are the default of their field are left out. */
function makeBody(folded, findValue) {
  const entries = folded.map(([key, field]) => [key, findValue(field), field.default]);
  return Object.fromEntries(entries.filter(([, value, missing]) => value !== missing));
}

/**
 * Return whether a document has highlights, an entry point or grades.
 *
 * @param {State} state
 * @returns {boolean}
 */
export function hasJudgement({ highlights, bep, grades }) {
  return highlights.length > 0 || bep !== null || Object.keys(grades).length > 0;
}

/**
 * Return the positions in a passage that name its aspects, in order.
 *
 * @param {State} state
 * @param {Span} passage
 * @returns {string[]}
 */
export function findAspectPlaces({ aspects }, [start, end]) {
  return Object.keys(aspects).filter((place) => start <= Number(place) && Number(place) < end)
    .sort((left, right) => Number(left) - Number(right));
}

/**
 * Return whether two states are equal.
 *
 * @param {State} state
 * @param {State} other
 * @returns {boolean}
 */
export function areStatesEqual(state, other) {
  return state === other || serialise(state) === serialise(other);
}

/** Return a text that is the same for equal states, whatever the order of their grades. */
function serialise(state) {
  return JSON.stringify(Object.keys(EMPTY).map((name) => sortKeys(state[name])));
}

function areEqual(value, other) {
  return value === other || JSON.stringify(sortKeys(value)) === JSON.stringify(sortKeys(other));
}

function sortKeys(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]);
}

/**
 * The steps that can be undone and redone; a step is one action, with all its events.
 *
 * Steps come from the log (`extend`, `revert`) or are made here (`record`, `undo`, `redo`).  A step that undoes
 * another one is not undone itself: redoing reverts it.
 */
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

  /** @returns {string|null|undefined}  the step that would be undone next */
  get undoId() {
    return this.#done.at(-1)?.id;
  }

  /** @returns {string|null|undefined}  the undoing step that a redo would revert */
  get redoId() {
    return this.#undone.at(-1)?.by;
  }

  /**
   * Remember a step, unless it changed nothing.
   *
   * @param {State} stateBefore
   * @param {Event[]} events
   * @param {string|null} [id]
   * @returns {boolean}  whether there is something to undo
   */
  record(stateBefore, events, id = null) {
    const parts = [];
    let state = stateBefore;
    for (const event of events) {
      parts.push({ event, undoing: invertEvent(state, event) });
      state = applyEvent(state, event);
    }
    if (parts.every(({ undoing }) => undoing.length === 0)) return false;
    this.#done.push({ id, parts });
    this.#undone = [];
    return true;
  }

  /**
   * Add an event of the log to its step, which may be new.
   *
   * @param {State} stateBefore
   * @param {Event} event
   * @param {string} id
   */
  extend(stateBefore, event, id) {
    const step = this.#done.findLast((candidate) => candidate.id === id);
    if (step === undefined) this.record(stateBefore, [event], id);
    else step.parts.push({ event, undoing: invertEvent(stateBefore, event) });
  }

  /**
   * Take over from the log that a step was undone, or that an undoing step was reverted, which is a redo.
   *
   * @param {string} id  the step that was reverted
   * @param {string} by  the step that did so
   */
  revert(id, by) {
    const undone = this.#done.findLastIndex((step) => step.id === id);
    const redone = this.#undone.findLastIndex((step) => step.by === id);
    if (undone >= 0) this.#undone.push({ ...this.#done.splice(undone, 1)[0], by });
    else if (redone >= 0) this.#done.push(...this.#undone.splice(redone, 1));
  }

  /**
   * @param {string|null} [by]  the step that the events will be
   * @returns {Event[]|null}  the events that undo the last step
   */
  undo(by = null) {
    const step = this.#done.pop();
    if (step === undefined) return null;
    this.#undone.push({ ...step, by });
    return [...step.parts].reverse().flatMap(({ undoing }) => undoing);
  }

  /** @returns {Event[]|null}  the events that repeat the step undone last */
  redo() {
    const step = this.#undone.pop();
    if (step === undefined) return null;
    this.#done.push(step);
    return step.parts.map(({ event }) => event);
  }

  /**
   * Forget an event that was refused.  If it was part of a step, the step loses it; if it was to undo a step, the
   * step can be undone again.
   *
   * @param {Event} event
   */
  forget(event) {
    const isUndoneBy = ({ parts }) => parts.some(({ undoing }) => undoing.includes(event));
    this.#done.push(...this.#undone.filter(isUndoneBy));
    this.#undone = this.#undone.filter((step) => !isUndoneBy(step));
    const removeEvent = (step) => ({ ...step, parts: step.parts.filter((part) => part.event !== event) });
    const hasEffect = ({ parts }) => parts.some(({ undoing }) => undoing.length > 0);
    this.#done = this.#done.map(removeEvent).filter(hasEffect);
    this.#undone = this.#undone.map(removeEvent).filter(hasEffect);
  }
}

/**
 * Return the rules that a document breaks, in document order; if there are none, it may be marked as done.
 *
 * @param {State} state
 * @param {Scale} scale
 * @param {import('./document_outline.js').Outline} outline
 * @param {string[]} [pooledPaths]  if there are none, the root is graded
 * @returns {Breach[]}
 */
export function findBreaches(state, scale, outline, pooledPaths = []) {
  const entryBreaches = scale.entry_point ? checkEntryPoint(state) : [];
  if (Object.keys(scale.grades).length === 0) return entryBreaches;
  const gradesByRow = new Map();
  for (const [path, grades] of Object.entries(state.grades)) {
    const row = outline.row(path);
    if (row >= 0) gradesByRow.set(row, grades);
  }
  const highlightedCounts = scale.highlights ? countHighlighted(state, outline) : null;
  const byRow = [
    ...findMissingGrades(highlightedCounts, outline, gradesByRow, pooledPaths),
    ...findContradictions(highlightedCounts, scale, outline, gradesByRow),
    ...findOrderBreaches(scale, outline, gradesByRow),
  ];
  byRow.sort((left, right) => left.row - right.row || compareStrings(left.code, right.code));
  return [...entryBreaches, ...byRow.map(({ row, code, fault }) => makeBreach(outline.path(row), code, fault))];
}

/**
 * Return the number of highlighted characters per element.
 *
 * @param {State} state
 * @param {import('./document_outline.js').Outline} outline
 * @returns {Int32Array}
 */
function countHighlighted(state, outline) {
  const spans = joinSpans(state.highlights);
  const before = [0];
  for (const [start, end] of spans) before.push(before.at(-1) + end - start);
  const countUntil = (position) => {
    const at = findFirst(spans.length, (number) => spans[number][1] > position);
    return before[at] + (at < spans.length ? Math.max(0, position - spans[at][0]) : 0);
  };
  return Int32Array.from(outline.start, (start, row) => countUntil(outline.end[row]) - countUntil(start));
}

function makeBreach(path, code, fault) {
  return { code, message: `${path} ${fault}`, path };
}

function checkEntryPoint({ highlights, bep }) {
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

function* findMissingGrades(highlightedCounts, outline, gradesByRow, pooledPaths) {
  // mostly no element is too small: then the ancestors need not be searched
  const mayBeInside = highlightedCounts !== null && Array.from(gradesByRow.values()).some(isTooSmall);
  for (const row of findRequiredRows(highlightedCounts, outline, pooledPaths)) {
    const isExcused = mayBeInside && isInsideTooSmall(outline, gradesByRow, row);
    if (!gradesByRow.has(row) && !isExcused) yield { row, code: 'grade-missing', fault: 'has no grade' };
  }
}

function findRequiredRows(highlightedCounts, outline, pooledPaths) {
  if (highlightedCounts === null) return findPathsToGrade(outline, pooledPaths).map((path) => outline.row(path));
  return Array.from(highlightedCounts.keys()).filter((row) => highlightedCounts[row] > 0);
}

/**
 * Return the paths of the elements that need grades on a scale without highlights: the pooled ones, or the root.
 *
 * @param {import('./document_outline.js').Outline} outline
 * @param {string[]} pooledPaths
 * @returns {string[]}
 */
export function findPathsToGrade(outline, pooledPaths) {
  const knownPaths = pooledPaths.filter((path) => outline.row(path) >= 0);
  return knownPaths.length > 0 || outline.length === 0 ? knownPaths : [outline.path(0)];
}

function isInsideTooSmall(outline, gradesByRow, row) {
  return outline.ancestors(row).some((above) => gradesByRow.has(above) && isTooSmall(gradesByRow.get(above)));
}

function isTooSmall({ exhaustivity }) {
  return exhaustivity === TOO_SMALL;
}

function* findContradictions(highlightedCounts, scale, outline, gradesByRow) {
  for (const [row, grades] of gradesByRow) {
    const contradiction = highlightedCounts === null
      ? compareGrades(scale, grades)
      : compareWithHighlights(grades, highlightedCounts[row]);
    if (contradiction !== null) yield { row, code: 'grade-contradiction', fault: `has ${contradiction}` };
  }
}

function compareWithHighlights({ exhaustivity }, characters) {
  const isConsistent = (exhaustivity === '0') === (characters === 0);
  return isConsistent ? null : `exhaustivity ${exhaustivity} with ${pluralise(characters, 'highlighted character')}`;
}

function compareGrades(scale, grades) {
  const [first, second] = Object.keys(scale.grades);
  const isConsistent = (grades[first] === '0') === (grades[second] === scale.grades[second][0]);
  return isConsistent ? null : `${first} ${grades[first]} with ${second} ${grades[second]}`;
}

function* findOrderBreaches(scale, outline, gradesByRow) {
  const degree = (row) => gradesByRow.get(row)[scale.degree];
  const rank = (row) => (scale.degree === null ? 0 : scale.grades[scale.degree].indexOf(degree(row)));
  for (const row of gradesByRow.keys()) {
    const above = outline.ancestors(row).find((ancestor) => gradesByRow.has(ancestor));
    if (above !== undefined && rank(above) < rank(row)) {
      const fault = `has ${degree(row)}, ${outline.path(above)} has ${degree(above)} around it`;
      yield { row, code: 'grade-order', fault };
    }
  }
}

function compareStrings(left, right) {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
