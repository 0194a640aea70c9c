/**
 * Unsent events, and sending them: in order, pool by pool, in batches of a size that the server accepts, by one
 * sender at a time over all tabs of a browser.
 *
 * @typedef {import('./local_store.js').Entry} Entry
 * @typedef {{kind: 'offline'|'signed-out', message: string, pause: number}} Trouble  pause in milliseconds
 * @typedef {{client: string, sequence: number, status: string, code?: string, message?: string}} Outcome
 * @typedef {{added: Entry[], acknowledged: Entry[], refused: Entry[]}} Changes
 */
import { byOrder, keyOf } from './local_store.js';
import { Refused } from './server_api.js';

const MOST_EVENTS = 200;
const MOST_BYTES = 400_000;
const LONGEST_WAIT = 300;
/** How often the server may fail over the same events before they are tried one by one. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE = 30_000;

export class Sender {
  #api;
  #waiting;
  #account;
  #settled;
  #most = MOST_EVENTS;
  #failures = 0;

  /**
   * @param {{api: import('./server_api.js').Api, waiting: Waiting, account: string,
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

/** @returns {Changes} */
export function nothing() {
  return { added: [], acknowledged: [], refused: [] };
}

/**
 * Return changes document by document.
 *
 * @param {Changes} changes
 * @param {{pool: number, doc: string}[]} [places]  documents that are to be among them anyhow
 * @returns {Iterable<{pool: number, doc: string} & Changes>}
 */
export function byPlace(changes, places = []) {
  const found = new Map();
  const at = ({ pool, doc }) => {
    const place = `${pool} ${doc}`;
    if (!found.has(place)) found.set(place, { pool, doc, ...nothing() });
    return found.get(place);
  };
  places.forEach(at);
  for (const kind of Object.keys(changes)) {
    for (const entry of changes[kind]) at(entry)[kind].push(entry);
  }
  return found.values();
}

/** Sixteen random bytes, also where a page is not served securely enough for randomUUID. */
function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The unsent and the refused events of one account: in memory, on disk where possible, in step with other tabs.
 *
 * An event of this page is removed only when its outcome is known.  An event that has vanished from the disk
 * (another tab sent it, or somebody cleared the disk) is sent once more; the server recognises it.
 */
export class Waiting {
  #store;
  #owner;
  #client = randomName();
  /** Each with its entry, whether that is on disk, whether that was tried, and when it changed last. */
  #held = new Map();
  #gone = new Set();
  #clock = 0;
  #order = 0;
  #sequence = 0;

  /** @param {{store: any, user: string, account: string}} parts */
  constructor({ store, user, account }) {
    this.#store = store;
    this.#owner = { user, account };
  }

  /** @returns {Entry[]}  what the server shall get, in order */
  get entries() {
    return this.#listed(({ entry }) => entry.refusal === null);
  }

  /** @returns {Entry[]}  of these, what may be sent: it is on disk, or cannot be brought there */
  get ready() {
    return this.#listed(({ entry, isTried }) => entry.refusal === null && isTried);
  }

  /** @returns {Entry[]}  what the server did not want */
  get refused() {
    return this.#listed(({ entry }) => entry.refusal !== null);
  }

