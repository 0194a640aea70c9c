/** What systems found: off at first, shown on request; that somebody looked is kept before anything is shown. */

import { counted } from '../core/page_helpers.js';
import { say } from './say.js';

/** Shows pooled elements over the text, or does not. */
export class Pooled extends EventTarget {
  #desk;
  isShown = false;

  /** @param {import('./desk.js').Desk} desk */
  constructor(desk) {
    super();
    this.#desk = desk;
    desk.addEventListener('opened', () => this.#hide());
  }

  /** Show or hide. */
  async toggle() {
    const desk = this.#desk;
    if (this.isShown) {
      if (desk.isEditable) desk.act({ kind: 'show', body: { pooled: false } });
      this.#hide();
      return say('What systems found is hidden.');
    }
    const { doc } = desk;
    try {
      if (desk.isEditable) await desk.look();
      const { parts } = await desk.pooled(doc);
      if (doc === desk.doc) this.#paint(parts);
    } catch (error) {
      say(`What systems found cannot be shown now: ${error.message}.`, 'wrong');
    }
    return undefined;
  }

  #paint(parts) {
    const { outline, reading } = this.#desk;
    const spans = parts.map((part) => spanOf(part, outline)).filter(Boolean);
    reading.painter.set('retrieved', spans);
    this.isShown = true;
    this.dispatchEvent(new Event('change'));
    say(spans.length ? `Systems found ${counted(spans.length, 'part')} of this document, underlined.`
      : 'Systems found this document as a whole, and no part of it.');
  }

  #hide() {
    this.isShown = false;
    this.#desk.reading.painter.set('retrieved', []);
    this.dispatchEvent(new Event('change'));
  }
}

function spanOf({ path, start, end }, outline) {
  if (start !== null && end !== null) return [start, end];
  const row = path === null ? -1 : outline.row(path);
  return row < 0 ? null : outline.span(row);
}
