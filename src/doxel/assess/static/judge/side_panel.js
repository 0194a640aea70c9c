/** The panel beside the document: passages, entry point, grades, note, verdict, and the pooled elements. */
import { findAspectPlaces, hasJudgement } from '../core/document_state.js';
import { byId, capitalise, formatGrades, make, pluralise, shorten } from '../core/page_helpers.js';
import { makeStorable } from '../work/event_journal.js';
import { announce } from './dialogs.js';
import { explainBreach, findPassage, goToPassage, isWithoutHighlights } from './judging_actions.js';
import { makeActionButton } from './toolbar.js';

const NOTE_PAUSE = 700; // milliseconds after the last letter
const MOST_LISTED = 4; // of the broken rules

/**
 * List the passages, the entry point and the grades, in step with the document.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./grade_panel.js').GradePanel} grading
 * @param {(name: string) => void} run  runs an action of the table of keys
 */
export function listPassages(desk, grading, run) {
  const draw = () => {
    drawPassages(desk);
    drawEntry(desk, run);
    drawGrades(desk, grading);
    mark();
  };
  const mark = () => {
    const passage = findPassage(desk.state.highlights, desk.view.readSpan()?.[0]);
    const index = desk.state.highlights.indexOf(passage);
    [...byId('passages').children].forEach((item, at) => item.toggleAttribute('data-here', at === index));
  };
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
  desk.addEventListener('assignment', () => { if (desk.journal) draw(); });
  document.addEventListener('selectionchange', () => { if (desk.view) mark(); });
}

function drawPassages(desk) {
  const { state, view, isEditable, assignment: { scale } } = desk;
  byId('passages-part').hidden = !scale.highlights;
  byId('passages-title').textContent = state.highlights.length ? `Passages (${state.highlights.length})` : 'Passages';
  const items = state.highlights.map((span, index) => make('li', {},
    make('button', { type: 'button', class: 'go', dir: 'auto', click: () => goToPassage(desk, index) },
      view.quote(span, 75),
      ...findAspectPlaces(state, span).map((place) => make('span', { class: 'aspect' }, formatAspect(state, place)))),
    isEditable && make('button', {
      type: 'button', class: 'quiet remove', title: 'Remove the passage (u)',
      'aria-label': `Remove passage ${index + 1}`,
      click: () => desk.act({ kind: 'unhighlight', body: { spans: [span] } }),
    }, '×')));
  byId('passages').replaceChildren(...items);
  byId('passages').classList.toggle('empty', items.length === 0);
}

function formatAspect({ aspects, weights, vital }, place) {
  return aspects[place] + (weights[place] ? ` ×${weights[place]}` : '') + (vital[place] ? ' (not vital)' : '');
}

function drawEntry(desk, run) {
  const { state: { bep, highlights }, assignment: { scale }, isEditable } = desk;
  const entry = byId('entry');
  entry.hidden = !scale.entry_point && bep === null;
  if (bep === null) {
    const hint = highlights.length ? 'None yet: where should reading start? ' : 'None.';
    return entry.replaceChildren(make('b', {}, 'Best entry point '), hint, highlights.length && isEditable
      ? make('kbd', {}, 'b') : '');
  }
  return entry.replaceChildren(
    make('b', {}, 'Best entry point '),
    make('button', { type: 'button', class: 'go', click: () => desk.view.place(bep) },
      '▸ ', make('bdi', {}, shorten(desk.view.readFrom(bep), 60))),
    isEditable ? make('button', { type: 'button', class: 'quiet remove', title: 'No entry point (⇧B)',
      'aria-label': 'Remove the best entry point', click: () => run('noEntry') }, '×') : '',
  );
}

