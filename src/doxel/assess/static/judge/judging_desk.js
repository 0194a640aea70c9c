/**
 * The desk: the assignment, the open document, its judgement, and the selection.
 *
 * Events: "opened" (another document), "change" (another state), "assignment" (progress, lock), "failed" (a document
 * could not be opened), "closing" (before another document opens: the last chance to keep typed text).
 */
import { snapSpan } from '../core/document_outline.js';
import { findBreaches, findPathsToGrade, hasJudgement } from '../core/document_state.js';
import { Journal } from '../work/event_journal.js';
import { encodePath } from '../work/server_api.js';
import { DocumentView } from './document_view.js';

/** The number of documents kept for work without a connection: the open one, its neighbours, and one more. */
const MOST_KEPT = 4;
/** The number of documents whose last position is remembered. */
const MOST_PLACES = 200;

/** The state that all parts of the page share. */
export class Desk extends EventTarget {
  /** @type {object} */ assignment;
  /** @type {string|null} */ doc = null;
  /** @type {import('../work/event_journal.js').Journal|null} */ journal = null;
  /** @type {DocumentView|null} */ view = null;
  /** @type {string[]} on a scale without highlights: the paths of the elements to grade */ pathsToGrade = [];
  /** @type {object[]} in an adjudication: the judgements between which to decide */ sources = [];
  /** @type {object[]} in an adjudication: the differences between them, with their choices */ differences = [];
  #api;
  #outbox;
  #styles;
  #cache;
  #opening = 0;
  #nextDoc = null;
  #places;
  #breaches = null;

