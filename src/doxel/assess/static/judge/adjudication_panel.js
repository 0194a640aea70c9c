/**
 * The adjudication of a document: the marks of all assessors as lines under the text, their differences one by one,
 * and a key for each outcome.  A decision and the changes that it makes are one step of undo.
 *
 * @typedef {{place: string, kind: 'passage'|'aspects'|'entry'|'grades', start: number, end: number, path: string|null,
 *   about: string, choices: Object<string, any>}} Difference
 */
import { byId, formatGrades, make, pluralise, shorten } from '../core/page_helpers.js';
import { subtractSpans } from '../core/text_offsets.js';
import { announce } from './dialogs.js';
import { findAction, formatKey } from './keyboard.js';

/** How many assessors have lines of their own under the text. */
const MOST_LANES = 6;
const EDITED = 'edited';
/** The outcomes besides those of single assessors: the name in the log, and the action. */
const OUTCOMES = [['union', 'union'], ['intersection', 'intersection'], ['majority', 'majority'], ['none', 'neither']];
/** Their labels, where they are not those of the actions. */
const OUTCOME_LABELS = {
  grades: { union: 'Highest', intersection: 'Lowest', none: 'No grade' },
  aspects: { union: 'All aspects', intersection: 'Common aspects', none: 'No aspect' },
  entry: { none: 'No entry point' },
};
const DECISION_WORDS = {
  union: 'all of it', intersection: 'the common part', majority: 'the majority', none: 'none of it',
  [EDITED]: 'as edited',
};

/** The panel with the differences of the open document. */
export class AdjudicationPanel {
  #desk;
  #sheet;
  /** @type {string|null} the place of the current difference */
  #place = null;

