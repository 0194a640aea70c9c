/** Where one is, how far one has come, and whether everything is saved: always in sight, in words. */

import { byId, counted, make } from '../core/page_helpers.js';

/**
 * Keep position and progress in step.
 * @param {import('./desk.js').Desk} desk
 */
export function showProgress(desk) {
  const draw = () => {
    const { listed, topic } = desk.pool;
    const done = listed.filter((one) => one.status === 'validated').length;
    byId('position').replaceChildren(make('span', { class: 'wide' }, 'Document '), `${desk.place + 1} of ${listed.length}`);
    byId('name').textContent = desk.doc;
    byId('name').title = desk.doc;
    byId('done').textContent = `${done} of ${listed.length} done`;
    byId('progress').max = listed.length;
    byId('progress').value = done;
    document.title = `${desk.doc} · topic ${topic} · doxel assess`;
    byId('banner').hidden = !desk.hindrance;
    byId('banner').textContent = desk.hindrance;
    document.querySelector('[data-action=before]').disabled = desk.place === 0;
    document.querySelector('[data-action=after]').disabled = desk.place === listed.length - 1;
  };
  for (const name of ['opened', 'change']) desk.addEventListener(name, draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
}

/**
 * Keep the save state in step.
 * @param {EventTarget & {status: object}} outbox
 * @param {{signIn: () => void, refused: () => void}} doors where a click leads
 */
export function showSaving(outbox, doors) {
  const light = byId('save');
  const draw = () => {
    const { kind, waiting, isKept, refused } = outbox.status;
    light.dataset.kind = isKept || waiting === 0 ? kind : 'unkept';
    byId('save-words').textContent = saveWords(outbox.status);
    light.title = explained(outbox.status);
    light.dataset.refused = String(refused.length);
  };
  light.addEventListener('click', () => {
    const { kind, refused } = outbox.status;
    if (kind === 'signed-out') doors.signIn();
    else if (refused.length) doors.refused();
  });
  outbox.addEventListener('status', draw);
  draw();
}

/**
 * The save state in a few words.
 * @param {{kind: string, waiting: number, isKept: boolean, refused: object[], signedInAs: string}} status
 * @returns {string}
 */
function saveWords({ kind, waiting, isKept, refused, signedInAs }) {
  const where = isKept ? 'kept here' : 'not kept: leave this page open';
  switch (kind) {
    case 'saving': return `Saving ${waiting}`;
    case 'offline': return waiting ? `Offline, ${waiting} ${where}` : 'Offline';
    case 'signed-out': {
      const who = signedInAs ? `Signed in as ${signedInAs}` : 'Signed out';
      return waiting ? `${who}, ${waiting} ${where}` : who;
    }
    case 'refused': return `${refused.length} refused`;
    default: return 'Saved';
  }
}

function explained({ kind, waiting, isKept }) {
  const steps = counted(waiting, 'step');
  const kept = isKept ? 'This browser keeps what is not saved yet, also when you close it.'
    : 'This browser cannot keep what is not saved yet: leave the page open until it is.';
  switch (kind) {
    case 'saving': return `${steps} on the way to the server. ${kept}`;
    case 'offline': return waiting ? `The server does not answer. ${steps} will be sent when it does. ${kept}`
      : 'The server does not answer. You can go on; everything is kept in this browser.';
    case 'signed-out': return 'Your session is over. Click to sign in again; nothing is lost.';
    case 'refused': return 'The server refused something. Click to see what and why.';
    default: return 'Everything is on the server.';
  }
}
