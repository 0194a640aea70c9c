/** The buttons above the text and near a selection, each with its key; progress, and the save state. */
import { byId, capitalised, counted, make } from '../core/page_helpers.js';
import { actionNamed, isOnScale, shown } from './keyboard.js';

const BAR = ['highlight', 'remove', 'enter', 'grow', 'shrink', 'grade', 'undo', 'redo', 'find', 'pooled'];
const NEAR = ['highlight', 'remove', 'enter', 'grow'];
const GAP = 8; // pixels between a selection and its buttons
const REST = 500; // milliseconds without another selection

/**
 * A button for an action, with its key.
 * @param {string} name
 * @param {string} [look] a class
 * @returns {HTMLElement}
 */
export function button(name, look = '') {
  const action = actionNamed(name);
  const key = shown(action.keys[0]);
  return make('button', { type: 'button', class: look, 'data-action': name, title: `${capitalised(action.about)} (${key})`,
    'aria-keyshortcuts': action.keys.join(' ').replaceAll('Ctrl', 'Control') },
  action.label, ' ', make('kbd', { 'aria-hidden': 'true' }, key));
}

/**
 * Fill the toolbar, and keep it in step.
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./side_panel.js').Pooled} pooled
 */
export function showTools(desk, pooled) {
  const bar = byId('tools');
  const draw = () => {
    const names = BAR.filter((name) => isThere(desk, actionNamed(name)));
    if (bar.dataset.names !== names.join(' ')) {
      bar.dataset.names = names.join(' ');
      bar.replaceChildren(...names.map((name) => button(name)));
    }
    const set = (name, property, value) => bar.querySelector(`[data-action=${name}]`)?.setAttribute(property, String(value));
    set('undo', 'aria-disabled', !desk.journal?.canUndo);
    set('redo', 'aria-disabled', !desk.journal?.canRedo);
    set('pooled', 'aria-pressed', pooled.isShown);
  };
  for (const name of ['opened', 'change', 'pool']) desk.addEventListener(name, draw);
  pooled.addEventListener('change', draw);
  // the selection must not be lost by reaching for a button
  for (const id of ['tools', 'near']) byId(id).addEventListener('mousedown', (event) => event.preventDefault());
}

/** Whether an action makes sense for this pool and this person. */
export function isThere(desk, action) {
  return (!action.edits || desk.isEditable) && isOnScale(action, desk.pool.scale);
}

/**
 * Buttons near a selection, below its end, as soon as the mouse has been let go.
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showNear(desk) {
  const near = byId('near');
  const reading = byId('reading');
  let isDragging = false;
  let timer = 0;

  function draw() {
    const span = desk.isEditable && desk.pool.scale.highlights ? desk.reading?.span() : null;
    near.hidden = !span || span[0] === span[1] || isDragging;
    if (near.hidden) return;
    if (!near.children.length) near.replaceChildren(...NEAR.map((name) => button(name)));
    const { rect, isBelow } = endOfSelection();
    const frame = reading.getBoundingClientRect();
    const isSeen = rect.bottom > frame.top && rect.top < frame.bottom;
    near.hidden = !isSeen;
    const [width, height] = [near.offsetWidth, near.offsetHeight];
    const top = isBelow ? rect.bottom + GAP : rect.top - height - GAP;
    near.style.left = `${Math.max(frame.left + 4, Math.min(rect.left, frame.right - width - 4))}px`;
    near.style.top = `${Math.max(frame.top + 4, Math.min(top, frame.bottom - height - 4))}px`;
  }

  /** Where the moving end of the selection is: the buttons go beyond it, not over what is selected. */
  function endOfSelection() {
    const selection = document.getSelection();
    const range = selection.getRangeAt(0);
    const isBelow = selection.focusNode === range.endContainer && selection.focusOffset === range.endOffset;
    const end = range.cloneRange();
    end.collapse(!isBelow);
    // all rectangles of a long selection are many: only where the end alone has none
    const rect = end.getClientRects()[0] ?? [...range.getClientRects()].at(isBelow ? -1 : 0);
    return { rect: rect ?? range.getBoundingClientRect(), isBelow };
  }

  /** Who selects with the keyboard is not to be followed by buttons at every step. */
  function later() {
    near.hidden = true;
    clearTimeout(timer);
    timer = setTimeout(draw, REST);
  }

  document.addEventListener('selectionchange', later);
  new ResizeObserver(draw).observe(reading);
  reading.addEventListener('scroll', draw, { passive: true });
  reading.addEventListener('pointerdown', () => { isDragging = true; draw(); });
  window.addEventListener('pointerup', () => { isDragging = false; draw(); });
  window.addEventListener('pointercancel', () => { isDragging = false; draw(); });
  for (const name of ['opened', 'pool']) desk.addEventListener(name, draw);
}

/**
 * Keep position and progress in step.
 * @param {import('./judging_desk.js').Desk} desk
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
