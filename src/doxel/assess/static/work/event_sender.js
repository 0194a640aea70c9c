/**
 * Unsent events, and sending them: in order, by assignment, in batches of a size that the server accepts, by one
 * sender at a time over all tabs of a browser.
 *
 * @typedef {import('./local_store.js').Entry} Entry
 * @typedef {{kind: 'offline'|'signed-out', message: string, pause: number}} Trouble  pause in milliseconds
 * @typedef {{client: string, sequence: number, status: string, code?: string, message?: string}} Outcome
 * @typedef {{added: Entry[], acknowledged: Entry[], refused: Entry[]}} Changes
 */
import { compareOrder, getEventKey } from './local_store.js';
import { RefusedError } from './server_api.js';

const MOST_EVENTS = 200;
const MOST_BYTES = 400_000;
const LONGEST_RETRY_AFTER = 300;
/** The number of failures after which the same events are tried one by one. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE = 30_000;

/** Sends the queue, in batches. */
export class Sender {
  #api;
  #queue;
  #account;
  #onSettled;
  #batchSize = MOST_EVENTS;
  #failures = 0;

  /**
   * @param {{api: import('./server_api.js').Api, queue: EventQueue, account: string,
   *   onSettled: (outcomes: object[], batch: Entry[]) => Promise<void>}} parts
   */
  constructor({ api, queue, account, onSettled }) {
    this.#api = api;
    this.#queue = queue;
    this.#account = account;
    this.#onSettled = onSettled;
  }

  /**
   * Send the queue, as far as possible.
   *
   * @param {() => Promise<void>} prepare  called once this tab may send
   * @returns {Promise<Trouble|null>}
   */
  async send(prepare) {
    const work = async () => {
      await prepare();
      return this.#sendAll();
    };
    // without locks two tabs may send the same event: the server recognises it
    if (!globalThis.navigator?.locks) return work();
    return navigator.locks.request(`doxel-outbox ${this.#account}`, work);
  }

  async #sendAll() {
    let trouble = null;
    while (trouble === null && this.#queue.ready.length > 0) {
      const batch = this.#takeBatch(this.#queue.ready);
      try {
        const outcomes = await this.#post(batch);
        this.#failures = 0;
        this.#batchSize = Math.min(MOST_EVENTS, this.#batchSize * 2);
        await this.#onSettled(outcomes, batch);
      } catch (error) {
        trouble = await this.#diagnose(error, batch);
      }
    }
    return trouble;
  }

  /** Return the first events, all of one assignment, up to the limits of one request. */
  #takeBatch(entries) {
    const encoder = new TextEncoder();
    const batch = [];
    let bytes = 0;
    for (const entry of entries) {
      if (entry.assignment !== entries[0].assignment) continue;
      bytes += encoder.encode(JSON.stringify(toPayload(entry))).length;
      if (batch.length > 0 && (batch.length >= this.#batchSize || bytes > MOST_BYTES)) break;
      batch.push(entry);
    }
    return batch;
  }

  async #post(batch) {
    let results;
    try {
      const address = `/api/assignments/${batch[0].assignment}/events`;
      ({ results } = await this.#api.post(address, { events: batch.map(toPayload) }));
    } catch (error) {
      results = error instanceof RefusedError && error.status === 409 ? error.details?.results : null;
      if (!Array.isArray(results)) throw error;
    }
    const isAnswered = ({ client, sequence }) =>
      results.some((result) => result.client === client && result.sequence === sequence);
    // an event without an answer would be sent for ever
    if (!batch.every(isAnswered)) throw new Error('the answer does not cover all events');
    return results;
  }

  /** Return the trouble behind an error; null if it could be dealt with, and sending can go on. */
  async #diagnose(error, batch) {
    if (!(error instanceof RefusedError)) return { kind: 'offline', message: error.message, pause: 0 };
    if (error.status === 401) return { kind: 'signed-out', message: error.message, pause: 0 };
    if (error.code === 'csrf') return this.#renewSession(error);
    if (error.status === 429 || error.status === 503) return describeBusy(error);
    if (error.status >= 500 && !this.#countFailure()) return describeBusy(error);
    await this.#splitOrRefuse(error, batch);
    return null;
  }

  /** Count a failure of the server; return whether the events themselves must be the reason. */
  #countFailure() {
    this.#failures += 1;
    return this.#failures >= MOST_FAILURES;
  }

  /** After a refused request use smaller batches, down to the single event that is the reason. */
  async #splitOrRefuse(error, batch) {
    if (batch.length > 1) {
      this.#batchSize = batch.length >> 1;
      return;
    }
    const [{ client, sequence }] = batch;
    const { code, message } = error;
    this.#failures = 0;
    await this.#onSettled([{ client, sequence, status: 'refused', code, message }], batch);
  }

  /** Fetch the CSRF token again: somebody has signed in again, perhaps in another tab. */
  async #renewSession(refusal) {
    const before = this.#api.csrf;
    try {
      const { name, account, csrf } = await this.#api.fetchSession();
      if (account !== this.#account) return { kind: 'signed-out', message: `signed in as ${name}`, pause: 0 };
      return csrf === before ? { kind: 'offline', message: refusal.message, pause: 0 } : null;
    } catch (error) {
      const kind = error instanceof RefusedError && error.status === 401 ? 'signed-out' : 'offline';
      return { kind, message: error.message, pause: 0 };
    }
  }
}

