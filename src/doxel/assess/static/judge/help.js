/** The keys, as the one table of them has them. */

import { make } from '../core/page_helpers.js';
import { openDialog } from './dialogs.js';
import { CARET_KEYS, isOnScale, KEYS, shown } from './keys.js';

/**
 * Show the keys.
 * @param {import('./desk.js').Desk} desk
 */
export function showHelp(desk) {
  const { scale } = desk.pool;
  const usable = KEYS.filter((action) => isOnScale(action, scale));
  const groups = [...new Set(usable.map((action) => action.group))];
  const tables = groups.map((group) => table(group, usable.filter((action) => action.group === group)
    .map((action) => [action.keys.map(shown), action.about])));
  const dialog = openDialog('Keys', [
    make('div', { class: 'keys', tabindex: '0', role: 'region', 'aria-label': 'Keys' },
      ...tables, table('Caret and selection', CARET_KEYS.map(([keys, about]) => [keys.map(shown), about])),
      Object.keys(scale.grades).length > 0 ? table('Grades, while the panel is open', grades(scale)) : null),
    make('p', { class: 'foot' }, 'No key acts while you write in a field. Escape closes this. ',
      make('a', { href: `/help?scale=${scale.name}`, target: '_blank' }, 'What to do, in one screen')),
  ], { name: 'help' });
  dialog.addEventListener('keydown', (event) => { if (event.key === '?') dialog.close(); });
}

function grades(scale) {
  const rows = Object.entries(scale.grades).map(([name, values]) => [values, name]);
  const both = rows.length > 1 ? [[[Object.values(scale.grades)[0][0]], 'first: both at once']] : [];
  return [...rows, ...both, [['Del'], 'take the grade back']];
}

function table(title, rows) {
  return make('section', {}, make('h3', {}, title), make('table', {}, make('tbody', {},
    ...rows.map(([keys, about]) => make('tr', {},
      make('th', { scope: 'row' }, ...keys.map((key) => make('kbd', {}, key))), make('td', {}, about))))));
}
