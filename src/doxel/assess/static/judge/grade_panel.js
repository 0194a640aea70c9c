/**
 * The grade panel: one element at a time, one key per value, contradictions shown at once.
 *
 * On a scale with two grades the panel asks for one after the other; the lowest value of one implies that of the
 * other.  Many elements are graded at once by a plan, which is shown before it is carried out.
 *
 * @typedef {{title: string, grades: Map<string, Object<string, string>>}} Plan  the grades to give, by path
 */
import { findBreaches, foldEvents } from '../core/document_state.js';
import { byId, capitalise, formatGrades, make, pluralise } from '../core/page_helpers.js';
import { announce } from './dialogs.js';
import { makeActionButton } from './toolbar.js';

const MOST_PREVIEWED = 8; // elements of a plan
const DEGREE_WORDS = { 0: 'not', 1: 'marginally', 2: 'fairly', 3: 'highly' };
const VALUE_WORDS = {
  2005: { exhaustivity: { 0: 'not', '?': 'too small', 1: 'partly', 2: 'highly' } },
  2003: { exhaustivity: DEGREE_WORDS, specificity: DEGREE_WORDS },
  2002: { relevance: DEGREE_WORDS, coverage: { N: 'none', L: 'too large', S: 'too small', E: 'exact' } },
};

/** The panel for one element at a time. */
export class GradePanel {
  #desk;
  #sheet;
  #path = null;
  #chosen = {};
  /** @type {Plan|null} */ #plan = null;
  #section = byId('grading');
  isOpen = false;

