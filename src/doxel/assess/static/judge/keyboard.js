/**
 * The keys: one table for the labels of buttons, the lines of the help, and the actions of the keyboard.
 *
 * A key is written as it is pressed: a small letter, "Shift+b", a sign as it is typed, "Ctrl+z" (on a Mac: command).
 */
import { IS_MAC, make } from '../core/page_helpers.js';
import { openDialog } from './dialogs.js';

/**
 * @typedef {object} Action
 * @property {string} name  as in the table of actions
 * @property {string[]} keys
 * @property {string} label  the text of its button
 * @property {string} about  its line in the help
 * @property {string} group  its group in the help
 * @property {boolean} [edits]  changes the judgement: not for readers
 * @property {boolean} [again]  repeats while the key is held down
 * @property {'highlights'|'entry'|'grades'|'adjudication'} [needs]  required of the scale, or of the assignment
 * @property {boolean} [isQuiet]  not in the help
 */

const TEXT = 'In the text';
const JUDGE = 'The judgement';
const MOVE = 'Moving around';
const DECIDE = 'Adjudicating';

/** The keys of the first assessors between whom an adjudicator decides; the help shows the first two. */
const SOURCE_ACTIONS = Array.from({ length: 9 }, (_, index) => ({
  name: `source${index + 1}`, keys: [String(index + 1)], label: `Accept ${index + 1}`, group: DECIDE, edits: true,
  needs: 'adjudication', isQuiet: index > 1, again: false,
  about: `accept what the ${index === 0 ? 'first' : 'second'} assessor did (further ones: 3 to 9)`,
}));

