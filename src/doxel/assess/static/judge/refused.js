/** What the server refused: why, in words, with a way to try again, to copy it, and to let it go. */

import { counted, make } from '../core/page_helpers.js';
import { openDialog } from './dialogs.js';
import { say } from './say.js';

const WORDS = {
  highlight: 'Highlight', unhighlight: 'Remove a highlight', bep: 'Best entry point', grade: 'Grade', note: 'Note',
  validate: 'Done', reopen: 'Reopen', show: 'Look at what systems found',
};

/**
 * Show what was refused.
 * @param {EventTarget & {status: object, dismiss: Function, retry: Function}} outbox
 * @param {import('./desk.js').Desk} desk
 */
export function showRefused(outbox, desk) {
  const entries = outbox.status.refused;
  const done = (work) => async () => {
    await work();
    if (outbox.status.refused.length) showRefused(outbox, desk);
    else dialog.close();
  };
  const buttons = (some, all) => make('div', { class: 'buttons' },
    make('button', { type: 'button', click: done(() => outbox.retry(some)) }, `Try${all} again`),
    make('button', { type: 'button', click: () => copy(some) }, `Copy${all}`),
    make('button', { type: 'button', click: done(() => outbox.dismiss(some)) }, `Dismiss${all}`));
  const dialog = openDialog('Refused by the server', [
    make('p', {}, `${counted(entries.length, 'step')} could not be saved. The page shows what the server has; `,
      'what was refused is kept here until you let it go.'),
    make('ul', { class: 'refused-list' }, ...entries.map((entry) => make('li', {},
      make('b', {}, `${WORDS[entry.kind] ?? entry.kind} in ${entry.doc}`),
      make('p', { class: 'wrong' }, `${entry.refusal.message}.`), told(entry, desk), buttons([entry], '')))),
    entries.length > 1 ? buttons(entries, ' all') : '',
  ], { name: 'refused-work' });
}

/** The words that a step was about, where they are on the page; else what was sent. */
function told({ doc, pool, body }, desk) {
  const isHere = desk.reading !== null && doc === desk.doc && pool === desk.pool.id;
  if (isHere && body.spans) {
    const quotations = body.spans.slice(0, 3).map((span) => `“${desk.reading.quoted(span, 120)}”`);
    return make('p', { class: 'quote' }, quotations.join(' '));
  }
  return make('code', {}, body.text ?? JSON.stringify(body));
}

async function copy(entries) {
  const sent = entries.map(({ pool, doc, kind, body, refusal }) => ({ pool, doc, kind, body, refusal }));
  try {
    await navigator.clipboard.writeText(JSON.stringify(sent, null, 2));
    say('Copied.');
  } catch {
    say('This browser does not let the page copy: select the text and copy it.', 'wrong');
  }
}