  /**
   * @param {import('./judging_desk.js').Desk} desk
   * @param {{open: () => void}} sheet  must be open for the panel to be visible
   */
  constructor(desk, sheet) {
    this.#desk = desk;
    this.#sheet = sheet;
    desk.addEventListener('opened', () => this.close());
    desk.addEventListener('change', () => this.#draw());
  }

  get #gradeNames() { return Object.keys(this.#desk.assignment.scale.grades); }

  /** Open the panel, or close it. */
  toggle() {
    if (this.isOpen) {
      this.close();
      this.#desk.view.focus();
    } else {
      this.open(this.#findNext(1) ?? this.#findElement());
    }
  }

  /**
   * Open the panel for an element.
   *
   * @param {string|null} path  null if there is no element to grade
   */
  open(path) {
    if (path === null) {
      announce('There is nothing to grade. Highlight some text first.');
      return;
    }
    this.isOpen = true;
    this.#path = path;
    this.#chosen = {};
    this.#plan = null;
    this.#sheet.open();
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
    this.#plan = null;
    this.#desk.view.painter.set('graded', []);
    this.#draw();
  }

  /**
   * Go to the next or the previous element without a grade.
   *
   * @param {1|-1} step
   */
  move(step) {
    const ungraded = this.#listMissing();
    this.open(this.#findNext(step, ungraded.length ? ungraded : this.#listGradable()));
    if (!ungraded.length && this.isOpen) announce('No grade is missing.');
  }

  /** Plan to give the grade of the element to all elements inside it that have none, or else another one. */
  planInside() {
    if (!this.isOpen) this.open(this.#findElement());
    if (!this.isOpen) return;
    const { outline, state, view } = this.#desk;
    const grades = state.grades[this.#path];
    if (!grades) {
      announce('Grade the element first: then all elements inside it can have the same grade.', 'wrong');
      return;
    }
    const [start, end] = outline.span(outline.row(this.#path));
    const around = outline.row(this.#path);
    const isInside = (path) => outline.start[outline.row(path)] >= start && outline.end[outline.row(path)] <= end
      && outline.ancestors(outline.row(path)).includes(around);
    const ungraded = this.#listMissing().filter(isInside);
    const others = this.#listGradable().filter((path) => isInside(path) && state.grades[path]
      && formatGrades(state.grades[path]) !== formatGrades(grades));
    const targets = ungraded.length ? ungraded : others;
    const title = `${formatGrades(grades)} for all inside ${view.name(this.#path)}`;
    this.#preview({ title, grades: new Map(targets.map((path) => [path, grades])) },
      'All elements inside have this grade already, or need none.');
  }

  /** Plan to let every element without grade have the grade of the nearest element around it that has one. */
  planInherited() {
    const { outline, state } = this.#desk;
    const grades = new Map();
    const find = (path) => grades.get(path) ?? state.grades[path];
    for (const path of this.#listMissing()) { // in document order: those around come first
      const above = outline.ancestors(outline.row(path)).map((row) => outline.path(row)).find(find);
      if (above !== undefined) grades.set(path, find(above));
    }
    if (grades.size && !this.isOpen) this.open(grades.keys().next().value);
    this.#preview({ title: 'Inherited grades', grades }, this.#listMissing().length
      ? 'No element around those without grade has one: grade a larger element first.' : 'No grade is missing.');
  }

  /** Show a plan, or why there is none. */
  #preview(plan, problem) {
    if (plan.grades.size === 0) {
      announce(problem, 'wrong');
      return;
    }
    const { outline, view } = this.#desk;
    this.#plan = plan;
    view.painter.set('graded', [...plan.grades.keys()].map((path) => outline.span(outline.row(path))));
    this.#draw();
    announce(`${plan.title}: ${pluralise(plan.grades.size, 'element')}. Enter gives the grades, Escape does not.`);
  }

  #makePlanEvents() {
    return [...this.#plan.grades].map(([path, grades]) => ({ kind: 'grade', body: { path, grades } }));
  }

  #carryOut() {
    const events = this.#makePlanEvents();
    this.#plan = null;
    this.#desk.act(...events);
    const missingCount = this.#listMissing().length;
    this.#show();
    announce(`${pluralise(events.length, 'grade')} given; undo takes them back together. `
      + `${missingCount ? `${pluralise(missingCount, 'grade')} missing.` : 'No grade is missing.'}`);
  }

  #cancel() {
    this.#plan = null;
    this.#show();
    this.#draw();
  }

  /**
   * Handle a key, if it is one of the panel's.
   *
   * @param {string} key  as in the table of keys
   * @returns {boolean}  whether it was one
   */
  handleKey(key) {
    if (!this.isOpen || !this.#desk.isEditable) return false;
    if (this.#plan !== null && (key === 'Enter' || key === 'Escape')) {
      if (key === 'Enter') this.#carryOut();
      else this.#cancel();
      return true;
    }
    if (key === 'Delete' || key === 'Backspace') {
      this.#record(null);
      return true;
    }
    const pending = this.#findPendingGrade();
    // a small letter is a grade only after another grade: else it keeps its usual meaning
    const typed = key.startsWith('Shift+') ? key.slice(6) : key;
    const isPending = Object.keys(this.#chosen).length > 0;
    const isPlain = key === typed && /[a-z]/.test(key);
    const findValue = (name) => this.#listValues(name).find((value) => value.toLowerCase() === typed.toLowerCase());
    const name = findValue(pending) ? pending : this.#gradeNames.find(findValue);
    if (name === undefined || (isPlain && !isPending)) return false;
    this.#choose(name, findValue(name));
    return true;
  }

  #listValues(name) { return this.#desk.assignment.scale.grades[name]; }

  /** Return the grade that comes next: the first without a value in this round. */
  #findPendingGrade() {
    return this.#gradeNames.find((name) => !(name in this.#chosen)) ?? this.#gradeNames[0];
  }

  #choose(name, value) {
    const isLowest = this.#gradeNames.length > 1 && value === this.#listValues(name)[0];
    this.#chosen = { ...this.#chosen, [name]: value };
    if (isLowest) for (const other of this.#gradeNames) this.#chosen[other] = this.#listValues(other)[0];
    if (this.#gradeNames.every((gradeName) => gradeName in this.#chosen)) this.#record(this.#chosen);
    else this.#draw();
  }

  /** Change one grade with the mouse if the element has both. */
  #click(name, value) {
    const before = this.#desk.state.grades[this.#path];
    const isAlone = before && value !== this.#listValues(name)[0] && before[name] !== this.#listValues(name)[0];
    if (isAlone) this.#chosen = { ...before };
    this.#choose(name, value);
  }

  #record(grades) {
    const [path, desk] = [this.#path, this.#desk];
    this.#chosen = {};
    if (grades === null && !desk.state.grades[path]) return;
    desk.act({ kind: 'grade', body: { path, grades } });
    const message = grades === null ? 'The grade is removed.' : `${capitalise(desk.view.name(path))}: ${formatGrades(grades)}.`;
    const breach = desk.breaches.find(({ path: place, code }) => place === path && code !== 'grade-missing');
    if (breach) announce(`${message} But ${desk.view.names.replacePaths(breach.message)}.`, 'wrong');
    else this.#goOn(message, grades);
  }

  /** After a valid grade, open the next element without one. */
  #goOn(message, grades) {
    const next = grades === null ? null : this.#findNext(1);
    if (next !== null) this.open(next);
    const missingCount = this.#listMissing().length;
    announce(`${message} ${missingCount ? `${pluralise(missingCount, 'grade')} missing.` : 'No grade is missing.'}`);
  }

  #listMissing() {
    return this.#desk.breaches.filter(({ code }) => code === 'grade-missing').map(({ path }) => path);
  }

  /** Return the paths of all elements that have a grade or need one, in document order. */
  #listGradable() {
    const { outline, state, pathsToGrade } = this.#desk;
    const paths = [...new Set([...pathsToGrade, ...Object.keys(state.grades)])];
    return paths.sort((left, right) => outline.row(left) - outline.row(right));
  }

