/**
 * Unsent events on disk: in IndexedDB, indexed by account, assignment and document.
 *
 * Nothing here throws.  A write that fails returns false, and the caller keeps the events in memory.
 *
 * On disk an assignment has the name that version 1.0 gave it, `pool`: events that it left are read like all others,
 * and its pages, which may still be open, can read the new ones.
 *
 * @typedef {{user: string, account: string, assignment: number, doc: string, fingerprint: string, client: string,
 *   sequence: number, kind: string, body: object, order: number, refusal: {code: string, message: string}|null,
 *   step?: string, reverts?: string|null}} Entry  `account` is the owner: the same address may later serve another
 *   campaign, with users of the same names; `client` and `sequence` identify an event; `order` is its time, as far
 *   as known; `step` is the action that it belongs to, `reverts` the one that it undoes
 */

const DATABASE = 'doxel-assess';
const OBJECT_STORE = 'events';
const INDEX = 'account, pool, doc';
const VERSION = 2;
/** Milliseconds.  Some browsers never answer when their storage is broken; then it is not used for a while. */
const TIMEOUT = 5_000;
const PAUSE_AFTER_SILENCE = 60_000;
const PREFIX = 'doxel-assess ';

class SilenceError extends Error {}

/**
 * Open the store.  If the browser does not allow it, the store's `isKept` is false.
 *
 * @param {{patience?: number}} [options]  patience: milliseconds to wait for an answer
 * @returns {Promise<EventStore>}
 */
export async function openStore({ patience = TIMEOUT } = {}) {
  const store = new EventStore(patience);
  await store.list('');
  return store;
}

class EventStore {
  #patience;
  #database = null;
  #pausedUntil = 0;
  #quickStore = new QuickStore();
  /** Whether the last write was successful. */
  isKept = true;

  constructor(patience) {
    this.#patience = patience;
  }

  /**
   * Store events.  Before this returns they are safe from the page being closed, as far as possible.
   *
   * @param {Entry[]} entries
   * @returns {Promise<boolean>}  settled when they are on disk: whether they are stored
   */
  async put(entries) {
    const isInQuickStore = this.#quickStore.put(entries);
    const done = await this.#attempt('readwrite', (events) => {
      for (const entry of entries) events.put(toStored(entry));
    });
    if (done !== null) this.#quickStore.remove(entries);
    this.isKept = done !== null || isInQuickStore;
    return this.isKept;
  }

  /**
   * Remove events.
   *
   * @param {Entry[]} entries
   */
  async remove(entries) {
    this.#quickStore.remove(entries);
    await this.#attempt('readwrite', (events) => {
      for (const { client, sequence } of entries) events.delete([client, sequence]);
    });
  }

  /**
   * Return the events of an account, in the order of their time; null if nothing can be read.
   *
   * @param {string} account
   * @returns {Promise<Entry[]|null>}
   */
  async list(account) {
    const ask = (events) => events.index(INDEX).getAll(IDBKeyRange.bound([account], [account, []]));
    const entries = await this.#readAll(ask, (entry) => entry.account === account);
    if (entries === null) this.isKept = false;
    return entries;
  }

  /**
   * Return the events of users of the same name in other campaigns; they stay here.
   *
   * @param {{user: string, account: string}} owner
   * @returns {Promise<Entry[]>}
   */
  async listNamesakes({ user, account }) {
    const isTheirs = (entry) => entry.user === user && entry.account !== account;
    return (await this.#readAll((events) => events.getAll(), isTheirs)) ?? [];
  }

  /** Return the entries of both stores, in order; null if neither can be read. */
  async #readAll(ask, isWanted) {
    // read the quick store first: entries that leave it meanwhile are on disk by then
    const quickEntries = this.#quickStore.list();
    let request = null;
    const done = await this.#attempt('readonly', (events) => {
      request = ask(events);
    });
    if (done === null && quickEntries === null) return null;
    const diskEntries = done === null ? [] : request.result.map(fromStored);
    // of two versions, the one in the quick store is newer
    const byKey = new Map([...diskEntries, ...(quickEntries ?? [])].map((entry) => [getEventKey(entry), entry]));
    return Array.from(byKey.values()).filter(isWanted).sort(compareOrder);
  }

  /** Work within one transaction; null if it was not completed. */
  async #attempt(mode, work) {
    // the browser may have closed the connection, as after a sleep: so everything is tried twice
    for (let tries = 2; tries > 0 && Date.now() >= this.#pausedUntil; tries -= 1) {
      try {
        this.#database ??= this.#open();
        const database = await this.#database;
        const transaction = database.transaction(OBJECT_STORE, mode, { durability: 'strict' });
        return await this.#limitTime(runTransaction(transaction, work));
      } catch (error) {
        this.#database = null;
        if (error instanceof SilenceError) this.#pausedUntil = Date.now() + PAUSE_AFTER_SILENCE;
      }
    }
    return null;
  }

  async #open() {
    const request = globalThis.indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => upgrade(request);
    const database = await this.#limitTime(waitForRequest(request));
    database.onversionchange = () => database.close();
    return database;
  }

  /** Reject a promise that takes too long. */
  #limitTime(promise) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new SilenceError()), this.#patience);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }
}

