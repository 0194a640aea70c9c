/**
 * A document with the marks of two assessors: agreed, only one, only the other; and its differences one by one.
 *
 * @typedef {[number, number]} Span
 * @typedef {{path: string, one: Object<string, string>|null, other: Object<string, string>|null}} Grades
 * @typedef {{agreed: Span[], only_one: Span[], only_other: Span[], beps: (number|null)[], grades: Grades[]}} Found
 */
import { byId, counted, make, told } from '../core/page_helpers.js';
import { keyOf } from '../judge/keyboard.js';
import { render } from '../view/document_render.js';
import { Painter } from '../view/highlight_paint.js';
import { reveal } from '../view/scrolling.js';
import { caretRect, Positions } from '../view/text_positions.js';
import { addressed, Api } from '../work/server_api.js';

const { topic, one, other, pool, doc } = byId('comparing').dataset;

async function fetched() {
  const api = new Api({ csrf: '' }); // nothing is changed here
  const asked = new URLSearchParams({ one, other, doc });
  return Promise.all([
    api.get(`/api/pools/${pool}/documents/${addressed(doc)}`),
    api.get('/api/styles'),
    api.get(`/api/topics/${encodeURIComponent(topic)}/compare?${asked}`),
  ]);
}

function paint(told, styles, found) {
  const rendered = render(told, styles, byId('document'));
  const positions = new Positions(rendered);
  const painter = new Painter(rendered, positions);
  painter.set('agreed', found.agreed);
  painter.set('only-one', found.only_one);
  painter.set('only-other', found.only_other);
  const [here, there] = found.beps;
  if (here !== null && here === there) painter.setPoint('bep', here);
  else {
    painter.setPoint('bep-one', here);
    painter.setPoint('bep-other', there);
  }
  return { rendered, positions, painter };
}

/** Go through the differences. */
class Steps {
  #listed;
  #at = -1;
  #view;

  constructor(listed, view) {
    this.#listed = listed;
    this.#view = view;
    for (const [id, by] of [['next', 1], ['previous', -1]]) {
      byId(id).disabled = listed.length === 0;
      byId(id).addEventListener('click', () => this.go(by));
    }
    byId('said').textContent = this.#summary();
  }

  #summary() {
    const count = this.#listed.length;
    return count === 0 ? 'No difference in the marks of this document.' : `${counted(count, 'difference')}.`;
  }

  /** @param {number} by 1 or -1 */
  go(by) {
    const count = this.#listed.length;
    if (count === 0) return;
    this.#at = this.#at < 0 ? (by > 0 ? 0 : count - 1) : (this.#at + by + count) % count;
    const { start, end, about } = this.#listed[this.#at];
    const { rendered, positions, painter } = this.#view;
    painter.set('selected-passage', end > start ? [[start, end]] : []);
    painter.setPoint('difference', start);
    reveal(rendered.root, () => caretRect(positions, start));
    byId('said').textContent = `Difference ${this.#at + 1} of ${count.toLocaleString('en')}: ${about}.`;
    document.body.dataset.difference = String(this.#at);
  }
}

function listen(steps) {
  const actions = {
    n: () => steps.go(1),
    p: () => steps.go(-1),
    '[': () => byId('before')?.click(),
    ']': () => byId('after')?.click(),
    '?': () => location.assign('/help#comparing'),
  };
  addEventListener('keydown', (event) => {
    const action = actions[keyOf(event)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

async function start() {
  const [told, styles, compared] = await fetched();
  const found = compared.differences;
  const view = paint(told, styles, found);
  const steps = new Steps(differencesOf(found, one, other), view);
  listen(steps);
  const sentence = entrySentence(found.beps, one, other);
  byId('entries').hidden = sentence === '';
  byId('entries').textContent = sentence;
  byId('graded').hidden = found.grades.length === 0;
  byId('grades').replaceChildren(...gradeRows(found.grades).map((cells) => make('tr', {},
    ...cells.map((cell) => make('td', {}, cell)))));
  document.body.dataset.open = doc;
}

/**
 * Return the differences in the order of the text: passages that only one marked, and entry points.
 *
 * @param {Found} found
 * @param {string} one  the name of one assessor
 * @param {string} other
 * @returns {{start: number, end: number, about: string}[]}
 */
function differencesOf(found, one, other) {
  const passages = [[found.only_one, one], [found.only_other, other]].flatMap(([spans, name]) => (
    spans.map(([start, end]) => ({ start, end, about: `only ${name}, ${characters(end - start)}` }))));
  return [...passages, ...entries(found.beps, one, other)].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** One difference for two entry points that are apart, at the first of them. */
function entries([here, there], one, other) {
  if (here === there) return [];
  if (here === null || there === null) {
    const [start, name] = here === null ? [there, other] : [here, one];
    return [{ start, end: start, about: `an entry point of ${name} only` }];
  }
  const [first, second, from, to] = here < there ? [here, there, one, other] : [there, here, other, one];
  const about = `entry point of ${from}; that of ${to} comes ${characters(second - first)} later`;
  return [{ start: first, end: first, about }];
}

/**
 * Say how far the entry points are apart.
 *
 * @param {(number|null)[]} beps
 * @param {string} one
 * @param {string} other
 * @returns {string} empty if there are none
 */
function entrySentence([here, there], one, other) {
  if (here === null && there === null) return '';
  if (here === null) return `Only ${other} has an entry point.`;
  if (there === null) return `Only ${one} has an entry point.`;
  if (here === there) return 'Both have the same entry point.';
  return `The entry points are ${characters(Math.abs(here - there))} apart.`;
}

/**
 * Return the rows of a table of grades: element, one, other.
 *
 * @param {Grades[]} grades
 * @returns {string[][]}
 */
function gradeRows(grades) {
  const written = (some) => (some === null ? 'not graded' : told(some));
  return grades.map(({ path, one, other }) => [path, written(one), written(other)]);
}

function characters(count) {
  return counted(count, 'character');
}

start().catch((error) => {
  byId('said').textContent = `The document could not be opened: ${error.message}.`;
});
