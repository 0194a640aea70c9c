/**
 * The keys: one table for the labels of buttons, the lines of the help, and the actions of the keyboard.
 *
 * A key is written as it is pressed: a small letter, "Shift+b", a sign as it is typed, "Ctrl+z" (on a Mac: command).
 */
import { IS_MAC, make } from '../core/page_helpers.js';
import { openDialog } from './dialogs.js';

/**
 * @typedef {object} Action
 * @property {string} name   what main.js runs it by
 * @property {string[]} keys
 * @property {string} label  what a button says
 * @property {string} about  what the help says
 * @property {string} group  where the help lists it
 * @property {boolean} [edits]   it changes the assessment, so it is not there for readers
 * @property {boolean} [again]   held down, it goes on
 * @property {'highlights'|'grades'} [needs]  what the scale must have
 */

const TEXT = 'In the text';
const JUDGE = 'The judgement';
const MOVE = 'Around';

/** @type {Action[]} */
export const KEYS = [
  { name: 'highlight', keys: ['h'], label: 'Highlight', group: TEXT, edits: true, needs: 'highlights',
    about: 'highlight what is selected' },
  { name: 'remove', keys: ['u'], label: 'Remove', group: TEXT, edits: true, needs: 'highlights',
    about: 'take the highlight off the selection (and so split it); with a caret only, the whole passage' },
  { name: 'enter', keys: ['b'], label: 'Entry point', group: TEXT, edits: true, needs: 'highlights',
    about: 'best entry point here; without a caret, at the first passage' },
  { name: 'noEntry', keys: ['Shift+b'], label: 'No entry point', group: TEXT, edits: true, needs: 'highlights',
    about: 'no best entry point' },
  { name: 'grow', keys: ['e'], label: 'Larger', group: TEXT, again: true,
    about: 'select the element around, then the one around that' },
  { name: 'shrink', keys: ['Shift+e'], label: 'Smaller', group: TEXT, again: true,
    about: 'select the smaller element again' },
  { name: 'undo', keys: ['Ctrl+z'], label: 'Undo', group: JUDGE, edits: true, again: true, about: 'undo' },
  { name: 'redo', keys: ['Ctrl+Shift+z', 'Ctrl+y'], label: 'Redo', group: JUDGE, edits: true, again: true,
    about: 'redo' },
  { name: 'grade', keys: ['m'], label: 'Grades', group: JUDGE, needs: 'grades',
    about: 'grade elements, missing grades one after the other' },
  { name: 'nothing', keys: ['x'], label: 'Nothing relevant', group: JUDGE, edits: true,
    about: 'nothing here is relevant: done' },
  { name: 'validate', keys: ['v'], label: 'Done', group: JUDGE, edits: true,
    about: 'the document is done; what is missing is said' },
  { name: 'validateNext', keys: ['Shift+Enter'], label: 'Done, next', group: JUDGE, edits: true,
    about: 'done, and on to the next document that is not' },
  { name: 'note', keys: ['w'], label: 'Note', group: JUDGE, about: 'write a note' },
  { name: 'before', keys: ['['], label: 'Document before', group: MOVE, again: true, about: 'document before' },
  { name: 'after', keys: [']'], label: 'Next document', group: MOVE, again: true, about: 'next document' },
  { name: 'next', keys: ['n'], label: 'Next passage', group: MOVE, again: true,
    about: 'next passage, or next missing grade while grading' },
  { name: 'previous', keys: ['p'], label: 'Passage before', group: MOVE, again: true, about: 'the one before' },
  { name: 'find', keys: ['/'], label: 'Find', group: MOVE, about: 'find words; what is found can be highlighted' },
  { name: 'pooled', keys: ['o'], label: 'Pooled', group: MOVE,
    about: 'show what systems found, or hide it (that somebody looked is kept)' },
  { name: 'topic', keys: ['t'], label: 'Topic', group: MOVE, about: 'show or hide the topic' },
  { name: 'help', keys: ['?'], label: 'Keys', group: MOVE, about: 'these keys' },
  { name: 'leave', keys: ['Escape'], label: 'Back to the text', group: MOVE,
    about: 'close what is open, and back to the text' },
];

/** What the browser and the caret do with keys of their own; for the help alone. */
const CARET_KEYS = [
  [['←', '→', '↑', '↓'], 'move the caret; with shift: select'],
  [['Ctrl+←', 'Ctrl+→'], 'by words; with shift: select'],
  [['Home', 'End', 'PageUp', 'PageDown'], 'to the ends of the line, by screens; with shift: select'],
  [['Tab'], 'from part to part of the page'],
];

