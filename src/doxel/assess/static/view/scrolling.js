/** Scrolling: bring places into view, find the visible parts of a document, notice when it moves. */

const MARGIN = 48; // pixels between a place and the edges, where there is room
const FRAMES = 6; // newly visible parts may be larger or smaller than estimated
/** @type {WeakMap<Element, symbol>}  the last request of each scroller; earlier ones stop */
const requests = new WeakMap();
/** How far beyond the screen a part counts as visible, in pixels, so that scrolling never shows it undrawn. */
const SCREEN_MARGIN = 600;

/**
 * Return the scrolling ancestor of an element.
 *
 * @param {Element} element
 * @returns {Element}
 */
export function findScroller(element) {
  for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/**
 * Return the part of the window that a scroller fills, without its scroll padding.
 *
 * @param {Element} scroller
 * @returns {{top: number, bottom: number}}
 */
export function findFrame(scroller) {
  const isWindow = scroller === document.scrollingElement;
  const rect = scroller.getBoundingClientRect();
  const style = getComputedStyle(scroller);
  const top = isWindow ? 0 : Math.max(0, rect.top);
  const bottom = isWindow ? innerHeight : Math.min(innerHeight, rect.bottom);
  const padding = (value) => Number.parseFloat(value) || 0;
  return { top: top + padding(style.scrollPaddingTop), bottom: bottom - padding(style.scrollPaddingBottom) };
}

/**
 * Scroll a place into view, no further than needed; a place far away goes to the middle.
 *
 * For some frames the place is kept in view, unless the user scrolls meanwhile.
 *
 * @param {Element} element  contains the place
 * @param {() => {top: number, height: number}|null} findRect  returns the present rectangle of the place
 */
export function reveal(element, findRect) {
  const scroller = findScroller(element);
  const request = Symbol('place');
  requests.set(scroller, request);
  let last = null; // the state after the last frame
  const check = (frames) => {
    const rect = requests.get(scroller) === request ? findRect() : null;
    if (rect === null || (last !== null && hasScrolled(last, scroller.scrollTop, rect.top))) return;
    const distance = scrollTowards(scroller, rect);
    last = { scrolled: scroller.scrollTop, top: rect.top - distance };
    if (frames > 0) requestAnimationFrame(() => check(frames - 1));
  };
  check(FRAMES);
}

/** Return whether a place has moved because the user scrolled, not because the layout changed. */
function hasScrolled(last, scrolled, top) {
  const step = scrolled - last.scrolled;
  return Math.abs(step) > 2 && Math.abs(top - last.top + step) < 2;
}

/**
 * Scroll by a number of pixels, and forget the place that was to stay in view.
 *
 * @param {Element} scroller
 * @param {number} step
 * @returns {boolean}  whether it could scroll
 */
export function scrollBy(scroller, step) {
  requests.delete(scroller);
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: step, behavior: 'instant' });
  return Math.abs(scroller.scrollTop - before) >= 1;
}

/** Scroll towards a place; return the distance. */
function scrollTowards(scroller, rect) {
  const { top, bottom } = findFrame(scroller);
  const height = bottom - top;
  const near = Math.min(MARGIN, height / 5);
  const above = top + near - rect.top;
  const below = rect.top + rect.height - (bottom - near);
  if (above <= 0 && below <= 0) return 0;
  const isFar = Math.max(above, below) > height;
  const middle = rect.top + rect.height / 2 - (top + bottom) / 2;
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: isFar ? middle : above > 0 ? -above : below, behavior: 'instant' });
  return scroller.scrollTop - before;
}

/**
 * Scroll a wide table sideways to bring a place in it into view.
 *
 * @param {Element|null} table  null for none
 * @param {{left: number}} rect
 */
export function revealSideways(table, rect) {
  if (table === null) return;
  const { left, right } = table.getBoundingClientRect();
  if (rect.left < left + MARGIN / 2) table.scrollLeft -= left + MARGIN / 2 - rect.left;
  if (rect.left > right - MARGIN / 2) table.scrollLeft += rect.left - right + MARGIN / 2;
}

/**
 * Return the parts of a document that are on the screen or near it.
 *
 * @param {import('./document_render.js').Rendered} rendered
 * @returns {import('./document_render.js').Part[]}
 */
export function findVisibleParts({ parts }) {
  return parts.filter(({ node }) => {
    const { top, bottom } = node.getBoundingClientRect();
    return bottom > -SCREEN_MARGIN && top < innerHeight + SCREEN_MARGIN;
  });
}

/** Calls back when a document may have moved on the screen: scrolled, resized, or laid out again. */
export class MoveWatcher {
  #callback;
  #rendered;
  #sizes;
  #frame = 0;
  #schedule = () => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#callback();
    });
  };

  /**
   * @param {import('./document_render.js').Rendered} rendered
   * @param {() => void} callback  called before the next frame
   */
  constructor(rendered, callback) {
    this.#rendered = rendered;
    this.#callback = callback;
    this.#sizes = new ResizeObserver(this.#schedule);
    this.#sizes.observe(rendered.root);
    this.#sizes.observe(rendered.container);
    rendered.root.addEventListener('contentvisibilityautostatechange', this.#schedule, true);
    addEventListener('scroll', this.#schedule, { capture: true, passive: true });
    addEventListener('resize', this.#schedule);
  }

  /** Stop watching. */
  stop() {
    this.#sizes.disconnect();
    this.#rendered.root.removeEventListener('contentvisibilityautostatechange', this.#schedule, true);
    removeEventListener('scroll', this.#schedule, { capture: true });
    removeEventListener('resize', this.#schedule);
    cancelAnimationFrame(this.#frame);
  }
}
