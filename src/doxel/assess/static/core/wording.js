/** The words of messages: counts that agree with their nouns, grades, beginnings of texts and of sentences. */

/**
 * A number with its noun: "1 passage", "3 passages".
 * @param {number} count
 * @param {string} noun
 * @param {string} plural
 * @returns {string}
 */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}

/**
 * The beginning of a text, on one line.
 * @param {string} text
 * @param {number} most characters
 * @returns {string}
 */
export function excerpt(text, most = 90) {
  const characters = Array.from(text.slice(0, 4 * most).replace(/\s+/g, ' ').trim());
  if (characters.length <= most) return characters.join('');
  const kept = characters.slice(0, most - 1).join('');
  // between words, unless the last one is very long
  return `${kept.replace(/\s\S{0,14}$/u, '').replace(/[\s.,;:…]+$/u, '')}…`;
}

/**
 * The beginning of a sentence.
 * @param {string} words
 * @returns {string}
 */
export function capitalised(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * Grades in words.
 * @param {Object<string, string>} grades
 * @returns {string}
 */
export function told(grades) {
  return Object.entries(grades).map(([name, value]) => `${name} ${value}`).join(', ');
}
