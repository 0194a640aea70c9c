/** Tells when a document may have moved on the screen: scrolled, resized, or laid out anew. */

export class Watch {
  #moved;
  #rendered;
  #sizes;
  #frame = 0;
  #soon = () => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#moved();
    });
  };

  /**
   * @param {import('./render.js').Rendered} rendered
   * @param {() => void} moved  called before the next frame
   */
  constructor(rendered, moved) {
    this.#rendered = rendered;
    this.#moved = moved;
    this.#sizes = new ResizeObserver(this.#soon);
    this.#sizes.observe(rendered.root);
    this.#sizes.observe(rendered.container);
    rendered.root.addEventListener('contentvisibilityautostatechange', this.#soon, true);
    addEventListener('scroll', this.#soon, { capture: true, passive: true });
    addEventListener('resize', this.#soon);
  }

  /** Watch no more. */
  stop() {
    this.#sizes.disconnect();
    this.#rendered.root.removeEventListener('contentvisibilityautostatechange', this.#soon, true);
    removeEventListener('scroll', this.#soon, { capture: true });
    removeEventListener('resize', this.#soon);
    cancelAnimationFrame(this.#frame);
  }
}
