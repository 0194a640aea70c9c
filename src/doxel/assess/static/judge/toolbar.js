/** The buttons above the text and near a selection, each with its key; progress, and the save state. */
import { byId, capitalise, make, pluralise } from '../core/page_helpers.js';
import { findAction, formatKey, isOffered } from './keyboard.js';

const TOOLBAR_ACTIONS = ['highlight', 'remove', 'enter', 'grow', 'shrink', 'grade', 'undo', 'redo', 'history',
  'find', 'pooled'];
const SELECTION_ACTIONS = ['highlight', 'remove', 'enter', 'grow'];
const GAP = 8; // pixels between a selection and its buttons
const SELECTION_PAUSE = 500; // milliseconds without another selection

/**
 * Make a button for an action, with its key.
 *
 * @param {string} name
 * @param {string} [look]  a class
 * @returns {HTMLElement}
 */
export function makeActionButton(name, look = '') {
  const action = findAction(name);
  const key = formatKey(action.keys[0]);
  const attributes = {
    type: 'button', class: look, 'data-action': name, title: `${capitalise(action.about)} (${key})`,
    'aria-keyshortcuts': action.keys.join(' ').replaceAll('Ctrl', 'Control'),
  };
  return make('button', attributes, action.label, ' ', make('kbd', { 'aria-hidden': 'true' }, key));
}

/**
 * Fill the toolbar, and keep it in step with the desk.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./side_panel.js').PooledElements} pooled
 */
export function showTools(desk, pooled) {
  const bar = byId('tools');
  const draw = () => {
    const names = TOOLBAR_ACTIONS.filter((name) => isAvailable(desk, findAction(name)));
    if (bar.dataset.names !== names.join(' ')) {
      bar.dataset.names = names.join(' ');
      bar.replaceChildren(...names.map((name) => makeActionButton(name)));
    }
    const set = (name, property, value) => {
      bar.querySelector(`[data-action=${name}]`)?.setAttribute(property, String(value));
    };
    set('undo', 'aria-disabled', !desk.journal?.canUndo);
    set('redo', 'aria-disabled', !desk.journal?.canRedo);
    set('pooled', 'aria-pressed', pooled.isShown);
  };
  for (const name of ['opened', 'change', 'assignment']) desk.addEventListener(name, draw);
  pooled.addEventListener('change', draw);
  // a press on a button must not clear the selection
  for (const id of ['tools', 'near']) byId(id).addEventListener('mousedown', (event) => event.preventDefault());
}

/** Return whether an action is possible for this assignment and this user. */
export function isAvailable(desk, action) {
  return (!action.edits || desk.isEditable) && isOffered(action, desk.assignment);
}

/**
 * Show buttons near the end of a selection, once the mouse button is released.
 *
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showSelectionTools(desk) {
  const toolbar = byId('near');
  const scroller = byId('reading');
  let isDragging = false;
  let timer = 0;

  function draw() {
    const span = desk.isEditable && desk.assignment.scale.highlights ? desk.view?.readSpan() : null;
    toolbar.hidden = !span || span[0] === span[1] || isDragging;
    if (toolbar.hidden) return;
    if (!toolbar.children.length) toolbar.replaceChildren(...SELECTION_ACTIONS.map((name) => makeActionButton(name)));
    const { rect, isBelow } = findSelectionEnd();
    const frame = scroller.getBoundingClientRect();
    const isVisible = rect.bottom > frame.top && rect.top < frame.bottom;
    toolbar.hidden = !isVisible;
    const [width, height] = [toolbar.offsetWidth, toolbar.offsetHeight];
    const top = isBelow ? rect.bottom + GAP : rect.top - height - GAP;
    toolbar.style.left = `${Math.max(frame.left + 4, Math.min(rect.left, frame.right - width - 4))}px`;
    toolbar.style.top = `${Math.max(frame.top + 4, Math.min(top, frame.bottom - height - 4))}px`;
  }

  /** Return the rectangle of the selection's moving end: the buttons go beyond it, not over the selected text. */
  function findSelectionEnd() {
    const selection = document.getSelection();
    const range = selection.getRangeAt(0);
    const isBelow = selection.focusNode === range.endContainer && selection.focusOffset === range.endOffset;
    const end = range.cloneRange();
    end.collapse(!isBelow);
    // a long selection has many rectangles: use them only if the end alone has none
    const rect = end.getClientRects()[0] ?? [...range.getClientRects()].at(isBelow ? -1 : 0);
    return { rect: rect ?? range.getBoundingClientRect(), isBelow };
  }

  /** Wait for a pause: buttons must not follow a keyboard selection at every step. */
  function drawLater() {
    toolbar.hidden = true;
    clearTimeout(timer);
    timer = setTimeout(draw, SELECTION_PAUSE);
  }

  document.addEventListener('selectionchange', drawLater);
  new ResizeObserver(draw).observe(scroller);
  scroller.addEventListener('scroll', draw, { passive: true });
  scroller.addEventListener('pointerdown', () => { isDragging = true; draw(); });
  window.addEventListener('pointerup', () => { isDragging = false; draw(); });
  window.addEventListener('pointercancel', () => { isDragging = false; draw(); });
  for (const name of ['opened', 'assignment']) desk.addEventListener(name, draw);
}