  /** Return the path after or before the current one; null if there are no paths. */
  #findNext(step, paths = this.#listMissing()) {
    const { outline } = this.#desk;
    if (!paths.length) return null;
    const currentRow = this.#path === null ? -1 : outline.row(this.#path);
    const rows = paths.map((path) => outline.row(path));
    if (step > 0) return paths[Math.max(rows.findIndex((row) => row > currentRow), 0)];
    return paths.at(rows.findLastIndex((row) => row < currentRow));
  }

  /** Return an element to show when no grade is missing: the one around the selection, or a graded one. */
  #findElement() {
    const { outline, view, state } = this.#desk;
    const span = view.readSpan();
    const row = span === null || span[0] === span[1] ? -1 : outline.findAround(...span);
    return row >= 0 ? outline.path(row) : Object.keys(state.grades)[0] ?? this.#desk.pathsToGrade[0] ?? null;
  }

  #show() {
    const { outline, view } = this.#desk;
    const row = outline.row(this.#path);
    // a mark over the whole document would be of no use
    view.painter.set('graded', outline.parent[row] < 0 ? [] : [outline.span(row)]);
    view.show(outline.start[row]);
  }

  #draw() {
    const section = this.#section;
    section.hidden = !this.isOpen;
    section.tabIndex = -1;
    if (!this.isOpen) return section.replaceChildren();
    if (this.#plan !== null) return section.replaceChildren(...this.#makePlan());
    const { outline, view } = this.#desk;
    const row = outline.row(this.#path);
    const faults = this.#desk.breaches.filter(({ path, code }) => path === this.#path && code !== 'grade-missing');
    const missingCount = this.#listMissing().length;
    return section.replaceChildren(
      make('h2', { id: 'grading-title', title: this.#path }, `Grade ${view.name(this.#path)}`),
      make('p', { class: 'quote', dir: 'auto' }, view.quote(outline.span(row), 140)),
      ...this.#gradeNames.map((name) => this.#makeScale(name)),
      ...faults.map((fault) => make('p', { class: 'wrong' }, `${capitalise(view.names.replacePaths(fault.message))}.`)),
      this.#desk.isEditable ? make('div', { class: 'buttons' },
        makeActionButton('gradeInside', 'quiet'), makeActionButton('gradeInherited', 'quiet')) : null,
      make('p', { class: 'foot' },
        missingCount ? `${pluralise(missingCount, 'grade')} missing: ` : 'No grade is missing. ',
        missingCount ? make('span', {}, make('kbd', {}, 'n'), ' ', make('kbd', {}, 'p'), ' next, before. ') : null,
        make('button', { type: 'button', class: 'quiet', click: () => this.toggle() }, 'Close ', make('kbd', {}, 'm'))),
    );
  }

  /** Return the preview of a plan: the first elements with their grades, and the contradictions that follow. */
  #makePlan() {
    const { state, outline, pathsToGrade, breaches, view, assignment: { scale } } = this.#desk;
    const { title, grades } = this.#plan;
    const knownMessages = new Set(breaches.map(({ message }) => message));
    const faults = findBreaches(foldEvents(this.#makePlanEvents(), state), scale, outline, pathsToGrade)
      .filter(({ code, message }) => code !== 'grade-missing' && !knownMessages.has(message));
    const items = [...grades].slice(0, MOST_PREVIEWED).map(([path, value]) => make('li', { title: path },
      make('b', {}, Object.values(value).join(' ')), ' ', make('bdi', {}, view.describe(path)),
      state.grades[path] ? make('small', {}, ` instead of ${formatGrades(state.grades[path])}`) : null));
    const more = grades.size - items.length;
    return [
      make('h2', { id: 'grading-title' }, title),
      make('ul', { class: 'grades' }, ...items, more ? make('li', {}, `and ${pluralise(more, 'element')} more`) : null),
      ...faults.slice(0, 3).map(({ message }) => make('p', { class: 'wrong' },
        `${capitalise(view.names.replacePaths(message))}.`)),
      make('div', { class: 'buttons' },
        make('button', { type: 'button', click: () => this.#cancel() }, 'Cancel ', make('kbd', {}, 'Esc')),
        make('button', { type: 'button', class: 'main', click: () => this.#carryOut() },
          `Give ${pluralise(grades.size, 'grade')} `, make('kbd', {}, '↵'))),
    ];
  }

  #makeScale(name) {
    const grades = { ...this.#desk.state.grades[this.#path], ...this.#chosen };
    const isStarted = this.#gradeNames.length > 1 && Object.keys(this.#chosen).length > 0;
    const isPending = isStarted && name === this.#findPendingGrade();
    const buttons = this.#listValues(name).map((value) => make('button', {
      type: 'button', class: 'value', 'aria-pressed': grades[name] === value, 'data-value': value,
      disabled: !this.#desk.isEditable, click: () => this.#click(name, value),
    }, make('kbd', {}, value), ` ${VALUE_WORDS[this.#desk.assignment.scale.name]?.[name]?.[value] ?? ''}`));
    return make('div', { class: 'scale', role: 'group', 'aria-label': name, 'data-asked': isPending },
      make('span', { class: 'scale-name' }, name), make('div', { class: 'values' }, ...buttons));
  }
}
