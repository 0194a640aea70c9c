/**
 * The judgement of one document: the events that the server has, then those still on their way there.
 *
 * The log of the server is also the history: steps can be undone however long ago and wherever they were made.
 *
 * Events: 'change' (the state has changed).
 *
 * @typedef {import('../core/document_state.js').Event} Event
 * @typedef {import('../core/document_state.js').State} State
 * @typedef {{seq: number|null, at: number, client: string, sequence: number, step: string, reverts: string|null,
 *   is_copied: boolean, kind: string, body: object}} Logged  an event of the log; without number if it is on its way
 * @typedef {{id: string, seq: number|null, at: number, client: string, reverts: string|null, isCopied: boolean,
 *   events: Event[], before: State, state: State, isUndone: boolean}} TimelineStep  the states before and after it
 */
import {
  applyEvent, areStatesEqual, EMPTY, EVENT_KINDS, findEventsBetween, foldEvents, History,
} from '../core/document_state.js';
import { SerialTask } from '../core/page_helpers.js';
import { getEventKey } from './local_store.js';
import { encodePath } from './server_api.js';

const REFRESH_INTERVAL = 20_000;
/** How long opening waits until the events left by earlier pages are sent. */
const TIMEOUT = 3_000;
/** These kinds are sent even if they do not change the state. */
const ALWAYS_SENT = new Set(['show', 'validate', 'reopen']);

