/**
 * The desk: the pool, the open document, its judgement, and the selection.
 *
 * Events: "opened" (another document), "change" (another state), "pool" (progress, lock), "failed" (a document
 * could not be opened), "closing" (before another document opens: the last chance to keep typed text).
 */
import { snapped } from '../core/document_outline.js';
import { breaches, isBegun, toGrade } from '../core/document_state.js';
import { Journal } from '../work/event_journal.js';
import { addressed } from '../work/server_api.js';
import { Reading } from './document_view.js';

const KEPT = 3;

/** All that the parts of the page share. */
export class Desk extends EventTarget {
  /** @type {object} */ pool;
  /** @type {string|null} */ doc = null;
  /** @type {import('../work/event_journal.js').Journal|null} */ journal = null;
  /** @type {Reading|null} */ reading = null;
  /** @type {string[]} the paths to be graded, where the scale grades what systems found */ wanted = [];
  #api;
  #outbox;
  #styles;
  #shelf;
  #opening = 0;
  #heading = null;
  #places = new Map();
  #breaches = null;

  /** @param {{api: any, outbox: any, pool: object, styles: object, isMine: boolean}} parts */
  constructor({ api, outbox, pool, styles, isMine }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.#styles = styles;
    this.#shelf = new Shelf(api, pool.id);
    this.pool = pool;
    this.isMine = isMine;
  }