function describeBusy(error) {
  const pause = Math.min(error.retryAfter, LONGEST_RETRY_AFTER) * 1000;
  return { kind: 'offline', message: error.message, pause };
}

function toPayload({ doc, client, sequence, fingerprint, kind, body, step, reverts }) {
  return { doc, client, sequence, fingerprint, kind, body, step, reverts };
}

/** @returns {Changes} */
export function makeChanges() {
  return { added: [], acknowledged: [], refused: [] };
}

/**
 * Return changes grouped by document.
 *
 * @param {Changes} changes
 * @param {{assignment: number, doc: string}[]} [places]  documents to include even without changes
 * @returns {Iterable<{assignment: number, doc: string} & Changes>}
 */
export function groupByDocument(changes, places = []) {
  const groups = new Map();
  const findGroup = ({ assignment, doc }) => {
    const place = `${assignment} ${doc}`;
    if (!groups.has(place)) groups.set(place, { assignment, doc, ...makeChanges() });
    return groups.get(place);
  };
  places.forEach(findGroup);
  for (const kind of Object.keys(changes)) {
    for (const entry of changes[kind]) findGroup(entry)[kind].push(entry);
  }
  return groups.values();
}

/** Return a name with sixteen random bytes; randomUUID is missing on pages without https. */
function makeClientName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The unsent and the refused events of one account: in memory, on disk where possible, in step with other tabs.
 *
 * An event of this page is removed only when its outcome is known.  An event that has vanished from the disk
 * (another tab sent it, or somebody cleared the disk) is sent once more; the server recognises it.
 */
export class EventQueue {
  #store;
  #owner;
  #client = makeClientName();
  /** By key: the entry, whether it is on disk, whether writing was tried, and the time of its last change. */
  #items = new Map();
  #settledKeys = new Set();
  #clock = 0;
  #order = 0;
  #sequence = 0;

  /** @param {{store: any, user: string, account: string}} parts */
  constructor({ store, user, account }) {
    this.#store = store;
    this.#owner = { user, account };
  }

  /** @returns {Entry[]}  all unsent events, in order */
  get entries() {
    return this.#list(({ entry }) => entry.refusal === null);
  }

  /** @returns {Entry[]}  the unsent events that may be sent: they are on disk, or cannot be written there */
  get ready() {
    return this.#list(({ entry, isTried }) => entry.refusal === null && isTried);
  }

  /** @returns {Entry[]}  the refused events */
  get refused() {
    return this.#list(({ entry }) => entry.refusal !== null);
  }

