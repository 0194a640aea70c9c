/**
 * The keywords of somebody for a pool, kept in the browser.
 *
 * @typedef {object} Keyword
 * @property {string} text
 * @property {'words'|'pattern'} kind
 * @property {number} colour  0 to 7
 * @property {string} style  one of STYLES
 * @property {boolean} isOn
 */

/** How many there may be: so many can be told apart. */
export const MOST = 8;

/** How a keyword is painted; a line under it leaves what is highlighted as it is, so that comes first. */
export const STYLES = ['underlined', 'dotted', 'wavy', 'marked'];
const LONGEST = 500; // characters that may be typed

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