  /**
   * @param {import('./judging_desk.js').Desk} desk
   * @param {{open: () => void}} sheet  must be open for the panel to be visible
   */
  constructor(desk, sheet) {
    this.#desk = desk;
    this.#sheet = sheet;
    desk.addEventListener('opened', () => this.#start());
    desk.addEventListener('change', () => this.#draw());
    desk.addEventListener('assignment', () => { if (desk.journal) this.#draw(); });
  }

  /** @returns {Object<string, () => any>}  the actions by their names in the table of keys */
  makeActions() {
    const sources = Array.from({ length: 9 }, (_, index) => [`source${index + 1}`, () => this.#acceptSource(index)]);
    const outcomes = OUTCOMES.map(([outcome, action]) => [action, () => this.#choose(outcome)]);
    return {
      ...Object.fromEntries([...sources, ...outcomes]),
      keep: () => this.#choose(EDITED),
      signOff: () => this.#signOff(),
    };
  }

  /**
   * Go to the next or the previous difference.
   *
   * @param {number} step  1 or -1
   */
  move(step) {
    const { differences } = this.#desk;
    const index = differences.findIndex(({ place }) => place === this.#place);
    const first = step > 0 ? 0 : differences.length - 1;
    const next = index < 0 ? first : (index + step + differences.length) % differences.length;
    this.show(differences[next].place);
    const { about, place } = differences[next];
    announce(`Difference ${next + 1} of ${differences.length}: ${this.#desk.view.names.replacePaths(about)}, ${this.#describeDecision(place)}.`);
  }

  /**
   * Show a difference in the text and in the list.
   *
   * @param {string} place
   */
  show(place) {
    const { view } = this.#desk;
    this.#place = place;
    const { start, end } = this.#current;
    view.painter.set('disputed', end > start ? [[start, end]] : []);
    view.place(start);
    this.#draw();
    byId('differences').querySelector('li:has([aria-current=true])')?.scrollIntoView({ block: 'nearest' });
  }

  get #current() {
    return this.#desk.differences.find(({ place }) => place === this.#place);
  }

  #start() {
    const { sources, differences, assignment, view } = this.#desk;
    const isAdjudication = assignment.adjudicates.length > 0;
    this.#place = null;
    byId('differences-part').hidden = !isAdjudication;
    document.body.toggleAttribute('data-adjudication', isAdjudication);
    if (!isAdjudication) return;
    sources.slice(0, MOST_LANES).forEach(({ state }, index) => {
      view.painter.set(`source-${index + 1}`, state?.highlights ?? []);
      view.painter.setPoint(`source-${index + 1}`, state?.bep ?? null);
    });
    this.#draw();
    const [first] = this.#desk.undecided;
    if (first) this.show(first.place);
    announce(differences.length ? `${pluralise(this.#desk.undecided.length, 'difference')} to decide.`
      : 'The assessors do not differ on this document.');
  }

  #draw() {
    const { sources, differences, undecided } = this.#desk;
    if (sources.length === 0) return;
    const standing = undecided.length ? `${undecided.length} to decide` : 'all decided';
    byId('differences-title').textContent = `Differences (${differences.length ? standing : 'none'})`;
    byId('sources').replaceChildren(...sources.map((source, index) => make('li', {},
      make('span', { class: `lane lane-${index + 1}`, 'aria-hidden': 'true' }),
      `${index + 1} ${source.assessor}`, make('small', {}, describeShare(source, sources)))));
    byId('differences').replaceChildren(...differences.map((difference) => this.#makeItem(difference)));
    if (differences.length === 0) {
      byId('differences').replaceChildren(make('li', {}, 'The assessors do not differ on this document.'));
    }
  }

  #makeItem(difference) {
    const isCurrent = difference.place === this.#place;
    const isDecided = Object.hasOwn(this.#desk.state.decisions, difference.place);
    return make('li', { 'data-decided': isDecided },
      make('button', {
        type: 'button', class: 'go', 'aria-current': isCurrent ? 'true' : 'false',
        click: () => this.show(difference.place),
      }, make('b', {}, isDecided ? '✓ ' : '○ '), this.#describe(difference),
      make('small', {}, ` ${this.#describeDecision(difference.place)}`)),
      isCurrent && this.#desk.isEditable ? this.#makeChoices(difference) : '');
  }

  #describe({ kind, start, end, path }) {
    const { view } = this.#desk;
    if (kind === 'entry') return 'Entry point';
    if (kind === 'aspects') return `Aspects of “${view.quote([start, end], 40)}”`;
    if (kind === 'grades') return `Grades of ${view.describe(path)}`;
    return `“${view.quote([start, end], 60)}”`;
  }

  #describeDecision(place) {
    const { state, sources } = this.#desk;
    const decision = state.decisions[place];
    if (decision === undefined) return 'not decided';
    const source = sources.find(({ assignment }) => String(assignment) === decision);
    return `decided: ${source ? source.assessor : DECISION_WORDS[decision] ?? decision}`;
  }

  #makeChoices(difference) {
    const { sources, state } = this.#desk;
    const makeButton = (action, label, decision, outcome) => make('button', {
      type: 'button', 'data-action': action, 'aria-pressed': state.decisions[difference.place] === decision,
      title: outcome ?? findAction(action).about, 'aria-keyshortcuts': findAction(action).keys[0],
    }, make('kbd', { 'aria-hidden': 'true' }, formatKey(findAction(action).keys[0])), ' ', label);
    const offered = sources.map((source, index) => [source, index])
      .filter(([{ assignment }, index]) => index < 9 && Object.hasOwn(difference.choices, assignment));
    const outcomes = OUTCOMES.filter(([outcome]) => Object.hasOwn(difference.choices, outcome));
    return make('div', { class: 'buttons choices', role: 'group', 'aria-label': 'Outcomes' },
      ...offered.map(([{ assignment, assessor }, index]) => makeButton(`source${index + 1}`,
        `${assessor}: ${this.#describeOutcome(difference, difference.choices[assignment])}`, String(assignment))),
      ...outcomes.map(([outcome, action]) => makeButton(action,
        labelOutcome(difference, outcome, findAction(action).label), outcome)),
      makeButton('keep', findAction('keep').label, EDITED));
  }

  #describeOutcome({ kind }, value) {
    const { view } = this.#desk;
    if (kind === 'entry') return value === null ? 'none' : `“${shorten(view.readFrom(value), 24)}”`;
    if (kind === 'grades') return value === null ? 'none' : formatGrades(value);
    if (kind === 'aspects') return Object.values(value).map(formatAspect).join('; ') || 'none';
    const characters = value.reduce((sum, [start, end]) => sum + end - start, 0);
    return characters ? pluralise(characters, 'character') : 'nothing';
  }

  #acceptSource(index) {
    const source = this.#desk.sources[index];
    if (!source) return announce('There is no such assessor.', 'wrong');
    return this.#choose(String(source.assignment));
  }

  #choose(decision) {
    const difference = this.#current;
    if (!difference) return announce('Go to a difference first: n.', 'wrong');
    if (decision !== EDITED && !Object.hasOwn(difference.choices, decision)) {
      return announce('This difference has no such outcome.', 'wrong');
    }
    const changes = decision === EDITED ? []
      : makeChanges(difference, difference.choices[decision], this.#desk.state);
    const source = this.#desk.sources.find(({ assignment }) => String(assignment) === decision);
    // aspects that differ are a difference of their own
    const isNamedAlike = this.#desk.differences.every(({ place }) => place !== `aspects-${difference.place}`);
    if (source && difference.kind === 'passage' && isNamedAlike) {
      const { aspects, weights, vital } = source.state;
      const entries = Object.entries(aspects).map(([place, aspect]) => (
        [place, { aspect, weight: weights[place] ?? null, vital: vital[place] ?? null }]));
      changes.push(...changeAspects(difference, Object.fromEntries(entries), this.#desk.state));
    }
    this.#desk.act(...changes, { kind: 'decide', body: { place: difference.place, decision } });
    const words = this.#describeDecision(difference.place);
    const next = this.#findUndecided(difference);
    if (next) this.show(next.place);
    else this.#draw();
    return announce(next ? `${words}. ${pluralise(this.#desk.undecided.length, 'difference')} left.`
      : `${words}. All differences are decided: v marks the document as done.`);
  }

  /** Return the next difference that is not decided: after one, then from the first. */
  #findUndecided({ place }) {
    const { differences, undecided } = this.#desk;
    const later = differences.slice(differences.findIndex((other) => other.place === place) + 1);
    return later.find((difference) => undecided.includes(difference)) ?? undecided[0];
  }

  async #signOff() {
    const desk = this.#desk;
    const openCount = desk.assignment.listed.filter(({ status }) => status !== 'validated').length;
    if (openCount > 0) {
      return announce(`Not yet: ${pluralise(openCount, 'document is', 'documents are')} not done.`, 'wrong');
    }
    try {
      await desk.signOff();
      return announce('Signed off: the adjudication is the official assignment of the topic.');
    } catch (error) {
      return announce(`This cannot be signed off now: ${error.message}.`, 'wrong');
    }
  }
}

function labelOutcome({ kind }, outcome, label) {
  return OUTCOME_LABELS[kind]?.[outcome] ?? label;
}

/** Return the events that give a difference an outcome. */
function makeChanges({ kind, start, end, path }, outcome, state) {
  if (kind === 'aspects') return changeAspects({ start, end }, outcome, state);
  if (kind === 'entry') return [{ kind: 'bep', body: { position: outcome } }];
  if (kind === 'grades') return [{ kind: 'grade', body: { path, grades: outcome } }];
  const removedSpans = subtractSpans([[start, end]], outcome);
  return [
    ...(removedSpans.length ? [{ kind: 'unhighlight', body: { spans: removedSpans } }] : []),
    ...(outcome.length ? [{ kind: 'highlight', body: { spans: outcome } }] : []),
  ];
}

/** Return an aspect in words: "taste", "price (weight 2, not vital)". */
function formatAspect({ aspect, weight, vital }) {
  const more = [weight ? `weight ${weight}` : '', vital === 'no' ? 'not vital' : ''].filter(Boolean).join(', ');
  return more ? `${aspect} (${more})` : aspect;
}

/** Return the events that give a stretch of text these aspects, by position, and no others. */
function changeAspects({ start, end }, aspects, state) {
  const places = Object.keys({ ...state.aspects, ...aspects });
  return places.filter((place) => start <= Number(place) && Number(place) < end)
    .map((place) => ({ kind: 'aspect', body: { place, ...(aspects[place] ?? { aspect: null }) } }));
}

/** Return a remark if an assessor has not judged the document, or is alone in having judged it; else empty. */
function describeShare({ assigned, state }, sources) {
  if (!assigned) return ' was not given this document';
  if (state === null) return ' has not done this document';
  const isAlone = sources.filter((source) => source.state !== null).length === 1;
  return isAlone ? ' alone has judged it: taken over' : '';
}
