/**
 * Unsent events on disk: in IndexedDB, indexed by account, pool and document.
 *
 * Nothing here throws.  A write that fails returns false, and the caller keeps the events in memory.
 *
 * @typedef {{user: string, account: string, pool: number, doc: string, fingerprint: string, client: string,
 *   sequence: number, kind: string, body: object, order: number, refusal: {code: string, message: string}|null}}
 *   Entry  `account` is the owner: the same address may later serve another campaign, with users of the same
 *   names; `client` and `sequence` identify an event; `order` is its time, as far as known
 */

const NAME = 'doxel-assess';
const EVENTS = 'events';
const BY_PLACE = 'account, pool, doc';
const VERSION = 2;
/** Some browsers never answer when their storage is broken; then it is left alone for a while. */
const PATIENCE = 5_000;
const REST = 60_000;
const PREFIX = 'doxel-assess ';

class Silence extends Error {}

/**
 * Open what is on disk.  Where that is not allowed, the store says so with `isKept`.
 *
 * @param {{patience?: number}} [options]  patience: milliseconds after which no answer is expected any more
 * @returns {Promise<Store>}
 */
export async function openStore({ patience = PATIENCE } = {}) {
  const store = new Store(patience);
  await store.all('');
  return store;
}

class Store {
  #patience;
  #opened = null;
  #restsUntil = 0;
  #brink = new Brink();
  /** Whether the last thing that should be kept was kept. */
  isKept = true;

  constructor(patience) {
    this.#patience = patience;
  }

  /**
   * Keep events.  Before this returns they are safe from the page going away, as far as that is possible; the
   * answer comes when they are on disk.
   *
   * @param {Entry[]} entries
   * @returns {Promise<boolean>}
   */
  async put(entries) {
    const isHeld = this.#brink.hold(entries);
    const done = await this.#attempt('readwrite', (events) => {
      for (const entry of entries) events.put(entry);
    });
    if (done !== null) this.#brink.release(entries);
    this.isKept = done !== null || isHeld;
    return this.isKept;
  }

  /**
   * Let go of events.
   *
   * @param {Entry[]} entries
   */
  async remove(entries) {
    this.#brink.release(entries);
    await this.#attempt('readwrite', (events) => {
      for (const { client, sequence } of entries) events.delete([client, sequence]);
    });
  }

  /**
   * Return all that is kept of an account, in the order in which it was made; null if nothing can be read.
   *
   * @param {string} account
   * @returns {Promise<Entry[]|null>}
   */
  async all(account) {
    const ask = (events) => events.index(BY_PLACE).getAll(IDBKeyRange.bound([account], [account, []]));
    const found = await this.#found(ask, (entry) => entry.account === account);
    if (found === null) this.isKept = false;
    return found;
  }

  /**
   * Return what is kept of users of the same name in other campaigns: it is theirs, and stays here.
   *
   * @param {{user: string, account: string}} who
   * @returns {Promise<Entry[]>}
   */
  async ofNamesakes({ user, account }) {
    const isTheirs = (entry) => entry.user === user && entry.account !== account;
    return (await this.#found((events) => events.getAll(), isTheirs)) ?? [];
  }

  /** Return entries on disk and on the brink, in order; null if neither can be read. */
  async #found(ask, isWanted) {
    // first: what leaves the brink meanwhile is on disk by then
    const onBrink = this.#brink.all();
    let request = null;
    const done = await this.#attempt('readonly', (events) => {
      request = ask(events);
    });
    if (done === null && onBrink === null) return null;
    const onDisk = done === null ? [] : request.result;
    // of two, the one on the brink is newer
    const found = new Map([...onDisk, ...(onBrink ?? [])].map((entry) => [keyOf(entry), entry]));
    return Array.from(found.values()).filter(isWanted).sort(byOrder);
  }

  /** Do something within one transaction; null if it did not come to its end. */
  async #attempt(mode, work) {
    // a connection may have been closed behind our back, as after a sleep: so everything is tried twice
    for (let tries = 2; tries > 0 && Date.now() >= this.#restsUntil; tries -= 1) {
      try {
        this.#opened ??= this.#open();
        const database = await this.#opened;
        const transaction = database.transaction(EVENTS, mode, { durability: 'strict' });
        return await this.#within(finished(transaction, work));
      } catch (error) {
        this.#opened = null;
        if (error instanceof Silence) this.#restsUntil = Date.now() + REST;
      }
    }
    return null;
  }

  async #open() {
    const request = globalThis.indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => prepare(request);
    const database = await this.#within(answered(request));
    database.onversionchange = () => database.close();
    return database;
  }

  /** Return what a promise gives, if that comes within time. */
  #within(promise) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Silence()), this.#patience);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }
}

/**
 * Return what tells an event from all others.
 *
 * @param {{client: string, sequence: number}} event
 * @returns {string}
 */
export function keyOf({ client, sequence }) {
  return `${client} ${sequence}`;
}

/**
 * Compare by the order in which events were made.
 *
 * @param {Entry} one
 * @param {Entry} other
 * @returns {number}
 */
export function byOrder(one, other) {
  if (one.order !== other.order) return one.order - other.order;
  if (one.client !== other.client) return one.client < other.client ? -1 : 1;
  return one.sequence - other.sequence;
}

/** Make the store, or bring one of an earlier version up to date; what it holds stays. */
function prepare({ result: database, transaction }) {
  const events = database.objectStoreNames.contains(EVENTS) ? transaction.objectStore(EVENTS)
    : database.createObjectStore(EVENTS, { keyPath: ['client', 'sequence'] });
  for (const outdated of events.indexNames) events.deleteIndex(outdated);
  events.createIndex(BY_PLACE, ['account', 'pool', 'doc']);
}

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function finished(transaction, work) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(true);
    transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
    work(transaction.objectStore(EVENTS));
    // said at once, so that it is carried out even if the page goes away before any answer
    transaction.commit?.();
  });
}

/**
 * Events that are not yet safely in IndexedDB, in localStorage.
 *
 * A page that is being closed cannot wait for IndexedDB, and its last requests may be dropped; localStorage writes
 * at once.  It is small: events stay only until they are on disk, or where there is no IndexedDB.
 */
class Brink {
  /**
   * Keep events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are kept
   */
  hold(entries) {
    return attempt(false, (storage) => {
      for (const entry of entries) storage.setItem(nameOf(entry), JSON.stringify(entry));
      return true;
    });
  }

  /**
   * Let go of events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are gone
   */
  release(entries) {
    return attempt(false, (storage) => {
      for (const entry of entries) storage.removeItem(nameOf(entry));
      return true;
    });
  }

  /**
   * Return what is kept, of whomever; null if that cannot be read.
   *
   * @returns {Entry[]|null}
   */
  all() {
    return attempt(null, (storage) => {
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at));
      const ours = names.filter((name) => name?.startsWith(PREFIX));
      // another tab may have taken one away since
      return ours.map((name) => read(storage.getItem(name))).filter((entry) => entry !== null);
    });
  }
}

function nameOf({ client, sequence }) {
  return `${PREFIX}${client} ${sequence}`;
}

/** What cannot be read is none of ours, and keeps nobody from the others. */
function read(written) {
  try {
    return JSON.parse(written ?? 'null');
  } catch {
    return null;
  }
}

/** Merely to look at it is forbidden in some browsers. */
function attempt(otherwise, work) {
  try {
    return work(globalThis.localStorage);
  } catch {
    return otherwise;
  }
}
