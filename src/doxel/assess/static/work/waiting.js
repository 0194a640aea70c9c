/**
 * What waits for the server, and what it refused, of one account: in memory, on disk as far as that is possible,
 * and in step with other tabs.
 *
 * An event of this page goes only when it is known what became of it.  One that has vanished from the disk
 * (another tab sent it, or somebody cleared the disk) is sent once more, which the server recognises.
 *
 * @typedef {import('./store.js').Entry} Entry
 * @typedef {{client: string, sequence: number, status: string, code?: string, message?: string}} Outcome
 * @typedef {{added: Entry[], acknowledged: Entry[], refused: Entry[]}} Changes
 */
import { byOrder, keyOf } from './store.js';

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
