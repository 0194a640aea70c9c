/** Helpers shared by all pages: elements, the wording of messages, the platform, and tasks that never overlap. */

/** On a Mac, command and option do what control does elsewhere. */
export const IS_MAC = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/**
 * Make an element.  Strings become text, never markup.
 *
 * @param {string} tag
 * @param {Object<string, any>} attributes  a function is a listener; true is an empty attribute, false or null none
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (/^(aria|data)-/.test(name)) {
      element.setAttribute(name, String(value)); // these need "true" and "false" in full
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child || child === ''));
  return element;
}

/**
 * Return the element with an id, which the template must contain.
 *
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Return a number with its noun: "1 passage", "3 passages".
 *
 * @param {number} count
 * @param {string} noun
 * @param {string} [plural]
 * @returns {string}
 */
export function pluralise(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}

/**
 * Return the beginning of a text, on one line.
 *
 * @param {string} text
 * @param {number} [most]  characters
 * @returns {string}
 */
export function shorten(text, most = 90) {
  const characters = Array.from(text.slice(0, 4 * most).replace(/\s+/g, ' ').trim());
  if (characters.length <= most) return characters.join('');
  const beginning = characters.slice(0, most - 1).join('');
  // cut between words, unless the last one is very long
  return `${beginning.replace(/\s\S{0,14}$/u, '').replace(/[\s.,;:…]+$/u, '')}…`;
}

/**
 * Return words with a capital first letter.
 *
 * @param {string} words
 * @returns {string}
 */
export function capitalise(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * Return grades in words: "exhaustivity 2, specificity 3".
 *
 * @param {Object<string, string>} grades
 * @returns {string}
 */
export function formatGrades(grades) {
  return Object.entries(grades).map(([name, value]) => `${name} ${value}`).join(', ');
}

/** A task that never runs twice at once: a request during a run leads to one more run afterwards. */
export class SerialTask {
  #task;
  #mayRepeat;
  #running = null;
  #isRequestedAgain = false;

  /**
   * @param {() => Promise<void>} task
   * @param {() => boolean} mayRepeat  called before one more run
   */
  constructor(task, mayRepeat) {
    this.#task = task;
    this.#mayRepeat = mayRepeat;
  }

  get isRunning() {
    return this.#running !== null;
  }

  /** @returns {Promise<void>}  settled when the current run, or the one just started, has ended */
  run() {
    this.#isRequestedAgain = this.isRunning;
    this.#running ??= this.#task().finally(() => {
      this.#running = null;
      if (this.#isRequestedAgain && this.#mayRepeat()) this.run();
    });
    return this.#running;
  }
}
