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
import { findFirst } from '../core/text_offsets.js';

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/gu;
const BEFORE = '(?<![\\p{L}\\p{N}_])';
const AFTER = '(?![\\p{L}\\p{N}_])';
const SEPARATOR = '\u2029'; // a paragraph separator: white space in every pattern
const WORD = /[\p{L}\p{N}_]/u;
const TIME_LIMIT = 1_000; // milliseconds
const GRACE = 60; // milliseconds, in which an answer that has arrived can still be read
const COMMON_WORDS = new Set(`a about an and any are as at be between but by can do does for from has have how i in
  into is it its not of on or should than that the their them there these they this to was we were what when where
  which who why will with would you your`.split(/\s+/u));
const MOST_OFFERED = 12;

/** More colours could not be told apart. */
export const MOST_KEYWORDS = 8;

/** How a keyword is painted.  A line under it does not hide highlights, so it comes first. */
export const STYLES = ['underlined', 'dotted', 'wavy', 'marked'];
const LONGEST_TEXT = 500; // characters that may be typed

/** A pattern was stopped because it took too long. */
export class TooSlowError extends Error {}

/** Another search was requested before this one was done. */
export class DroppedError extends Error {}

/** Searches in a worker, one after the other, so that a search that takes too long can be stopped. */
export class PatternFinder {
  #text = '';
  #limit;
  #worker = null;
  #waiting = [];
  #current = null;
  #timer = 0;
  #next = 0;

  /** @param {{limit?: number}} [options]  limit: the longest time of one search, in milliseconds */
  constructor({ limit = TIME_LIMIT } = {}) {
    this.#limit = limit;
  }

