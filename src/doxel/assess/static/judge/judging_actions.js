/**
 * The actions of the judging page: marking passages and the entry point, moving between documents and passages,
 * and deciding on the document as a whole.
 */
import { areStatesEqual, EVENT_KINDS, findAspectPlaces, foldEvents } from '../core/document_state.js';
import { make, pluralise, shorten } from '../core/page_helpers.js';
import { intersectSpans, subtractSpans } from '../core/text_offsets.js';
import { announce, openDialog } from './dialogs.js';

const MOST_BLANKS = 1_000; // beside a removed highlight
const SELECT_FIRST = 'Select text first: with the mouse, with Shift and the arrow keys, or with e for the element.';

/**
 * Make the actions for highlights, the entry point and the selection of elements.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {Object<string, () => void>}
 */
export function makeMarkingActions(desk) {
  const names = new Map(); // of the aspects in all documents opened so far, with their weights
  const rememberNames = () => {
    const { aspects, weights, vital } = desk.state;
    for (const [place, name] of Object.entries(aspects)) {
      const previous = names.get(name) ?? {};
      const weight = weights[place] ?? previous.weight ?? null;
      names.set(name, { weight, vital: vital[place] ?? previous.vital ?? null });
    }
  };
  desk.addEventListener('opened', rememberNames);
  desk.addEventListener('change', rememberNames);
  const growSteps = []; // earlier selections, so that shrinking restores them exactly

  function highlight() {
    const span = desk.readSelection();
    if (span === null) return announce(SELECT_FIRST, 'wrong');
    if (subtractSpans([span], desk.state.highlights).length === 0) return announce('That is highlighted already.');
    const quotation = desk.view.quote(span, 60);
    desk.act({ kind: 'highlight', body: { spans: [span] } });
    desk.view.place(span[0]);
    return announce(`Highlighted: “${quotation}”`);
  }

  function remove() {
    const span = desk.readSelection();
    return span === null ? removePassage() : removeCharacters(span);
  }

  function removeCharacters(span) {
    const highlighted = intersectSpans(desk.state.highlights, [span]);
    if (highlighted.length === 0) return announce('Nothing in the selection is highlighted.', 'wrong');
    const before = desk.state.highlights.length;
    desk.act({ kind: 'unhighlight', body: { spans: [widenOverBlanks(span, desk.text)] } });
    desk.view.place(highlighted[0][0]);
    const after = desk.state.highlights.length;
    return announce(after > before ? 'Removed from the middle: two passages now.' : 'The highlight is removed here.');
  }

  function removePassage() {
    const passage = findPassage(desk.state.highlights, desk.view.readSpan()?.[0]);
    if (!passage) return announce('The caret is not in a passage, and nothing is selected.', 'wrong');
    desk.act({ kind: 'unhighlight', body: { spans: [passage] } });
    return announce('The passage is removed.');
  }

  function enter() {
    if (desk.text.length === 0) return announce('There is no text in this document.', 'wrong');
    const span = desk.view.readSpan();
    const first = desk.state.highlights[0];
    if (span === null && !first) return announce('Put the caret where reading should start, then press b.', 'wrong');
    const position = span === null ? first[0] : desk.findEntry(span[0]);
    if (position === desk.state.bep) return announce('The best entry point is here already.');
    desk.act({ kind: 'bep', body: { position } });
    return announce(`Best entry point: “${shorten(desk.view.readFrom(position), 50)}”`);
  }

  function noEntry() {
    if (desk.state.bep === null) return announce('There is no best entry point.', 'wrong');
    desk.act({ kind: 'bep', body: { position: null } });
    return announce('The best entry point is removed.');
  }

  function grow() {
    const span = desk.view.readSpan();
    if (span === null) return announce('Put the caret into the text first.', 'wrong');
    const larger = desk.outline.growSpan(span);
    if (areEqual(larger, span)) return announce('That is the whole document.');
    if (!growSteps.length || !areEqual(growSteps.at(-1).larger, span)) growSteps.length = 0;
    growSteps.push({ span, larger });
    return select(larger);
  }

  function shrink() {
    const span = desk.view.readSpan();
    if (span === null) return announce('Put the caret into the text first.', 'wrong');
    const before = growSteps.pop();
    if (before && areEqual(before.larger, span)) return select(before.span);
    growSteps.length = 0;
    const smaller = desk.outline.shrinkSpan(span, span[0]);
    if (areEqual(smaller, span)) return announce('There is no smaller element here.');
    return select(smaller);
  }

  function select(span) {
    if (span[0] === span[1]) return desk.view.place(span[0]);
    desk.view.select(span);
    const row = desk.outline.findAround(...span);
    const isElement = areEqual(desk.outline.span(row), span);
    return isElement && announce(`Selected: ${desk.view.names.find(row)}, ${
      pluralise(span[1] - span[0], 'character')}`);
  }

  function aspect() {
    const passage = findPassage(desk.state.highlights, desk.view.readSpan()?.[0]);
    if (!passage) return announce('Put the caret into a passage first, to name its aspect.', 'wrong');
    return askAspects(desk, passage, names);
  }

  return { highlight, remove, enter, noEntry, aspect, grow, shrink, select };
}