  /** Whether events would be lost with this page. */
  get isAtRisk() {
    return [...this.#items.values()].some(({ isOnDisk }) => !isOnDisk);
  }

  #list(isWanted) {
    return Array.from(this.#items.values()).filter(isWanted).map(({ entry }) => entry).sort(compareOrder);
  }

  /**
   * Add new events; `keep` writes them to the disk.
   *
   * @param {{assignment: number, doc: string, fingerprint: string, step?: string, reverts?: string|null}} place
   * @param {{kind: string, body: object}[]} events
   * @returns {Entry[]}
   */
  add(place, events) {
    // the clock may be set back: later events must not get an earlier place
    this.#order = Math.max(this.#order, Date.now());
    const common = { ...place, ...this.#owner, client: this.#client, order: this.#order, refusal: null };
    const entries = events.map(({ kind, body }) => ({ ...common, sequence: this.#sequence++, kind, body }));
    for (const entry of entries) this.#put(entry, { isOnDisk: false, isTried: false });
    return entries;
  }

  #put(entry, { isOnDisk, isTried }) {
    this.#clock += 1;
    this.#items.set(getEventKey(entry), { entry, isOnDisk, isTried, changed: this.#clock });
  }

  /** Write entries to the disk that are not there; return whether all are. */
  async keep() {
    const unstoredItems = Array.from(this.#items.values()).filter(({ isOnDisk }) => !isOnDisk);
    if (unstoredItems.length === 0) return true;
    const isOnDisk = await this.#store.put(unstoredItems.map(({ entry }) => entry));
    const stale = [];
    for (const { entry } of unstoredItems) {
      const item = this.#items.get(getEventKey(entry));
      if (item === undefined) stale.push(entry);
      else if (item.entry === entry) this.#put(entry, { isOnDisk, isTried: true });
      else item.isTried = true; // refused meanwhile: the refusal is not written yet
    }
    if (stale.length > 0) await this.#store.remove(stale);
    return isOnDisk;
  }

  /**
   * Read the disk, where other tabs add and remove entries.
   *
   * @param {(changes: Changes) => void} report  called at once with the changes
   */
  async sync(report) {
    const begin = this.#clock;
    const entries = await this.#store.list(this.#owner.account);
    const changes = makeChanges();
    if (entries === null) return;
    const keys = new Set();
    for (const entry of entries) {
      keys.add(getEventKey(entry));
      this.#merge(entry, begin, changes);
    }
    for (const [key, item] of this.#items) {
      if (item.isOnDisk && item.changed <= begin && !keys.has(key)) this.#handleMissing(item, changes);
    }
    report(changes);
  }

  /** Add an entry from the disk, unless it has changed here since. */
  #merge(entry, begin, changes) {
    const item = this.#items.get(getEventKey(entry));
    this.#order = Math.max(this.#order, entry.order);
    if (this.#settledKeys.has(getEventKey(entry)) || (item !== undefined && item.changed > begin)) return;
    const isRefused = entry.refusal !== null;
    this.#put(entry, { isOnDisk: true, isTried: true });
    if (item === undefined || (item.entry.refusal !== null) !== isRefused) {
      changes[isRefused ? 'refused' : 'added'].push(entry);
    }
  }

  #handleMissing({ entry }, changes) {
    if (entry.refusal === null && entry.client === this.#client) {
      this.#put(entry, { isOnDisk: false, isTried: true });
      return;
    }
    this.#items.delete(getEventKey(entry));
    if (entry.refusal === null) changes.acknowledged.push(entry);
  }

  /**
   * Apply the outcomes of sent events.
   *
   * @param {Outcome[]} outcomes
   * @returns {Changes}
   */
  settle(outcomes) {
    const changes = makeChanges();
    for (const outcome of outcomes) {
      const item = this.#items.get(getEventKey(outcome));
      if (outcome.status !== 'refused') {
        this.#remove(outcome);
        if (item !== undefined) changes.acknowledged.push(item.entry);
      } else if (item !== undefined) {
        changes.refused.push(this.#setRefusal(item, { code: outcome.code, message: outcome.message }));
      }
    }
    return changes;
  }

  #setRefusal(item, refusal) {
    const entry = { ...item.entry, refusal };
    this.#put(entry, { isOnDisk: false, isTried: true });
    return entry;
  }

  #remove(event) {
    this.#items.delete(getEventKey(event));
    this.#settledKeys.add(getEventKey(event));
  }

  /**
   * Write settled changes to the disk.
   *
   * @param {Changes} changes
   */
  async record({ acknowledged }) {
    if (acknowledged.length > 0) await this.#store.remove(acknowledged);
    await this.keep();
  }

  /**
   * Remove refused events.
   *
   * @param {Entry[]} entries
   */
  async dismiss(entries) {
    for (const entry of entries) this.#remove(entry);
    await this.#store.remove(entries);
  }

  /**
   * Queue refused events again; they keep their place in the order.
   *
   * @param {Entry[]} entries
   * @returns {Promise<Entry[]>}  the queued entries
   */
  async retry(entries) {
    const items = entries.map((entry) => this.#items.get(getEventKey(entry))).filter(Boolean);
    const queuedEntries = items.map((item) => this.#setRefusal(item, null));
    await this.keep();
    return queuedEntries;
  }
}

/** When to retry after a failure: after pauses that grow, and not before the server allows it. */
export class RetryTimer {
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

  /** Whether an attempt is scheduled. */
  get isSet() {
    return this.#timer !== null;
  }

  /** Milliseconds until the server accepts requests again. */
  get remaining() {
    return Math.max(0, this.#notBefore - Date.now());
  }

  /**
   * Schedule an attempt, unless one is scheduled already.
   *
   * @param {number} milliseconds
   */
  schedule(milliseconds) {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#hasWaited = true;
      this.#attempt();
    }, milliseconds);
  }

  /**
   * Schedule an attempt after a failure.
   *
   * @param {number} retryAfter  milliseconds for which the server wants no requests
   */
  fail(retryAfter) {
    this.#notBefore = Date.now() + retryAfter;
    // attempts made by further work do not count: only a scheduled attempt makes the pause longer
    if (this.#hasWaited) this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
    this.#hasWaited = false;
    // random, so that not all browsers come at once when a server is back
    this.schedule(Math.max(retryAfter, this.#pause * (0.75 + Math.random() / 2)));
  }

  /** Start anew after a success. */
  reset() {
    this.#notBefore = 0;
    this.shorten();
  }

  /** Go back to short pauses. */
  shorten() {
    this.#pause = this.#first;
    this.#hasWaited = false;
  }

  /** Cancel the scheduled attempt. */
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
