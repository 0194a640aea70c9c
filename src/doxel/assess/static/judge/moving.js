/** Moving: between documents, and between passages or missing grades. */

import { passageAt } from './marking.js';
import { say } from './say.js';

/**
 * @param {import('./desk.js').Desk} desk
 * @param {import('./grading.js').Grading} grading
 * @returns {Object<string, () => any>}
 */
export function movingActions(desk, grading) {
  function turn(step, edge) {
    const doc = desk.neighbour(step);
    return doc === undefined ? say(edge) : desk.open(doc);
  }

  function move(step) {
    if (grading.isOpen || !desk.pool.scale.highlights) return grading.move(step);
    const passages = desk.state.highlights;
    if (!passages.length) return say('There is no passage yet.');
    const index = neighbour(passages, desk.reading.span()?.[0], step);
    return goTo(desk, index);
  }

  return {
    before: () => turn(-1, 'This is the first document.'),
    after: () => turn(1, 'This is the last document.'),
    next: () => move(1),
    previous: () => move(-1),
  };
}

/**
 * Go to a passage: the caret at its start, in sight.
 * @param {import('./desk.js').Desk} desk
 * @param {number} index
 */
export function goTo(desk, index) {
  const passages = desk.state.highlights;
  desk.reading.place(passages[index][0]);
  say(`Passage ${index + 1} of ${passages.length}.`);
}

/** The number of the passage before or after a place; beyond the last one the first comes again. */
function neighbour(passages, point, step) {
  const here = passages.indexOf(passageAt(passages, point));
  if (here >= 0) return (here + step + passages.length) % passages.length;
  const later = point === undefined ? 0 : passages.findIndex(([start]) => start > point);
  if (step > 0) return Math.max(later, 0);
  return (later < 0 ? passages.length : later || passages.length) - 1;
}
