/**
 * Marks over a document, none of which touches it: spans are painted by the browser (CSS Custom Highlight
 * API), or where it cannot, by boxes that lie over the text; points get a marker that lies over it too.
 *
 * How each name looks is in view.css, as `::highlight(name)` and as `.paint-name`.
 */
import { Boxes } from './boxes.js';
import { Marker } from './marker.js';
import { Registered } from './registered.js';
import { Watch } from './watch.js';

/** What a mark lies over, lowest first; others lie over all of these. */
const ORDER = ['judged', 'agreed', 'only-one', 'only-other', 'retrieved'];
/** Underlined or outlined: not every browser that can highlight can do that. */
const DRAWN = new Set(['retrieved', 'only-one', 'only-other', 'selected-passage']);

export class Painter {
  #watch;
  #boxes;
  #registered = null;
  #layer;
  #positions;
  #markers = new Map();

  /**
   * @param {import('./render.js').Rendered} rendered
   * @param {import('./positions.js').Positions} positions
   */
  constructor(rendered, positions) {
    this.#layer = rendered.layer;
    this.#positions = positions;
    this.#watch = new Watch(rendered, () => this.#moved());
    this.#boxes = new Boxes(rendered, positions);
    if (canHighlight()) this.#registered = new Registered(positions, ORDER);
  }

  /**
   * Mark some spans, instead of those that had the name before.
   *
   * @param {string} name
   * @param {[number, number][]} spans
   */
  set(name, spans) {
    const isRegistered = this.#registered !== null && !(DRAWN.has(name) && !canDecorate());
    (isRegistered ? this.#registered : this.#boxes).set(name, spans);
  }

  /**
   * Mark a point, instead of the one that had the name before.
   *
   * @param {string} name
   * @param {number|null} position
   */
  setPoint(name, position) {
    this.#markers.get(name)?.remove();
    this.#markers.delete(name);
    if (position === null) return;
    const marker = new Marker(this.#layer, name, this.#positions, position);
    this.#markers.set(name, marker);
    marker.move();
  }

  /** Take everything away. */
  destroy() {
    this.#watch.stop();
    this.#boxes.clear();
    this.#registered?.clear();
    for (const marker of this.#markers.values()) marker.remove();
    this.#markers.clear();
  }

  #moved() {
    this.#boxes.draw();
    for (const marker of this.#markers.values()) marker.move();
  }
}

function canHighlight() {
  return typeof Highlight === 'function' && typeof CSS !== 'undefined' && 'highlights' in CSS;
}

/** Firefox highlights, but draws no lines under what is highlighted. */
function canDecorate() {
  return !CSS.supports('-moz-appearance', 'none') || CSS.supports('-webkit-app-region', 'none');
}
