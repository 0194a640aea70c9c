/**
 * When a document may be called done: the rules of its scale, as the server has them.
 *
 * - A best entry point if and only if something is highlighted, where text is highlighted.
 * - No grade missing: of elements with highlighted text (inside one that is too small none is needed), or of
 *   pooled elements where text is not highlighted.
 * - Exhaustivity is 0 exactly where nothing is highlighted; else the first grade is its lowest exactly where
 *   the second is.
 * - An element has at least the degree of every element inside it.
 *
 * @typedef {import('./fold.js').State} State
 * @typedef {{name: string, highlights: boolean, grades: Object<string, string[]>, degree: string|null}} Scale
 * @typedef {{code: string, message: string, path: string|null}} Breach
 */
import { joined } from './characters.js';
import { firstFrom } from './offsets.js';
import { counted } from './wording.js';

const TOO_SMALL = '?';

/**
 * Return everything that keeps a document from being done, in document order.
 *
 * @param {State} state
 * @param {Scale} scale
 * @param {import('./outline.js').Outline} outline
 * @param {string[]} [pooledPaths]  where there are none, the root stands for the document
 * @returns {Breach[]}
 */
export function breaches(state, scale, outline, pooledPaths = []) {
  const found = scale.highlights ? entryPoint(state) : [];
  if (Object.keys(scale.grades).length === 0) return found;
  const given = new Map();
  for (const [path, grades] of Object.entries(state.grades)) {
    const row = outline.row(path);
    if (row >= 0) given.set(row, grades);
  }
  const marked = scale.highlights ? highlighted(state, outline) : null;
  const byRow = [
    ...missing(marked, outline, given, pooledPaths),
    ...contradictions(marked, scale, outline, given),
    ...order(scale, outline, given),
  ];
  byRow.sort((one, other) => one.row - other.row || compared(one.code, other.code));
  return [...found, ...byRow.map(({ row, code, said }) => breach(outline.path(row), code, said))];
}

/**
 * Return how many characters of each element are highlighted.
 *
 * @param {State} state
 * @param {import('./outline.js').Outline} outline
 * @returns {Int32Array}
 */
function highlighted(state, outline) {
  const spans = joined(state.highlights);
  const before = [0];
  for (const [start, end] of spans) before.push(before.at(-1) + end - start);
  const until = (position) => {
    const at = firstFrom(spans.length, (one) => spans[one][1] > position);
    return before[at] + (at < spans.length ? Math.max(0, position - spans[at][0]) : 0);
  };
  return Int32Array.from(outline.start, (start, row) => until(outline.end[row]) - until(start));
}

function breach(path, code, said) {
  return { code, message: `${path} ${said}`, path };
}

function entryPoint({ highlights, bep }) {
  const isMarked = highlights.length > 0;
  if (isMarked && bep === null) {
    const message = 'something is highlighted, and there is no best entry point';
    return [{ code: 'bep-missing', message, path: null }];
  }
  if (!isMarked && bep !== null) {
    const message = 'there is a best entry point, and nothing is highlighted';
    return [{ code: 'bep-alone', message, path: null }];
  }
  return [];
}

function* missing(marked, outline, given, pooledPaths) {
  // mostly nothing is: then nobody has to look
  const mayBeInside = marked !== null && Array.from(given.values()).some(isTooSmall);
  for (const row of wanted(marked, outline, pooledPaths)) {
    const isExcused = mayBeInside && isInsideTooSmall(outline, given, row);
    if (!given.has(row) && !isExcused) yield { row, code: 'grade-missing', said: 'has no grade' };
  }
}

function wanted(marked, outline, pooledPaths) {
  if (marked !== null) return Array.from(marked.keys()).filter((row) => marked[row] > 0);
  return toGrade(outline, pooledPaths).map((path) => outline.row(path));
}

/**
 * Return the elements that must have grades where text is not highlighted: the pooled ones, or the root.
 *
 * @param {import('./outline.js').Outline} outline
 * @param {string[]} pooledPaths
 * @returns {string[]}  their paths
 */
export function toGrade(outline, pooledPaths) {
  const known = pooledPaths.filter((path) => outline.row(path) >= 0);
  return known.length > 0 || outline.length === 0 ? known : [outline.path(0)];
}

function isInsideTooSmall(outline, given, row) {
  return outline.ancestors(row).some((above) => given.has(above) && isTooSmall(given.get(above)));
}

function isTooSmall({ exhaustivity }) {
  return exhaustivity === TOO_SMALL;
}

function* contradictions(marked, scale, outline, given) {
  for (const [row, grades] of given) {
    const found = marked === null ? unlikeGrades(scale, grades) : unlikeMarks(grades, marked[row]);
    if (found !== null) yield { row, code: 'grade-contradiction', said: `has ${found}` };
  }
}

function unlikeMarks({ exhaustivity }, characters) {
  const isLike = (exhaustivity === '0') === (characters === 0);
  return isLike ? null : `exhaustivity ${exhaustivity} with ${counted(characters, 'highlighted character')}`;
}

function unlikeGrades(scale, grades) {
  const [first, second] = Object.keys(scale.grades);
  const isLike = (grades[first] === '0') === (grades[second] === scale.grades[second][0]);
  return isLike ? null : `${first} ${grades[first]} with ${second} ${grades[second]}`;
}

function* order(scale, outline, given) {
  const degree = (row) => given.get(row)[scale.degree];
  const rank = (row) => (scale.degree === null ? 0 : scale.grades[scale.degree].indexOf(degree(row)));
  for (const row of given.keys()) {
    const above = outline.ancestors(row).find((one) => given.has(one));
    if (above !== undefined && rank(above) < rank(row)) {
      const said = `has ${degree(row)}, ${outline.path(above)} has ${degree(above)} around it`;
      yield { row, code: 'grade-order', said };
    }
  }
}

function compared(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
