/** Builds the nodes of a document, from the first character to the last, in one pass over its elements. */
import { Cutter } from './cutting.js';
import { BELONGS_IN, HOLDS_NOTHING, LOOKS } from './looks.js';

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

export class Builder {
  root = document.createElement('div');
  /** @type {(HTMLElement|null)[]} */ nodes = [];
  /** @type {globalThis.Text[]} */ texts = [];
  /** @type {number[]} */ units = [];
  /** @type {import('./render.js').Part[]} */ parts = [];
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
