/** Find words in the document; what is found is selected, so that it can be highlighted with one key. */

import { byId, counted } from '../core/page_helpers.js';

const MOST = 2_000; // places that are painted

/**
 * @param {import('./desk.js').Desk} desk
 * @returns {{open: () => void, close: () => boolean}} close tells whether it was open
 */
export function findWords(desk) {
  const [form, field, count] = ['find', 'find-words', 'find-count'].map(byId);
  let places = [];
  let here = -1;
  let start = 0; // where one reads

  function search() {
    places = placesOf(field.value, desk.text);
    here = -1;
    desk.reading.painter.set('found', places);
    desk.reading.painter.set('found-here', []);
    tell();
  }

  function tell() {
    const more = places.length === MOST ? 'at least ' : '';
    if (!field.value.trim()) count.textContent = '';
    else if (here >= 0) count.textContent = `${here + 1} of ${more}${places.length.toLocaleString('en')}`;
    else count.textContent = places.length ? more + counted(places.length, 'place') : 'not found';
  }

  function step(by) {
    if (!places.length) return;
    here = here < 0 ? first(by) : (here + by + places.length) % places.length;
    desk.reading.show(places[here][0]);
    desk.reading.painter.set('found-here', [places[here]]);
    tell();
  }

  /** From where one reads, not from the beginning. */
  function first(by) {
    const later = places.findIndex(([at]) => at >= start);
    if (by > 0) return Math.max(later, 0);
    return (later <= 0 ? places.length : later) - 1;
  }

  function open() {
    start = desk.reading.position();
    form.hidden = false;
    field.select();
    field.focus();
    search();
  }

  function close() {
    if (form.hidden) return false;
    const found = places[here];
    form.hidden = true;
    places = [];
    desk.reading?.painter.set('found', []);
    desk.reading?.painter.set('found-here', []);
    if (found) desk.reading.select(found);
    else desk.reading?.focus();
    here = -1;
    return true;
  }

  field.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field) step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  });
  byId('find-next').addEventListener('click', () => step(1));
  byId('find-previous').addEventListener('click', () => step(-1));
  byId('find-close').addEventListener('click', close);
  desk.addEventListener('opened', () => {
    start = 0;
    if (!form.hidden) search();
  });
  return { open, close };
}

/**
 * Where words stand in a text, whatever their case and the space between them.
 * @param {string} words
 * @param {import('../core/text_offsets.js').Text} text
 * @returns {[number, number][]}
 */
function placesOf(words, text) {
  const parts = words.trim().split(/\s+/).filter(Boolean);
  if (!parts.length) return [];
  const pattern = new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu');
  const found = [];
  for (const match of text.string.matchAll(pattern)) {
    found.push([text.point(match.index), text.point(match.index + match[0].length)]);
    if (found.length === MOST) break;
  }
  return found;
}
