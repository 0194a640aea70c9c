/**
 * Messages and dialogs: the status line, refused events, signing in again, and trouble with the server.
 *
 * Dialogs are the browser's own, which keep and restore the focus; none of them blocks the page.
 */
import { byId, make, pluralise } from '../core/page_helpers.js';

const DURATIONS = { done: 5000, wrong: 9000 }; // milliseconds

let messageTimer = 0;
const KIND_NAMES = {
  highlight: 'Highlight', unhighlight: 'Remove a highlight', bep: 'Best entry point', grade: 'Grade', note: 'Note', aspect: 'Aspect',
  validate: 'Done', reopen: 'Reopen', show: 'Show the pooled elements', flag: 'Flag', decide: 'Decision',
};
/** Shown if the server runs another campaign now: names may be the same, accounts are not. */
const OTHER_CAMPAIGN = 'You are signed in, but this is another campaign now. The steps kept here wait for the campaign '
  + 'in which they were made. Reload the page to work in this one.';

/**
 * Open a dialog over the page; it is removed when it is closed.
 *
 * @param {string} title
 * @param {(Node|string)[]} content
 * @param {{name: string, closed?: () => void}} options  name: a class for its style
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, { name, closed }) {
  document.querySelector(`dialog.${name}`)?.remove(); // its content is out of date
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

/** Return whether a dialog is open: then all keys are for the dialog. */
export function isDialogOpen() {
  return document.querySelector('dialog[open]') !== null;
}

/**
 * Show a message in the status line, which screen readers read.
 *
 * @param {string} sentence
 * @param {'done'|'wrong'} [tone]
 */
export function announce(sentence, tone = 'done') {
  const line = byId('announcement');
  clearTimeout(messageTimer);
  // screen readers do not repeat an unchanged sentence: add a space
  line.textContent = line.textContent === sentence ? `${sentence}\u00a0` : sentence;
  line.dataset.tone = tone;
  messageTimer = setTimeout(() => { line.textContent = ''; }, DURATIONS[tone]);
}

/**
 * Show the refused events with their reasons, to retry, copy or dismiss them.
 *
 * @param {EventTarget & {status: object, dismiss: Function, retry: Function}} outbox
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showRefused(outbox, desk) {
  const entries = outbox.status.refused;
  const updateAfter = (work) => async () => {
    await work();
    if (outbox.status.refused.length) showRefused(outbox, desk);
    else dialog.close();
  };
  const makeButtons = (affected, all) => make('div', { class: 'buttons' },
    make('button', { type: 'button', click: updateAfter(() => outbox.retry(affected)) }, `Try${all} again`),
    make('button', { type: 'button', click: () => copyEntries(affected) }, `Copy${all}`),
    make('button', { type: 'button', click: updateAfter(() => outbox.dismiss(affected)) }, `Dismiss${all}`));
  const dialog = openDialog('Refused by the server', [
    make('p', {}, `${pluralise(entries.length, 'step')} could not be saved. The page shows the state on the server; `,
      'refused steps are kept here until you dismiss them.'),
    make('ul', { class: 'refused-list' }, ...entries.map((entry) => make('li', {},
      make('b', {}, `${KIND_NAMES[entry.kind] ?? entry.kind} in ${entry.doc}`),
      make('p', { class: 'wrong' }, `${entry.refusal.message}.`), quoteEntry(entry, desk), makeButtons([entry], '')))),
    entries.length > 1 ? makeButtons(entries, ' all') : '',
  ], { name: 'refused-work' });
}

/** Return the words that an event is about, if their document is open; else the event as it was sent. */
function quoteEntry({ doc, assignment, body }, desk) {
  const isHere = desk.view !== null && doc === desk.doc && assignment === desk.assignment.id;
  if (isHere && body.spans) {
    const quotations = body.spans.slice(0, 3).map((span) => `“${desk.view.quote(span, 120)}”`);
    return make('p', { class: 'quote' }, quotations.join(' '));
  }
  return make('code', {}, body.text ?? JSON.stringify(body));
}

