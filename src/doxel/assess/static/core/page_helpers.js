/** Helpers shared by all pages: elements, the wording of messages, the platform, and work that never overlaps. */

/**
 * Make an element.
 * @param {string} tag
 * @param {Object<string, any>} attributes a function is a listener; true is an empty attribute, false or null none
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (/^(aria|data)-/.test(name)) {
      element.setAttribute(name, String(value)); // these say "true" and "false" in full
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child || child === ''));
  return element;
}

/**
 * The element with an id, which the template promises.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * A number with its noun: "1 passage", "3 passages".
 * @param {number} count
 * @param {string} noun
 * @param {string} plural
 * @returns {string}
 */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}

/**
 * The beginning of a text, on one line.
 * @param {string} text
 * @param {number} most characters
 * @returns {string}
 */
export function excerpt(text, most = 90) {
  const characters = Array.from(text.slice(0, 4 * most).replace(/\s+/g, ' ').trim());
  if (characters.length <= most) return characters.join('');
  const kept = characters.slice(0, most - 1).join('');
  // between words, unless the last one is very long
  return `${kept.replace(/\s\S{0,14}$/u, '').replace(/[\s.,;:…]+$/u, '')}…`;
}

/**
 * The beginning of a sentence.
 * @param {string} words
 * @returns {string}
 */
export function capitalised(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * Grades in words.
 * @param {Object<string, string>} grades
 * @returns {string}
 */
export function told(grades) {
  return Object.entries(grades).map(([name, value]) => `${name} ${value}`).join(', ');
}

/** Which keys a machine has: on a Mac, command and option do what control does elsewhere. */
export const IS_MAC = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** Something that is never done twice at once: asked for in the middle, it is done once more afterwards. */
export class Turns {
  #work;
  #mayRepeat;
  #running = null;
  #isAskedAgain = false;

  /**
   * @param {() => Promise<void>} work
   * @param {() => boolean} mayRepeat  asked before it is done once more
   */
  constructor(work, mayRepeat) {
    this.#work = work;
    this.#mayRepeat = mayRepeat;
  }

  get isRunning() {
    return this.#running !== null;
  }

  /** @returns {Promise<void>}  settled when what is under way, or has just begun, is over */
  take() {
    this.#isAskedAgain = this.isRunning;
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
      if (this.#isAskedAgain && this.#mayRepeat()) this.take();
    });
    return this.#running;
  }
}
