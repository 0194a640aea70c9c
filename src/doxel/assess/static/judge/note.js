/** The note: kept a moment after the last letter, on leaving the field, and before anything else happens. */

import { byId } from '../core/page_helpers.js';
import { storable } from '../work/event_journal.js';

const PAUSE = 700; // milliseconds after the last letter

/**
 * Keep the field and the state in step.
 * @param {import('./desk.js').Desk} desk
 */
export function keepNote(desk) {
  const field = byId('note');
  let timer = 0;

  function keep() {
    clearTimeout(timer);
    const text = storable(field.value);
    if (desk.isEditable && text !== desk.state.note) desk.act({ kind: 'note', body: { text } });
  }

  function draw() {
    field.readOnly = !desk.isEditable;
    // what is being typed here is newer than what comes from elsewhere
    if (document.activeElement !== field && field.value !== desk.state.note) field.value = desk.state.note;
  }

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE);
  });
  field.addEventListener('change', keep);
  field.addEventListener('blur', keep);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      keep();
      desk.reading?.focus();
    }
  });
  window.addEventListener('pagehide', keep);
  document.addEventListener('visibilitychange', () => { if (document.hidden) keep(); });
  desk.addEventListener('closing', () => { if (desk.journal) keep(); });
  desk.addEventListener('opened', () => {
    clearTimeout(timer);
    field.value = desk.state.note;
    draw();
  });
  desk.addEventListener('change', draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
}