  /** @returns {any} */
  get api() { return this.#api; }

  /** Whether anything can be changed. */
  get isEditable() { return this.isMine && !this.pool.locked && this.journal !== null; }

  /** Why nothing can be changed; empty where it can. */
  get hindrance() {
    if (!this.isMine) return `You are reading the work of ${this.pool.assessor}: only they can change it.`;
    if (this.pool.locked) return 'This pool is locked: it can be read, and nothing can be changed.';
    return '';
  }

  get state() { return this.journal.state; }
  get text() { return this.reading.text; }
  get outline() { return this.reading.outline; }
  get docs() { return this.pool.listed.map((one) => one.doc); }
  get place() { return this.docs.indexOf(this.doc); }

  /**
   * The document some steps away from the open one, or from the one that is about to be open.
   * @param {number} step
   * @returns {string|undefined}
   */
  neighbour(step) {
    return this.docs[this.docs.indexOf(this.#heading ?? this.doc) + step];
  }

  /** What keeps the document from being done. */
  get breaches() {
    this.#breaches ??= breaches(this.state, this.pool.scale, this.outline, this.wanted);
    return this.#breaches;
  }

  /**
   * Open a document, in place of the one that lies there.
   * @param {string} doc
   * @param {{remember?: boolean}} [how] whether the browser's history gets an entry
   */
  async open(doc, { remember = true } = {}) {
    this.dispatchEvent(new Event('closing'));
    const turn = ++this.#opening;
    this.#heading = doc;
    if (this.reading) this.#places.set(this.doc, this.reading.position());
    let found;
    try {
      found = await this.#found(doc);
    } catch (error) {
      if (turn === this.#opening) this.#failed(doc, error);
      return;
    }
    if (turn === this.#opening) this.#lay(doc, found, remember);
    else found.journal.close(); // somebody has gone on meanwhile
  }

  /**
   * Open the document that the browser has gone to, back or on; it may lie open, as when one skips to the text.
   * @param {string} path of the page
   */
  follow(path) {
    const doc = decodeURIComponent(path.slice(this.#address('').length));
    if (doc !== (this.#heading ?? this.doc)) this.open(doc, { remember: false });
  }

  #address(doc) {
    return `/pools/${this.pool.id}/documents/${addressed(doc)}`;
  }

  /** Fetch all that lies on the desk with a document; where one part fails, none stays open. */
  async #found(doc) {
    const opening = this.#journal(doc);
    try {
      const [fetched, pooled, journal] = await Promise.all([this.#shelf.take(doc), this.#pooled(doc), opening]);
      return { fetched, pooled, journal };
    } catch (error) {
      opening.then((journal) => journal.close(), () => {}); // it may come later than what has failed
      throw error;
    }
  }

  #failed(doc, error) {
    this.#heading = null;
    this.dispatchEvent(new CustomEvent('failed', { detail: { doc, error } }));
  }

  #lay(doc, { fetched, pooled, journal }, remember) {
    this.journal?.close();
    this.reading?.close();
    this.doc = doc;
    this.#heading = null;
    this.journal = journal;
    journal.fingerprint = fetched.fingerprint; // positions are those of the text on the screen
    this.reading = new Reading(fetched, this.#styles, `Document ${this.place + 1} of ${this.docs.length}: ${doc}`);
    this.wanted = pooled === null ? [] : toGrade(this.outline, pooled);
    const address = this.#address(doc);
    if (remember && address !== location.pathname) history.pushState(null, '', address);
    journal.addEventListener('change', () => this.#changed());
    this.#breaches = null;
    this.#count();
    this.dispatchEvent(new Event('opened'));
    this.reading.begin(this.#places.get(doc) ?? 0);
    document.body.dataset.open = doc;
    this.#shelf.ahead(this.docs[this.place + 1]);
    this.refresh();
  }

  #journal(doc) {
    return Journal.open({ api: this.#api, outbox: this.#outbox, pool: this.pool.id, doc });
  }

  /** The paths of what systems found in a document; null where text is highlighted, and they are not shown. */
  async #pooled(doc) {
    if (this.pool.scale.highlights) return null;
    const { parts } = await this.pooled(doc);
    return parts.map((part) => part.path).filter(Boolean);
  }

  /**
   * What systems found in a document.
   * @param {string} doc
   * @returns {Promise<{parts: {path: string|null, start: number|null, end: number|null}[]}>}
   */
  pooled(doc) {
    return this.#api.get(`/api/pools/${this.pool.id}/pooled/${addressed(doc)}`);
  }

  /** Keep that somebody looks at what systems found; the server shows nothing before it knows. */
  async look() {
    await this.act({ kind: 'show', body: { pooled: true } });
    await this.#outbox.flush();
    if (this.#outbox.of(this.pool.id, this.doc).length) throw new Error('the server does not answer');
  }

  #changed() {
    this.#breaches = null;
    this.#count();
    this.dispatchEvent(new Event('change'));
  }

  /** Keep the list of documents in step with what is seen here. */
  #count() {
    const one = this.pool.listed[this.place];
    if (!one) return;
    const { validated } = this.state;
    const status = validated ? 'validated' : isBegun(this.state) || one.status !== 'untouched' ? 'open' : 'untouched';
    if (status !== one.status) {
      one.status = status;
      this.dispatchEvent(new Event('pool'));
    }
  }

  /** Ask how far the pool has come elsewhere, and whether it is locked. */
  async refresh() {
    const turn = this.#opening;
    if (this.#outbox.status.waiting > 0) return; // here more is known than there
    const pool = await this.#api.get(`/api/pools/${this.pool.id}`).catch(() => null);
    if (pool === null || turn !== this.#opening) return;
    this.pool = pool;
    if (this.journal) this.#count();
    this.dispatchEvent(new Event('pool'));
  }

  /** What is selected, as it would be highlighted; null without a selection. */
  selected() {
    const span = this.reading?.span() ?? null;
    if (span === null || span[0] === span[1]) return null;
    const found = snapped(span, this.pool.snapping, this.text, this.outline);
    return found && found[0] < found[1] ? found : null;
  }

  /**
   * Where reading starts if it starts about here: at a word, a sentence or an element, as the pool snaps.
   * @param {number} point
   * @returns {number}
   */
  entryAt(point) {
    const last = this.text.length - 1;
    let at = Math.min(point, last);
    while (at < last && /\s/.test(this.text.slice(at, at + 1))) at += 1;
    return snapped([at, at + 1], this.pool.snapping, this.text, this.outline)[0];
  }

  /**
   * Do something, as one step of undo.
   * @param {...{kind: string, body: object}} events
   */
  act(...events) {
    return this.journal.actAll(events);
  }
}

/** Fetches documents, and keeps the last few. */
class Shelf {
  #api;
  #pool;
  #kept = new Map();

  /**
   * @param {import('../work/server_api.js').Api} api
   * @param {number} pool
   */
  constructor(api, pool) {
    this.#api = api;
    this.#pool = pool;
  }

  /**
   * A document as the server tells it: text and elements.
   * @param {string} doc
   * @returns {Promise<object>}
   */
  take(doc) {
    const found = this.#kept.get(doc) ?? this.#api.get(`/api/pools/${this.#pool}/documents/${addressed(doc)}`);
    this.#kept.delete(doc);
    this.#kept.set(doc, found);
    // one that failed is asked for again next time
    found.catch(() => this.#kept.delete(doc));
    while (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value);
    return found;
  }

  /**
   * Fetch a document before it is wanted, when there is nothing better to do.
   * @param {string|undefined} doc
   */
  ahead(doc) {
    if (doc === undefined) return;
    const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
    later(() => this.take(doc).catch(() => {})); // without it the document only comes later
  }
}