/** The journal of one document. */
export class Journal extends EventTarget {
  #api;
  #outbox;
  #history = new History();
  /** The steps that were made or taken over here: their events need not be taken over from the log. */
  #knownSteps = new Set();
  /** @type {Logged[]} */
  #log = [];
  /** Those who have adjudicated the document on the basis of this assignment, with their last events. */
  #adjudicated = [];
  #fingerprint;
  /** The server's state, up to `#seq`. */
  #stored = EMPTY;
  #seq = 0;
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
   *   doc: string, fetchLog?: () => Promise<object>}} parts  fetchLog: another way to fetch the events
   * @returns {Promise<Journal>}
   */
  static async open({ api, outbox, assignment, doc, fetchLog }) {
    await outbox.ready;
    // an unanswered event may be in the server's state already: send it again first, to have it recognised
    if (outbox.listUnsent(assignment, doc).length > 0) await Promise.race([outbox.flush(), pause(TIMEOUT)]);
    const fetch = fetchLog ?? (() => api.get(`/api/assignments/${assignment}/events/${encodePath(doc)}`));
    const log = await fetch();
    return new Journal({ api, outbox, assignment, doc }, log);
  }

  constructor({ api, outbox, assignment, doc }, log) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.assignment = assignment;
    this.doc = doc;
    this.#fingerprint = log.fingerprint;
    this.#takeOver(log);
    this.#acknowledged = [...(log.acknowledged ?? [])];
    this.#recallUnsent();
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
    return this.#act(events, makeStepName('step'));
  }

  #act(events, step) {
    const needed = prepareEvents(events, this.state);
    if (needed.length > 0) this.#history.record(this.state, needed, step);
    return this.#record(needed, step);
  }

  /** @returns {Promise<Event[]>}  the events that undid the last step; none if there was no step */
  undo() {
    const [step, reverts] = [makeStepName('undo'), this.#history.undoId];
    return this.#record(prepareEvents(this.#history.undo(step) ?? []), step, reverts);
  }

  /** @returns {Promise<Event[]>}  the events that repeated the step undone last */
  redo() {
    const [step, reverts] = [makeStepName('redo'), this.#history.redoId];
    return this.#record(prepareEvents(this.#history.redo() ?? []), step, reverts);
  }

  /**
   * Return to an earlier state, as one step that can be undone; that the pooled elements were seen stays.
   *
   * @param {State} state
   * @returns {Promise<Event[]>}  the events that were needed
   */
  restore(state) {
    return this.#act(findEventsBetween(this.state, { ...state, pooled_shown: this.state.pooled_shown }),
      makeStepName('restore'));
  }

  /** @returns {string|undefined}  the step that would be undone next */
  get undoId() {
    return this.#history.undoId;
  }

  /** @returns {string[]}  those who have built on the step that would be undone next */
  get builders() {
    const seq = this.#log.findLast(({ step }) => step === this.#history.undoId)?.seq;
    if (seq === undefined) return []; // newer than all that the server has
    return this.#adjudicated.filter((entry) => entry.seq > seq).map(({ assessor }) => assessor);
  }

  /** @returns {TimelineStep[]}  all steps, oldest first */
  get timeline() {
    const unfetched = this.#listUnfetched().map(({ client, sequence, step, reverts, order, kind, body }) => ({
      client, sequence, kind, body, step: step ?? `${client}:${sequence}`, reverts: reverts ?? null, at: order,
      seq: null, is_copied: false,
    }));
    return buildTimeline([...this.#log, ...unfetched]);
  }

  async #record(events, step, reverts = null) {
    if (events.length === 0) return events;
    this.#knownSteps.add(step);
    const steps = { step, reverts };
    const entries = await this.#outbox.add(this.assignment, this.doc, this.fingerprint, events, steps);
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

  /**
   * Stop listening and refreshing.
   *
   * @returns {object}  everything known of the document, as the server sends it; `acknowledged` are the events that
   *   the server has, and that were not fetched
   */
  close() {
    this.#closing.abort();
    clearInterval(this.#timer);
    const events = this.#log.map((event) => ({ ...event, at: new Date(event.at).toISOString() }));
    const acknowledged = this.#acknowledged.slice();
    return { fingerprint: this.#fingerprint, events, adjudicated: this.#adjudicated, acknowledged };
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
    const coveredEntries = new Set(this.#acknowledged);
    let news;
    try {
      const address = `/api/assignments/${this.assignment}/events/${encodePath(this.doc)}`;
      news = await this.#api.get(`${address}?after=${this.#seq}`);
    } catch {
      return; // the outbox reports problems with the server; the present state stays
    }
    const before = this.#history.undoId;
    this.#takeOver(news);
    // events acknowledged before the request are in the server's state now
    this.#acknowledged = this.#acknowledged.filter((entry) => !coveredEntries.has(entry));
    this.#update();
    if (before !== this.#history.undoId) this.dispatchEvent(new Event('change'));
  }

  /** Take over events of the log: into the state, and into the history unless they were made here. */
  #takeOver({ events, adjudicated }) {
    this.#adjudicated = adjudicated;
    for (const event of events) {
      const { seq, client, sequence, kind, body, at } = event;
      if (seq <= this.#seq) continue;
      this.#log.push({ ...event, at: Date.parse(at) });
      if (!event.is_copied) this.#recall(event, { kind, body }, this.#stored);
      this.#stored = applyEvent(this.#stored, { kind, body });
      this.#seq = seq;
      this.#seenKeys.add(getEventKey({ client, sequence }));
    }
  }

  #recall({ step, reverts }, event, stateBefore) {
    if (this.#knownSteps.has(step)) return;
    if (reverts === null) this.#history.extend(stateBefore, event, step);
    else {
      this.#knownSteps.add(step); // the further events of the step are part of the same undo
      this.#history.revert(reverts, step);
    }
  }

  /** Take over the steps of events that an earlier page has left unsent. */
  #recallUnsent() {
    let state = this.#stored;
    const steps = new Set();
    for (const entry of this.#listUnfetched()) {
      const { kind, body, step = `${entry.client}:${entry.sequence}`, reverts = null } = entry;
      const event = { kind, body };
      this.#eventsByKey.set(getEventKey(entry), event);
      this.#recall({ step, reverts }, event, state);
      steps.add(step);
      state = applyEvent(state, event);
    }
    for (const step of steps) this.#knownSteps.add(step);
  }

  #listUnfetched() {
    const isNew = (entry) => !this.#seenKeys.has(getEventKey(entry)) && entry.fingerprint === this.fingerprint;
    return [...this.#acknowledged, ...this.#outbox.listUnsent(this.assignment, this.doc)].filter(isNew);
  }

  #computeState() {
    return foldEvents(this.#listUnfetched(), this.#stored);
  }

  #update() {
    if (this.#closing.signal.aborted) return;
    const state = this.#computeState();
    if (areStatesEqual(state, this.state)) return;
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}

/** Return a name for a step that no other step has; randomUUID is missing on pages without https. */
function makeStepName(kind) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${kind}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Return the steps of a log, oldest first, each with the state after it.
 *
 * @param {Logged[]} log
 * @returns {TimelineStep[]}
 */
export function buildTimeline(log) {
  const steps = new Map();
  const undoneBy = new Map(); // by undoing step: the step that it undid
  let state = EMPTY;
  for (const { seq, at, client, step: id, reverts, is_copied: isCopied, kind, body } of log) {
    if (!steps.has(id)) {
      steps.set(id, { id, seq, at, client, reverts, isCopied, events: [], before: state, state, isUndone: false });
      const root = undoneBy.get(reverts) ?? reverts;
      if (!undoneBy.has(reverts) && reverts !== null) undoneBy.set(id, reverts);
      if (steps.has(root)) steps.get(root).isUndone = undoneBy.has(id);
    }
    const step = steps.get(id);
    state = applyEvent(state, { kind, body });
    step.events.push({ kind, body });
    step.state = state;
  }
  return [...steps.values()];
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
  const fields = [...findFields(kind, body, 'text'), ...findFields(kind, body, 'name')];
  const texts = fields.filter(([key]) => body[key] !== null).map(([key]) => [key, makeStorable(body[key])]);
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
