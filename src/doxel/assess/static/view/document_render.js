/**
 * Builds a document's HTML from its text and its table of elements.
 *
 * Only a fixed set of harmless HTML elements is created, and text.  No markup of the source is used, so nothing in
 * a document can run.  A long document is cut into parts that the browser lays out when they scroll into view.
 *
 * @typedef {object} Rendered
 * @property {Text} text
 * @property {Outline} outline
 * @property {HTMLElement} container  the page's element for the document
 * @property {HTMLElement} root  contains the document, and nothing else
 * @property {HTMLElement} layer  lies over the document: markers and the caret
 * @property {(HTMLElement|null)[]} nodes  by row; null: shown as part of its parent
 * @property {globalThis.Text[]} texts  all text nodes, in order
 * @property {number[]} units  the offset of each text node
 * @property {Uint8Array} isBlock  by row: whether it starts on a new line
 * @property {(row: number) => string} findLook
 * @property {Part[]} parts
 *
 * @typedef {{node: HTMLElement, start: number, end: number}} Part  a range of UTF-16 units in one node
 *
 * @typedef {object} Open  an element that is being filled
 * @property {HTMLElement} node
 * @property {Open|null} above
 * @property {number} end  where its text ends, in UTF-16 units
 * @property {boolean} isFlow  whether it contains text and blocks, one below the other
 * @property {boolean} [isCut]  whether its content is divided into boxes
 * @property {{node: HTMLElement, start: number, isRunning: boolean}|null} [box]
 *
 * @typedef {{tag: string, isBlock: boolean}} Look  the HTML element that shows it, and whether it starts a new line
 */
import { findRunningLabels, Outline } from '../core/document_outline.js';
import { Text } from '../core/text_offsets.js';

