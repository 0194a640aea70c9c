/** The documents of a pool: the open one, and the next one fetched ahead so that it is there at once. */

import { addressed } from '../work/server_api.js';

const KEPT = 3;

/** Fetches documents, and keeps the last few. */
export class Shelf {
  #api;
  #pool;
  #kept = new Map();

  /**
   * @param {import('../work/server_api.js').Api} api
   * @param {number} pool
   */
  constructor(api, pool) {
    this.#api = api;
    this.#pool = pool;
  }

  /**
   * A document as the server tells it: text and elements.
   * @param {string} doc
   * @returns {Promise<object>}
   */
  take(doc) {
    const found = this.#kept.get(doc) ?? this.#api.get(`/api/pools/${this.#pool}/documents/${addressed(doc)}`);
    this.#kept.delete(doc);
    this.#kept.set(doc, found);
    // one that failed is asked for again next time
    found.catch(() => this.#kept.delete(doc));
    while (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value);
    return found;
  }

  /**
   * Fetch a document before it is wanted, when there is nothing better to do.
   * @param {string|undefined} doc
   */
  ahead(doc) {
    if (doc === undefined) return;
    const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
    later(() => this.take(doc).catch(() => {})); // without it the document only comes later
  }
}
