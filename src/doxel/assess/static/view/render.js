/**
 * A document on the screen, built from its text and its table of elements alone: a fixed set of harmless
 * elements, and text.  Nothing of the source's markup comes in, so nothing in a document can run.
 *
 * A long document is cut into parts that the browser lays out when they come into sight.
 *
 * @typedef {object} Rendered
 * @property {Text} text
 * @property {Outline} outline
 * @property {HTMLElement} container  what the page has put there for the document
 * @property {HTMLElement} root  what holds the document, and nothing else
 * @property {HTMLElement} layer  what lies over it: markers and the caret
 * @property {(HTMLElement|null)[]} nodes  by row; null: shown as part of what is around it
 * @property {globalThis.Text[]} texts  all text nodes, in order
 * @property {number[]} units  where each of them begins
 * @property {Uint8Array} isBlock  by row: whether it begins a line of its own
 * @property {Part[]} parts
 *
 * @typedef {{node: HTMLElement, start: number, end: number}} Part  a stretch of UTF-16 units that one node holds
 */
import { Outline, runningLabels } from '../core/document_outline.js';
import { Text } from '../core/text_offsets.js';
import { Builder } from './builder.js';
import { lookOf } from './looks.js';

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
