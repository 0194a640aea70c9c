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
import { Outline, runningLabels } from '../core/document_outline.js';
import { Text } from '../core/text_offsets.js';

/** Nodes in nodes beyond this are not made: browsers lay them out by recursion. */
const DEEPEST = 150;
/** So many lists, quotations and the like may be indented in each other, so many tables stand in each other. */
const MOST_INDENTED = 6;
const MOST_TABLES = 3;
const INDENTED = new Set(['list', 'quotation', 'indented', 'note', 'figure']);
/** Words that stand apart on the screen, also where the source has nothing between them. */
const APART = new Set(['word', 'quiet', 'label']);
const GOES_ON = /[\p{L}\p{N}(\[]/u;
const FLOWS = new Set(['div', 'blockquote']);
const HEADING = /^h([1-6])$/i;
/** Up to this many units a document is laid out as a whole. */
const SHORT = 100_000;
/** How many units a part should hold. */
const SIZE = 8_000;
/** What is assumed of a part until it is laid out: units in a line, the height of a line in em. */
const LINE = 66;
const LINE_HEIGHT = 1.75;

const block = (tag) => ({ tag, isBlock: true });
const inline = (tag) => ({ tag, isBlock: false });

/** @type {Object<string, Look>} */
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

/** Where these stand alone, they are shown as plain blocks: browsers make no sense of them elsewhere. */
const BELONGS_IN = {
  td: ['tr'],
  th: ['tr'],
  tr: ['tbody', 'table'],
  tbody: ['table'],
  li: ['ul'],
};

/** These hold nothing: an element with text in it is shown by another. */
const HOLDS_NOTHING = { br: 'span', hr: 'div' };

/**
 * Show a document in a container, in place of what is there.
 *
 * @param {{text: string, elements: object}} told  as the server tells it
 * @param {{tags: Object<string, string>, default: string}} styles
 * @param {HTMLElement} container
 * @returns {Rendered}
 */
export function render(told, styles, container) {
  const text = new Text(told.text);
  const outline = new Outline(told.elements);
  let running = null;
  const isRunning = (label) => (running ??= runningLabels(text, outline))[label];
  const builder = new Builder(text, outline, lookOf(styles, outline, isRunning));
  builder.build();
  const layer = document.createElement('div');
  layer.className = 'view-layer';
  layer.setAttribute('aria-hidden', 'true');
  container.classList.add('view');
  container.replaceChildren(builder.root, layer);
  const { root, nodes, texts, units, isBlock, parts } = builder;
  return { text, outline, container, root, layer, nodes, texts, units, isBlock, parts };
}

/** Builds the nodes of a document, from the first character to the last, in one pass over its elements. */
class Builder {
  root = document.createElement('div');
  /** @type {(HTMLElement|null)[]} */ nodes = [];
  /** @type {globalThis.Text[]} */ texts = [];
  /** @type {number[]} */ units = [];
  /** @type {Part[]} */ parts = [];
  #text;
  #outline;
  #lookOf;
  #cutter;
  #prototypes = new Map();
  #done = 0; // units that have become text nodes

  /**
   * @param {import('../core/text_offsets.js').Text} text
   * @param {import('../core/document_outline.js').Outline} outline
   * @param {(row: number) => string} look
   */
  constructor(text, outline, look) {
    this.#text = text;
    this.#outline = outline;
    this.#lookOf = look;
    this.#cutter = new Cutter(text.string.length, this.parts);
    this.isBlock = new Uint8Array(outline.length);
    this.root.className = 'view-text';
    this.root.dir = 'auto';
  }

  /** Build everything below the root. */
  build() {
    const outline = this.#outline;
    let top = this.#outermost();
    for (let row = 0; row < outline.length; row += 1) {
      while (top.row !== outline.parent[row]) top = this.#left(top);
      this.#fill(top, this.#text.unit(outline.start[row]));
      top = this.#entered(top, row);
    }
    while (top.above !== null) top = this.#left(top);
    this.#fill(top, this.#text.string.length);
    this.#cutter.leave(top, this.#done);
  }

  #outermost() {
    const end = this.#text.string.length;
    const open = { row: -1, node: this.root, above: null, depth: 0, end, tag: 'div', isFlow: true };
    return this.#cutter.enter({ ...open, sections: 0, indented: 0, tables: 0 }, 0);
  }

  /** Open an element inside another. */
  #entered(above, row) {
    const name = this.#lookOf(row);
    const look = LOOKS[name] ?? LOOKS.inline;
    this.isBlock[row] = look.isBlock ? 1 : 0;
    const start = this.#done;
    const open = {
      row, above, end: this.#text.unit(this.#outline.end[row]), depth: above.depth + 1,
      sections: above.sections + (name === 'section' ? 1 : 0),
      indented: above.indented + (INDENTED.has(name) ? 1 : 0),
      tables: above.tables + (name === 'table' ? 1 : 0),
    };
    const isTooDeep = open.depth > DEEPEST;
    open.tag = isTooDeep ? above.tag : this.#tagFor(look, open, name);
    open.isFlow = !isTooDeep && look.isBlock && FLOWS.has(open.tag);
    this.#cutter.enter(open, start);
    const place = this.#cutter.placeOf(above, open, look.isBlock && !isTooDeep, start);
    open.node = isTooDeep ? place : this.#made(name, open).cloneNode(false);
    this.nodes.push(isTooDeep ? null : open.node);
    if (!isTooDeep) (open.tag === 'table' ? wide(place) : place).appendChild(open.node);
    return open;
  }

  #left(open) {
    this.#fill(open, open.end);
    this.#cutter.leave(open, this.#done);
    return open.above;
  }

  /** Return the tag of the HTML element that shows an element where it stands. */
  #tagFor(look, open, name) {
    if (name === 'heading') return this.#headingTag(open);
    if (look.tag in HOLDS_NOTHING) return open.end > this.#done ? HOLDS_NOTHING[look.tag] : look.tag;
    if (look.tag === 'table') return open.tables > MOST_TABLES ? 'div' : 'table';
    if (look.tag === 'ul') return this.#isPlainList(open) ? 'ul' : 'div';
    const homes = BELONGS_IN[look.tag];
    return homes === undefined || homes.includes(open.above.tag) ? look.tag : 'div';
  }

  #headingTag(open) {
    const named = HEADING.exec(this.#outline.label(open.row));
    const level = named ? Number(named[1]) : open.sections;
    return `h${Math.min(6, Math.max(2, level + 2))}`;
  }

  /** Tell whether a list holds items and nothing else, and is not to be cut. */
  #isPlainList({ row, end }) {
    const outline = this.#outline;
    if (this.#cutter.isLarge(end - this.#done)) return false;
    const children = outline.children(row);
    if (children.some((child) => LOOKS[this.#lookOf(child)]?.tag !== 'li')) return false;
    let reached = outline.start[row];
    for (const child of children) {
      if (/\S/.test(this.#text.slice(reached, outline.start[child]))) return false;
      reached = outline.end[child];
    }
    return children.length > 0 && !/\S/.test(this.#text.slice(reached, outline.end[row]));
  }

  /** Return the node of which all that look the same are copies. */
  #made(name, open) {
    const { tag } = open;
    const more = this.#more(name, open);
    const key = more === '' ? name : `${name} ${more}`;
    const known = this.#prototypes.get(tag)?.get(key);
    if (known !== undefined) return known;
    const made = document.createElement(tag);
    made.className = `look-${key}`;
    if (!this.#prototypes.has(tag)) this.#prototypes.set(tag, new Map());
    this.#prototypes.get(tag).set(key, made);
    return made;
  }

  /** Return what else is to be said of how an element looks where it stands. */
  #more(name, { indented, end }) {
    if (INDENTED.has(name) && indented > MOST_INDENTED) return 'flat';
    return APART.has(name) && GOES_ON.test(this.#text.string.charAt(end)) ? 'apart' : '';
  }

  /** Put the text that comes next into an element, up to a unit. */
  #fill(open, until) {
    if (until <= this.#done) return;
    const string = this.#text.string.slice(this.#done, until);
    const node = document.createTextNode(string);
    this.texts.push(node);
    this.units.push(this.#done);
    this.#cutter.placeOfText(open, string, this.#done).appendChild(node);
    this.#done = until;
  }
}

/** Return a box in which a table that is too wide scrolls sideways; then the keyboard can reach it. */
function wide(place) {
  const made = document.createElement('div');
  made.className = 'view-wide';
  widths.observe(made);
  place.appendChild(made);
  return made;
}

const widths = new ResizeObserver((entries) => {
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
class Cutter {
  #isLong;
  #parts;

  /**
   * @param {number} length
   * @param {Part[]} parts  to which parts are added
   */
  constructor(length, parts) {
    this.#isLong = length > SHORT;
    this.#parts = parts;
  }

  /**
   * Tell whether something of a size is to be cut, if it can be.
   *
   * @param {number} size
   * @returns {boolean}
   */
  isLarge(size) {
    return this.#isLong && size > SIZE;
  }

  /**
   * Begin to fill an element.
   *
   * @param {Open} open
   * @param {number} start
   * @returns {Open}
   */
  enter(open, start) {
    const mayBe = open.isFlow && (open.above === null || open.above.isCut);
    open.isCut = mayBe && this.isLarge(open.end - start);
    open.box = null;
    return open;
  }

  /**
   * Return where an element goes inside another.
   *
   * @param {Open} above
   * @param {Open} open
   * @param {boolean} isBlock
   * @param {number} start
   * @returns {HTMLElement}
   */
  placeOf(above, open, isBlock, start) {
    if (!above.isCut) return above.node;
    if (open.isCut) {
      this.#close(above, start);
      return above.node;
    }
    return this.#boxFor(above, isBlock, start, open.end);
  }

  /**
   * Return where text goes inside an element.
   *
   * @param {Open} above
   * @param {string} string
   * @param {number} start
   * @returns {HTMLElement}
   */
  placeOfText(above, string, start) {
    if (!above.isCut) return above.node;
    const isBlank = !/\S/.test(string);
    if (isBlank && above.box !== null) return above.box.node;
    return this.#boxFor(above, isBlank, start, start + string.length);
  }

  /**
   * End an element.
   *
   * @param {Open} open
   * @param {number} end
   */
  leave(open, end) {
    if (open.isCut) this.#close(open, end);
    else if (open.above === null) this.#parts.push({ node: open.node, start: 0, end });
  }

  #boxFor(above, isBlock, start, end) {
    const { box } = above;
    // inside running text there is no end of a line at which to begin another box
    const mayEnd = box !== null && (isBlock || !box.isRunning);
    if (mayEnd && end - box.start > SIZE) this.#close(above, start);
    if (above.box === null) this.#open(above, start);
    above.box.isRunning = !isBlock;
    return above.box.node;
  }

  #open(above, start) {
    const node = document.createElement('div');
    node.className = 'view-part';
    above.node.appendChild(node);
    above.box = { node, start, isRunning: false };
  }

  #close(open, end) {
    if (open.box === null) return;
    const { node, start } = open.box;
    const height = Math.ceil(((end - start) / LINE) * LINE_HEIGHT);
    node.style.containIntrinsicBlockSize = `auto ${height}em`;
    this.#parts.push({ node, start, end });
    open.box = null;
  }
}

/**
 * Return what says how an element of a document looks.
 *
 * @param {{tags: Object<string, string>, default: string}} styles  a key is a tag, or its parent's and its own
 * @param {import('../core/document_outline.js').Outline} outline
 * @param {(label: number) => boolean} isRunning  whether elements of a label are part of running text
 * @returns {(row: number) => string}
 */
function lookOf(styles, outline, isRunning) {
  const tags = new Map(Object.entries(styles.tags));
  const names = outline.labels.map((label) => label.toLowerCase());
  const known = new Map();
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
    if (!known.has(key)) known.set(key, find(above, label));
    return known.get(key);
  };
}