  /** Whether something would be lost with this page. */
  get isAtRisk() {
    return [...this.#held.values()].some(({ isOnDisk }) => !isOnDisk);
  }

  #listed(isWanted) {
    return Array.from(this.#held.values()).filter(isWanted).map(({ entry }) => entry).sort(byOrder);
  }

  /**
   * Take in what somebody has just done; `keep` brings it to the disk.
   *
   * @param {{pool: number, doc: string, fingerprint: string}} place
   * @param {{kind: string, body: object}[]} events
   * @returns {Entry[]}
   */
  add(place, events) {
    // the clock may be set back: what is made later must not come to stand before what waits
    this.#order = Math.max(this.#order, Date.now());
    const common = { ...place, ...this.#owner, client: this.#client, order: this.#order, refusal: null };
    const entries = events.map(({ kind, body }) => ({ ...common, sequence: this.#sequence++, kind, body }));
    for (const entry of entries) this.#hold(entry, { isOnDisk: false, isTried: false });
    return entries;
  }

  #hold(entry, { isOnDisk, isTried }) {
    this.#clock += 1;
    this.#held.set(keyOf(entry), { entry, isOnDisk, isTried, changed: this.#clock });
  }

  /** Bring to the disk what is not there; true if all is. */
  async keep() {
    const missing = Array.from(this.#held.values()).filter(({ isOnDisk }) => !isOnDisk);
    if (missing.length === 0) return true;
    const isOnDisk = await this.#store.put(missing.map(({ entry }) => entry));
    const stale = [];
    for (const { entry } of missing) {
      const held = this.#held.get(keyOf(entry));
      if (held === undefined) stale.push(entry);
      else if (held.entry === entry) this.#hold(entry, { isOnDisk, isTried: true });
      else held.isTried = true; // refused meanwhile, which is yet to be written
    }
    if (stale.length > 0) await this.#store.remove(stale);
    return isOnDisk;
  }

  /**
   * Look at the disk, to which other tabs write, and from which they take.
   *
   * @param {(changes: Changes) => void} tell  called the moment that something is known
   */
  async sync(tell) {
    const begin = this.#clock;
    const kept = await this.#store.all(this.#owner.account);
    const changes = nothing();
    if (kept === null) return;
    const found = new Set();
    for (const entry of kept) {
      found.add(keyOf(entry));
      this.#meet(entry, begin, changes);
    }
    for (const [key, held] of this.#held) {
      if (held.isOnDisk && held.changed <= begin && !found.has(key)) this.#miss(held, changes);
    }
    tell(changes);
  }

  /** Take in an entry from the disk, unless something newer is known of it. */
  #meet(entry, begin, changes) {
    const held = this.#held.get(keyOf(entry));
    this.#order = Math.max(this.#order, entry.order);
    if (this.#gone.has(keyOf(entry)) || (held !== undefined && held.changed > begin)) return;
    const isRefused = entry.refusal !== null;
    this.#hold(entry, { isOnDisk: true, isTried: true });
    if (held === undefined || (held.entry.refusal !== null) !== isRefused) {
      changes[isRefused ? 'refused' : 'added'].push(entry);
    }
  }

  #miss({ entry }, changes) {
    if (entry.refusal === null && entry.client === this.#client) {
      this.#hold(entry, { isOnDisk: false, isTried: true });
      return;
    }
    this.#held.delete(keyOf(entry));
    if (entry.refusal === null) changes.acknowledged.push(entry);
  }

  /**
   * Learn what became of events.
   *
   * @param {Outcome[]} outcomes
   * @returns {Changes}
   */
  settle(outcomes) {
    const changes = nothing();
    for (const outcome of outcomes) {
      const held = this.#held.get(keyOf(outcome));
      if (outcome.status !== 'refused') {
        this.#let(outcome);
        if (held !== undefined) changes.acknowledged.push(held.entry);
      } else if (held !== undefined) {
        changes.refused.push(this.#mark(held, { code: outcome.code, message: outcome.message }));
      }
    }
    return changes;
  }

  #mark(held, refusal) {
    const entry = { ...held.entry, refusal };
    this.#hold(entry, { isOnDisk: false, isTried: true });
    return entry;
  }

  #let(event) {
    this.#held.delete(keyOf(event));
    this.#gone.add(keyOf(event));
  }

  /**
   * Write to the disk what has been learnt.
   *
   * @param {Changes} changes
   */
  async record({ acknowledged }) {
    if (acknowledged.length > 0) await this.#store.remove(acknowledged);
    await this.keep();
  }

  /**
   * Let go of refused events.
   *
   * @param {Entry[]} entries
   */
  async dismiss(entries) {
    for (const entry of entries) this.#let(entry);
    await this.#store.remove(entries);
  }

  /**
   * Have refused events sent again; they keep their place in the order.
   *
   * @param {Entry[]} entries
   * @returns {Promise<Entry[]>}  those that wait now
   */
  async retry(entries) {
    const held = entries.map((entry) => this.#held.get(keyOf(entry))).filter(Boolean);
    const waiting = held.map((one) => this.#mark(one, null));
    await this.keep();
    return waiting;
  }
}

/** When to retry after a failure: after pauses that grow, and not before the server allows it. */
export class Pacing {
  #first;
  #pause;
  #attempt;
  #timer = null;
  #notBefore = 0;
  #isStopped = false;
  #hasWaited = false;

  /**
   * @param {number} first  milliseconds of the first pause; each one after it is twice as long
   * @param {() => void} attempt
   */
  constructor(first, attempt) {
    this.#first = first;
    this.#pause = first;
    this.#attempt = attempt;
  }

  /** Whether an attempt is going to be made. */
  get isSet() {
    return this.#timer !== null;
  }

  /** Milliseconds for which the server wants to be left alone. */
  get early() {
    return Math.max(0, this.#notBefore - Date.now());
  }

  /**
   * Try again in some time, unless it will be tried anyhow.
   *
   * @param {number} milliseconds
   */
  later(milliseconds) {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#hasWaited = true;
      this.#attempt();
    }, milliseconds);
  }

  /**
   * It has failed: try again after a pause.
   *
   * @param {number} wanted  milliseconds that the server wants to be left alone
   */
  failed(wanted) {
    this.#notBefore = Date.now() + wanted;
    // who goes on working tries with every step, and shall not wait the longer for it
    if (this.#hasWaited) this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
    this.#hasWaited = false;
    // not all at the same moment when a server comes back
    this.later(Math.max(wanted, this.#pause * (0.75 + Math.random() / 2)));
  }

  /** It has worked: the next failure is the first. */
  succeeded() {
    this.#notBefore = 0;
    this.hope();
  }

  /** There is reason to hope: go back to short pauses. */
  hope() {
    this.#pause = this.#first;
    this.#hasWaited = false;
  }

  /** It is being tried: what was planned is not needed any more. */
  cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Never try again. */
  stop() {
    this.#isStopped = true;
    this.cancel();
  }
}