function drawGrades(desk, grading) {
  const { state, outline, assignment: { scale } } = desk;
  const part = byId('grades-part');
  part.hidden = Object.keys(scale.grades).length === 0;
  if (part.hidden) return;
  const faultyPaths = new Set(desk.breaches.map(({ path }) => path));
  const paths = Object.keys(state.grades).sort((left, right) => outline.row(left) - outline.row(right));
  const missingCount = desk.breaches.filter(({ code }) => code === 'grade-missing').length;
  byId('grades').replaceChildren(
    ...paths.map((path) => make('li', {},
      make('button', { type: 'button', class: 'go', title: path, 'data-wrong': faultyPaths.has(path),
        click: () => grading.open(path) },
      make('b', {}, Object.values(state.grades[path]).join(' ')), ' ', make('bdi', {}, desk.view.describe(path)),
      make('span', { class: 'sr' }, ` ${formatGrades(state.grades[path])}`)))),
    make('li', {}, make('button', { type: 'button', 'data-action': 'grade' },
      missingCount ? `Grade: ${missingCount} missing ` : 'Grade ', make('kbd', {}, 'm'))),
  );
}

/**
 * Save the note and the flag: shortly after the last key, when the field is left, and before another document opens.
 *
 * @param {import('./judging_desk.js').Desk} desk
 */
export function keepNote(desk) {
  const field = byId('note');
  const flag = byId('flag');
  let timer = 0;

  function keep() {
    clearTimeout(timer);
    const text = makeStorable(field.value);
    if (desk.isEditable && text !== desk.state.note) desk.act({ kind: 'note', body: { text } });
  }

  function draw() {
    field.readOnly = !desk.isEditable;
    flag.hidden = !desk.isEditable && !desk.state.flagged;
    flag.setAttribute('aria-pressed', String(desk.state.flagged));
    // text being typed here is newer than that from elsewhere
    if (document.activeElement !== field && field.value !== desk.state.note) field.value = desk.state.note;
  }

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(keep, NOTE_PAUSE);
  });
  field.addEventListener('change', keep);
  field.addEventListener('blur', keep);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      keep();
      desk.view?.focus();
    }
  });
  window.addEventListener('pagehide', keep);
  document.addEventListener('visibilitychange', () => { if (document.hidden) keep(); });
  desk.addEventListener('closing', () => { if (desk.journal) keep(); });
  desk.addEventListener('opened', () => {
    clearTimeout(timer);
    field.value = desk.state.note;
    draw();
  });
  desk.addEventListener('change', draw);
  desk.addEventListener('assignment', () => { if (desk.journal) draw(); });
}

/**
 * Show whether the document is done, what is missing, and the buttons for it; always visible.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {{grading: import('./grade_panel.js').GradePanel,
 *   adjudication: import('./adjudication_panel.js').AdjudicationPanel}} panels
 */
export function showVerdict(desk, panels) {
  const draw = () => {
    const { validated } = desk.state;
    byId('verdict').replaceChildren(
      make('p', { class: 'standing-words', 'data-done': validated }, describeVerdict(desk)),
      ...(validated || !desk.isEditable ? [] : listMissing(desk, panels)),
      desk.isEditable ? makeVerdictButtons(validated) : '',
      desk.isEditable && isReadyToSign(desk) ? makeActionButton('signOff', 'main') : '',
    );
    byId('sheet-words').textContent = summarise(desk);
  };
  for (const name of ['opened', 'change']) desk.addEventListener(name, draw);
  desk.addEventListener('assignment', () => { if (desk.journal) draw(); });
}

/** Return whether this is an adjudication in which every document is done. */
function isReadyToSign({ assignment: { adjudicates, listed } }) {
  return adjudicates.length > 0 && listed.every(({ status }) => status === 'validated');
}

function describeVerdict(desk) {
  if (desk.isSignedOff) return 'Signed off';
  if (desk.state.validated) return isWithoutHighlights(desk) ? 'Done: nothing relevant here' : 'Done';
  return hasJudgement(desk.state) ? 'Not done yet' : 'Not judged yet';
}

