/**
 * Searching for keywords: patterns from typed words, a search in a worker with a time limit, and the keywords kept
 * in the browser.
 *
 * @typedef {object} Keyword
 * @property {string} text
 * @property {'words'|'pattern'} kind
 * @property {number} colour  0 to 7
 * @property {string} style  one of STYLES
 * @property {boolean} isOn
 */
import { firstFrom } from '../core/text_offsets.js';

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/gu;
const BEFORE = '(?<![\\p{L}\\p{N}_])';
const AFTER = '(?![\\p{L}\\p{N}_])';
const BETWEEN = '\u2029'; // a paragraph separator: white space to every pattern
const WORD = /[\p{L}\p{N}_]/u;
const LIMIT = 1_000; // milliseconds
const GRACE = 60; // an answer that has come already may still wait to be read
const COMMON = new Set(`a about an and any are as at be between but by can do does for from has have how i in into is it
  its not of on or should than that the their them there these they this to was we were what when where which who why will with
  would you your`.split(/\s+/u));
const MOST_OFFERED = 12;

/** How many there may be: so many can be told apart. */
export const MOST = 8;

/** How a keyword is painted; a line under it leaves what is highlighted as it is, so that comes first. */
export const STYLES = ['underlined', 'dotted', 'wavy', 'marked'];
const LONGEST = 500; // characters that may be typed

/** A pattern was stopped because it took too long. */
export class TooSlow extends Error {}

/** Another search was asked for before this one was done. */
export class Dropped extends Error {}

/** One search after the other, so that it is known which one takes too long. */
export class Finder {
  #text = '';
  #limit;
  #worker = null;
  #waiting = [];
  #current = null;
  #timer = 0;
  #next = 0;

  /** @param {{limit?: number}} [how] the time that one search may take, in milliseconds */
  constructor({ limit = LIMIT } = {}) {
    this.#limit = limit;
  }

  /**
   * Take another text; searches in the one before are dropped.
   *
   * @param {string} text
   */
  take(text) {
    this.#text = text;
    const dropped = [this.#current, ...this.#waiting.splice(0)].filter((one) => one !== null);
    if (this.#current !== null) this.#end();
    this.#worker?.postMessage({ text });
    for (const one of dropped) one.reject(new Dropped());
  }

  /**
   * Find a pattern.  A search under a name takes the place of the one under the same name.
   *
   * @param {string} name
   * @param {string} source
   * @param {string} flags
   * @returns {Promise<{places: number[], isCut: boolean}>} starts and ends in turn, in UTF-16 units
   */
  find(name, source, flags) {
    return new Promise((resolve, reject) => {
      for (const old of this.#waiting.filter((one) => one.name === name)) old.reject(new Dropped());
      this.#waiting = this.#waiting.filter((one) => one.name !== name);
      this.#waiting.push({ id: this.#next++, name, source, flags, resolve, reject });
      this.#go();
    });
  }

  #go() {
    if (this.#current !== null || this.#waiting.length === 0) return;
    this.#current = this.#waiting.shift();
    this.#worker ??= this.#begin();
    const { id, source, flags } = this.#current;
    this.#worker.postMessage({ id, source, flags });
  }

  #begin() {
    const worker = new Worker(new URL('./keyword_worker.js', import.meta.url));
    worker.onmessage = ({ data }) => this.#told(data);
    worker.onerror = (event) => this.#fail(new Error(event.message || 'patterns cannot be searched for'));
    worker.postMessage({ text: this.#text });
    return worker;
  }

  #told({ id, isBegun, places, isCut }) {
    if (this.#current?.id !== id) return;
    clearTimeout(this.#timer);
    if (isBegun) {
      // time counts from here: a worker that starts late, or gets a long text, is not to blame
      this.#timer = setTimeout(() => { this.#timer = setTimeout(() => this.#fail(new TooSlow()), GRACE); }, this.#limit);
      return;
    }
    const { resolve } = this.#current;
    this.#current = null;
    resolve({ places, isCut });
    this.#go();
  }

  #fail(error) {
    const { reject } = this.#current ?? { reject: () => {} };
    this.#end();
    reject(error);
    this.#go();
  }

  #end() {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#current = null;
  }
}

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
  return [...offered.values()].slice(0, MOST_OFFERED);
}

/**
 * @param {import('../core/text_offsets.js').Text} text
 * @param {import('../core/document_outline.js').Outline} [outline]
 * @param {Uint8Array} [isBlock]  by row of the outline
 * @returns {{string: string, unit: (at: number) => number}} what to search, and where in the text a place of it is
 */
export function searchable(text, outline, isBlock) {
  const cuts = outline && isBlock ? cutsOf(text, outline, isBlock) : [];
  if (cuts.length === 0) return { string: text.string, unit: (at) => at };
  const pieces = cuts.map((cut, number) => text.string.slice(number === 0 ? 0 : cuts[number - 1], cut));
  pieces.push(text.string.slice(cuts.at(-1)));
  return {
    string: pieces.join(BETWEEN),
    // a cut has moved by as many separators as there are before it
    unit: (at) => at - firstFrom(cuts.length, (number) => cuts[number] + number >= at),
  };
}

/** Return the units at which a block begins or ends in the middle of what looks like a word. */
function cutsOf(text, outline, isBlock) {
  const cuts = new Set();
  for (let row = 0; row < outline.length; row += 1) {
    if (!isBlock[row]) continue;
    for (const point of [outline.start[row], outline.end[row]]) {
      const unit = text.unit(point);
      if (isInWord(text.string, unit)) cuts.add(unit);
    }
  }
  return [...cuts].sort((one, other) => one - other);
}

function isInWord(string, unit) {
  if (unit === 0 || unit === string.length) return false;
  const isWide = string.codePointAt(unit - 2) > 0xffff; // the character before takes two units
  const before = string.slice(unit - (isWide ? 2 : 1), unit);
  return WORD.test(before) && WORD.test(String.fromCodePoint(string.codePointAt(unit)));
}

/** Reads and writes keywords, as long as the page is there; a browser that keeps nothing loses them with the page. */
export class Kept extends EventTarget {
  #name;

  /** @param {string} key whose they are: an account and a pool */
  constructor(key) {
    super();
    this.#name = `doxel-keywords:${key}`;
    addEventListener('storage', ({ key }) => { if (key === this.#name) this.dispatchEvent(new Event('change')); });
  }

  /** @returns {Keyword[]} */
  read() {
    try {
      const found = JSON.parse(localStorage.getItem(this.#name) ?? '[]');
      return Array.isArray(found) ? found.slice(0, MOST).map(sound) : [];
    } catch {
      return [];
    }
  }

  /**
   * @param {Keyword[]} keywords
   * @returns {boolean} whether they are kept
   */
  write(keywords) {
    try {
      localStorage.setItem(this.#name, JSON.stringify(keywords));
      return true;
    } catch {
      return false;
    }
  }
}

/** Whatever was stored, by whichever version: a keyword. */
function sound(found) {
  const { text, kind, colour, style, isOn } = found ?? {};
  return {
    text: typeof text === 'string' ? text.slice(0, LONGEST) : '',
    kind: kind === 'pattern' ? 'pattern' : 'words',
    colour: Number.isInteger(colour) && colour >= 0 && colour < MOST ? colour : 0,
    style: STYLES.includes(style) ? style : STYLES[0],
    isOn: isOn !== false,
  };
}