/**
 * Ask for the aspects of a passage in a dialog, with the names used so far to choose from, and for their weights.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {[number, number]} passage
 * @param {Map<string, {weight: string|null, vital: string|null}>} names
 */
function askAspects(desk, passage, names) {
  const places = findAspectPlaces(desk.state, passage);
  const field = make('input', { name: 'aspect', list: 'aspect-names', maxlength: '200', autocomplete: 'off',
    value: places.map((place) => desk.state.aspects[place]).join('; ') });
  const table = make('ul', { class: 'aspect-weights' });
  const weightings = new Map([...names].map(([name, weighting]) => [name, { ...weighting }]));
  const list = () => [...new Set(field.value.split(';').map((name) => name.trim()).filter(Boolean))];
  const draw = () => table.replaceChildren(...list().map((name) => {
    if (!weightings.has(name)) weightings.set(name, { weight: null, vital: null });
    return makeWeightRow(name, weightings.get(name));
  }));
  field.addEventListener('input', draw);
  const form = make('form', { class: 'stacked', method: 'dialog' },
    make('p', { class: 'quote', dir: 'auto' }, `“${desk.view.quote(passage, 120)}”`),
    make('label', {}, 'Aspect', field),
    make('datalist', { id: 'aspect-names' }, ...[...names.keys()].sort().map((value) => make('option', { value }))),
    table,
    make('p', { class: 'foot' }, 'Passages of one aspect are alternatives: one of them is enough. Several aspects are '
      + 'separated by semicolons; an empty field removes them. An aspect has one weight in all documents.'),
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => dialog.close() }, 'Cancel'),
      make('button', { class: 'main' }, 'Save')));
  draw();
  const dialog = openDialog('Aspect of the passage', [form], { name: 'aspect-name' });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
    setAspects(desk, passage, list().map((name) => ({ aspect: name, ...weightings.get(name) })));
  });
  field.select();
}

/** Return the controls for the weight of an aspect, and whether an answer must have it. */
function makeWeightRow(name, weighting) {
  const weights = EVENT_KINDS.aspect.body.weight.type.map((value) => value ?? '1')
    .sort((left, right) => Number(left) - Number(right));
  const select = make('select', {
    'aria-label': `Weight of ${name}`,
    change: () => { weighting.weight = select.value === '1' ? null : select.value; },
  }, ...weights.map((value) => make('option', { value, selected: value === (weighting.weight ?? '1') }, value)));
  const box = make('input', {
    type: 'checkbox', checked: weighting.vital === null, change: () => { weighting.vital = box.checked ? null : 'no'; },
  });
  return make('li', {}, make('b', {}, name), make('label', {}, 'weight ', select), make('label', {}, box, ' vital'));
}

/** Name the aspects of a passage, each at a position of its own; their weights hold for the whole document. */
function setAspects(desk, [start, end], aspects) {
  const { state } = desk;
  const aspectByPlace = new Map(aspects.slice(0, end - start).map((aspect, at) => [String(start + at), aspect]));
  const removedPlaces = findAspectPlaces(state, [start, end]).filter((place) => !aspectByPlace.has(place));
  const others = Object.keys(state.aspects)
    .filter((place) => !aspectByPlace.has(place) && !removedPlaces.includes(place))
    .map((place) => [place, aspects.find(({ aspect }) => aspect === state.aspects[place])])
    .filter(([, aspect]) => aspect !== undefined);
  desk.act(...removedPlaces.map((place) => ({ kind: 'aspect', body: { place, aspect: null } })),
    ...[...aspectByPlace, ...others].map(([place, aspect]) => ({ kind: 'aspect', body: { place, ...aspect } })));
  announce(aspects.length ? `Aspect: ${aspects.map(({ aspect }) => aspect).join(', ')}`
    : 'The passage has no aspect.');
}

