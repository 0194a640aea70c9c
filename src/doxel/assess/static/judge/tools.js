/** The same actions as buttons: above the text, and near a selection; each names its key. */

import { byId, capitalised, make } from '../core/page_helpers.js';
import { actionNamed, isOnScale, shown } from './keys.js';

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
 * @param {import('./desk.js').Desk} desk
 * @param {import('./pooled.js').Pooled} pooled
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
 * @param {import('./desk.js').Desk} desk
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
