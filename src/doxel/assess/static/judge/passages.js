/** The passages, the entry point and the grades, listed beside the document. */

import { byId, excerpt, make, told } from '../core/page_helpers.js';
import { shortPath } from './grading.js';
import { passageAt } from './marking.js';
import { goTo } from './moving.js';

/**
 * Keep the lists in step with the document.
 * @param {import('./desk.js').Desk} desk
 * @param {import('./grading.js').Grading} grading
 * @param {(name: string) => void} run does an action of the keys' table
 */
export function listPassages(desk, grading, run) {
  const draw = () => {
    drawPassages(desk);
    drawEntry(desk, run);
    drawGrades(desk, grading);
    mark();
  };
  const mark = () => {
    const here = passageAt(desk.state.highlights, desk.reading.span()?.[0]);
    const index = desk.state.highlights.indexOf(here);
    [...byId('passages').children].forEach((item, at) => item.toggleAttribute('data-here', at === index));
  };
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
  document.addEventListener('selectionchange', () => { if (desk.reading) mark(); });
}

function drawPassages(desk) {
  const { state, reading, isEditable, pool: { scale } } = desk;
  byId('passages-part').hidden = !scale.highlights;
  byId('passages-title').textContent = state.highlights.length ? `Passages (${state.highlights.length})` : 'Passages';
  const items = state.highlights.map((span, index) => make('li', {},
    make('button', { type: 'button', class: 'go', click: () => goTo(desk, index) }, reading.quoted(span, 75)),
    isEditable && make('button', {
      type: 'button', class: 'quiet remove', title: 'Remove the passage (u)', 'aria-label': `Remove passage ${index + 1}`,
      click: () => desk.act({ kind: 'unhighlight', body: { spans: [span] } }),
    }, '×')));
  byId('passages').replaceChildren(...items);
  byId('passages').classList.toggle('empty', items.length === 0);
}

function drawEntry(desk, run) {
  const { state: { bep, highlights }, isEditable } = desk;
  const entry = byId('entry');
  if (bep === null) {
    const hint = highlights.length ? 'None yet: where should reading start? ' : 'None.';
    return entry.replaceChildren(make('b', {}, 'Best entry point '), hint, highlights.length && isEditable
      ? make('kbd', {}, 'b') : '');
  }
  return entry.replaceChildren(
    make('b', {}, 'Best entry point '),
    make('button', { type: 'button', class: 'go', click: () => desk.reading.place(bep) },
      `▸ ${excerpt(desk.reading.from(bep), 60)}`),
    isEditable ? make('button', { type: 'button', class: 'quiet remove', title: 'No entry point (⇧B)',
      'aria-label': 'Remove the best entry point', click: () => run('noEntry') }, '×') : '',
  );
}

function drawGrades(desk, grading) {
  const { state, outline, pool: { scale } } = desk;
  const part = byId('grades-part');
  part.hidden = Object.keys(scale.grades).length === 0;
  if (part.hidden) return;
  const faulty = new Set(desk.breaches.map((one) => one.path));
  const paths = Object.keys(state.grades).sort((one, other) => outline.row(one) - outline.row(other));
  const missing = desk.breaches.filter((one) => one.code === 'grade-missing').length;
  byId('grades').replaceChildren(
    ...paths.map((path) => make('li', {},
      make('button', { type: 'button', class: 'go', title: path, 'data-wrong': faulty.has(path),
        click: () => grading.open(path) },
      make('b', {}, Object.values(state.grades[path]).join(' ')), ` ${shortPath(path)}`,
      make('span', { class: 'sr' }, ` ${told(state.grades[path])}`)))),
    make('li', {}, make('button', { type: 'button', 'data-action': 'grade' },
      missing ? `Grade: ${missing} missing ` : 'Grade ', make('kbd', {}, 'm'))),
  );
}
