/** Small helpers of all pages, to make and find elements; text goes in as text, never as markup. */

/**
 * Make an element.
 * @param {string} tag
 * @param {Object<string, any>} attributes a function is a listener; true is an empty attribute, false or null none
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (/^(aria|data)-/.test(name)) {
      element.setAttribute(name, String(value)); // these say "true" and "false" in full
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child || child === ''));
  return element;
}

/**
 * The element with an id, which the template promises.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}
