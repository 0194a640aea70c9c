/**
 * Sets of characters of one document, as sorted spans that do not touch; positions are code points.
 *
 * @typedef {[number, number]} Span  start and end, half open
 */

/**
 * Return all characters that are in either of two sets, however their spans lie.
 *
 * @param {Span[]} one
 * @param {Span[]} [other]
 * @returns {Span[]}
 */
export function joined(one, other = []) {
  const spans = [...one, ...other].filter(([start, end]) => start >= 0 && start < end);
  spans.sort((left, right) => left[0] - right[0]);
  const found = [];
  let last = null;
  for (const [start, end] of spans) {
    if (last !== null && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      last = [start, end];
      found.push(last);
    }
  }
  return found;
}

/**
 * Return the characters that are in both sets.
 *
 * @param {Span[]} one
 * @param {Span[]} other
 * @returns {Span[]}
 */
export function common(one, other) {
  const [left, right] = [joined(one), joined(other)];
  const found = [];
  for (let here = 0, there = 0; here < left.length && there < right.length; ) {
    const start = Math.max(left[here][0], right[there][0]);
    const end = Math.min(left[here][1], right[there][1]);
    if (start < end) found.push([start, end]);
    if (left[here][1] < right[there][1]) here += 1;
    else there += 1;
  }
  return found;
}

/**
 * Return the characters of the first set that are not in the second.
 *
 * @param {Span[]} one
 * @param {Span[]} other
 * @returns {Span[]}
 */
export function without(one, other) {
  const gone = joined(other);
  const ends = [0, ...gone.map(([, end]) => end)];
  const starts = [...gone.map(([start]) => start), Infinity];
  return common(one, ends.map((end, at) => [end, starts[at]]));
}
