/**
 * The grade panel: one element at a time, one key per value, contradictions shown at once.
 *
 * On a scale with two grades the panel asks for one after the other; the lowest value of one implies that of the
 * other.
 */
import { byId, counted, make, told } from '../core/page_helpers.js';
import { say } from './dialogs.js';

const DEGREES = { 0: 'not', 1: 'marginally', 2: 'fairly', 3: 'highly' };
const ABOUT = {
  2005: { exhaustivity: { 0: 'not', '?': 'too small', 1: 'partly', 2: 'highly' } },
  2003: { exhaustivity: DEGREES, specificity: DEGREES },
  2002: { relevance: DEGREES, coverage: { N: 'none', L: 'too large', S: 'too small', E: 'exact' } },
};

/** The panel and what it does. */
export class Grading {
  #desk;
  #panel;
  #path = null;
  #chosen = {};
  #section = byId('grading');
  isOpen = false;

  /**
   * @param {import('./judging_desk.js').Desk} desk
   * @param {{open: () => void}} panel what must be open for this to be seen
   */
  constructor(desk, panel) {
    this.#desk = desk;
    this.#panel = panel;
    desk.addEventListener('opened', () => this.close());
    desk.addEventListener('change', () => this.#draw());
  }

  get #names() { return Object.keys(this.#desk.pool.scale.grades); }

  /** Open the panel, or close it. */
  toggle() {
    if (this.isOpen) {
      this.close();
      this.#desk.reading.focus();
    } else {
      this.open(this.#ahead(1) ?? this.#here());
    }
  }

  /**
   * Grade an element.
   * @param {string|null} path
   */
  open(path) {
    if (path === null) {
      say('There is nothing to grade: highlight something first.');
      return;
    }
    this.isOpen = true;
    this.#path = path;
    this.#chosen = {};
    this.#panel.open();
    this.#show();
    this.#draw();
    this.#section.focus({ preventScroll: true });
    this.#section.scrollIntoView({ block: 'nearest' });
  }

  /** Close the panel. */
  close() {
    this.isOpen = false;
    this.#path = null;
    this.#chosen = {};
    this.#desk.reading.painter.set('graded', []);
    this.#draw();
  }

  /**
   * Go to the next element without grade, or the one before.
   * @param {1|-1} step
   */
  move(step) {
    const missing = this.#missing();
    this.open(this.#ahead(step, missing.length ? missing : this.#all()));
    if (!missing.length && this.isOpen) say('No grade is missing.');
  }

  /**
   * Take a key, if it is one of the panel's.
   * @param {string} key as the table of keys writes it
   * @returns {boolean}
   */
  take(key) {
    if (!this.isOpen || !this.#desk.isEditable) return false;
    if (key === 'Delete' || key === 'Backspace') {
      this.#record(null);
      return true;
    }
    const asked = this.#asked();
    // a small letter is a grade only while one is asked for: else it is what it is elsewhere
    const typed = key.startsWith('Shift+') ? key.slice(6) : key;
    const isPending = Object.keys(this.#chosen).length > 0;
    const isPlain = key === typed && /[a-z]/.test(key);
    const fits = (name) => this.#values(name).find((value) => value.toLowerCase() === typed.toLowerCase());
    const name = fits(asked) ? asked : this.#names.find(fits);
    if (name === undefined || (isPlain && !isPending)) return false;
    this.#choose(name, fits(name));
    return true;
  }

  #values(name) { return this.#desk.pool.scale.grades[name]; }

  /** Which grade comes next: the first that has not been given in this round. */
  #asked() {
    return this.#names.find((name) => !(name in this.#chosen)) ?? this.#names[0];
  }

  #choose(name, value) {
    const isLowest = this.#names.length > 1 && value === this.#values(name)[0];
    this.#chosen = { ...this.#chosen, [name]: value };
    if (isLowest) for (const other of this.#names) this.#chosen[other] = this.#values(other)[0];
    if (this.#names.every((one) => one in this.#chosen)) this.#record(this.#chosen);
    else this.#draw();
  }

  /** With the mouse one grade is changed where both are there. */
  #click(name, value) {
    const before = this.#desk.state.grades[this.#path];
    const isAlone = before && value !== this.#values(name)[0] && before[name] !== this.#values(name)[0];
    if (isAlone) this.#chosen = { ...before };
    this.#choose(name, value);
  }

  #record(grades) {
    const [path, desk] = [this.#path, this.#desk];
    this.#chosen = {};
    if (grades === null && !desk.state.grades[path]) return;
    desk.act({ kind: 'grade', body: { path, grades } });
    const said = grades === null ? 'The grade is taken back.' : `${shortPath(path)}: ${told(grades)}.`;
    const wrong = desk.breaches.find((one) => one.path === path && one.code !== 'grade-missing');
    if (wrong) say(`${said} But ${wrong.message}.`, 'wrong');
    else this.#onward(said, grades);
  }

  /** After a grade that fits comes the next element without one. */
  #onward(said, grades) {
    const next = grades === null ? null : this.#ahead(1);
    if (next !== null) this.open(next);
    const missing = this.#missing().length;
    say(`${said} ${missing ? `${counted(missing, 'grade')} missing.` : 'No grade is missing.'}`);
  }

  #missing() {
    return this.#desk.breaches.filter((one) => one.code === 'grade-missing').map((one) => one.path);
  }

  /** All elements that have a grade or need one, in document order. */
  #all() {
    const { outline, state, wanted } = this.#desk;
    const paths = [...new Set([...wanted, ...Object.keys(state.grades)])];
    return paths.sort((one, other) => outline.row(one) - outline.row(other));
  }

  /** The next of some paths, seen from the one that is graded now; null if there is none. */
  #ahead(step, paths = this.#missing()) {
    const { outline } = this.#desk;
    if (!paths.length) return null;
    const here = this.#path === null ? -1 : outline.row(this.#path);
    const rows = paths.map((path) => outline.row(path));
    if (step > 0) return paths[Math.max(rows.findIndex((row) => row > here), 0)];
    return paths.at(rows.findLastIndex((row) => row < here));
  }

