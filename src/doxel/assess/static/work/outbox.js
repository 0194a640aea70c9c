/**
 * The outbox: stores an assessor's events in this browser, then sends them, and retries until the server has
 * answered for each of them.
 *
 * Events: 'status' (see `status`), and 'work' whenever a document is concerned, detail: {assignment, doc, added,
 * acknowledged, refused}, each a list of entries.
 *
 * @typedef {import('./local_store.js').Entry} Entry
 * @typedef {{kind: 'saved'|'saving'|'offline'|'signed-out'|'refused', waiting: number, isKept: boolean,
 *   refused: Entry[], message: string, signedInAs: string}} Status
 *   isKept: whether unsent events survive this page; message: the reason of the trouble; signedInAs: the name of
 *   another user who has signed in
 */
import { SerialTask } from '../core/page_helpers.js';
import { EventQueue, groupByDocument, makeChanges, RetryTimer, Sender } from './event_sender.js';
import { Session } from './server_api.js';

/** The outbox of one account. */
export class Outbox extends EventTarget {
  #api;
  #store;
  #queue;
  #sender;
  #timer;
  #tabs;
  #rounds;
  /** @type {string|null} */
  #trouble = null;
  #session;
  #lastStatus = '';
  #grace;
  #closing = new AbortController();

  /**
   * @param {{api: import('./server_api.js').Api, user: string, account: string, store: any, firstPause?: number,
   *   grace?: number}} parts  account: identifies the user among those of the same name in other campaigns;
   *   firstPause: milliseconds before the first retry; grace: milliseconds for another tab to send its own new
   *   events, before this tab does
   */
  constructor({ api, user, account, store, firstPause = 1_000, grace = 3_000 }) {
    super();
    this.#api = api;
    this.#store = store;
    this.#grace = grace;
    this.#timer = new RetryTimer(firstPause, () => this.#attempt());
    this.#queue = new EventQueue({ store, user, account });
    const onSettled = (outcomes, batch) => this.#settle(outcomes, batch);
    this.#sender = new Sender({ api, queue: this.#queue, account, onSettled });
    this.#rounds = new SerialTask(() => this.#send(), () => this.#trouble === null && !this.#isIdle);
    this.#tabs = new TabChannel(`doxel-outbox ${account}`, (message) => this.#handleMessage(message));
    const changed = (isBack) => this.#handleSession(isBack);
    this.#session = new Session({ api, user, account, signal: this.#closing.signal, changed });
    this.#listen();
    /** Settled when the events left by earlier pages are read. */
    this.ready = this.#sync();
    this.ready.then(() => this.#sendSoon());
  }

  /** @returns {Status} */
  get status() {
    const [queue, session, store, trouble] = [this.#queue, this.#session, this.#store, this.#trouble];
    return describeStatus({ queue, session, store, trouble });
  }

  /** Whether nobody, or somebody else, has signed in. */
  get isSignedOut() {
    return this.#session.isOut;
  }

  /**
   * Return the unsent events of a document, in order.
   *
   * @param {number} assignment
   * @param {string} doc
   * @returns {Entry[]}
   */
  listUnsent(assignment, doc) {
    return this.#queue.entries.filter((entry) => entry.assignment === assignment && entry.doc === doc);
  }

  /**
   * Add events.  Listeners of 'work' are called before this returns.
   *
   * @param {number} assignment
   * @param {string} doc
   * @param {string} fingerprint
   * @param {{kind: string, body: object}[]} events
   * @param {{step?: string, reverts?: string|null}} [steps]  the action that they are, and the one that they undo
   * @returns {Promise<Entry[]>}  settled when they are on disk, or cannot be written there
   */
  async add(assignment, doc, fingerprint, events, steps = {}) {
    const added = this.#queue.add({ assignment, doc, fingerprint, ...steps }, events);
    const keeping = this.#queue.keep(); // starts before any listener paints
    this.#report({ ...makeChanges(), added });
    await keeping;
    this.#tabs.post({ type: 'changed' });
    this.#updateStatus();
    this.#sendSoon();
    return added;
  }

  /** Send now; settled after the attempt. */
  async flush() {
    this.#timer.reset();
    await this.#sendSoon();
  }

  /**
   * Remove refused events, which the user has seen.
   *
   * @param {Entry[]} entries
   */
  async dismiss(entries) {
    await this.#queue.dismiss(entries);
    this.#tabs.post({ type: 'changed' });
    this.#updateStatus();
  }

  /**
   * Send refused events once more.
   *
   * @param {Entry[]} entries
   */
  async retry(entries) {
    const added = await this.#queue.retry(entries);
    this.#tabs.post({ type: 'changed' });
    this.#report({ ...makeChanges(), added });
    this.#sendSoon();
  }

  /** Stop listening and sending; unsent events stay on disk. */
  close() {
    this.#closing.abort();
    this.#tabs.close();
    this.#timer.stop();
    askBeforeLeaving(false);
  }

  get #isClosed() {
    return this.#closing.signal.aborted;
  }

  #listen() {
    const { signal } = this.#closing;
    const wake = () => this.#wake();
    for (const kind of ['online', 'focus', 'pageshow']) globalThis.addEventListener(kind, wake, { signal });
    document.addEventListener('visibilitychange', () => document.hidden || wake(), { signal });
    this.#api.addEventListener('reached', () => this.#handleReached(), { signal });
    this.#api.addEventListener('unreached', () => this.#handleUnreached(), { signal });
  }