/**
 * Show the position in the list of documents, and the progress.
 *
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showProgress(desk) {
  const draw = () => {
    const { listed, topic } = desk.assignment;
    const done = listed.filter(({ status }) => status === 'validated').length;
    const position = `${desk.place + 1} of ${listed.length}`;
    byId('position').replaceChildren(make('span', { class: 'wide' }, 'Document '), position);
    byId('name').textContent = desk.doc;
    byId('name').title = desk.doc;
    byId('done').textContent = `${done} of ${listed.length} done`;
    byId('progress').max = listed.length;
    byId('progress').value = done;
    document.title = `${desk.doc} · topic ${topic} · ${document.querySelector('.home').textContent}`;
    byId('banner').hidden = !desk.notice;
    byId('banner').textContent = desk.notice;
    document.querySelector('[data-action=before]').disabled = desk.place === 0;
    document.querySelector('[data-action=after]').disabled = desk.place === listed.length - 1;
  };
  for (const name of ['opened', 'change']) desk.addEventListener(name, draw);
  desk.addEventListener('assignment', () => { if (desk.journal) draw(); });
}

/**
 * Show the save state.
 *
 * @param {EventTarget & {status: object}} outbox
 * @param {{signIn: () => void, refused: () => void}} dialogs  opened by a click
 */
export function showSaving(outbox, dialogs) {
  const light = byId('save');
  const draw = () => {
    const { kind, waiting, isKept, refused } = outbox.status;
    light.dataset.kind = isKept || waiting === 0 ? kind : 'unkept';
    byId('save-words').textContent = describeSaving(outbox.status);
    light.title = explainSaving(outbox.status);
    light.dataset.refused = String(refused.length);
  };
  light.addEventListener('click', () => {
    const { kind, refused } = outbox.status;
    if (kind === 'signed-out') dialogs.signIn();
    else if (refused.length) dialogs.refused();
  });
  outbox.addEventListener('status', draw);
  draw();
}

/**
 * Return the save state in a few words.
 *
 * @param {{kind: string, waiting: number, isKept: boolean, refused: object[], signedInAs: string}} status
 * @returns {string}
 */
function describeSaving({ kind, waiting, isKept, refused, signedInAs }) {
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

function explainSaving({ kind, waiting, isKept }) {
  const steps = pluralise(waiting, 'step');
  const keptSentence = isKept ? 'This browser keeps unsaved steps, also when you close it.'
    : 'This browser cannot keep unsaved steps: leave the page open until they are saved.';
  switch (kind) {
    case 'saving': return `Sending ${steps} to the server. ${keptSentence}`;
    case 'offline': return waiting ? `The server does not answer. ${steps} will be sent when it does. ${keptSentence}`
      : 'The server does not answer. You can go on: this browser keeps every step.';
    case 'signed-out': return 'Your session has ended. Click to sign in again; nothing is lost.';
    case 'refused': return 'The server refused some steps. Click to see them, and the reasons.';
    default: return 'All steps are saved on the server.';
  }
}
