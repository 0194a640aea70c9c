/**
 * The judgement of one document: the events that the server has, then those still on their way there.
 *
 * Events: 'change' (the state has changed).
 *
 * @typedef {import('../core/document_state.js').Event} Event
 * @typedef {import('../core/document_state.js').State} State
 */
import { apply, fold, History, isSame } from '../core/document_state.js';
import { Turns } from '../core/page_helpers.js';
import { keyOf } from './local_store.js';
import { addressed } from './server_api.js';

const REFRESH = 20_000;
/** How long opening waits for what was left behind to be sent first. */
const PATIENCE = 3_000;
/** The steps of documents that were closed: who comes back to one can still undo. */
const HISTORIES = new WeakMap();
const MOST_SPANS = 1_000;
/** That somebody looked, or said that a document is done, is worth knowing even if it was so before. */
const ALWAYS = new Set(['show', 'validate', 'reopen']);

export class Journal extends EventTarget {
  #api;
  #outbox;
  #history;
  #fingerprint;
  /** What the server has, up to `#seq`. */
  #stored;
  #seq;
  /** Which events of `#stored` are known one by one. */
  #seen = new Set();
  /** What the server has said to have, and has not been fetched yet. */
  #acknowledged = [];
  #made = new Map();
  #refreshes = new Turns(() => this.#fetch(), () => !this.#closing.signal.aborted);
  #timer;
  #closing = new AbortController();

  /**
   * Open the journal of a document.
   *
   * @param {{api: import('./server_api.js').Api, outbox: import('./outbox.js').Outbox, pool: number, doc: string}} parts
   * @returns {Promise<Journal>}
   */
  static async open({ api, outbox, pool, doc }) {
    await outbox.ready;
    // what was sent, and never answered, is in the server's state already: first let it be recognised
    if (outbox.of(pool, doc).length > 0) await Promise.race([outbox.flush(), pause(PATIENCE)]);
    const found = await api.get(`/api/pools/${pool}/states/${addressed(doc)}`);
    return new Journal({ api, outbox, pool, doc }, found);
  }

  constructor({ api, outbox, pool, doc }, { state, seq, fingerprint }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.pool = pool;
    this.doc = doc;
    this.#fingerprint = fingerprint;
    this.#stored = state;
    this.#seq = seq;
    this.#history = historyOf(outbox, pool, doc);
    /** @type {State} */
    this.state = this.#folded();
    this.#listen();
  }

  /** Of the text that is judged, the server's unless another is on the screen: there, positions mean something else. */
  get fingerprint() {
    return this.#fingerprint;
  }

  set fingerprint(value) {
    this.#fingerprint = value;
    this.#show();
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /**
   * Do one thing.
   *
   * @param {string} kind
   * @param {object} [body]
   * @returns {Promise<Event[]>}  what had to be done, once it is kept
   */
  act(kind, body = {}) {
    return this.actAll([{ kind, body }]);
  }

  /**
   * Do several things, as one step of undo.  The state is another before this returns.
   *
   * @param {Event[]} events
   * @returns {Promise<Event[]>}  what had to be done, once it is kept
   */
  actAll(events) {
    const needed = fitting(events, this.state);
    if (needed.length > 0) this.#history.did(this.state, needed);
    return this.#record(needed);
  }

  /** @returns {Promise<Event[]>}  what undid the last step; nothing if there was none */
  undo() {
    return this.#record(fitting(this.#history.undo() ?? []));
  }

  /** @returns {Promise<Event[]>}  what did the step again that was undone last */
  redo() {
    return this.#record(fitting(this.#history.redo() ?? []));
  }

  async #record(events) {
    if (events.length === 0) return events;
    const entries = await this.#outbox.add(this.pool, this.doc, this.fingerprint, events);
    entries.forEach((entry, at) => this.#made.set(keyOf(entry), events[at]));
    return events;
  }

  /**
   * Fetch what has happened since; settled when that is known, or could not be.
   *
   * @returns {Promise<void>}
   */
  refresh() {
    return this.#refreshes.take();
  }

  /** Let go of everything outside. */
  close() {
    this.#closing.abort();
    clearInterval(this.#timer);
  }

  #listen() {
    const { signal } = this.#closing;
    const look = () => void (document.hidden || this.refresh());
    for (const kind of ['focus', 'online', 'pageshow']) globalThis.addEventListener(kind, look, { signal });
    document.addEventListener('visibilitychange', look, { signal });
    this.#outbox.addEventListener('work', ({ detail }) => this.#hear(detail), { signal });
    this.#timer = setInterval(look, REFRESH);
  }

  #hear({ pool, doc, added, acknowledged, refused }) {
    if (pool !== this.pool || doc !== this.doc) return;
    this.#acknowledged.push(...acknowledged);
    for (const entry of refused) this.#history.refused(this.#made.get(keyOf(entry)));
    this.#show();
    // others' news come without entries of ours
    if (added.length === 0) this.refresh();
  }

