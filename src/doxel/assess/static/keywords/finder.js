/** Patterns found in a text by a worker, each within a time limit. */

/** A pattern was stopped because it took too long. */
export class TooSlow extends Error {}

/** Another search was asked for before this one was done. */
export class Dropped extends Error {}

const LIMIT = 1_000; // milliseconds
const GRACE = 60; // an answer that has come already may still wait to be read

/** One search after the other, so that it is known which one takes too long. */
export class Finder {
  #text = '';
  #limit;
  #worker = null;
  #waiting = [];
  #current = null;
  #timer = 0;
  #next = 0;

  /** @param {{limit?: number}} [how] the time that one search may take, in milliseconds */
  constructor({ limit = LIMIT } = {}) {
    this.#limit = limit;
  }

  /**
   * Take another text; searches in the one before are dropped.
   *
   * @param {string} text
   */
  take(text) {
    this.#text = text;
    const dropped = [this.#current, ...this.#waiting.splice(0)].filter((one) => one !== null);
    if (this.#current !== null) this.#end();
    this.#worker?.postMessage({ text });
    for (const one of dropped) one.reject(new Dropped());
  }

  /**
   * Find a pattern.  A search under a name takes the place of the one under the same name.
   *
   * @param {string} name
   * @param {string} source
   * @param {string} flags
   * @returns {Promise<{places: number[], isCut: boolean}>} starts and ends in turn, in UTF-16 units
   */
  find(name, source, flags) {
    return new Promise((resolve, reject) => {
      for (const old of this.#waiting.filter((one) => one.name === name)) old.reject(new Dropped());
      this.#waiting = this.#waiting.filter((one) => one.name !== name);
      this.#waiting.push({ id: this.#next++, name, source, flags, resolve, reject });
      this.#go();
    });
  }

  #go() {
    if (this.#current !== null || this.#waiting.length === 0) return;
    this.#current = this.#waiting.shift();
    this.#worker ??= this.#begin();
    const { id, source, flags } = this.#current;
    this.#worker.postMessage({ id, source, flags });
  }

  #begin() {
    const worker = new Worker(new URL('./worker.js', import.meta.url));
    worker.onmessage = ({ data }) => this.#told(data);
    worker.onerror = (event) => this.#fail(new Error(event.message || 'patterns cannot be searched for'));
    worker.postMessage({ text: this.#text });
    return worker;
  }

  #told({ id, isBegun, places, isCut }) {
    if (this.#current?.id !== id) return;
    clearTimeout(this.#timer);
    if (isBegun) {
      // time counts from here: a worker that starts late, or gets a long text, is not to blame
      this.#timer = setTimeout(() => { this.#timer = setTimeout(() => this.#fail(new TooSlow()), GRACE); }, this.#limit);
      return;
    }
    const { resolve } = this.#current;
    this.#current = null;
    resolve({ places, isCut });
    this.#go();
  }

  #fail(error) {
    const { reject } = this.#current ?? { reject: () => {} };
    this.#end();
    reject(error);
    this.#go();
  }

  #end() {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#current = null;
  }
}
