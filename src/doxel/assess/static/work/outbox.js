/**
 * The outbox: stores an assessor's events in this browser, then sends them, and retries until the server has
 * answered for each of them.
 *
 * Events: 'status' (see `status`), and 'work' whenever a document is concerned, detail: {pool, doc, added,
 * acknowledged, refused}, each a list of entries.
 *
 * @typedef {import('./local_store.js').Entry} Entry
 * @typedef {{kind: 'saved'|'saving'|'offline'|'signed-out'|'refused', waiting: number, isKept: boolean,
 *   refused: Entry[], message: string, signedInAs: string}} Status
 *   isKept: whether unsent events survive this page; message: the reason of the trouble; signedInAs: the name of
 *   another user who has signed in
 */
import { Turns } from '../core/page_helpers.js';
import { byPlace, nothing, Pacing, Sender, Waiting } from './event_sender.js';
import { Session } from './server_api.js';

export class Outbox extends EventTarget {
  #api;
  #store;
  #waiting;
  #sender;
  #pacing;
  #tabs;
  #rounds;
  /** @type {string|null} */
  #trouble = null;
  #session;
  #said = '';
  #grace;
  #closing = new AbortController();

  /**
   * @param {{api: import('./server_api.js').Api, user: string, account: string, store: any, firstPause?: number,
   *   grace?: number}} parts  account: what tells the user from one of the same name in another campaign;
   *   firstPause: milliseconds before the first retry; grace: for another tab to send what it has just added,
   *   before this one does
   */
  constructor({ api, user, account, store, firstPause = 1_000, grace = 3_000 }) {
    super();
    this.#api = api;
    this.#store = store;
    this.#grace = grace;
    this.#pacing = new Pacing(firstPause, () => this.#try());
    this.#waiting = new Waiting({ store, user, account });
    const settled = (outcomes, batch) => this.#settle(outcomes, batch);
    this.#sender = new Sender({ api, waiting: this.#waiting, account, settled });
    this.#rounds = new Turns(() => this.#round(), () => this.#trouble === null && !this.#isIdle);
    this.#tabs = new Tabs(`doxel-outbox ${account}`, (message) => this.#hear(message));
    const changed = (isBack) => this.#sessionChanged(isBack);
    this.#session = new Session({ api, user, account, signal: this.#closing.signal, changed });
    this.#listen();
    /** Settled when it is known what earlier pages left behind. */
    this.ready = this.#sync();
    this.ready.then(() => this.#kick());
  }

  /** @returns {Status} */
  get status() {
    const [waiting, session, store, trouble] = [this.#waiting, this.#session, this.#store, this.#trouble];
    return statusOf({ waiting, session, store, trouble });
  }

  /** Whether nobody, or somebody else, has signed in. */
  get isSignedOut() {
    return this.#session.isOut;
  }

  /**
   * Return what waits of a document, in order.
   *
   * @param {number} pool
   * @param {string} doc
   * @returns {Entry[]}
   */
  of(pool, doc) {
    return this.#waiting.entries.filter((entry) => entry.pool === pool && entry.doc === doc);
  }

  /**
   * Take in what somebody did.  Listeners of 'work' hear of it before this returns.
   *
   * @param {number} pool
   * @param {string} doc
   * @param {string} fingerprint
   * @param {{kind: string, body: object}[]} events
   * @returns {Promise<Entry[]>}  when they are on disk, or it has turned out that this is impossible
   */
  async add(pool, doc, fingerprint, events) {
    const added = this.#waiting.add({ pool, doc, fingerprint }, events);
    const kept = this.#waiting.keep(); // begun before anybody paints
    this.#tell({ ...nothing(), added });
    await kept;
    this.#tabs.say({ type: 'changed' });
    this.#say();
    this.#kick();
    return added;
  }

  /** Try to send now; settled when that has been tried. */
  async flush() {
    this.#pacing.succeeded();
    await this.#kick();
  }

  /**
   * Let go of refused events, which somebody has seen.
   *
   * @param {Entry[]} entries
   */
  async dismiss(entries) {
    await this.#waiting.dismiss(entries);
    this.#tabs.say({ type: 'changed' });
    this.#say();
  }

  /**
   * Send refused events once more.
   *
   * @param {Entry[]} entries
   */
  async retry(entries) {
    const added = await this.#waiting.retry(entries);
    this.#tabs.say({ type: 'changed' });
    this.#tell({ ...nothing(), added });
    this.#kick();
  }

  /** Let go of everything outside; what waits stays where it is. */
  close() {
    this.#closing.abort();
    this.#tabs.close();
    this.#pacing.stop();
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
    this.#api.addEventListener('reached', () => this.#reached(), { signal });
    this.#api.addEventListener('unreached', () => this.#unreached(), { signal });
  }

  /** Another tab has a word. */
  async #hear({ type, outcomes = [], places = [] }) {
    if (type === 'signed-in') {
      await this.#session.look();
      return;
    }
    this.#tell(this.#waiting.settle(outcomes), places);
    await this.#sync();
    if (this.#waiting.entries.length > 0) this.#pacing.later(this.#grace);
  }

  #sync() {
    return this.#waiting.sync((changes) => this.#tell(changes));
  }

  /** Tell listeners what is new, document by document. */
  #tell(changes, places = []) {
    for (const detail of byPlace(changes, places)) this.dispatchEvent(new CustomEvent('work', { detail }));
    this.#say();
  }