async function copyEntries(entries) {
  const copies = entries.map(({ assignment, doc, kind, body, refusal }) => ({ assignment, doc, kind, body, refusal }));
  try {
    await navigator.clipboard.writeText(JSON.stringify(copies, null, 2));
    announce('Copied.');
  } catch {
    announce('This browser does not let the page copy: select the text and copy it.', 'wrong');
  }
}

/**
 * Offer to sign in again without leaving the page, when the session has ended.
 *
 * @param {{api: any, outbox: any, user: string, account: string}} parts
 */
export function signInAgain({ api, outbox, user, account }) {
  if (document.querySelector('dialog.sign-in')) return; // keep the typed text
  const { waiting, signedInAs } = outbox.status;
  const reason = signedInAs ? `This browser is signed in as ${signedInAs} now.` : 'Your session has ended.';
  const steps = `${pluralise(waiting, 'step')} of yours ${waiting === 1 ? 'is' : 'are'}`;
  const keptSentence = waiting ? `${steps} kept here and will be saved.` : 'Nothing is lost.';
  const problem = make('p', { class: 'wrong', role: 'alert' });
  const password = make('input', {
    type: 'password', name: 'password', autocomplete: 'current-password', required: true,
  });
  const form = make('form', { class: 'stacked', method: 'dialog' },
    make('p', {}, `${reason} ${keptSentence}`),
    make('label', {}, 'Name', make('input', { name: 'name', value: user, readonly: true, autocomplete: 'username' })),
    make('label', {}, 'Password', password),
    problem,
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => dialog.close() }, 'Later'),
      make('button', { class: 'main' }, 'Sign in')),
    make('p', { class: 'foot' }, `Not ${user}? `, make('a', { href: '/sign-in' }, 'Sign in as somebody else'),
      `: the steps kept here wait for ${user}.`));
  const listening = new AbortController();
  const dialog = openDialog('Sign in again', [form], { name: 'sign-in', closed: () => listening.abort() });
  // also after signing in from another tab
  api.addEventListener('signed-in', ({ detail }) => {
    if (detail.account !== account) return;
    dialog.close();
    announce('Signed in again.');
  }, { signal: listening.signal });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const session = await api.signIn(user, password.value);
      if (session.account !== account) problem.textContent = OTHER_CAMPAIGN;
    } catch (error) {
      problem.textContent = `${error.message}.`;
      password.select();
    }
  });
  password.focus();
}

/**
 * React to trouble between page and server: an ended session, refused events, documents that cannot be opened.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {{api: EventTarget, outbox: EventTarget & {status: object}, account: string}} parts
 * @param {{signIn: () => void, refused: () => void}} dialogs
 */
export function handleTroubles(desk, { api, outbox, account }, dialogs) {
  let isSignedOut = false;
  let refusedCount = null; // unknown at first: refusals of earlier pages show in the save state only
  let pendingDoc = null; // a document that opens after signing in

  api.addEventListener('signed-out', () => {
    if (!isSignedOut) dialogs.signIn();
    isSignedOut = true;
  });
  api.addEventListener('signed-in', ({ detail }) => {
    isSignedOut = false;
    if (pendingDoc !== null && detail.account === account) desk.open(pendingDoc);
  });
  outbox.ready.then(() => { refusedCount = outbox.status.refused.length; });
  outbox.addEventListener('status', () => {
    const now = outbox.status.refused.length;
    if (refusedCount !== null && now > refusedCount) {
      announce('The server refused that: it is undone here.', 'wrong');
      dialogs.refused();
      desk.refresh(); // the assignment may have been locked
    }
    if (refusedCount !== null) refusedCount = now;
  });
  desk.addEventListener('failed', ({ detail: { doc, error } }) => {
    pendingDoc = error.status === 401 ? doc : null; // other failures are not solved by signing in
    announce(`${doc} cannot be opened now: ${error.message}.`, 'wrong');
    if (!desk.journal) showRetry(desk, doc, error);
  });
  desk.addEventListener('opened', () => { pendingDoc = null; });
}

/** Show the reason and a button in place of the document, if none is open. */
function showRetry(desk, doc, error) {
  byId('document').replaceChildren(make('p', {}, `This document cannot be opened now: ${error.message}. `,
    make('button', { type: 'button', click: () => desk.open(doc, { remember: false }) }, 'Try again')));
}