  async #fetch() {
    if (this.#outbox.isSignedOut) return; // what somebody else may see is not to be mixed with this
    const covered = new Set(this.#acknowledged);
    let found;
    try {
      found = await this.#api.get(`/api/pools/${this.pool}/events/${addressed(this.doc)}?after=${this.#seq}`);
    } catch {
      return; // the outbox says what is wrong with the server; what is known stays
    }
    for (const { seq, client, sequence, kind, body } of found.events) {
      this.#stored = apply(this.#stored, { kind, body });
      this.#seq = seq;
      this.#seen.add(keyOf({ client, sequence }));
    }
    // what was acknowledged before we asked is among what the server has
    this.#acknowledged = this.#acknowledged.filter((entry) => !covered.has(entry));
    this.#show();
  }

  #folded() {
    const isNews = (entry) => !this.#seen.has(keyOf(entry)) && entry.fingerprint === this.fingerprint;
    const onTheirWay = [...this.#acknowledged, ...this.#outbox.of(this.pool, this.doc)];
    return fold(onTheirWay.filter(isNews), this.#stored);
  }

  #show() {
    if (this.#closing.signal.aborted) return;
    const state = this.#folded();
    if (isSame(state, this.state)) return;
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}

function historyOf(outbox, pool, doc) {
  if (!HISTORIES.has(outbox)) HISTORIES.set(outbox, new Map());
  const known = HISTORIES.get(outbox);
  const place = `${pool} ${doc}`;
  if (!known.has(place)) known.set(place, new History());
  return known.get(place);
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Return the events that are to be sent.
 *
 * @param {Event[]} events
 * @param {import('../core/document_state.js').State} [state]  what they are applied to; without it all are needed
 * @returns {Event[]}
 */
export function fitting(events, state) {
  const found = [];
  let reached = state;
  for (const event of events.flatMap(pieces)) {
    const next = reached && apply(reached, event);
    // an edit that changes nothing else must not reopen the document either
    const isIdle = reached && isSame(next, { ...reached, validated: next.validated });
    if (!isIdle || ALWAYS.has(event.kind)) {
      found.push(event);
      reached = next;
    }
  }
  return found;
}

function pieces(event) {
  const { kind, body } = event;
  if (kind === 'note') {
    const text = storable(body.text);
    return [text === body.text ? event : { kind, body: { text } }];
  }
  if (!Array.isArray(body.spans) || body.spans.length <= MOST_SPANS) return [event];
  const found = [];
  for (let at = 0; at < body.spans.length; at += MOST_SPANS) {
    found.push({ kind, body: { spans: body.spans.slice(at, at + MOST_SPANS) } });
  }
  return found;
}

/**
 * Return a text as it can be kept: a NUL and half a character are all that no database takes.
 *
 * @param {string} text
 * @returns {string}
 */
export function storable(text) {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}
