/** From what is typed to a pattern; and the words of a topic that are worth a look. */

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/gu;
const BEFORE = '(?<![\\p{L}\\p{N}_])';
const AFTER = '(?![\\p{L}\\p{N}_])';

/**
 * Return the pattern for some words: whole words in any case, several of them apart by commas; an asterisk
 * stands for the rest of a word, a space for any space.
 *
 * @param {string} typed
 * @returns {string} empty if there are no words
 */
function patternOfWords(typed) {
  const parts = typed.split(',').map((part) => part.trim()).filter((part) => /[^\s*]/u.test(part));
  if (parts.length === 0) return '';
  const escaped = parts.map((part) => part.split(/\s+/u).map(escapedWord).join('\\s+'));
  return `${BEFORE}(?:${escaped.join('|')})${AFTER}`;
}

function escapedWord(word) {
  return word.split('*').map((piece) => piece.replace(SPECIAL, '\\$&')).join('[\\p{L}\\p{N}_]*');
}

/**
 * Return the pattern that a keyword stands for.
 *
 * @param {{text: string, kind: 'words'|'pattern'}} keyword
 * @returns {{source: string, flags: string}|null} null if nothing was typed
 * @throws {SyntaxError} if it is no pattern
 */
export function patternOf({ text, kind }) {
  const source = kind === 'pattern' ? text.trim() : patternOfWords(text);
  if (source === '') return null;
  const flags = 'giu';
  // only made, never tried here: trying one may take for ever
  return { source: new RegExp(source, flags).source, flags };
}

const COMMON = new Set(`a about an and any are as at be between but by can do does for from has have how i in into is it
  its not of on or should than that the their them there these they this to was we were what when where which who why will with
  would you your`.split(/\s+/u));
const MOST = 12;

/**
 * Return words of a topic to offer: those of its keywords and its title, without the most common ones.
 *
 * @param {{title?: string, keywords?: string}} fields
 * @returns {string[]}
 */
export function offeredWords({ title = '', keywords = '' }) {
  const offered = new Map();
  // quotations are kept together, here and in the titles of INEX
  for (const [, quoted, word] of `${keywords} ${title}`.matchAll(/"([^"]+)"|([\p{L}\p{N}][\p{L}\p{N}'’-]*)/gu)) {
    const found = (quoted ?? word).trim().replace(/\s+/gu, ' ');
    const key = found.toLowerCase();
    if (found.length > 1 && !COMMON.has(key) && !offered.has(key)) offered.set(key, found);
  }
  return [...offered.values()].slice(0, MOST);
}
