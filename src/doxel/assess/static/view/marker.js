/** A marker at a point of the text, such as the best entry point: a flag that stands there, over the text. */
import { caretRect } from './caret-rect.js';

export class Marker {
  #node;
  #positions;
  #position;

  /**
   * @param {HTMLElement} layer
   * @param {string} name
   * @param {import('./positions.js').Positions} positions
   * @param {number} position
   */
  constructor(layer, name, positions, position) {
    this.#positions = positions;
    this.#position = position;
    this.#node = document.createElement('div');
    this.#node.className = `point point-${name}`;
    layer.append(this.#node);
  }

  /** Put the marker where its point is now. */
  move() {
    const rect = caretRect(this.#positions, this.#position);
    this.#node.hidden = rect === null;
    if (rect === null) return;
    const origin = this.#node.parentElement.getBoundingClientRect();
    this.#node.style.left = `${rect.left - origin.left}px`;
    this.#node.style.top = `${rect.top - origin.top}px`;
    this.#node.style.height = `${rect.height}px`;
  }

  /** Take it away. */
  remove() {
    this.#node.remove();
  }
}
