/**
 * Sends what waits, in order, pool by pool, in batches that the server takes; one sender at a time over all
 * tabs of a browser.
 *
 * @typedef {import('./store.js').Entry} Entry
 * @typedef {{kind: 'offline'|'signed-out', message: string, pause: number}} Trouble  pause in milliseconds
 */
import { Refused } from './api.js';

const MOST_EVENTS = 200;
const MOST_BYTES = 400_000;
const LONGEST_WAIT = 300;
/** How often the server may fail over the same events before they are tried one by one. */
const MOST_FAILURES = 5;

export class Sender {
  #api;
  #waiting;
  #account;
  #settled;
  #most = MOST_EVENTS;
  #failures = 0;

  /**
   * @param {{api: import('./api.js').Api, waiting: import('./waiting.js').Waiting, account: string,
   *   settled: (outcomes: object[], batch: Entry[]) => Promise<void>}} parts
   */
  constructor({ api, waiting, account, settled }) {
    this.#api = api;
    this.#waiting = waiting;
    this.#account = account;
    this.#settled = settled;
  }

  /**
   * Send everything that waits, as far as that goes.
   *
   * @param {() => Promise<void>} prepared  called when it is our turn
   * @returns {Promise<Trouble|null>}
   */
  async send(prepared) {
    const work = async () => {
      await prepared();
      return this.#sendAll();
    };
    // without locks two tabs may send the same event: the server recognises it
    if (!globalThis.navigator?.locks) return work();
    return navigator.locks.request(`doxel-outbox ${this.#account}`, work);
  }

  async #sendAll() {
    let trouble = null;
    while (trouble === null && this.#waiting.ready.length > 0) {
      const batch = this.#batch(this.#waiting.ready);
      try {
        const outcomes = await this.#outcomes(batch);
        this.#failures = 0;
        this.#most = Math.min(MOST_EVENTS, this.#most * 2);
        await this.#settled(outcomes, batch);
      } catch (error) {
        trouble = await this.#troubleOf(error, batch);
      }
    }
    return trouble;
  }

  /** Return the first events, all of one pool, as many as one call may carry. */
  #batch(entries) {
    const encoder = new TextEncoder();
    const batch = [];
    let bytes = 0;
    for (const entry of entries) {
      if (entry.pool !== entries[0].pool) continue;
      bytes += encoder.encode(JSON.stringify(asSent(entry))).length;
      if (batch.length > 0 && (batch.length >= this.#most || bytes > MOST_BYTES)) break;
      batch.push(entry);
    }
    return batch;
  }

  async #outcomes(batch) {
    let results;
    try {
      const address = `/api/pools/${batch[0].pool}/events`;
      ({ results } = await this.#api.post(address, { events: batch.map(asSent) }));
    } catch (error) {
      results = error instanceof Refused && error.status === 409 ? error.details?.results : null;
      if (!Array.isArray(results)) throw error;
    }
    const isKnown = ({ client, sequence }) =>
      results.some((one) => one.client === client && one.sequence === sequence);
    // an event without an answer would be sent for ever
    if (!batch.every(isKnown)) throw new Error('the answer does not speak of all events');
    return results;
  }

  /** Return what keeps us from going on; null if there is another way, which is taken. */
  async #troubleOf(error, batch) {
    if (!(error instanceof Refused)) return { kind: 'offline', message: error.message, pause: 0 };
    if (error.status === 401) return { kind: 'signed-out', message: error.message, pause: 0 };
    if (error.code === 'csrf') return this.#newSession(error);
    if (error.status === 429 || error.status === 503) return busy(error);
    if (error.status >= 500 && !this.#isLasting()) return busy(error);
    await this.#refuse(error, batch);
    return null;
  }

  /** Tell whether the server has failed so often that the events themselves must be the reason. */
  #isLasting() {
    this.#failures += 1;
    return this.#failures >= MOST_FAILURES;
  }

  /** The whole call was refused: take smaller ones, down to the one event that is the reason. */
  async #refuse(error, batch) {
    if (batch.length > 1) {
      this.#most = batch.length >> 1;
      return;
    }
    const [{ client, sequence }] = batch;
    const { code, message } = error;
    this.#failures = 0;
    await this.#settled([{ client, sequence, status: 'refused', code, message }], batch);
  }

  /** Our word is not that of the session: somebody has signed in again, perhaps in another tab. */
  async #newSession(refusal) {
    const before = this.#api.csrf;
    try {
      const { name, account, csrf } = await this.#api.whoAmI();
      if (account !== this.#account) return { kind: 'signed-out', message: `signed in as ${name}`, pause: 0 };
      return csrf === before ? { kind: 'offline', message: refusal.message, pause: 0 } : null;
    } catch (error) {
      const kind = error instanceof Refused && error.status === 401 ? 'signed-out' : 'offline';
      return { kind, message: error.message, pause: 0 };
    }
  }
}

function busy(error) {
  const pause = Math.min(error.retryAfter, LONGEST_WAIT) * 1000;
  return { kind: 'offline', message: error.message, pause };
}

function asSent({ doc, client, sequence, fingerprint, kind, body }) {
  return { doc, client, sequence, fingerprint, kind, body };
}