/** Return a span with the white space around it: no passage should begin or end with white space. */
function widenOverBlanks([start, end], text) {
  const before = /\s*$/u.exec(text.slice(Math.max(0, start - MOST_BLANKS), start))[0].length;
  const after = /^\s*/u.exec(text.slice(end, Math.min(text.length, end + MOST_BLANKS)))[0].length;
  return [start - before, end + after]; // white space never takes two units
}

/**
 * Return the passage that contains a position, or ends there.
 *
 * @param {[number, number][]} passages
 * @param {number|undefined} point
 * @returns {[number, number]|undefined}
 */
export function findPassage(passages, point) {
  if (point === undefined) return undefined;
  const inside = passages.find(([start, end]) => start <= point && point < end);
  return inside ?? passages.find(([, end]) => end === point);
}

function areEqual([start, end], [otherStart, otherEnd]) {
  return start === otherStart && end === otherEnd;
}

/**
 * Make the actions that move between documents, and between passages or missing grades.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./grade_panel.js').GradePanel} grading
 * @param {import('./adjudication_panel.js').AdjudicationPanel} adjudication
 * @returns {Object<string, () => any>}
 */
export function makeMovingActions(desk, grading, adjudication) {
  function openNeighbour(step, edgeMessage) {
    const doc = desk.findNeighbour(step);
    return doc === undefined ? announce(edgeMessage) : desk.open(doc);
  }

  function move(step) {
    if (desk.differences.length > 0 && !grading.isOpen) return adjudication.move(step);
    if (grading.isOpen || !desk.assignment.scale.highlights) return grading.move(step);
    const passages = desk.state.highlights;
    if (!passages.length) return announce('There is no passage yet.');
    const index = findNeighbourIndex(passages, desk.view.readSpan()?.[0], step);
    return goToPassage(desk, index);
  }

  return {
    before: () => openNeighbour(-1, 'This is the first document.'),
    after: () => openNeighbour(1, 'This is the last document.'),
    next: () => move(1),
    previous: () => move(-1),
  };
}

/**
 * Put the caret at the start of a passage, and bring it into view.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {number} index
 */
export function goToPassage(desk, index) {
  const passages = desk.state.highlights;
  desk.view.place(passages[index][0]);
  announce(`Passage ${index + 1} of ${passages.length}.`);
}

/** Return the index of the passage before or after a position; after the last passage comes the first. */
function findNeighbourIndex(passages, point, step) {
  const index = passages.indexOf(findPassage(passages, point));
  if (index >= 0) return (index + step + passages.length) % passages.length;
  const later = point === undefined ? 0 : passages.findIndex(([start]) => start > point);
  if (step > 0) return Math.max(later, 0);
  return (later < 0 ? passages.length : later || passages.length) - 1;
}

/**
 * Make the actions for the document as a whole: done, nothing relevant, reopen, flag, undo, redo.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {{open: (path: string) => void}} grading  the grade panel
 * @param {import('./adjudication_panel.js').AdjudicationPanel} adjudication
 * @returns {Object<string, () => any>}
 */
