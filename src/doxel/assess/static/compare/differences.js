/** What differs between two assessors of a document, in order and in words. */

import { counted, told } from '../core/page_helpers.js';

/**
 * @typedef {[number, number]} Span
 * @typedef {{path: string, one: Object<string, string>|null, other: Object<string, string>|null}} Grades
 * @typedef {{agreed: Span[], only_one: Span[], only_other: Span[], beps: (number|null)[], grades: Grades[]}} Found
 */

/**
 * Return the differences in the order of the text: passages that only one marked, and entry points.
 *
 * @param {Found} found
 * @param {string} one  the name of one assessor
 * @param {string} other
 * @returns {{start: number, end: number, about: string}[]}
 */
export function differencesOf(found, one, other) {
  const passages = [[found.only_one, one], [found.only_other, other]].flatMap(([spans, name]) => (
    spans.map(([start, end]) => ({ start, end, about: `only ${name}, ${characters(end - start)}` }))));
  return [...passages, ...entries(found.beps, one, other)].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** One difference for two entry points that are apart, at the first of them. */
function entries([here, there], one, other) {
  if (here === there) return [];
  if (here === null || there === null) {
    const [start, name] = here === null ? [there, other] : [here, one];
    return [{ start, end: start, about: `an entry point of ${name} only` }];
  }
  const [first, second, from, to] = here < there ? [here, there, one, other] : [there, here, other, one];
  const about = `entry point of ${from}; that of ${to} comes ${characters(second - first)} later`;
  return [{ start: first, end: first, about }];
}

/**
 * Say how far the entry points are apart.
 *
 * @param {(number|null)[]} beps
 * @param {string} one
 * @param {string} other
 * @returns {string} empty if there are none
 */
export function entrySentence([here, there], one, other) {
  if (here === null && there === null) return '';
  if (here === null) return `Only ${other} has an entry point.`;
  if (there === null) return `Only ${one} has an entry point.`;
  if (here === there) return 'Both have the same entry point.';
  return `The entry points are ${characters(Math.abs(here - there))} apart.`;
}

/**
 * Return the rows of a table of grades: element, one, other.
 *
 * @param {Grades[]} grades
 * @returns {string[][]}
 */
export function gradeRows(grades) {
  const written = (some) => (some === null ? 'not graded' : told(some));
  return grades.map(({ path, one, other }) => [path, written(one), written(other)]);
}

function characters(count) {
  return counted(count, 'character');
}
