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
  const [left, right] = [sorted(one), sorted(other)];
  const found = [];
  let last = null;
  for (let here = 0, there = 0; here < left.length || there < right.length; ) {
    const isLeft = there === right.length || (here < left.length && left[here][0] <= right[there][0]);
    const span = isLeft ? left[here++] : right[there++];
    if (last !== null && span[0] <= last[1]) {
      if (span[1] > last[1]) last = found[found.length - 1] = [last[0], span[1]];
    } else {
      last = span;
      found.push(span);
    }
  }
  return found;
}

/** Return spans in order, without those that hold nothing; what is in order already is not copied. */
function sorted(spans) {
  const isFine = ([start, end], at) => start >= 0 && start < end && (at === 0 || spans[at - 1][0] <= start);
  if (spans.every(isFine)) return spans;
  const held = spans.filter(([start, end]) => start >= 0 && start < end);
  return held.sort((left, right) => left[0] - right[0]);
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
