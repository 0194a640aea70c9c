/**
 * Names of elements as people read them, such as "section 3.2, paragraph 2", in place of their paths.
 *
 * An element is named after what it looks like, or after its tag if it looks like nothing in particular.  Elements of
 * the second kind are left out of the names of those inside them.  The elements of a name are counted within the
 * nearest element with a name of its own, so that no two elements of a document have the same name.
 */

/** What people call elements, by their looks. */
const NOUNS = {
  section: 'section', paragraph: 'paragraph', heading: 'heading', title: 'title', caption: 'caption', list: 'list',
  item: 'item', table: 'table', row: 'row', cell: 'cell', header: 'cell', figure: 'figure', picture: 'picture',
  quotation: 'quotation', note: 'note', reference: 'reference', formula: 'formula', code: 'code',
};
/** These are numbered even if there is only one. */
const ALWAYS_NUMBERED = new Set(['section', 'paragraph', 'item', 'row', 'cell']);
const PATH = /(?:\/[^\s/[\]]+\[[0-9]+\])+/gu;

/** The names of the elements of one document. */
export class ElementNames {
  #outline;
  #findLook;
  /** @type {Int32Array|null} by row: the nearest element around it that is part of its name */ #context = null;
  /** @type {Int32Array} by row: its number among the elements of the same noun in its context */ #number;
  /** @type {Map<string, number>} */ #counts = new Map();

  /**
   * @param {import('../core/document_outline.js').Outline} outline
   * @param {(row: number) => string} findLook
   */
  constructor(outline, findLook) {
    this.#outline = outline;
    this.#findLook = findLook;
  }

  /**
   * Return the name of an element.
   *
   * @param {number} row
   * @returns {string}
   */
  find(row) {
    if (this.#outline.parent[row] < 0) return 'the whole document';
    if (this.#context === null) this.#count();
    const steps = [];
    for (let at = row; this.#outline.parent[at] >= 0; at = this.#context[at]) steps.unshift(at);
    return steps.reduce((name, at) => this.#extend(name, at), '');
  }

  /**
   * Return a message with the names of elements in place of their paths.
   *
   * @param {string} message
   * @returns {string}
   */
  replacePaths(message) {
    return message.replace(PATH, (path) => {
      const row = this.#outline.row(path);
      return row < 0 ? path : this.find(row);
    });
  }

  #extend(name, row) {
    const noun = this.#findNoun(row);
    const number = this.#number[row];
    const isAlone = this.#counts.get(`${this.#context[row]} ${noun}`) === 1 && !ALWAYS_NUMBERED.has(noun);
    // a section in a section: "section 3.2"
    if (noun === 'section' && /(?:^|, )section [0-9.]+$/.test(name)) return `${name}.${number}`;
    return `${name}${name && ', '}${noun}${isAlone ? '' : ` ${number}`}`;
  }

  #findNoun(row) {
    return NOUNS[this.#findLook(row)] ?? this.#outline.label(row);
  }

  /** Number all elements, in document order. */
  #count() {
    const { length, parent } = this.#outline;
    this.#context = new Int32Array(length);
    this.#number = new Int32Array(length);
    for (let row = 0; row < length; row += 1) {
      const above = parent[row];
      const isNamed = above >= 0 && (parent[above] < 0 || this.#findLook(above) in NOUNS);
      this.#context[row] = above < 0 || isNamed ? above : this.#context[above];
      const key = `${this.#context[row]} ${this.#findNoun(row)}`;
      this.#number[row] = (this.#counts.get(key) ?? 0) + 1;
      this.#counts.set(key, this.#number[row]);
    }
  }
}
