/**
 * A document with the marks of two assessors: agreed, only one, only the other; and its differences one by one.
 *
 * @typedef {import('../core/text_offsets.js').Span} Span
 * @typedef {{path: string, one: Object<string, string>|null, other: Object<string, string>|null}} GradePair
 * @typedef {{agreed: Span[], only_one: Span[], only_other: Span[], beps: (number|null)[],
 *   grades: GradePair[]}} Differences  as the server sends them
 * @typedef {{start: number, end: number, about: string}} Step
 */
import { byId, formatGrades, make, pluralise } from '../core/page_helpers.js';
import { readKey } from '../judge/keyboard.js';
import { render } from '../view/document_render.js';
import { Painter } from '../view/highlight_paint.js';
import { reveal } from '../view/scrolling.js';
import { findCaretRect, Positions } from '../view/text_positions.js';
import { Api, encodePath } from '../work/server_api.js';

const { topic, one: firstName, other: secondName, assignment, doc } = byId('comparing').dataset;

async function start() {
  const [content, styles, { differences }] = await fetchAll();
  const view = paint(content, styles, differences);
  listen(new Stepper(listSteps(differences), view));
  const sentence = describeEntries(differences.beps);
  byId('entries').hidden = sentence === '';
  byId('entries').textContent = sentence;
  byId('graded').hidden = differences.grades.length === 0;
  byId('grades').replaceChildren(...makeGradeRows(differences.grades).map((cells) => make('tr', {},
    ...cells.map((cell) => make('td', {}, cell)))));
  document.body.dataset.open = doc;
}

async function fetchAll() {
  const api = new Api({ csrf: '' }); // nothing is changed here
  const query = new URLSearchParams({ one: firstName, other: secondName, doc });
  return Promise.all([
    api.get(`/api/assignments/${assignment}/documents/${encodePath(doc)}`),
    api.get('/api/styles'),
    api.get(`/api/topics/${encodeURIComponent(topic)}/compare?${query}`),
  ]);
}

function paint(content, styles, differences) {
  const rendered = render(content, styles, byId('document'));
  const positions = new Positions(rendered);
  const painter = new Painter(rendered, positions);
  painter.set('agreed', differences.agreed);
  painter.set('only-one', differences.only_one);
  painter.set('only-other', differences.only_other);
  const [firstEntry, secondEntry] = differences.beps;
  if (firstEntry !== null && firstEntry === secondEntry) painter.setPoint('bep', firstEntry);
  else {
    painter.setPoint('bep-one', firstEntry);
    painter.setPoint('bep-other', secondEntry);
  }
  return { rendered, positions, painter };
}

/** Goes from difference to difference. */
class Stepper {
  #steps;
  #at = -1;
  #view;

  /**
   * @param {Step[]} steps
   * @param {object} view  the parts of the rendered document
   */
  constructor(steps, view) {
    this.#steps = steps;
    this.#view = view;
    for (const [id, by] of [['next', 1], ['previous', -1]]) {
      byId(id).disabled = steps.length === 0;
      byId(id).addEventListener('click', () => this.go(by));
    }
    byId('announcement').textContent = steps.length === 0
      ? 'The marks in this document do not differ.' : `${pluralise(steps.length, 'difference')}.`;
  }

  /** @param {number} by  1 or -1 */
  go(by) {
    const count = this.#steps.length;
    if (count === 0) return;
    this.#at = this.#at < 0 ? (by > 0 ? 0 : count - 1) : (this.#at + by + count) % count;
    const { start: position, end, about } = this.#steps[this.#at];
    const { rendered, positions, painter } = this.#view;
    painter.set('selected-passage', end > position ? [[position, end]] : []);
    painter.setPoint('difference', position);
    reveal(rendered.root, () => findCaretRect(positions, position));
    byId('announcement').textContent = `Difference ${this.#at + 1} of ${count.toLocaleString('en')}: ${about}.`;
    document.body.dataset.difference = String(this.#at);
  }
}

function listen(stepper) {
  const actions = {
    n: () => stepper.go(1),
    p: () => stepper.go(-1),
    '[': () => byId('before')?.click(),
    ']': () => byId('after')?.click(),
    '?': () => location.assign('/help#comparing'),
  };
  addEventListener('keydown', (event) => {
    const action = actions[readKey(event)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/**
 * Return the differences in the order of the text: passages that only one assessor marked, and entry points.
 *
 * @param {Differences} differences
 * @returns {Step[]}
 */
function listSteps({ only_one: onlyFirst, only_other: onlySecond, beps }) {
  const passages = [[onlyFirst, firstName], [onlySecond, secondName]].flatMap(([spans, name]) => (
    spans.map(([start, end]) => ({ start, end, about: `only ${name}, ${countCharacters(end - start)}` }))));
  return [...passages, ...listEntrySteps(beps)]
    .sort((left, right) => left.start - right.start || left.end - right.end);
}

/** Return one step for two different entry points, at the first of them. */
function listEntrySteps([firstEntry, secondEntry]) {
  if (firstEntry === secondEntry) return [];
  if (firstEntry === null || secondEntry === null) {
    const [start, name] = firstEntry === null ? [secondEntry, secondName] : [firstEntry, firstName];
    return [{ start, end: start, about: `an entry point of ${name} only` }];
  }
  const [start, later, name, laterName] = firstEntry < secondEntry
    ? [firstEntry, secondEntry, firstName, secondName] : [secondEntry, firstEntry, secondName, firstName];
  const about = `entry point of ${name}; that of ${laterName} is ${countCharacters(later - start)} later`;
  return [{ start, end: start, about }];
}

/** Return the distance of the entry points, as a sentence; empty if there are none. */
function describeEntries([firstEntry, secondEntry]) {
  if (firstEntry === null && secondEntry === null) return '';
  if (firstEntry === null) return `Only ${secondName} has an entry point.`;
  if (secondEntry === null) return `Only ${firstName} has an entry point.`;
  if (firstEntry === secondEntry) return 'Both have the same entry point.';
  return `The entry points are ${countCharacters(Math.abs(firstEntry - secondEntry))} apart.`;
}

/**
 * Return the rows of the table of grades: element, first assessor, second assessor.
 *
 * @param {GradePair[]} pairs
 * @returns {string[][]}
 */
function makeGradeRows(pairs) {
  const describe = (grades) => (grades === null ? 'not graded' : formatGrades(grades));
  return pairs.map(({ path, one, other }) => [path, describe(one), describe(other)]);
}

function countCharacters(count) {
  return pluralise(count, 'character');
}

start().catch((error) => {
  byId('announcement').textContent = `The document could not be opened: ${error.message}.`;
});
