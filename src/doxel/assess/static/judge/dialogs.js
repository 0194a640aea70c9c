/**
 * Messages and dialogs: the status line, refused events, signing in again, and trouble with the server.
 *
 * Dialogs are the browser's own, which keep and restore the focus; none of them blocks the page.
 */
import { byId, counted, make } from '../core/page_helpers.js';

const SHOWN = { done: 5000, wrong: 9000 }; // milliseconds

let timer = 0;
const WORDS = {
  highlight: 'Highlight', unhighlight: 'Remove a highlight', bep: 'Best entry point', grade: 'Grade', note: 'Note',
  validate: 'Done', reopen: 'Reopen', show: 'Look at what systems found',
};
/** The server has changed its campaign: names may be the same, accounts are not. */
const ANOTHER = 'You are signed in, but this is another campaign now. What is kept here waits for the one in which '
  + 'it was made; load the page again to go on in this one.';

/**
 * Open a dialog over the page; it is gone when it is closed.
 * @param {string} title
 * @param {(Node|string)[]} content
 * @param {{name: string, closed?: () => void}} options name is a class for its style
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, { name, closed }) {
  document.querySelector(`dialog.${name}`)?.remove(); // what it said is out of date
  const dialog = make('dialog', { class: `dialog ${name}`, 'aria-labelledby': `${name}-title` },
    make('header', {}, make('h2', { id: `${name}-title` }, title),
      make('button', { type: 'button', class: 'quiet', click: () => dialog.close(), 'aria-label': 'Close' }, '×')),
    ...content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    closed?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Whether a dialog is open: then the keys are its own. */
export function isDialogOpen() {
  return document.querySelector('dialog[open]') !== null;
}

/**
 * Say what happened, or what is missing.
 * @param {string} sentence
 * @param {'done'|'wrong'} [tone]
 */
export function say(sentence, tone = 'done') {
  const line = byId('said');
  clearTimeout(timer);
  // the same sentence twice would not be read twice: a space more makes it another
  line.textContent = line.textContent === sentence ? `${sentence}\u00a0` : sentence;
  line.dataset.tone = tone;
  timer = setTimeout(() => { line.textContent = ''; }, SHOWN[tone]);
}

/**
 * Show what was refused.
 * @param {EventTarget & {status: object, dismiss: Function, retry: Function}} outbox
 * @param {import('./judging_desk.js').Desk} desk
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

/**
 * Offer to sign in again.
 * @param {{api: any, outbox: any, user: string, account: string}} parts
 */
export function signInAgain({ api, outbox, user, account }) {
  if (document.querySelector('dialog.sign-in')) return; // what was typed there stays
  const { waiting, signedInAs } = outbox.status;
  const kept = waiting ? `${counted(waiting, 'step')} of yours ${waiting === 1 ? 'is' : 'are'} kept here and will be saved.`
    : 'Nothing is lost.';
  const wrong = make('p', { class: 'wrong', role: 'alert' });
  const password = make('input', { type: 'password', name: 'password', autocomplete: 'current-password', required: true });
  const form = make('form', { class: 'stacked', method: 'dialog' },
    make('p', {}, `${signedInAs ? `This browser is signed in as ${signedInAs} now.` : 'Your session is over.'} ${kept}`),
    make('label', {}, 'Name', make('input', { name: 'name', value: user, readonly: true, autocomplete: 'username' })),
    make('label', {}, 'Password', password),
    wrong,
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => dialog.close() }, 'Later'),
      make('button', { class: 'main' }, 'Sign in')),
    make('p', { class: 'foot' }, `Not ${user}? `, make('a', { href: '/sign-in' }, 'Sign in as somebody else'),
      `: what is kept here waits for ${user}.`));
  const listening = new AbortController();
  const dialog = openDialog('Sign in again', [form], { name: 'sign-in', closed: () => listening.abort() });
  // also when that was done in another tab
  api.addEventListener('signed-in', ({ detail }) => {
    if (detail.account !== account) return;
    dialog.close();
    say('Signed in again.');
  }, { signal: listening.signal });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const signed = await api.signIn(user, password.value);
      if (signed.account !== account) wrong.textContent = ANOTHER;
    } catch (error) {
      wrong.textContent = `${error.message}.`;
      password.select();
    }
  });
  password.focus();
}

/**
 * @param {import('./judging_desk.js').Desk} desk
 * @param {{api: EventTarget, outbox: EventTarget & {status: object}, account: string}} parts
 * @param {{signIn: () => void, refused: () => void}} doors
 */
export function troubles(desk, { api, outbox, account }, doors) {
  let isSignedOut = false;
  let refused = null; // not known yet: what earlier pages left is told by the save state alone
  let wanted = null; // a document that somebody has to sign in for

  api.addEventListener('signed-out', () => {
    if (!isSignedOut) doors.signIn();
    isSignedOut = true;
  });
  api.addEventListener('signed-in', ({ detail }) => {
    isSignedOut = false;
    if (wanted !== null && detail.account === account) desk.open(wanted);
  });
  outbox.ready.then(() => { refused = outbox.status.refused.length; });
  outbox.addEventListener('status', () => {
    const now = outbox.status.refused.length;
    if (refused !== null && now > refused) {
      say('The server refused that: it is taken back here.', 'wrong');
      doors.refused();
      desk.refresh(); // the pool may have been locked
    }
    if (refused !== null) refused = now;
  });
  desk.addEventListener('failed', ({ detail: { doc, error } }) => {
    wanted = error.status === 401 ? doc : null; // for any other reason, nobody waits for it here
    say(`${doc} cannot be opened now: ${error.message}.`, 'wrong');
    if (!desk.journal) offer(desk, doc, error);
  });
  desk.addEventListener('opened', () => { wanted = null; });
}

/** Where no document lies open at all, its place holds the reason and a button. */
function offer(desk, doc, error) {
  byId('document').replaceChildren(make('p', {}, `This document cannot be opened now: ${error.message}. `,
    make('button', { type: 'button', click: () => desk.open(doc, { remember: false }) }, 'Try again')));
}
