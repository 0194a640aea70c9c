/** Whether the document is done, what is missing, and the buttons that say so; always in sight. */

import { isBegun } from '../core/document_state.js';
import { byId, counted, make } from '../core/page_helpers.js';
import { explain, isWithoutHighlights } from './deciding.js';
import { button } from './tools.js';

const LISTED = 4; // of what is missing

/**
 * Keep the verdict in step with the document.
 * @param {import('./desk.js').Desk} desk
 * @param {import('./grading.js').Grading} grading
 */
export function showVerdict(desk, grading) {
  const draw = () => {
    const { validated } = desk.state;
    byId('verdict').replaceChildren(
      make('p', { class: 'standing-words', 'data-done': validated }, words(desk)),
      ...(validated || !desk.isEditable ? [] : missing(desk, grading)),
      desk.isEditable ? buttons(validated) : '',
    );
    byId('sheet-words').textContent = summary(desk);
  };
  for (const name of ['opened', 'change']) desk.addEventListener(name, draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
}

function words(desk) {
  if (desk.state.validated) return isWithoutHighlights(desk) ? 'Done: nothing relevant here' : 'Done';
  return isBegun(desk.state) ? 'Not done yet' : 'Not judged yet';
}

function missing(desk, grading) {
  const found = desk.breaches;
  if (!found.length || !isBegun(desk.state)) return [];
  const [ungraded, others] = [true, false].map((is) => found.filter((one) => (one.code === 'grade-missing') === is));
  const listed = [...others.slice(0, LISTED), ...ungraded.slice(0, 1)];
  const items = listed.map((breach) => make('li', {},
    make('button', { type: 'button', class: 'go', click: () => explain(desk, grading, breach) },
      breach === ungraded[0] ? `${counted(ungraded.length, 'grade')} missing` : sentence(breach))));
  const more = Math.max(0, others.length - LISTED);
  return [make('ul', { class: 'missing' }, ...items, more ? make('li', {}, `and ${counted(more, 'thing')} more`) : null)];
}

function sentence({ code, message }) {
  if (code === 'bep-missing') return 'The best entry point is missing';
  if (code === 'bep-alone') return 'An entry point, but nothing highlighted';
  return message;
}

function buttons(validated) {
  const names = validated ? ['reopen', 'validateNext'] : ['nothing', 'validate', 'validateNext'];
  return make('div', { class: 'buttons' }, ...names.map((name) => (name === 'reopen'
    ? make('button', { type: 'button', 'data-action': 'reopen' }, 'Reopen')
    : button(name, name === 'validateNext' ? 'main' : ''))));
}

function summary(desk) {
  const { highlights, grades } = desk.state;
  const parts = desk.pool.scale.highlights ? [counted(highlights.length, 'passage')] : [];
  if (Object.keys(desk.pool.scale.grades).length) parts.push(counted(Object.keys(grades).length, 'grade'));
  return `Topic, ${parts.join(', ')}, note`;
}
