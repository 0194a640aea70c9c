/** What of a document is on the screen. */

/** How far beyond the screen something still counts, in pixels: so much may be scrolled before it is missed. */
const BEYOND = 600;

/**
 * Return the parts of a document that are on the screen, or near.
 *
 * @param {import('./render.js').Rendered} rendered
 * @returns {import('./render.js').Part[]}
 */
export function visibleParts({ parts }) {
  return parts.filter(({ node }) => {
    const { top, bottom } = node.getBoundingClientRect();
    return bottom > -BEYOND && top < innerHeight + BEYOND;
  });
}
