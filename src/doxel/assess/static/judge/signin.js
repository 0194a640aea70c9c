/** Signing in again without leaving the page, when the session is over; the work stays where it is. */

import { counted, make } from '../core/page_helpers.js';
import { openDialog } from './dialogs.js';
import { say } from './say.js';

/** The server has changed its campaign: names may be the same, accounts are not. */
const ANOTHER = 'You are signed in, but this is another campaign now. What is kept here waits for the one in which '
  + 'it was made; load the page again to go on in this one.';

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