export function makeDecidingActions(desk, grading, adjudication) {
  let confirmedStep; // others have built on this step, and the user was warned

  function validate() {
    if (desk.state.validated) {
      announce('This document is done. Any change reopens it.');
      return true;
    }
    if (desk.breaches.length > 0) {
      explainBreach(desk, { grading, adjudication }, desk.breaches[0]);
      return false;
    }
    desk.act({ kind: 'validate', body: {} });
    announce(`${isWithoutHighlights(desk) ? 'Nothing relevant here: done.' : 'Done.'} ${describeRemaining(desk)}`);
    return true;
  }

  function validateNext() {
    if (!validate()) return undefined;
    const next = findUndone(desk);
    if (next === undefined) return announce(`${describeAll(desk.docs.length)} done. Thank you.`);
    return desk.open(next);
  }

  function nothing() {
    const events = makeNothingRelevant(desk);
    const removedCount = desk.state.highlights.length;
    const isUnchanged = areStatesEqual(foldEvents(events, desk.state), desk.state);
    if (isUnchanged) return announce('This document is done: nothing relevant.');
    desk.act(...events);
    const remark = removedCount
      ? ` ${pluralise(removedCount, 'passage')} removed; undo restores ${removedCount === 1 ? 'it' : 'them'}.` : '';
    return announce(`Nothing relevant here: done.${remark} ${describeRemaining(desk)}`);
  }

  function reopen() {
    if (!desk.state.validated) return;
    desk.act({ kind: 'reopen', body: {} });
    announce('Reopened.');
  }

  function flag() {
    const flagged = !desk.state.flagged;
    desk.act({ kind: 'flag', body: { flagged } });
    return announce(flagged ? 'Flagged for the organisers. A note (w) can say why.' : 'The flag is removed.');
  }

  function undo() {
    if (!desk.journal.canUndo) return announce('There is nothing to undo.');
    const { builders, undoId } = desk.journal;
    if (builders.length > 0 && undoId !== confirmedStep) {
      confirmedStep = undoId;
      return announce(`${builders.join(' and ')} has adjudicated this document since then. Undo once more to do so `
        + 'all the same.', 'wrong');
    }
    desk.journal.undo();
    return announce('Undone.');
  }

  function redo() {
    if (!desk.journal.canRedo) return announce('There is nothing to redo.');
    desk.journal.redo();
    return announce('Redone.');
  }

  return { validate, validateNext, nothing, reopen, flag, undo, redo };
}

/**
 * Return the events that leave nothing relevant in a document, and mark it as done.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{kind: string, body: object}[]}
 */
function makeNothingRelevant(desk) {
  const { state, text, assignment: { scale } } = desk;
  const events = [];
  if (state.highlights.length) events.push({ kind: 'unhighlight', body: { spans: [[0, text.length]] } });
  if (state.bep !== null) events.push({ kind: 'bep', body: { position: null } });
  const graded = Object.keys(state.grades);
  const isGradedAlone = Object.keys(scale.grades).length > 0 && !scale.highlights;
  const zero = Object.fromEntries(Object.entries(scale.grades).map(([name, values]) => [name, values[0]]));
  const grades = isGradedAlone ? zero : null;
  for (const path of new Set([...desk.pathsToGrade, ...graded])) events.push({ kind: 'grade', body: { path, grades } });
  const decisions = desk.undecided.map(({ place }) => ({ kind: 'decide', body: { place, decision: 'none' } }));
  return [...events, ...decisions, { kind: 'validate', body: {} }];
}

/**
 * Return whether a document has no highlights on a scale with highlights.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {boolean}
 */
export function isWithoutHighlights({ assignment: { scale }, state }) {
  return scale.highlights && state.highlights.length === 0;
}

/** Explain a broken rule, and go to its place. */
export function explainBreach(desk, { grading, adjudication }, breach) {
  const { length } = desk.breaches;
  const more = length > 1 ? ` (${length.toLocaleString('en')} things are missing in all.)` : '';
  const { highlights, bep } = desk.state;
  if (breach.code === 'undecided') {
    adjudication.show(breach.place);
    announce(`Not done yet: ${desk.view.names.replacePaths(breach.message)}.${more}`, 'wrong');
  } else if (breach.code === 'bep-missing') {
    desk.view.place(highlights[0][0]);
    announce(`Not done yet: where should reading start? Put the caret there and press b.${more}`, 'wrong');
  } else if (breach.code === 'bep-alone') {
    desk.view.place(bep);
    announce('Not done yet: there is an entry point, but no highlight. Highlight text, or press ⇧B.', 'wrong');
  } else {
    grading.open(breach.path);
    announce(`Not done yet: ${desk.view.names.replacePaths(breach.message)}.${more}`, 'wrong');
  }
}

/** Return the next document that is not done: after the open one, then from the first. */
function findUndone(desk) {
  const { listed } = desk.assignment;
  const later = [...listed.slice(desk.place + 1), ...listed.slice(0, desk.place)];
  return later.find(({ status }) => status !== 'validated')?.doc;
}

function describeAll(count) {
  return count === 1 ? 'The only document is' : `All ${pluralise(count, 'document')} are`;
}

function describeRemaining(desk) {
  const count = desk.assignment.listed.filter(({ status }) => status !== 'validated').length;
  if (count) return `${pluralise(count, 'document')} left.`;
  return desk.assignment.adjudicates.length ? 'All documents are done: ⇧S signs off.'
    : 'All documents of the topic are done.';
}
