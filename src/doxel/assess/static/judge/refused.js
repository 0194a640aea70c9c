/** What the server refused: why, in words, with a way to copy it and to let it go. */

import { openDialog } from './dialogs.js';
import { counted, make } from './html.js';
import { say } from './say.js';

const WORDS = {
  highlight: 'highlight', unhighlight: 'remove a highlight', bep: 'best entry point', grade: 'grade', note: 'note',
  validate: 'call the document done', reopen: 'open the document again', show: 'look at what systems found',
};

/**
 * Show what was refused.
 * @param {EventTarget & {status: object, dismiss: (entries: object[]) => any}} outbox
 */
export function showRefused(outbox) {
  const entries = outbox.status.refused;
  const list = make('ul', { class: 'refused-list' }, ...entries.map((entry) => item(entry, outbox)));
  const dialog = openDialog('Refused by the server', [
    make('p', {}, `${counted(entries.length, 'step')} could not be saved. The page shows what the server has; what was refused is kept here until you let it go.`),
    list,
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => copy(entries) }, 'Copy all'),
      make('button', { type: 'button', click: () => { outbox.dismiss(entries); dialog.close(); } }, 'Dismiss all')),
  ], { name: 'refused-work' });
}

function item(entry, outbox) {
  const { kind, body, doc, refusal } = entry;
  const row = make('li', {},
    make('b', {}, `${WORDS[kind] ?? kind} in ${doc}`), make('p', { class: 'wrong' }, `${refusal.message}.`),
    make('code', {}, JSON.stringify(body)),
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => copy([entry]) }, 'Copy'),
      make('button', { type: 'button', click: () => { outbox.dismiss([entry]); row.remove(); } }, 'Dismiss')));
  return row;
}

async function copy(entries) {
  const told = entries.map(({ pool, doc, kind, body, refusal }) => ({ pool, doc, kind, body, refusal }));
  try {
    await navigator.clipboard.writeText(JSON.stringify(told, null, 2));
    say('Copied.');
  } catch {
    say('This browser does not let the page copy: select the text and copy it.', 'wrong');
  }
}