/**
 * Return the key that identifies an event.
 *
 * @param {{client: string, sequence: number}} event
 * @returns {string}
 */
export function getEventKey({ client, sequence }) {
  return `${client} ${sequence}`;
}

/**
 * Compare two events by time.
 *
 * @param {Entry} left
 * @param {Entry} right
 * @returns {number}
 */
export function compareOrder(left, right) {
  if (left.order !== right.order) return left.order - right.order;
  if (left.client !== right.client) return left.client < right.client ? -1 : 1;
  return left.sequence - right.sequence;
}

/** Return an entry as it is stored. */
function toStored({ assignment, ...entry }) {
  return { ...entry, pool: assignment };
}

/** Return a stored entry as the page uses it. */
function fromStored({ pool, ...entry }) {
  return { ...entry, assignment: pool };
}

/** Create the object store, or upgrade one of an earlier version; its entries stay. */
function upgrade({ result: database, transaction }) {
  const events = database.objectStoreNames.contains(OBJECT_STORE) ? transaction.objectStore(OBJECT_STORE)
    : database.createObjectStore(OBJECT_STORE, { keyPath: ['client', 'sequence'] });
  for (const outdated of events.indexNames) events.deleteIndex(outdated);
  events.createIndex(INDEX, ['account', 'pool', 'doc']);
}

function waitForRequest(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function runTransaction(transaction, work) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(true);
    transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
    work(transaction.objectStore(OBJECT_STORE));
    // commit at once, so that it happens even if the page is closed before any answer
    transaction.commit?.();
  });
}

/**
 * Events that are not yet safely in IndexedDB, in localStorage.
 *
 * A page that is being closed cannot wait for IndexedDB, and its last requests may be dropped; localStorage writes
 * at once.  It is small: events stay only until they are on disk, or where there is no IndexedDB.
 */
class QuickStore {
  /**
   * Store events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are stored
   */
  put(entries) {
    return tryStorage(false, (storage) => {
      for (const entry of entries) storage.setItem(makeName(entry), JSON.stringify(toStored(entry)));
      return true;
    });
  }

  /**
   * Remove events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are removed
   */
  remove(entries) {
    return tryStorage(false, (storage) => {
      for (const entry of entries) storage.removeItem(makeName(entry));
      return true;
    });
  }

  /**
   * Return all events, of all accounts; null if they cannot be read.
   *
   * @returns {Entry[]|null}
   */
  list() {
    return tryStorage(null, (storage) => {
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at));
      const ours = names.filter((name) => name?.startsWith(PREFIX));
      // another tab may have removed one since
      const entries = ours.map((name) => parseEntry(storage.getItem(name)));
      return entries.filter((entry) => entry !== null).map(fromStored);
    });
  }
}

function makeName({ client, sequence }) {
  return `${PREFIX}${client} ${sequence}`;
}

/** Return an entry; null for a text that is not JSON, which cannot be ours. */
function parseEntry(text) {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Use localStorage, where it is allowed: in some browsers even access to it throws. */
function tryStorage(otherwise, work) {
  try {
    return work(globalThis.localStorage);
  } catch {
    return otherwise;
  }
}