  /** Something to look at where nothing is missing: the element that holds the selection, or a graded one. */
  #here() {
    const { outline, reading, state } = this.#desk;
    const span = reading.span();
    const row = span === null || span[0] === span[1] ? -1 : outline.around(...span);
    return row >= 0 ? outline.path(row) : Object.keys(state.grades)[0] ?? this.#desk.wanted[0] ?? null;
  }

  #show() {
    const { outline, reading } = this.#desk;
    const row = outline.row(this.#path);
    // a mark over everything would mark nothing
    reading.painter.set('graded', outline.parent[row] < 0 ? [] : [outline.span(row)]);
    reading.show(outline.start[row]);
  }

  #draw() {
    const section = this.#section;
    section.hidden = !this.isOpen;
    section.tabIndex = -1;
    if (!this.isOpen) return section.replaceChildren();
    const { outline, reading } = this.#desk;
    const row = outline.row(this.#path);
    const faults = this.#desk.breaches.filter((one) => one.path === this.#path && one.code !== 'grade-missing');
    const missing = this.#missing().length;
    return section.replaceChildren(
      make('h2', { id: 'grading-title' }, 'Grade ', make('code', { title: this.#path }, shortPath(this.#path))),
      make('p', { class: 'quote' }, reading.quoted(outline.span(row), 140)),
      ...this.#names.map((name) => this.#scale(name)),
      ...faults.map((fault) => make('p', { class: 'wrong' }, `${fault.message}.`)),
      make('p', { class: 'foot' }, missing ? `${counted(missing, 'grade')} missing: ` : 'No grade is missing. ',
        missing ? make('span', {}, make('kbd', {}, 'n'), ' ', make('kbd', {}, 'p'), ' next, before. ') : null,
        make('button', { type: 'button', class: 'quiet', click: () => this.toggle() }, 'Close ', make('kbd', {}, 'm'))),
    );
  }

  #scale(name) {
    const given = { ...this.#desk.state.grades[this.#path], ...this.#chosen };
    const isAsked = this.#names.length > 1 && name === this.#asked() && Object.keys(this.#chosen).length > 0;
    const buttons = this.#values(name).map((value) => make('button', {
      type: 'button', class: 'value', 'aria-pressed': given[name] === value, 'data-value': value,
      disabled: !this.#desk.isEditable, click: () => this.#click(name, value),
    }, make('kbd', {}, value), ` ${ABOUT[this.#desk.pool.scale.name]?.[name]?.[value] ?? ''}`));
    return make('div', { class: 'scale', role: 'group', 'aria-label': name, 'data-asked': isAsked },
      make('span', { class: 'scale-name' }, name), make('div', { class: 'values' }, ...buttons));
  }
}

/**
 * The end of a path, enough to know it by.
 * @param {string} path
 * @returns {string}
 */
export function shortPath(path) {
  const steps = path.split('/');
  return steps.length > 4 ? `…/${steps.slice(-3).join('/')}` : path;
}
