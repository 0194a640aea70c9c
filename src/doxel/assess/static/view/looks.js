/**
 * The looks that elements of documents can have: which harmless HTML element shows each, and whether it
 * begins a line of its own.  Nothing else is ever made for a document.
 *
 * @typedef {{tag: string, isBlock: boolean}} Look
 */

const block = (tag) => ({ tag, isBlock: true });
const inline = (tag) => ({ tag, isBlock: false });

/** @type {Object<string, Look>} */
export const LOOKS = {
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
export const BELONGS_IN = {
  td: ['tr'],
  th: ['tr'],
  tr: ['tbody', 'table'],
  tbody: ['table'],
  li: ['ul'],
};

/** These hold nothing: an element with text in it is shown by another. */
export const HOLDS_NOTHING = { br: 'span', hr: 'div' };

/**
 * Return what says how an element of a document looks.
 *
 * @param {{tags: Object<string, string>, default: string}} styles  a key is a tag, or its parent's and its own
 * @param {import('../core/document_outline.js').Outline} outline
 * @param {(label: number) => boolean} isRunning  whether elements of a label are part of running text
 * @returns {(row: number) => string}
 */
export function lookOf(styles, outline, isRunning) {
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