const BY_KEY = new Map(KEYS.flatMap((action) => action.keys.map((key) => [key, action])));
const NAMES = { Shift: '⇧', Enter: '↵', Escape: 'Esc', PageUp: 'Page ↑', PageDown: 'Page ↓' };

/**
 * The action of a key, if it has one.
 * @param {string} key
 * @returns {Action|undefined}
 */
export function actionOf(key) {
  return BY_KEY.get(key);
}

/**
 * The action of a name.
 * @param {string} name
 * @returns {Action}
 */
export function actionNamed(name) {
  return KEYS.find((action) => action.name === name);
}

/**
 * Whether an action makes sense on a scale.
 * @param {Action} action
 * @param {import('../core/document_state.js').Scale} scale
 * @returns {boolean}
 */
export function isOnScale({ needs }, scale) {
  const has = { highlights: scale.highlights, grades: Object.keys(scale.grades).length > 0 };
  return needs === undefined || has[needs];
}

/**
 * A key as people read it: "⇧B", "Ctrl+Z".
 * @param {string} key
 * @returns {string}
 */
export function shown(key) {
  const parts = key.split('+').map((part) => NAMES[part] ?? (part === 'Ctrl' && IS_MAC ? '⌘' : part));
  const last = parts.pop();
  const letter = parts.length && last.length === 1 ? last.toUpperCase() : last;
  const before = parts.map((part) => (part.length === 1 ? part : `${part}+`)).join('');
  return before + letter;
}

/**
 * The key of an event as the table writes it; null for one that is meant for the browser or for a text field.
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
export function keyOf(event) {
  // a browser that fills in a password presses keys without names
  if (!event.key || event.isComposing || event.defaultPrevented || isWritten(event.target)) return null;
  const control = IS_MAC ? event.metaKey : event.ctrlKey;
  const isTyped = event.key.length === 1;
  if (isTyped && isComposed(event)) return event.key;
  if (event.altKey || (IS_MAC ? event.ctrlKey : event.metaKey)) return null;
  const letter = isTyped ? letterOf(event) : null;
  const before = (control ? 'Ctrl+' : '') + (event.shiftKey && (letter || !isTyped) ? 'Shift+' : '');
  return before + (letter ?? event.key);
}

/** Whether an element takes letters for itself. */
function isWritten(target) {
  const field = target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
  return field !== null && !['checkbox', 'radio', 'button', 'submit'].includes(field.type);
}

/** Whether a sign needs AltGr (or option on a Mac) to be typed at all, as [ and ] do on many keyboards. */
function isComposed(event) {
  if (/[\p{L}\p{N}]/u.test(event.key)) return false;
  if (event.getModifierState('AltGraph')) return true;
  return IS_MAC && event.altKey && !event.ctrlKey && !event.metaKey;
}

/** The letter of a key, whatever Caps Lock says; on a keyboard of another script that of its place. */
function letterOf(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  const place = /^Key([A-Z])$/.exec(event.code);
  return place && /\p{L}/u.test(event.key) ? place[1].toLowerCase() : null;
}

/**
 * Show the keys.
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showHelp(desk) {
  const { scale } = desk.pool;
  const usable = KEYS.filter((action) => isOnScale(action, scale));
  const groups = [...new Set(usable.map((action) => action.group))];
  const tables = groups.map((group) => table(group, usable.filter((action) => action.group === group)
    .map((action) => [action.keys.map(shown), action.about])));
  const dialog = openDialog('Keys', [
    make('div', { class: 'keys', tabindex: '0', role: 'region', 'aria-label': 'Keys' },
      ...tables, table('Caret and selection', CARET_KEYS.map(([keys, about]) => [keys.map(shown), about])),
      Object.keys(scale.grades).length > 0 ? table('Grades, while the panel is open', grades(scale)) : null),
    make('p', { class: 'foot' }, 'No key acts while you write in a field. Escape closes this. ',
      make('a', { href: `/help?scale=${scale.name}`, target: '_blank' }, 'What to do, in one screen')),
  ], { name: 'help' });
  dialog.addEventListener('keydown', (event) => { if (event.key === '?') dialog.close(); });
}

function grades(scale) {
  const rows = Object.entries(scale.grades).map(([name, values]) => [values, name]);
  const both = rows.length > 1 ? [[[Object.values(scale.grades)[0][0]], 'first: both at once']] : [];
  return [...rows, ...both, [['Del'], 'take the grade back']];
}

function table(title, rows) {
  return make('section', {}, make('h3', {}, title), make('table', {}, make('tbody', {},
    ...rows.map(([keys, about]) => make('tr', {},
      make('th', { scope: 'row' }, ...keys.map((key) => make('kbd', {}, key))), make('td', {}, about))))));
}
