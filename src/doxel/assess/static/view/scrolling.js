/** Scrolling: bring places into view, find the visible parts of a document, notice when it moves. */

const NEAR = 48; // pixels that a place keeps from the edges, where there is room
const FRAMES = 6; // parts that come into sight may turn out larger or smaller than was assumed
/** @type {WeakMap<Element, symbol>} the last wish of each scroller: an earlier one gives up */
const wishes = new WeakMap();
/** How far beyond the screen something still counts, in pixels: so much may be scrolled before it is missed. */
const BEYOND = 600;

/**
 * Return what scrolls when an element is to be seen.
 *
 * @param {Element} element
 * @returns {Element}
 */
export function scrollerOf(element) {
  for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/**
 * Return the part of the window in which a scroller shows something, without its scroll padding.
 *
 * @param {Element} scroller
 * @returns {{top: number, bottom: number}}
 */
export function frameOf(scroller) {
  const isWindow = scroller === document.scrollingElement;
  const rect = scroller.getBoundingClientRect();
  const style = getComputedStyle(scroller);
  const top = isWindow ? 0 : Math.max(0, rect.top);
  const bottom = isWindow ? innerHeight : Math.min(innerHeight, rect.bottom);
  const padding = (value) => Number.parseFloat(value) || 0;
  return { top: top + padding(style.scrollPaddingTop), bottom: bottom - padding(style.scrollPaddingBottom) };
}

/**
 * Scroll no further than needed to see a place; to the middle if it is far away.
 *
 * For some frames it is made sure that the place stays in sight, unless somebody scrolls meanwhile.
 *
 * @param {Element} element  in which the place is
 * @param {() => {top: number, height: number}|null} rectOf  where it is now
 */
export function reveal(element, rectOf) {
  const scroller = scrollerOf(element);
  const wish = Symbol('place');
  wishes.set(scroller, wish);
  let left = null; // how the last frame left it
  const look = (frames) => {
    const rect = wishes.get(scroller) === wish ? rectOf() : null;
    if (rect === null || (left !== null && hasScrolled(left, scroller.scrollTop, rect.top))) return;
    const moved = approach(scroller, rect);
    left = { scrolled: scroller.scrollTop, top: rect.top - moved };
    if (frames > 0) requestAnimationFrame(() => look(frames - 1));
  };
  look(FRAMES);
}

/** Tell whether a place has moved because somebody scrolled, rather than because of what is around it. */
function hasScrolled(left, scrolled, top) {
  const step = scrolled - left.scrolled;
  return Math.abs(step) > 2 && Math.abs(top - left.top + step) < 2;
}

/**
 * Scroll by some pixels, whatever was to be seen before.
 *
 * @param {Element} scroller
 * @param {number} step
 * @returns {boolean}  whether there was anywhere to scroll to
 */
export function scrollBy(scroller, step) {
  wishes.delete(scroller);
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: step, behavior: 'instant' });
  return Math.abs(scroller.scrollTop - before) >= 1;
}

/** Scroll towards a place; return by how much. */
function approach(scroller, rect) {
  const { top, bottom } = frameOf(scroller);
  const height = bottom - top;
  const near = Math.min(NEAR, height / 5);
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
 * Scroll a wide table sideways, so that a place in it is seen.
 *
 * @param {Element|null} table  what scrolls, null for none
 * @param {{left: number}} rect
 */
export function revealSideways(table, rect) {
  if (table === null) return;
  const { left, right } = table.getBoundingClientRect();
  if (rect.left < left + NEAR / 2) table.scrollLeft -= left + NEAR / 2 - rect.left;
  if (rect.left > right - NEAR / 2) table.scrollLeft += rect.left - right + NEAR / 2;
}

/**
 * Return the parts of a document that are on the screen, or near.
 *
 * @param {import('./document_render.js').Rendered} rendered
 * @returns {import('./document_render.js').Part[]}
 */
export function visibleParts({ parts }) {
  return parts.filter(({ node }) => {
    const { top, bottom } = node.getBoundingClientRect();
    return bottom > -BEYOND && top < innerHeight + BEYOND;
  });
}

/** Calls back when a document may have moved on the screen: scrolled, resized, or laid out again. */
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
   * @param {import('./document_render.js').Rendered} rendered
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
