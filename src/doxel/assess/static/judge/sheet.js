/** On a small screen the judgement lies below the text, and comes up on request. */

import { byId } from '../core/page_helpers.js';

/**
 * @returns {{open: () => void, close: () => void}}
 */
export function sheet() {
  const [handle, panel] = [byId('sheet'), byId('panel')];
  const set = (isOpen) => {
    handle.setAttribute('aria-expanded', String(isOpen));
    panel.toggleAttribute('data-open', isOpen);
  };
  handle.addEventListener('click', () => set(handle.getAttribute('aria-expanded') === 'false'));
  return { open: () => set(true), close: () => set(false) };
}