function listMissing(desk, panels) {
  const { breaches } = desk;
  if (!breaches.length || !(hasJudgement(desk.state) || desk.undecided.length)) return [];
  const ungraded = breaches.filter(({ code }) => code === 'grade-missing');
  const undecided = breaches.filter(({ code }) => code === 'undecided');
  const others = breaches.filter((breach) => !ungraded.includes(breach) && !undecided.includes(breach));
  const listedBreaches = [...undecided.slice(0, 1), ...others.slice(0, MOST_LISTED), ...ungraded.slice(0, 1)];
  const describe = (breach) => {
    if (breach === ungraded[0]) return `${pluralise(ungraded.length, 'grade')} missing`;
    return breach === undecided[0] ? `${pluralise(undecided.length, 'difference')} not decided` : describeBreach(desk, breach);
  };
  const items = listedBreaches.map((breach) => make('li', {},
    make('button', { type: 'button', class: 'go', click: () => explainBreach(desk, panels, breach) },
      describe(breach))));
  const more = Math.max(0, others.length - MOST_LISTED);
  const rest = more ? make('li', {}, `and ${pluralise(more, 'thing')} more`) : null;
  return [make('ul', { class: 'missing' }, ...items, rest)];
}

function describeBreach({ view }, { code, message }) {
  if (code === 'bep-missing') return 'The best entry point is missing';
  if (code === 'bep-alone') return 'An entry point, but nothing highlighted';
  return capitalise(view.names.replacePaths(message));
}

function makeVerdictButtons(validated) {
  const names = validated ? ['reopen', 'validateNext'] : ['nothing', 'validate', 'validateNext'];
  return make('div', { class: 'buttons' }, ...names.map((name) => (name === 'reopen'
    ? make('button', { type: 'button', 'data-action': 'reopen' }, 'Reopen')
    : makeActionButton(name, name === 'validateNext' ? 'main' : ''))));
}

function summarise(desk) {
  const { highlights, grades } = desk.state;
  const parts = desk.assignment.scale.highlights ? [pluralise(highlights.length, 'passage')] : [];
  if (Object.keys(desk.assignment.scale.grades).length) parts.push(pluralise(Object.keys(grades).length, 'grade'));
  return `Topic, ${parts.join(', ')}, note`;
}

/**
 * Shows the pooled elements, those that systems retrieved, over the text: hidden at first, shown on request.  The
 * request is recorded before anything is shown.  Where one person judges alone (data-parts), they are shown as soon
 * as a document is opened, and the first one is brought into view.
 */
export class PooledElements extends EventTarget {
  #desk;
  #spans = [];
  isShown = false;

  /** @param {import('./judging_desk.js').Desk} desk */
  constructor(desk) {
    super();
    this.#desk = desk;
    desk.addEventListener('opened', () => {
      this.#hide();
      if (document.body.dataset.parts === 'shown') this.toggle().then(() => this.#showFirst());
    });
  }

  #showFirst() {
    const [first] = this.#spans;
    if (this.isShown && first && this.#desk.view.position() === 0) this.#desk.view.place(first[0]);
  }

  /** Show or hide. */
  async toggle() {
    const desk = this.#desk;
    if (this.isShown) {
      if (desk.isEditable) desk.act({ kind: 'show', body: { pooled: false } });
      this.#hide();
      return announce('The pooled elements are hidden.');
    }
    const { doc } = desk;
    try {
      if (desk.isEditable) await desk.recordLook();
      const { parts } = await desk.fetchPooled(doc);
      if (doc === desk.doc) this.#paint(parts);
    } catch (error) {
      announce(`The pooled elements cannot be shown now: ${error.message}.`, 'wrong');
    }
    return undefined;
  }

  #paint(parts) {
    const { outline, view } = this.#desk;
    const spans = parts.map((part) => findSpan(part, outline)).filter(Boolean);
    this.#spans = spans.toSorted(([left], [right]) => left - right);
    view.painter.set('retrieved', spans);
    this.isShown = true;
    this.dispatchEvent(new Event('change'));
    announce(spans.length ? `Systems retrieved ${pluralise(spans.length, 'part')} of this document, underlined.`
      : 'Systems retrieved this document as a whole, and no part of it.');
  }

  #hide() {
    this.isShown = false;
    this.#desk.view.painter.set('retrieved', []);
    this.dispatchEvent(new Event('change'));
  }
}

function findSpan({ path, start, end }, outline) {
  if (start !== null && end !== null) return [start, end];
  const row = path === null ? -1 : outline.row(path);
  return row < 0 ? null : outline.span(row);
}