/** Deeper nodes are not created: browsers lay out nested nodes by recursion. */
const DEEPEST = 150;
/** The most lists, quotations and the like that are indented in each other, and the most nested tables. */
const MOST_INDENTED = 6;
const MOST_TABLES = 3;
const INDENTED = new Set(['list', 'quotation', 'indented', 'note', 'figure']);
/** Looks that get a space after them on the screen, even where the source has none. */
const SPACED = new Set(['word', 'quiet', 'label']);
const CONTINUES = /[\p{L}\p{N}(\[]/u;
const FLOW_TAGS = new Set(['div', 'blockquote']);
const HEADING = /^h([1-6])$/i;
/** The longest document, in units, that is laid out as a whole. */
const LONGEST_WHOLE = 100_000;
/** The intended size of a part, in units. */
const PART_SIZE = 8_000;
/** Estimates for a part that is not laid out yet: units per line, and the height of a line in em. */
const LINE_UNITS = 66;
const LINE_HEIGHT = 1.75;

const block = (tag) => ({ tag, isBlock: true });
const inline = (tag) => ({ tag, isBlock: false });

/** @type {Object<string, Look>}  all looks that the elements of a document can have */
const LOOKS = {
  block: block('div'),
  bold: inline('b'),
  'bold-line': block('div'),
  break: inline('br'),
  caption: block('div'),
  cell: block('td'),
  citation: inline('span'),
  code: block('div'),
  figure: block('div'),
  formula: block('div'),
  header: block('th'),
  heading: block('h6'),
  indented: block('div'),
  inline: inline('span'),
  italic: inline('i'),
  item: block('li'),
  label: inline('span'),
  lead: block('div'),
  line: block('div'),
  link: inline('span'),
  list: block('ul'),
  monospace: inline('code'),
  note: block('div'),
  paragraph: block('p'),
  picture: block('div'),
  quiet: inline('small'),
  'quiet-block': block('div'),
  quotation: block('blockquote'),
  reference: block('div'),
  row: block('tr'),
  rows: block('tbody'),
  rule: block('hr'),
  section: block('div'),
  'small-capitals': inline('span'),
  struck: inline('s'),
  subscript: inline('sub'),
  superscript: inline('sup'),
  table: block('table'),
  title: block('h2'),
  underline: inline('u'),
  void: inline('span'),
  word: inline('span'),
};

/** The parents that these tags need; elsewhere plain blocks are used instead. */
const PARENT_TAGS = {
  td: ['tr'],
  th: ['tr'],
  tr: ['tbody', 'table'],
  tbody: ['table'],
  li: ['ul'],
};

/** These tags are always empty; an element with text gets the tag given here. */
const FILLED_TAGS = { br: 'span', hr: 'div' };

/**
 * Show a document in a container, in place of its present content.
 *
 * @param {{text: string, elements: object}} fetched  as the server sends it
 * @param {{tags: Object<string, string>, default: string}} styles
 * @param {HTMLElement} container
 * @returns {Rendered}
 */
export function render(fetched, styles, container) {
  const text = new Text(fetched.text);
  const outline = new Outline(fetched.elements);
  let runningLabels = null;
  const isRunning = (label) => (runningLabels ??= findRunningLabels(text, outline))[label];
  const findLook = makeLookFinder(styles, outline, isRunning);
  const builder = new DocumentBuilder(text, outline, findLook);
  builder.build();
  const layer = document.createElement('div');
  layer.className = 'view-layer';
  layer.setAttribute('aria-hidden', 'true');
  container.classList.add('view');
  container.replaceChildren(builder.root, layer);
  const { root, nodes, texts, units, isBlock, parts } = builder;
  return { text, outline, container, root, layer, nodes, texts, units, isBlock, parts, findLook };
}

/** Builds the nodes of a document, from the first character to the last, in one pass over its elements. */
class DocumentBuilder {
  root = document.createElement('div');
  /** @type {(HTMLElement|null)[]} */ nodes = [];
  /** @type {globalThis.Text[]} */ texts = [];
  /** @type {number[]} */ units = [];
  /** @type {Part[]} */ parts = [];
  #text;
  #outline;
  #findLook;
  #cutter;
  #prototypes = new Map();
  #done = 0; // units that have become text nodes

  /**
   * @param {import('../core/text_offsets.js').Text} text
   * @param {import('../core/document_outline.js').Outline} outline
   * @param {(row: number) => string} findLook
   */
  constructor(text, outline, findLook) {
    this.#text = text;
    this.#outline = outline;
    this.#findLook = findLook;
    this.#cutter = new PartCutter(text.string.length, this.parts);
    this.isBlock = new Uint8Array(outline.length);
    this.root.className = 'view-text';
    this.root.dir = 'auto';
  }

  /** Build everything below the root. */
  build() {
    const outline = this.#outline;
    let top = this.#openRoot();
    for (let row = 0; row < outline.length; row += 1) {
      while (top.row !== outline.parent[row]) top = this.#leave(top);
      this.#addText(top, this.#text.toUnit(outline.start[row]));
      top = this.#enter(top, row);
    }
    while (top.above !== null) top = this.#leave(top);
    this.#addText(top, this.#text.string.length);
    this.#cutter.leave(top, this.#done);
  }

  #openRoot() {
    const end = this.#text.string.length;
    const open = { row: -1, node: this.root, above: null, depth: 0, end, tag: 'div', isFlow: true };
    return this.#cutter.enter({ ...open, sections: 0, indented: 0, tables: 0 }, 0);
  }

  /** Open an element inside another. */
  #enter(above, row) {
    const name = this.#findLook(row);
    const look = LOOKS[name] ?? LOOKS.inline;
    this.isBlock[row] = look.isBlock ? 1 : 0;
    const start = this.#done;
    const open = {
      row, above, end: this.#text.toUnit(this.#outline.end[row]), depth: above.depth + 1,
      sections: above.sections + (name === 'section' ? 1 : 0),
      indented: above.indented + (INDENTED.has(name) ? 1 : 0),
      tables: above.tables + (name === 'table' ? 1 : 0),
    };
    const isTooDeep = open.depth > DEEPEST;
    open.tag = isTooDeep ? above.tag : this.#chooseTag(look, open, name);
    open.isFlow = !isTooDeep && look.isBlock && FLOW_TAGS.has(open.tag);
    this.#cutter.enter(open, start);
    const place = this.#cutter.findPlace(above, open, look.isBlock && !isTooDeep, start);
    open.node = isTooDeep ? place : this.#findPrototype(name, open).cloneNode(false);
    this.nodes.push(isTooDeep ? null : open.node);
    if (!isTooDeep) (open.tag === 'table' ? makeScrollBox(place) : place).appendChild(open.node);
    return open;
  }

  #leave(open) {
    this.#addText(open, open.end);
    this.#cutter.leave(open, this.#done);
    return open.above;
  }

  /** Return the tag of the HTML element that shows an element in its place. */
  #chooseTag(look, open, name) {
    if (name === 'heading') return this.#chooseHeadingTag(open);
    if (look.tag in FILLED_TAGS) return open.end > this.#done ? FILLED_TAGS[look.tag] : look.tag;
    if (look.tag === 'table') return open.tables > MOST_TABLES ? 'div' : 'table';
    if (look.tag === 'ul') return this.#isPlainList(open) ? 'ul' : 'div';
    const homes = PARENT_TAGS[look.tag];
    return homes === undefined || homes.includes(open.above.tag) ? look.tag : 'div';
  }

  #chooseHeadingTag(open) {
    const heading = HEADING.exec(this.#outline.label(open.row));
    const level = heading ? Number(heading[1]) : open.sections;
    return `h${Math.min(6, Math.max(2, level + 2))}`;
  }

  /** Return whether a list contains nothing but items, and need not be cut. */
  #isPlainList({ row, end }) {
    const outline = this.#outline;
    if (this.#cutter.isLarge(end - this.#done)) return false;
    const children = outline.children(row);
    if (children.some((child) => LOOKS[this.#findLook(child)]?.tag !== 'li')) return false;
    let checkedUntil = outline.start[row];
    for (const child of children) {
      if (/\S/.test(this.#text.slice(checkedUntil, outline.start[child]))) return false;
      checkedUntil = outline.end[child];
    }
    return children.length > 0 && !/\S/.test(this.#text.slice(checkedUntil, outline.end[row]));
  }

  /** Return the node that is copied for all elements of the same look. */
  #findPrototype(name, open) {
    const { tag } = open;
    const variant = this.#findVariant(name, open);
    const key = variant === '' ? name : `${name} ${variant}`;
    const knownNode = this.#prototypes.get(tag)?.get(key);
    if (knownNode !== undefined) return knownNode;
    const node = document.createElement(tag);
    node.className = `look-${key}`;
    if (!this.#prototypes.has(tag)) this.#prototypes.set(tag, new Map());
    this.#prototypes.get(tag).set(key, node);
    return node;
  }

  /** Return an additional class that depends on an element's place; mostly empty. */
  #findVariant(name, { indented, end }) {
    if (INDENTED.has(name) && indented > MOST_INDENTED) return 'flat';
    return SPACED.has(name) && CONTINUES.test(this.#text.string.charAt(end)) ? 'apart' : '';
  }

  /** Put the following text into an element, up to a unit. */
  #addText(open, until) {
    if (until <= this.#done) return;
    const string = this.#text.string.slice(this.#done, until);
    const node = document.createTextNode(string);
    this.texts.push(node);
    this.units.push(this.#done);
    this.#cutter.findTextPlace(open, string, this.#done).appendChild(node);
    this.#done = until;
  }
}

/** Return a box in which a wide table scrolls sideways, also with the keyboard. */
function makeScrollBox(place) {
  const box = document.createElement('div');
  box.className = 'view-wide';
  WIDTHS.observe(box);
  place.appendChild(box);
  return box;
}

const WIDTHS = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isTooWide = target.scrollWidth > target.clientWidth + 1;
    const attributes = { tabindex: '0', role: 'group', 'aria-label': 'Wide table' };
    for (const [name, value] of Object.entries(attributes)) {
      if (isTooWide) target.setAttribute(name, value);
      else target.removeAttribute(name);
    }
  }
});

/**
 * Cuts a long document into parts of a few thousand characters, each in a box of its own that the browser lays out
 * only when it comes near the screen.  Boxes start and end where lines do, so they are invisible.
 */
class PartCutter {
  #isLong;
  #parts;

  /**
   * @param {number} length
   * @param {Part[]} parts  to which parts are added
   */
  constructor(length, parts) {
    this.#isLong = length > LONGEST_WHOLE;
    this.#parts = parts;
  }

  /**
   * Return whether content of a size should be cut.
   *
   * @param {number} size
   * @returns {boolean}
   */
  isLarge(size) {
    return this.#isLong && size > PART_SIZE;
  }

  /**
   * Begin to fill an element.
   *
   * @param {Open} open
   * @param {number} start
   * @returns {Open}
   */
  enter(open, start) {
    const canBeCut = open.isFlow && (open.above === null || open.above.isCut);
    open.isCut = canBeCut && this.isLarge(open.end - start);
    open.box = null;
    return open;
  }

  /**
   * Return the node into which an element goes inside another.
   *
   * @param {Open} above
   * @param {Open} open
   * @param {boolean} isBlock
   * @param {number} start
   * @returns {HTMLElement}
   */
  findPlace(above, open, isBlock, start) {
    if (!above.isCut) return above.node;
    if (open.isCut) {
      this.#closeBox(above, start);
      return above.node;
    }
    return this.#findBox(above, isBlock, start, open.end);
  }

  /**
   * Return the node into which text goes inside an element.
   *
   * @param {Open} above
   * @param {string} string
   * @param {number} start
   * @returns {HTMLElement}
   */
  findTextPlace(above, string, start) {
    if (!above.isCut) return above.node;
    const isBlank = !/\S/.test(string);
    if (isBlank && above.box !== null) return above.box.node;
    return this.#findBox(above, isBlank, start, start + string.length);
  }

  /**
   * End an element.
   *
   * @param {Open} open
   * @param {number} end
   */
  leave(open, end) {
    if (open.isCut) this.#closeBox(open, end);
    else if (open.above === null) this.#parts.push({ node: open.node, start: 0, end });
  }

  #findBox(above, isBlock, start, end) {
    const { box } = above;
    // running text has no end of a line at which another box could start
    const mayEnd = box !== null && (isBlock || !box.isRunning);
    if (mayEnd && end - box.start > PART_SIZE) this.#closeBox(above, start);
    if (above.box === null) this.#openBox(above, start);
    above.box.isRunning = !isBlock;
    return above.box.node;
  }

  #openBox(above, start) {
    const node = document.createElement('div');
    node.className = 'view-part';
    above.node.appendChild(node);
    above.box = { node, start, isRunning: false };
  }

  #closeBox(open, end) {
    if (open.box === null) return;
    const { node, start } = open.box;
    const height = Math.ceil(((end - start) / LINE_UNITS) * LINE_HEIGHT);
    node.style.containIntrinsicBlockSize = `auto ${height}em`;
    this.#parts.push({ node, start, end });
    open.box = null;
  }
}

/**
 * Return a function that finds the look of an element.
 *
 * @param {{tags: Object<string, string>, default: string}} styles  a key is a tag, or its parent's and its own
 * @param {import('../core/document_outline.js').Outline} outline
 * @param {(label: number) => boolean} isRunning  whether the elements of a label are part of running text
 * @returns {(row: number) => string}
 */
function makeLookFinder(styles, outline, isRunning) {
  const tags = new Map(Object.entries(styles.tags));
  const names = outline.labels.map((label) => label.toLowerCase());
  const looks = new Map();
  const find = (above, label) => {
    const look = tags.get(`${names[above] ?? ''}/${names[label]}`) ?? tags.get(names[label]) ?? styles.default;
    if (look !== 'automatic') return look;
    return isRunning(label) ? 'inline' : 'block';
  };
  return (row) => {
    const label = outline.labelNumber[row];
    const parent = outline.parent[row];
    const above = parent < 0 ? -1 : outline.labelNumber[parent];
    const key = (above + 1) * names.length + label;
    if (!looks.has(key)) looks.set(key, find(above, label));
    return looks.get(key);
  };
}