  /** Handle a message from another tab. */
  async #handleMessage({ type, outcomes = [], places = [] }) {
    if (type === 'signed-in') {
      await this.#session.check();
      return;
    }
    this.#report(this.#queue.settle(outcomes), places);
    await this.#sync();
    if (this.#queue.entries.length > 0) this.#timer.schedule(this.#grace);
  }

  #sync() {
    return this.#queue.sync((changes) => this.#report(changes));
  }

  /** Dispatch changes, document by document. */
  #report(changes, places = []) {
    for (const detail of groupByDocument(changes, places)) this.dispatchEvent(new CustomEvent('work', { detail }));
    this.#updateStatus();
  }

  /** Dispatch the status if it has changed. */
  #updateStatus() {
    if (this.#isClosed) return;
    askBeforeLeaving(this.#queue.isAtRisk);
    const status = JSON.stringify(this.status);
    if (status === this.#lastStatus) return;
    this.#lastStatus = status;
    this.dispatchEvent(new Event('status'));
  }

  async #settle(outcomes, batch) {
    const changes = this.#queue.settle(outcomes);
    const places = batch.map(({ assignment, doc }) => ({ assignment, doc }));
    this.#report(changes, places); // at once: an event must never be neither unsent nor acknowledged
    await this.#queue.record(changes);
    this.#tabs.post({ type: 'settled', outcomes, places });
    this.#updateStatus();
  }

  get #isIdle() {
    return this.#session.isOut || this.#isClosed || this.#queue.ready.length === 0;
  }

  /** Send, or send once more after the current attempt, unless the server wants no requests yet. */
  async #sendSoon() {
    if (this.#isIdle) return;
    if (this.#timer.remaining > 0) this.#timer.schedule(this.#timer.remaining);
    else await this.#rounds.run();
  }

  async #send() {
    this.#timer.cancel();
    const trouble = await this.#sender
      .send(() => this.#sync())
      .catch((error) => ({ kind: 'offline', message: error.message, pause: 0 }));
    if (trouble === null) this.#recover();
    else if (trouble.kind === 'offline') this.#fail(trouble); // the session is handled elsewhere
    this.#updateStatus();
  }

  #recover() {
    this.#trouble = null;
    this.#timer.reset();
  }

  #fail({ message, pause }) {
    this.#trouble = message;
    this.#timer.fail(pause);
    this.#updateStatus();
  }

  /** Send unsent events; without any, check whether the server is back. */
  async #attempt() {
    if (this.#queue.entries.length > 0) await this.#sendSoon();
    else if (this.#trouble !== null) await this.#api.get('/api/health').catch(() => {});
  }

  /** Try again: the network, the user, or the whole machine is back. */
  async #wake() {
    this.#timer.shorten();
    await this.#queue.keep();
    await this.#sync();
    if (this.#session.isOut) await this.#session.check();
    else await this.#attempt();
  }

  /** Resume sending: another call was answered, such as that for the next document. */
  #handleReached() {
    if (this.#trouble === null || this.#rounds.isRunning || this.#timer.remaining > 0) return;
    this.#recover();
    this.#updateStatus();
    this.#sendSoon();
  }

  #handleUnreached() {
    const isKnown = this.#trouble !== null && this.#timer.isSet;
    if (!this.#rounds.isRunning && !isKnown) this.#fail({ message: 'no connection', pause: 0 });
  }

  #handleSession(isBack) {
    this.#updateStatus();
    if (!isBack) return;
    this.#tabs.post({ type: 'signed-in' });
    this.#sendSoon();
  }
}

/**
 * Return the status of the unsent events.
 *
 * @param {{queue: import('./event_sender.js').EventQueue, session: import('./server_api.js').Session, store: any,
 *   trouble: string|null}} parts
 * @returns {Status}
 */
function describeStatus({ queue, session, store, trouble }) {
  const [count, refused] = [queue.entries.length, queue.refused];
  const kind = chooseKind({ count, refused, session, trouble });
  const { isKept } = store;
  return { kind, waiting: count, isKept, refused, message: trouble ?? '', signedInAs: session.other };
}

/** Return the most important fact about the unsent events. */
function chooseKind({ count, refused, session, trouble }) {
  if (session.isOut) return 'signed-out';
  if (trouble !== null) return 'offline';
  if (count > 0) return 'saving';
  return refused.length > 0 ? 'refused' : 'saved';
}

/** Messages between tabs; in a browser without BroadcastChannel nothing is sent. */
class TabChannel {
  #channel = null;

  /**
   * @param {string} name
   * @param {(message: any) => void} onMessage  called with the messages of other tabs
   */
  constructor(name, onMessage) {
    if (!globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', ({ data }) => onMessage(data));
  }

  /** @param {any} message */
  post(message) {
    this.#channel?.postMessage(message);
  }

  close() {
    this.#channel?.close();
    this.#channel = null;
  }
}

/**
 * Ask before the page is left, or not.  The listener is removed when not needed: browsers do not cache pages that
 * have it.
 *
 * @param {boolean} isNeeded
 */
function askBeforeLeaving(isNeeded) {
  if (isNeeded) globalThis.addEventListener('beforeunload', ask);
  else globalThis.removeEventListener('beforeunload', ask);
}

function ask(event) {
  event.preventDefault();
}