  /** Say how it stands, if that is news. */
  #say() {
    if (this.#isClosed) return;
    askBeforeLeaving(this.#waiting.isAtRisk);
    const said = JSON.stringify(this.status);
    if (said === this.#said) return;
    this.#said = said;
    this.dispatchEvent(new Event('status'));
  }

  async #settle(outcomes, batch) {
    const changes = this.#waiting.settle(outcomes);
    const places = batch.map(({ pool, doc }) => ({ pool, doc }));
    this.#tell(changes, places); // at once: at no moment is an event neither waiting nor acknowledged
    await this.#waiting.record(changes);
    this.#tabs.say({ type: 'settled', outcomes, places });
    this.#say();
  }

  get #isIdle() {
    return this.#session.isOut || this.#isClosed || this.#waiting.ready.length === 0;
  }

  /** Send, or have it sent once more if that is under way, unless the server wants to be left alone. */
  async #kick() {
    if (this.#isIdle) return;
    if (this.#pacing.early > 0) this.#pacing.later(this.#pacing.early);
    else await this.#rounds.take();
  }

  async #round() {
    this.#pacing.cancel();
    const trouble = await this.#sender
      .send(() => this.#sync())
      .catch((error) => ({ kind: 'offline', message: error.message, pause: 0 }));
    if (trouble === null) this.#recovered();
    else if (trouble.kind === 'offline') this.#suffer(trouble); // of the session others know
    this.#say();
  }

  #recovered() {
    this.#trouble = null;
    this.#pacing.succeeded();
  }

  #suffer({ message, pause }) {
    this.#trouble = message;
    this.#pacing.failed(pause);
    this.#say();
  }

  /** Send what waits; with nothing to send, see whether the server is there again. */
  async #try() {
    if (this.#waiting.entries.length > 0) await this.#kick();
    else if (this.#trouble !== null) await this.#api.get('/api/health').catch(() => {});
  }

  /** It is worth a try: the network, the person, or the whole machine is back. */
  async #wake() {
    this.#pacing.hope();
    await this.#waiting.keep();
    await this.#sync();
    if (this.#session.isOut) await this.#session.look();
    else await this.#try();
  }

  /** Some call was answered, such as somebody reading on. */
  #reached() {
    if (this.#trouble === null || this.#rounds.isRunning || this.#pacing.early > 0) return;
    this.#recovered();
    this.#say();
    this.#kick();
  }

  #unreached() {
    const isKnown = this.#trouble !== null && this.#pacing.isSet;
    if (!this.#rounds.isRunning && !isKnown) this.#suffer({ message: 'no connection', pause: 0 });
  }

  #sessionChanged(isBack) {
    this.#say();
    if (!isBack) return;
    this.#tabs.say({ type: 'signed-in' });
    this.#kick();
  }
}

/**
 * @param {{waiting: import('./event_sender.js').Waiting, session: import('./server_api.js').Session, store: any,
 *   trouble: string|null}} parts
 * @returns {Status}
 */
function statusOf({ waiting, session, store, trouble }) {
  const [count, refused] = [waiting.entries.length, waiting.refused];
  const kind = kindOf({ count, refused, session, trouble });
  const { isKept } = store;
  return { kind, waiting: count, isKept, refused, message: trouble ?? '', signedInAs: session.other };
}

/** What somebody must know first. */
function kindOf({ count, refused, session, trouble }) {
  if (session.isOut) return 'signed-out';
  if (trouble !== null) return 'offline';
  if (count > 0) return 'saving';
  return refused.length > 0 ? 'refused' : 'saved';
}

/** A word from tab to tab; where a browser has no way for it, nobody hears anything. */
class Tabs {
  #channel = null;

  /**
   * @param {string} name
   * @param {(message: any) => void} hear  called with what other tabs say
   */
  constructor(name, hear) {
    if (!globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', ({ data }) => hear(data));
  }

  /** @param {any} message */
  say(message) {
    this.#channel?.postMessage(message);
  }

  close() {
    this.#channel?.close();
    this.#channel = null;
  }
}

/**
 * Have people asked before the page goes, or not: browsers do not keep a page at hand that always asks.
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