/** @type {Action[]} */
export const KEYS = [
  { name: 'highlight', keys: ['h'], label: 'Highlight', group: TEXT, edits: true, needs: 'highlights',
    about: 'highlight the selection' },
  { name: 'remove', keys: ['u'], label: 'Remove', group: TEXT, edits: true, needs: 'highlights',
    about: 'remove the highlight from the selection, and so split a passage; without a selection, the whole passage' },
  { name: 'enter', keys: ['b'], label: 'Entry point', group: TEXT, edits: true, needs: 'entry',
    about: 'set the best entry point here; without a caret, at the first passage' },
  { name: 'noEntry', keys: ['Shift+b'], label: 'No entry point', group: TEXT, edits: true, needs: 'entry',
    about: 'remove the best entry point' },
  { name: 'aspect', keys: ['a'], label: 'Aspect', group: TEXT, edits: true, needs: 'highlights',
    about: 'choose or name the aspect of the passage; passages of one aspect are alternatives' },
  { name: 'grow', keys: ['e'], label: 'Larger', group: TEXT, again: true,
    about: 'select the element around the selection; again: the next larger one' },
  { name: 'shrink', keys: ['Shift+e'], label: 'Smaller', group: TEXT, again: true,
    about: 'select the smaller element again' },
  { name: 'undo', keys: ['Ctrl+z'], label: 'Undo', group: JUDGE, edits: true, again: true, about: 'undo' },
  { name: 'redo', keys: ['Ctrl+Shift+z', 'Ctrl+y'], label: 'Redo', group: JUDGE, edits: true, again: true,
    about: 'redo' },
  { name: 'history', keys: ['y'], label: 'History', group: JUDGE,
    about: 'show or hide all steps on this document; return to any of them' },
  { name: 'grade', keys: ['m'], label: 'Grades', group: JUDGE, needs: 'grades',
    about: 'grade elements: the missing grades one after the other' },
  { name: 'gradeInside', keys: ['i'], label: 'Same for all inside', group: JUDGE, edits: true, needs: 'grades',
    about: 'give the grade of the element to all elements inside it; a preview comes first' },
  { name: 'gradeInherited', keys: ['Shift+i'], label: 'Inherit', group: JUDGE, edits: true, needs: 'grades',
    about: 'let all elements without grade have that of the element around them; a preview comes first' },
  { name: 'nothing', keys: ['x'], label: 'Nothing relevant', group: JUDGE, edits: true,
    about: 'nothing here is relevant: mark the document as done' },
  { name: 'validate', keys: ['v'], label: 'Done', group: JUDGE, edits: true,
    about: 'mark the document as done, or see what is missing' },
  { name: 'validateNext', keys: ['Shift+Enter'], label: 'Done, next', group: JUDGE, edits: true,
    about: 'mark the document as done, and open the next one that is not' },
  { name: 'note', keys: ['w'], label: 'Note', group: JUDGE, about: 'write a note' },
  { name: 'flag', keys: ['f'], label: 'Flag', group: JUDGE, edits: true,
    about: 'flag the document for the organisers, or remove the flag' },
  ...SOURCE_ACTIONS,
  { name: 'union', keys: ['+', '='], label: 'All of it', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'accept all text that anybody marked; of grades, the highest' },
  { name: 'intersection', keys: ['-', 'c'], label: 'Common part', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'accept the text that all marked; of grades, the lowest' },
  { name: 'majority', keys: ['j'], label: 'Majority', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'accept the text that more than half marked' },
  { name: 'neither', keys: ['0'], label: 'None of it', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'accept none of it' },
  { name: 'keep', keys: ['k'], label: 'As it is now', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'decide the difference as you have edited it' },
  { name: 'signOff', keys: ['Shift+s'], label: 'Sign off', group: DECIDE, edits: true, needs: 'adjudication',
    about: 'sign off when all documents are done: the adjudication becomes official' },
  { name: 'before', keys: ['['], label: 'Previous document', group: MOVE, again: true, about: 'previous document' },
  { name: 'after', keys: [']'], label: 'Next document', group: MOVE, again: true, about: 'next document' },
  { name: 'next', keys: ['n'], label: 'Next passage', group: MOVE, again: true,
    about: 'next passage; while grading, next missing grade; while adjudicating, next difference' },
  { name: 'previous', keys: ['p'], label: 'Previous passage', group: MOVE, again: true,
    about: 'previous passage, missing grade or difference' },
  { name: 'find', keys: ['/'], label: 'Find', group: MOVE, about: 'find words; a match can be highlighted' },
  { name: 'pooled', keys: ['o'], label: 'Pooled', group: MOVE,
    about: 'show or hide the elements that systems retrieved (showing them is recorded)' },
  { name: 'topic', keys: ['t'], label: 'Topic', group: MOVE, about: 'show or hide the topic' },
  { name: 'guidelines', keys: ['g'], label: 'Guidelines', group: MOVE, about: 'the guidelines of the campaign' },
  { name: 'help', keys: ['?'], label: 'Keys', group: MOVE, about: 'these keys' },
  { name: 'leave', keys: ['Escape'], label: 'Back to the text', group: MOVE,
    about: 'close what is open, and go back to the text' },
];

/** Keys of the browser and the caret; for the help only. */
const CARET_KEYS = [
  [['←', '→', '↑', '↓'], 'move the caret; with Shift: select'],
  [['Ctrl+←', 'Ctrl+→'], 'move by words; with Shift: select'],
  [['Home', 'End', 'PageUp', 'PageDown'], 'move to the ends of the line, or by screens; with Shift: select'],
  [['Tab'], 'go to the next part of the page'],
];

const BY_KEY = new Map(KEYS.flatMap((action) => action.keys.map((key) => [key, action])));
const KEY_NAMES = { Shift: '⇧', Enter: '↵', Escape: 'Esc', PageUp: 'Page ↑', PageDown: 'Page ↓' };

/**
 * Return the action of a key, if it has one.
 *
 * @param {string} key
 * @returns {Action|undefined}
 */
export function findActionOfKey(key) {
  return BY_KEY.get(key);
}

/**
 * Return the action with a name.
 *
 * @param {string} name
 * @returns {Action}
 */
export function findAction(name) {
  return KEYS.find((action) => action.name === name);
}

/**
 * Return whether an action is possible in an assignment, on its scale.
 *
 * @param {Action} action
 * @param {{scale: import('../core/document_state.js').Scale, adjudicates: number[]}} assignment
 * @returns {boolean}
 */
export function isOffered({ needs }, { scale, adjudicates }) {
  const has = {
    highlights: scale.highlights, entry: scale.entry_point, grades: Object.keys(scale.grades).length > 0,
    adjudication: adjudicates.length > 0,
  };
  return needs === undefined || has[needs];
}

