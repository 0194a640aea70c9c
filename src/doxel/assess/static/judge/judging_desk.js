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

const MOST_CACHED = 3;

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
  #lastPositions = new Map();
  #breaches = null;

  /** @param {{api: any, outbox: any, assignment: object, styles: object, isMine: boolean}} parts */
  constructor({ api, outbox, assignment, styles, isMine }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.#styles = styles;
    this.#cache = new DocumentCache(api, assignment.id);
    this.assignment = assignment;
    this.isMine = isMine;
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

  /** What the user should know about the assignment; empty if there is nothing. */
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

  /** The rules that the document breaks; without any, it may be called done. */
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
    if (this.view) this.#lastPositions.set(this.doc, this.view.position());
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

  /** Fetch a document and open its journal; if one part fails, the journal is closed again. */
  async #fetchAll(doc) {
    const opening = this.#openJournal(doc);
    try {
      const fetching = [this.#cache.fetch(doc), this.#fetchPooledPaths(doc), this.#fetchSources(doc), opening];
      const [fetched, pooled, compared, journal] = await Promise.all(fetching);
      return { fetched, pooled, compared, journal };
    } catch (error) {
      opening.then((journal) => journal.close(), () => {}); // it may be opened after the failure
      throw error;
    }
  }

  #fail(doc, error) {
    this.#nextDoc = null;
    this.dispatchEvent(new CustomEvent('failed', { detail: { doc, error } }));
  }

  #show(doc, { fetched, pooled, compared, journal }, remember) {
    this.journal?.close();
    this.view?.close();
    this.doc = doc;
    this.#nextDoc = null;
    this.journal = journal;
    journal.fingerprint = fetched.fingerprint; // positions are those of the text on the screen
    this.view = new DocumentView(fetched, this.#styles, `Document ${this.place + 1} of ${this.docs.length}: ${doc}`);
    this.pathsToGrade = pooled === null ? [] : findPathsToGrade(this.outline, pooled);
    this.sources = compared.sources;
    this.differences = compared.differences;
    const address = this.#makeAddress(doc);
    if (remember && address !== location.pathname) history.pushState(null, '', address);
    journal.addEventListener('change', () => this.#handleChange());
    this.#breaches = null;
    this.#updateStatus();
    this.dispatchEvent(new Event('opened'));
    this.view.start(this.#lastPositions.get(doc) ?? this.undecided[0]?.start ?? 0);
    document.body.dataset.open = doc;
    this.#cache.prefetch(this.docs[this.place + 1]);
    this.refresh();
  }

  #openJournal(doc) {
    return Journal.open({ api: this.#api, outbox: this.#outbox, assignment: this.assignment.id, doc });
  }

  /** Fetch the judgements between which an adjudication decides; nothing in other assignments. */
  async #fetchSources(doc) {
    if (this.assignment.adjudicates.length === 0) return { sources: [], differences: [] };
    return this.#api.get(`/api/assignments/${this.assignment.id}/sources/${encodePath(doc)}`);
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
    return this.#api.get(`/api/assignments/${this.assignment.id}/pooled/${encodePath(doc)}`);
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
    const snapped = snapSpan(span, this.assignment.snapping, this.text, this.outline);
    return snapped && snapped[0] < snapped[1] ? snapped : null;
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

/** Fetches documents, keeps the last few, and fetches the next one ahead. */
class DocumentCache {
  #api;
  #assignment;
  #documents = new Map();

  /**
   * @param {import('../work/server_api.js').Api} api
   * @param {number} assignment
   */
  constructor(api, assignment) {
    this.#api = api;
    this.#assignment = assignment;
  }

  /**
   * Return a document as the server sends it: text and elements.
   *
   * @param {string} doc
   * @returns {Promise<object>}
   */
  fetch(doc) {
    const address = `/api/assignments/${this.#assignment}/documents/${encodePath(doc)}`;
    const fetched = this.#documents.get(doc) ?? this.#api.get(address);
    this.#documents.delete(doc);
    this.#documents.set(doc, fetched);
    // after a failure, fetch it again next time
    fetched.catch(() => this.#documents.delete(doc));
    while (this.#documents.size > MOST_CACHED) this.#documents.delete(this.#documents.keys().next().value);
    return fetched;
  }

  /**
   * Fetch a document before it is needed, while the browser is idle.
   *
   * @param {string|undefined} doc
   */
  prefetch(doc) {
    if (doc === undefined) return;
    const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
    later(() => this.fetch(doc).catch(() => {})); // a failure shows when the document is opened
  }
}
