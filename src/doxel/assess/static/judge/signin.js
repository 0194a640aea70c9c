/** Signing in again without leaving the page, when the session is over; the work stays where it is. */

import { openDialog } from './dialogs.js';
import { counted, make } from './html.js';
import { say } from './say.js';

/**
 * Offer to sign in again.
 * @param {{api: any, outbox: any, user: string}} parts
 * @param {() => void} [then] what to do once signed in
 */
export function signInAgain({ api, outbox, user }, then = () => {}) {
  const { waiting } = outbox.status;
  const kept = waiting ? `${counted(waiting, 'step')} of yours ${waiting === 1 ? 'is' : 'are'} kept here and will be saved.`
    : 'Nothing is lost.';
  const wrong = make('p', { class: 'wrong', role: 'alert' });
  const password = make('input', { type: 'password', name: 'password', autocomplete: 'current-password', required: true });
  const form = make('form', { class: 'stacked', method: 'dialog' },
    make('p', {}, `Your session is over. ${kept}`),
    make('label', {}, 'Name', make('input', { name: 'name', value: user, readonly: true, autocomplete: 'username' })),
    make('label', {}, 'Password', password),
    wrong,
    make('div', { class: 'buttons' },
      make('button', { type: 'button', click: () => dialog.close() }, 'Later'),
      make('button', { class: 'main' }, 'Sign in')),
    make('p', { class: 'foot' }, `Not ${user}? `, make('a', { href: '/sign-in' }, 'Sign in as somebody else'),
      `: what is kept here waits for ${user}.`));
  const dialog = openDialog('Sign in again', [form], { name: 'sign-in' });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await api.signIn(user, password.value);
      dialog.close();
      say('Signed in again.');
      then();
    } catch (error) {
      wrong.textContent = `${error.message}.`;
      password.select();
    }
  });
  password.focus();
}
