/**
 * The judgement of one document: the events that the server has, then those still on their way there.
 *
 * Events: 'change' (the state has changed).
 *
 * @typedef {import('../core/document_state.js').Event} Event
 * @typedef {import('../core/document_state.js').State} State
 */
import { applyEvent, areStatesEqual, EVENT_KINDS, foldEvents, History } from '../core/document_state.js';
import { SerialTask } from '../core/page_helpers.js';
import { getEventKey } from './local_store.js';
import { encodePath } from './server_api.js';

const REFRESH_INTERVAL = 20_000;
/** How long opening waits until the events left by earlier pages are sent. */
const TIMEOUT = 3_000;
/** The histories of closed documents, so that their steps can be undone when they are opened again. */
const HISTORIES = new WeakMap();
/** These kinds are sent even if they do not change the state. */
const ALWAYS_SENT = new Set(['show', 'validate', 'reopen']);

/** The journal of one document. */
export class Journal extends EventTarget {
  #api;
  #outbox;
  #history;
  #fingerprint;
  /** The server's state, up to `#seq`. */
  #stored;
  #seq;
  /** The keys of the single events that `#stored` is known to contain. */
  #seenKeys = new Set();
  /** Events that the server has acknowledged, but that are not fetched yet. */
  #acknowledged = [];
  #eventsByKey = new Map();
  #refreshes = new SerialTask(() => this.#fetch(), () => !this.#closing.signal.aborted);
  #timer;
  #closing = new AbortController();

  /**
   * Open the journal of a document.
   *
   * @param {{api: import('./server_api.js').Api, outbox: import('./outbox.js').Outbox, assignment: number,
   *   doc: string}} parts
   * @returns {Promise<Journal>}
   */
  static async open({ api, outbox, assignment, doc }) {
    await outbox.ready;
    // an unanswered event may be in the server's state already: send it again first, to have it recognised
    if (outbox.listUnsent(assignment, doc).length > 0) await Promise.race([outbox.flush(), pause(TIMEOUT)]);
    const stored = await api.get(`/api/assignments/${assignment}/states/${encodePath(doc)}`);
    return new Journal({ api, outbox, assignment, doc }, stored);
  }

  constructor({ api, outbox, assignment, doc }, { state, seq, fingerprint }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.assignment = assignment;
    this.doc = doc;
    this.#fingerprint = fingerprint;
    this.#stored = state;
    this.#seq = seq;
    this.#history = findHistory(outbox, assignment, doc);
    /** @type {State} */
    this.state = this.#computeState();
    this.#listen();
  }

  /** The fingerprint of the text on the screen; events for another text have other positions, and are left out. */
  get fingerprint() {
    return this.#fingerprint;
  }

  set fingerprint(value) {
    this.#fingerprint = value;
    this.#update();
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /**
   * Record one event.
   *
   * @param {string} kind
   * @param {object} [body]
   * @returns {Promise<Event[]>}  the events that were needed, once they are stored
   */
  act(kind, body = {}) {
    return this.actAll([{ kind, body }]);
  }

  /**
   * Record several events as one step of undo.  The state changes before this returns.
   *
   * @param {Event[]} events
   * @returns {Promise<Event[]>}  the events that were needed, once they are stored
   */
  actAll(events) {
    const needed = prepareEvents(events, this.state);
    if (needed.length > 0) this.#history.record(this.state, needed);
    return this.#record(needed);
  }

  /** @returns {Promise<Event[]>}  the events that undid the last step; none if there was no step */
  undo() {
    return this.#record(prepareEvents(this.#history.undo() ?? []));
  }

  /** @returns {Promise<Event[]>}  the events that repeated the step undone last */
  redo() {
    return this.#record(prepareEvents(this.#history.redo() ?? []));
  }

  async #record(events) {
    if (events.length === 0) return events;
    const entries = await this.#outbox.add(this.assignment, this.doc, this.fingerprint, events);
    entries.forEach((entry, at) => this.#eventsByKey.set(getEventKey(entry), events[at]));
    return events;
  }

  /**
   * Fetch new events from the server; settled when they are fetched, or that has failed.
   *
   * @returns {Promise<void>}
   */
  refresh() {
    return this.#refreshes.run();
  }

  /** Stop listening and refreshing. */
  close() {
    this.#closing.abort();
    clearInterval(this.#timer);
  }

  #listen() {
    const { signal } = this.#closing;
    const refresh = () => void (document.hidden || this.refresh());
    for (const kind of ['focus', 'online', 'pageshow']) globalThis.addEventListener(kind, refresh, { signal });
    document.addEventListener('visibilitychange', refresh, { signal });
    this.#outbox.addEventListener('work', ({ detail }) => this.#handleWork(detail), { signal });
    this.#timer = setInterval(refresh, REFRESH_INTERVAL);
  }

  #handleWork({ assignment, doc, added, acknowledged, refused }) {
    if (assignment !== this.assignment || doc !== this.doc) return;
    this.#acknowledged.push(...acknowledged);
    for (const entry of refused) this.#history.forget(this.#eventsByKey.get(getEventKey(entry)));
    this.#update();
    // news of other tabs come without added entries
    if (added.length === 0) this.refresh();
  }

