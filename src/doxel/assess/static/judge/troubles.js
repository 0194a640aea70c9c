/** What may go wrong between page and server, and what is said and offered then. */

import { byId, make } from '../core/page_helpers.js';
import { say } from './say.js';

/**
 * @param {import('./desk.js').Desk} desk
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