  /**
   * @param {{api: any, outbox: any, assignment: object, styles: object, isMine: boolean, account: string}} parts
   */
  constructor({ api, outbox, assignment, styles, isMine, account }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.#styles = styles;
    this.#cache = new DocumentCache(api, outbox, assignment.id);
    this.assignment = assignment;
    this.isMine = isMine;
    this.#places = new ReadingPlaces(`${account}:${assignment.id}`);
    this.addEventListener('closing', () => this.#rememberPlace());
    window.addEventListener('pagehide', () => this.#rememberPlace());
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.#rememberPlace(); });
  }

  /** @returns {any} */
  get api() { return this.#api; }

  /** Whether the judgement can be changed. */
  get isEditable() { return this.isMine && !this.assignment.locked && this.journal !== null; }

  /** The reason why nothing can be changed; empty if it can. */
  get lockReason() {
    if (!this.isMine) return `You are reading the work of ${this.assignment.assessor}: only they can change it.`;
    if (this.isSignedOff) return 'This adjudication is signed off: it is official, and locked.';
    if (this.assignment.locked) return 'This assignment is locked: you can read it, but not change it.';
    return '';
  }

  /** Whether this is an adjudication that is signed off. */
  get isSignedOff() {
    const { adjudicates, official, locked } = this.assignment;
    return adjudicates.length > 0 && official && locked;
  }

  /** A remark about the assignment; empty if there is none. */
  get notice() {
    const { looks } = this.assignment;
    if (this.lockReason || looks.length === 0) return this.lockReason;
    const names = [...new Set(looks.map(({ assessor }) => assessor))].join(', ');
    return `You have seen the marks of ${names}: what you change now is recorded as changed after that.`;
  }

  get state() { return this.journal.state; }
  get text() { return this.view.text; }
  get outline() { return this.view.outline; }
  get docs() { return this.assignment.listed.map(({ doc }) => doc); }
  get place() { return this.docs.indexOf(this.doc); }

  /**
   * Return the document that is `step` documents after the open one, or after the one that is being opened.
   *
   * @param {number} step
   * @returns {string|undefined}
   */
  findNeighbour(step) {
    return this.docs[this.docs.indexOf(this.#nextDoc ?? this.doc) + step];
  }

  /** The rules that the document breaks; if there are none, it may be marked as done. */
  get breaches() {
    this.#breaches ??= [
      ...this.undecided.map(({ about, place }) => (
        { code: 'undecided', message: `a difference is not decided: ${about}`, path: null, place })),
      ...findBreaches(this.state, this.assignment.scale, this.outline, this.pathsToGrade),
    ];
    return this.#breaches;
  }

  /** In an adjudication: the differences that are not decided. */
  get undecided() {
    return this.differences.filter(({ place }) => !Object.hasOwn(this.state.decisions, place));
  }

  /**
   * Open a document, in place of the open one.
   *
   * @param {string} doc
   * @param {{remember?: boolean}} [options]  remember: whether the browser's history gets an entry
   */
  async open(doc, { remember = true } = {}) {
    this.dispatchEvent(new Event('closing'));
    const turn = ++this.#opening;
    this.#nextDoc = doc;
    let parts;
    try {
      parts = await this.#fetchAll(doc);
    } catch (error) {
      if (turn === this.#opening) this.#fail(doc, error);
      return;
    }
    if (turn === this.#opening) this.#show(doc, parts, remember);
    else parts.journal.close(); // the user has opened another document meanwhile
  }

  /**
   * Open the document of the browser's new address, unless it is open, as after a jump within the page.
   *
   * @param {string} path  of the page
   */
  follow(path) {
    const doc = decodeURIComponent(path.slice(this.#makeAddress('').length));
    if (doc !== (this.#nextDoc ?? this.doc)) this.open(doc, { remember: false });
  }

  #makeAddress(doc) {
    return `/assignments/${this.assignment.id}/documents/${encodePath(doc)}`;
  }

  #rememberPlace() {
    if (this.view) this.#places.set(this.doc, this.view.readingPlace());
  }

  /** Fetch a document and open its journal; if one part fails, the journal is closed again. */
  async #fetchAll(doc) {
    const opening = this.#openJournal(doc);
    try {
      const fetching = [this.#cache.fetchText(doc), this.#fetchPooledPaths(doc), this.#fetchSources(doc), opening];
      const [content, pooledPaths, comparison, journal] = await Promise.all(fetching);
      return { content, pooledPaths, comparison, journal };
    } catch (error) {
      opening.then((journal) => journal.close(), () => {}); // it may be opened after the failure
      throw error;
    }
  }

  #fail(doc, error) {
    this.#nextDoc = null;
    this.dispatchEvent(new CustomEvent('failed', { detail: { doc, error } }));
  }

  #show(doc, { content, pooledPaths, comparison, journal }, remember) {
    if (this.journal) this.#cache.keep(this.doc, 'events', this.journal.close());
    this.view?.close();
    this.doc = doc;
    this.#nextDoc = null;
    this.journal = journal;
    journal.fingerprint = content.fingerprint; // positions are those of the text on the screen
    this.view = new DocumentView(content, this.#styles, `Document ${this.place + 1} of ${this.docs.length}: ${doc}`);
    this.pathsToGrade = pooledPaths === null ? [] : findPathsToGrade(this.outline, pooledPaths);
    this.sources = comparison.sources;
    this.differences = comparison.differences;
    const address = this.#makeAddress(doc);
    if (remember && address !== location.pathname) history.pushState(null, '', address);
    journal.addEventListener('change', () => this.#handleChange());
    this.#breaches = null;
    this.#updateStatus();
    this.dispatchEvent(new Event('opened'));
    this.view.start(this.#places.find(doc), this.undecided[0]?.start ?? 0);
    document.body.dataset.open = doc;
    for (const step of [1, -1]) this.#cache.prefetch(this.docs[this.place + step], this.#listParts());
    this.refresh();
  }

  #openJournal(doc) {
    const fetchLog = () => this.#cache.fetchCurrent(doc, 'events');
    return Journal.open({ api: this.#api, outbox: this.#outbox, assignment: this.assignment.id, doc, fetchLog });
  }

  /** Return the names of the parts of a document that are needed besides its text. */
  #listParts() {
    const { adjudicates, scale } = this.assignment;
    return ['events', ...(adjudicates.length ? ['sources'] : []), ...(scale.highlights ? [] : ['pooled'])];
  }

  /** Fetch the judgements between which an adjudication decides; nothing in other assignments. */
  async #fetchSources(doc) {
    if (this.assignment.adjudicates.length === 0) return { sources: [], differences: [] };
    return this.#cache.fetchCurrent(doc, 'sources');
  }

  /** Fetch the paths of the pooled elements; null on a scale with highlights, where they are not shown. */
  async #fetchPooledPaths(doc) {
    if (this.assignment.scale.highlights) return null;
    const { parts } = await this.fetchPooled(doc);
    return parts.map((part) => part.path).filter(Boolean);
  }

  /**
   * Fetch the pooled elements of a document: those that systems retrieved.
   *
   * @param {string} doc
   * @returns {Promise<{parts: {path: string|null, start: number|null, end: number|null}[]}>}
   */
  fetchPooled(doc) {
    return this.#cache.fetchCurrent(doc, 'pooled');
  }

  /** Record that the assessor looks at the pooled elements; the server sends them only after that. */
  async recordLook() {
    await this.act({ kind: 'show', body: { pooled: true } });
    await this.#outbox.flush();
    if (this.#outbox.listUnsent(this.assignment.id, this.doc).length) throw new Error('the server does not answer');
  }

  #handleChange() {
    this.#breaches = null;
    this.#updateStatus();
    this.dispatchEvent(new Event('change'));
  }

  /** Update the open document's status in the list. */
  #updateStatus() {
    const item = this.assignment.listed[this.place];
    if (!item) return;
    const isTouched = hasJudgement(this.state) || item.status !== 'untouched';
    const status = this.state.validated ? 'validated' : isTouched ? 'open' : 'untouched';
    if (status !== item.status) {
      item.status = status;
      this.dispatchEvent(new Event('assignment'));
    }
  }

  /** Fetch the progress made elsewhere, and whether the assignment is locked. */
  async refresh() {
    const turn = this.#opening;
    if (this.#outbox.status.waiting > 0) return; // this page knows more than the server
    const assignment = await this.#api.get(`/api/assignments/${this.assignment.id}`).catch(() => null);
    if (assignment === null || turn !== this.#opening) return;
    this.assignment = assignment;
    if (this.journal) this.#updateStatus();
    this.dispatchEvent(new Event('assignment'));
  }

  /** Sign off the adjudication: it becomes official, and is locked. */
  async signOff() {
    await this.#outbox.flush();
    await this.#api.post(`/api/assignments/${this.assignment.id}/sign-off`, {});
    await this.refresh();
  }

  /**
   * Show an earlier state in the text, without changing anything; null shows the present one again.
   *
   * @param {import('../core/document_state.js').State|null} state
   */
  preview(state) {
    this.dispatchEvent(new CustomEvent('preview', { detail: state ?? this.state }));
  }

  /** Return the selection as it would be highlighted; null without a selection. */
  readSelection() {
    const span = this.view?.readSpan() ?? null;
    if (span === null || span[0] === span[1]) return null;
    const snappedSpan = snapSpan(span, this.assignment.snapping, this.text, this.outline);
    return snappedSpan && snappedSpan[0] < snappedSpan[1] ? snappedSpan : null;
  }

  /**
   * Return the entry point for a position: the start of its word, sentence or element, as the assignment's snapping
   * asks.
   *
   * @param {number} point
   * @returns {number}
   */
  findEntry(point) {
    const last = this.text.length - 1;
    let at = Math.min(point, last);
    while (at < last && /\s/.test(this.text.slice(at, at + 1))) at += 1;
    return snapSpan([at, at + 1], this.assignment.snapping, this.text, this.outline)[0];
  }

  /**
   * Record events, as one step of undo.
   *
   * @param {...{kind: string, body: object}} events
   */
  act(...events) {
    return this.journal.actAll(events);
  }
}

/**
 * Fetches documents and their parts, those of the neighbours in advance, and keeps the last few.  Texts never change;
 * any other part is fetched again, and the kept one is used only if the server cannot be reached.
 */
class DocumentCache {
  #api;
  #assignment;
  /** @type {Map<string, Map<string, any>>}  by document: its parts by name, each an answer or a promise of one */
  #documents = new Map();

  /**
   * @param {import('../work/server_api.js').Api} api
   * @param {import('../work/outbox.js').Outbox} outbox
   * @param {number} assignment
   */
  constructor(api, outbox, assignment) {
    this.#api = api;
    this.#assignment = assignment;
    outbox.addEventListener('work', ({ detail }) => this.#handleWork(detail));
  }

  /**
   * Return a document as the server sends it: text and elements.
   *
   * @param {string} doc
   * @returns {Promise<object>}
   */
  fetchText(doc) {
    const text = this.#documents.get(doc)?.get('documents') ?? this.#get(doc, 'documents');
    this.keep(doc, 'documents', text);
    // after a failure, fetch it again next time
    text.catch(() => this.#documents.get(doc)?.delete('documents'));
    return text;
  }

  /**
   * Return the present answer of the server, or the last one if the server cannot be reached.
   *
   * @param {string} doc
   * @param {'events'|'pooled'|'sources'} part
   * @returns {Promise<any>}
   */
  async fetchCurrent(doc, part) {
    let answer;
    try {
      answer = await this.#get(doc, part);
      this.keep(doc, part, answer);
    } catch (error) {
      answer = this.#documents.get(doc)?.get(part);
      if (error.name !== 'Unreachable' || answer === undefined) throw error;
    }
    if (part !== 'events') return answer;
    const acknowledged = this.#documents.get(doc)?.get('acknowledged') ?? []; // perhaps later than the answer
    return { ...answer, acknowledged: [...(answer.acknowledged ?? []), ...acknowledged] };
  }

  #get(doc, part) {
    return this.#api.get(`/api/assignments/${this.#assignment}/${part}/${encodePath(doc)}`);
  }

  /**
   * Keep a part of a document, as the server would send it.
   *
   * @param {string} doc
   * @param {string} part
   * @param {any} answer
   */
  keep(doc, part, answer) {
    const parts = this.#documents.get(doc) ?? new Map();
    this.#documents.delete(doc);
    this.#documents.set(doc, parts.set(part, answer));
    while (this.#documents.size > MOST_KEPT) this.#documents.delete(this.#documents.keys().next().value);
  }

  /**
   * Fetch a document before it is needed, while the browser is idle.
   *
   * @param {string|undefined} doc
   * @param {string[]} parts  besides the text
   */
  prefetch(doc, parts) {
    if (doc === undefined) return;
    const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
    // a failure shows when the document is opened
    later(() => Promise.allSettled([this.fetchText(doc), ...parts.map((part) => this.fetchCurrent(doc, part))]));
  }

  /** Remember the events that the server has acknowledged; forget the log if another tab has changed something. */
  #handleWork({ assignment, doc, added, acknowledged }) {
    const parts = this.#documents.get(doc);
    if (assignment !== this.#assignment || parts === undefined) return;
    if (added.length + acknowledged.length === 0) parts.delete('events');
    parts.set('acknowledged', [...(parts.get('acknowledged') ?? []), ...acknowledged]);
  }
}

/** Remembers in this browser where the user stopped reading, in each document of an assignment. */
class ReadingPlaces {
  #name;
  #places;

  /** @param {string} owner  an account and an assignment */
  constructor(owner) {
    this.#name = `doxel-places:${owner}`;
    this.#places = new Map(this.#read());
  }

  #read() {
    try {
      const places = JSON.parse(localStorage.getItem(this.#name) ?? '[]');
      return places.filter(([doc, { point, offset }]) => (
        typeof doc === 'string' && Number.isInteger(point) && point >= 0 && Number.isFinite(offset)));
    } catch {
      return []; // without storage, or after somebody else has written there
    }
  }

  /**
   * Return where the user stopped reading a document.
   *
   * @param {string} doc
   * @returns {{point: number, offset: number}|undefined}  offset: pixels below the top
   */
  find(doc) {
    return this.#places.get(doc);
  }

  /**
   * Remember where the user stops reading a document.
   *
   * @param {string} doc
   * @param {{point: number, offset: number}} place
   */
  set(doc, place) {
    this.#places.delete(doc);
    this.#places.set(doc, place);
    try {
      localStorage.setItem(this.#name, JSON.stringify([...this.#places].slice(-MOST_PLACES)));
    } catch {
      // without storage, places are lost with the page
    }
  }
}