  async #fetch() {
    if (this.#outbox.isSignedOut) return; // do not mix in another user's state
    const covered = new Set(this.#acknowledged);
    let news;
    try {
      const address = `/api/assignments/${this.assignment}/events/${encodePath(this.doc)}`;
      news = await this.#api.get(`${address}?after=${this.#seq}`);
    } catch {
      return; // the outbox reports problems with the server; the present state stays
    }
    for (const { seq, client, sequence, kind, body } of news.events) {
      this.#stored = applyEvent(this.#stored, { kind, body });
      this.#seq = seq;
      this.#seenKeys.add(getEventKey({ client, sequence }));
    }
    // events acknowledged before the request are in the server's state now
    this.#acknowledged = this.#acknowledged.filter((entry) => !covered.has(entry));
    this.#update();
  }

  #computeState() {
    const isNew = (entry) => !this.#seenKeys.has(getEventKey(entry)) && entry.fingerprint === this.fingerprint;
    const unfetched = [...this.#acknowledged, ...this.#outbox.listUnsent(this.assignment, this.doc)];
    return foldEvents(unfetched.filter(isNew), this.#stored);
  }

  #update() {
    if (this.#closing.signal.aborted) return;
    const state = this.#computeState();
    if (areStatesEqual(state, this.state)) return;
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}

function findHistory(outbox, assignment, doc) {
  if (!HISTORIES.has(outbox)) HISTORIES.set(outbox, new Map());
  const histories = HISTORIES.get(outbox);
  const place = `${assignment} ${doc}`;
  if (!histories.has(place)) histories.set(place, new History());
  return histories.get(place);
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Return events as the server accepts them: without those that change nothing, in pieces that are small enough, and
 * with storable texts.
 *
 * @param {Event[]} events
 * @param {State} [state]  the state that they are applied to; without it all events are needed
 * @returns {Event[]}
 */
export function prepareEvents(events, state) {
  const needed = [];
  let current = state;
  for (const event of events.flatMap(splitEvent)) {
    const next = current && applyEvent(current, event);
    // an edit that changes nothing else must not reopen the document either
    const isIdle = current && areStatesEqual(next, { ...current, validated: next.validated });
    if (!isIdle || ALWAYS_SENT.has(event.kind)) {
      needed.push(event);
      current = next;
    }
  }
  return needed;
}

function splitEvent(event) {
  const { kind, body } = makeEventStorable(event);
  const [key, most] = findFields(kind, body, 'spans').map(([name, field]) => [name, field.most])[0] ?? [];
  if (key === undefined || body[key].length <= most) return [body === event.body ? event : { kind, body }];
  const pieces = [];
  for (let at = 0; at < body[key].length; at += most) {
    pieces.push({ kind, body: { ...body, [key]: body[key].slice(at, at + most) } });
  }
  return pieces;
}

function makeEventStorable(event) {
  const { kind, body } = event;
  const texts = findFields(kind, body, 'text').map(([key]) => [key, makeStorable(body[key])]);
  if (texts.every(([key, text]) => text === body[key])) return event;
  return { kind, body: { ...body, ...Object.fromEntries(texts) } };
}

/** Return the declared fields of a type that a body has. */
function findFields(kind, body, type) {
  const declared = Object.entries(EVENT_KINDS[kind]?.body ?? {});
  return declared.filter(([key, field]) => field.type === type && Object.hasOwn(body, key));
}

/**
 * Return a text that any database can store: NUL and lone surrogates are replaced.
 *
 * @param {string} text
 * @returns {string}
 */
export function makeStorable(text) {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}