  /**
   * Set another text; searches in the previous one are dropped.
   *
   * @param {string} text
   */
  setText(text) {
    this.#text = text;
    const droppedSearches = [this.#current, ...this.#waiting.splice(0)].filter((search) => search !== null);
    if (this.#current !== null) this.#stopWorker();
    this.#worker?.postMessage({ text });
    for (const search of droppedSearches) search.reject(new DroppedError());
  }

  /**
   * Find a pattern.  A search replaces an earlier one with the same name.
   *
   * @param {string} name
   * @param {string} source
   * @param {string} flags
   * @returns {Promise<{places: number[], isCut: boolean}>}  starts and ends in turn, in UTF-16 units
   */
  find(name, source, flags) {
    return new Promise((resolve, reject) => {
      for (const old of this.#waiting.filter((search) => search.name === name)) old.reject(new DroppedError());
      this.#waiting = this.#waiting.filter((search) => search.name !== name);
      this.#waiting.push({ id: this.#next++, name, source, flags, resolve, reject });
      this.#startNext();
    });
  }

  #startNext() {
    if (this.#current !== null || this.#waiting.length === 0) return;
    this.#current = this.#waiting.shift();
    this.#worker ??= this.#startWorker();
    const { id, source, flags } = this.#current;
    this.#worker.postMessage({ id, source, flags });
  }

  #startWorker() {
    const worker = new Worker(new URL('./keyword_worker.js', import.meta.url));
    worker.onmessage = ({ data }) => this.#handleAnswer(data);
    worker.onerror = (event) => this.#fail(new Error(event.message || 'patterns cannot be searched for'));
    worker.postMessage({ text: this.#text });
    return worker;
  }

  #handleAnswer({ id, isBegun, places, isCut }) {
    if (this.#current?.id !== id) return;
    clearTimeout(this.#timer);
    if (isBegun) {
      // the time counts from here: starting the worker and sending the text are not part of the search
      const stop = () => this.#fail(new TooSlowError());
      this.#timer = setTimeout(() => { this.#timer = setTimeout(stop, GRACE); }, this.#limit);
      return;
    }
    const { resolve } = this.#current;
    this.#current = null;
    resolve({ places, isCut });
    this.#startNext();
  }

  #fail(error) {
    const { reject } = this.#current ?? { reject: () => {} };
    this.#stopWorker();
    reject(error);
    this.#startNext();
  }

  #stopWorker() {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#current = null;
  }
}

/**
 * Return the pattern for phrases separated by commas: whole words in any case.  An asterisk stands for the rest of a
 * word, a space for any white space.  A phrase in quotation marks may contain commas.
 *
 * @param {string} typed
 * @returns {string} empty if there are no words
 */
function makeWordPattern(typed) {
  const parts = splitPhrases(typed).filter((part) => /[^\s*]/u.test(part));
  if (parts.length === 0) return '';
  const patterns = parts.map((part) => part.split(/\s+/u).map(escapeWord).join('\\s+'));
  return `${BEFORE}(?:${patterns.join('|')})${AFTER}`;
}

function escapeWord(word) {
  return word.split('*').map((piece) => piece.replace(SPECIAL, '\\$&')).join('[\\p{L}\\p{N}_]*');
}

/**
 * Return the pattern of a keyword.
 *
 * @param {{text: string, kind: 'words'|'pattern'}} keyword
 * @returns {{source: string, flags: string}|null} null if it is empty
 * @throws {SyntaxError}  if it is not a valid pattern
 */
export function makePattern({ text, kind }) {
  const source = kind === 'pattern' ? text.trim() : makeWordPattern(text);
  if (source === '') return null;
  const flags = 'giu';
  // only compiled, never run here: a search may take for ever
  return { source: new RegExp(source, flags).source, flags };
}

/** Return the phrases of a list, without quotation marks around them. */
function splitPhrases(list) {
  const pieces = list.match(/(?:"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|[^,;])+/gu) ?? [];
  return pieces.map((piece) => piece.replace(/["“”„«»]/gu, ' ').replace(/\s+/gu, ' ').trim()).filter(Boolean);
}

/**
 * Return the keywords of a topic and the words of its title, without the most common ones.  Phrases stay together:
 * those in quotation marks, as in the titles of INEX topics, and those of a list of keywords with commas.
 *
 * @param {{title?: string, keywords?: string}} fields
 * @returns {string[]}
 */
export function suggestWords({ title = '', keywords = '' }) {
  const terms = /[,;]/u.test(keywords) ? [...splitPhrases(keywords), ...splitWords(title)]
    : splitWords(`${keywords} ${title}`);
  const words = new Map();
  for (const term of terms) {
    const key = term.toLowerCase();
    if (term.length > 1 && !COMMON_WORDS.has(key) && !words.has(key)) words.set(key, term);
  }
  return [...words.values()].slice(0, MOST_OFFERED);
}

/** Return the words of a text; quoted words stay together. */
function splitWords(text) {
  const matches = text.matchAll(/["“„«]([^"“”«»]+)["“”»]|([\p{L}\p{N}][\p{L}\p{N}'’-]*)/gu);
  return Array.from(matches, ([, quoted, word]) => (quoted ?? word).trim().replace(/\s+/gu, ' '));
}

/**
 * Return a text to search, with a separator wherever two blocks touch without a space between them, as the cells of
 * a table do: else two words would look like one.
 *
 * @param {import('../core/text_offsets.js').Text} text
 * @param {import('../core/document_outline.js').Outline} [outline]
 * @param {Uint8Array} [isBlock]  by row of the outline
 * @returns {{string: string, toUnit: (at: number) => number}}  the text to search; toUnit gives the unit in the
 *   original text
 */
export function makeSearchable(text, outline, isBlock) {
  const cuts = outline && isBlock ? findCuts(text, outline, isBlock) : [];
  if (cuts.length === 0) return { string: text.string, toUnit: (at) => at };
  const pieces = cuts.map((cut, number) => text.string.slice(number === 0 ? 0 : cuts[number - 1], cut));
  pieces.push(text.string.slice(cuts.at(-1)));
  return {
    string: pieces.join(SEPARATOR),
    // each cut has moved by the number of separators before it
    toUnit: (at) => at - findFirst(cuts.length, (number) => cuts[number] + number >= at),
  };
}

/** Return the units at which a block starts or ends inside an apparent word. */
function findCuts(text, outline, isBlock) {
  const cuts = new Set();
  for (let row = 0; row < outline.length; row += 1) {
    if (!isBlock[row]) continue;
    for (const point of [outline.start[row], outline.end[row]]) {
      const unit = text.toUnit(point);
      if (isInsideWord(text.string, unit)) cuts.add(unit);
    }
  }
  return [...cuts].sort((left, right) => left - right);
}

function isInsideWord(string, unit) {
  if (unit === 0 || unit === string.length) return false;
  const isWide = string.codePointAt(unit - 2) > 0xffff; // the character before takes two units
  const before = string.slice(unit - (isWide ? 2 : 1), unit);
  return WORD.test(before) && WORD.test(String.fromCodePoint(string.codePointAt(unit)));
}

/** Keeps the keywords of a user for an assignment in the browser; without storage they are lost with the page. */
export class KeywordStore extends EventTarget {
  #name;

  /** @param {string} key  their owner: an account and an assignment */
  constructor(key) {
    super();
    this.#name = `doxel-keywords:${key}`;
    addEventListener('storage', ({ key }) => { if (key === this.#name) this.dispatchEvent(new Event('change')); });
  }

  /** @returns {Keyword[]} */
  read() {
    try {
      const keywords = JSON.parse(localStorage.getItem(this.#name) ?? '[]');
      return Array.isArray(keywords) ? keywords.slice(0, MOST_KEYWORDS).map(toKeyword) : [];
    } catch {
      return [];
    }
  }

  /**
   * @param {Keyword[]} keywords
   * @returns {boolean}  whether they are stored
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

/** Return a valid keyword, whatever was stored by whichever version. */
function toKeyword(stored) {
  const { text, kind, colour, style, isOn } = stored ?? {};
  return {
    text: typeof text === 'string' ? text.slice(0, LONGEST_TEXT) : '',
    kind: kind === 'pattern' ? 'pattern' : 'words',
    colour: Number.isInteger(colour) && colour >= 0 && colour < MOST_KEYWORDS ? colour : 0,
    style: STYLES.includes(style) ? style : STYLES[0],
    isOn: isOn !== false,
  };
}