/**
 * Return a key as people read it: "⇧B", "Ctrl+Z".
 *
 * @param {string} key
 * @returns {string}
 */
export function formatKey(key) {
  const parts = key.split('+').map((part) => KEY_NAMES[part] ?? (part === 'Ctrl' && IS_MAC ? '⌘' : part));
  const last = parts.pop();
  const letter = parts.length && last.length === 1 ? last.toUpperCase() : last;
  const before = parts.map((part) => (part.length === 1 ? part : `${part}+`)).join('');
  return before + letter;
}

/**
 * Return the key of an event as in the table; null for keys of the browser or of a text field.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
export function readKey(event) {
  // a browser that fills in a password sends key events without names
  if (!event.key || event.isComposing || event.defaultPrevented || isTextField(event.target)) return null;
  const control = IS_MAC ? event.metaKey : event.ctrlKey;
  const isTyped = event.key.length === 1;
  if (isTyped && needsModifier(event)) return event.key;
  if (event.altKey || (IS_MAC ? event.ctrlKey : event.metaKey)) return null;
  const letter = isTyped ? readLetter(event) : null;
  const before = (control ? 'Ctrl+' : '') + (event.shiftKey && (letter || !isTyped) ? 'Shift+' : '');
  return before + (letter ?? event.key);
}

/** Return whether an element takes typed letters. */
function isTextField(target) {
  const field = target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
  return field !== null && !['checkbox', 'radio', 'button', 'submit'].includes(field.type);
}

/** Return whether a sign is typed with AltGr (or option on a Mac), as [ and ] are on many keyboards. */
function needsModifier(event) {
  if (/[\p{L}\p{N}]/u.test(event.key)) return false;
  if (event.getModifierState('AltGraph')) return true;
  return IS_MAC && event.altKey && !event.ctrlKey && !event.metaKey;
}

/** Return the letter of a key, whatever Caps Lock; on a keyboard of another script, the letter at its place. */
function readLetter(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  const place = /^Key([A-Z])$/.exec(event.code);
  return place && /\p{L}/u.test(event.key) ? place[1].toLowerCase() : null;
}

/**
 * Show the keys in a dialog.
 *
 * @param {import('./judging_desk.js').Desk} desk
 */
export function showHelp(desk) {
  const { scale } = desk.assignment;
  const usable = KEYS.filter((action) => isOffered(action, desk.assignment) && !action.isQuiet);
  const groups = [...new Set(usable.map((action) => action.group))];
  const tables = groups.map((group) => makeTable(group, usable.filter((action) => action.group === group)
    .map((action) => [action.keys.map(formatKey), action.about])));
  const dialog = openDialog('Keys', [
    make('div', { class: 'keys', tabindex: '0', role: 'region', 'aria-label': 'Keys' },
      ...tables, makeTable('Caret and selection', CARET_KEYS.map(([keys, about]) => [keys.map(formatKey), about])),
      Object.keys(scale.grades).length > 0 ? makeTable('Grades, while the panel is open', listGradeKeys(scale)) : null),
    make('p', { class: 'foot' }, 'The keys do nothing while you write in a field. Escape closes this dialog. ',
      make('a', { href: `/help?scale=${scale.name}`, target: '_blank' }, 'How to judge, on one screen')),
  ], { name: 'help' });
  dialog.addEventListener('keydown', (event) => { if (event.key === '?') dialog.close(); });
}

function listGradeKeys(scale) {
  const rows = Object.entries(scale.grades).map(([name, values]) => [values, name]);
  const both = rows.length > 1 ? [[[Object.values(scale.grades)[0][0]], 'first: sets both grades']] : [];
  return [...rows, ...both, [['Del'], 'remove the grade']];
}

function makeTable(title, rows) {
  return make('section', {}, make('h3', {}, title), make('table', {}, make('tbody', {},
    ...rows.map(([keys, about]) => make('tr', {},
      make('th', { scope: 'row' }, ...keys.map((key) => make('kbd', {}, key))), make('td', {}, about))))));
}
