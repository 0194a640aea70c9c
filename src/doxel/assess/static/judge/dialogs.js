/** Dialogs: the browser's own, with the focus kept and given back; never one that blocks the page. */

import { make } from '../core/page_helpers.js';

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
