/** The panel beside the document: passages, entry point, grades, note, verdict, and the pooled elements. */
import { isBegun } from '../core/document_state.js';
import { byId, counted, excerpt, make, told } from '../core/page_helpers.js';
import { storable } from '../work/event_journal.js';
import { say } from './dialogs.js';
import { shortPath } from './grade_panel.js';
import { explain, goTo, isWithoutHighlights, passageAt } from './judging_actions.js';
import { button } from './toolbar.js';

const PAUSE = 700; // milliseconds after the last letter
const LISTED = 4; // of what is missing

/**
 * Keep the lists in step with the document.
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./grade_panel.js').Grading} grading
 * @param {(name: string) => void} run does an action of the keys' table
 */
export function listPassages(desk, grading, run) {
  const draw = () => {
    drawPassages(desk);
    drawEntry(desk, run);
    drawGrades(desk, grading);
    mark();
  };
  const mark = () => {
    const here = passageAt(desk.state.highlights, desk.reading.span()?.[0]);
    const index = desk.state.highlights.indexOf(here);
    [...byId('passages').children].forEach((item, at) => item.toggleAttribute('data-here', at === index));
  };
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
  document.addEventListener('selectionchange', () => { if (desk.reading) mark(); });
}

function drawPassages(desk) {
  const { state, reading, isEditable, pool: { scale } } = desk;
  byId('passages-part').hidden = !scale.highlights;
  byId('passages-title').textContent = state.highlights.length ? `Passages (${state.highlights.length})` : 'Passages';
  const items = state.highlights.map((span, index) => make('li', {},
    make('button', { type: 'button', class: 'go', click: () => goTo(desk, index) }, reading.quoted(span, 75)),
    isEditable && make('button', {
      type: 'button', class: 'quiet remove', title: 'Remove the passage (u)', 'aria-label': `Remove passage ${index + 1}`,
      click: () => desk.act({ kind: 'unhighlight', body: { spans: [span] } }),
    }, '×')));
  byId('passages').replaceChildren(...items);
  byId('passages').classList.toggle('empty', items.length === 0);
}

function drawEntry(desk, run) {
  const { state: { bep, highlights }, isEditable } = desk;
  const entry = byId('entry');
  if (bep === null) {
    const hint = highlights.length ? 'None yet: where should reading start? ' : 'None.';
    return entry.replaceChildren(make('b', {}, 'Best entry point '), hint, highlights.length && isEditable
      ? make('kbd', {}, 'b') : '');
  }
  return entry.replaceChildren(
    make('b', {}, 'Best entry point '),
    make('button', { type: 'button', class: 'go', click: () => desk.reading.place(bep) },
      `▸ ${excerpt(desk.reading.from(bep), 60)}`),
    isEditable ? make('button', { type: 'button', class: 'quiet remove', title: 'No entry point (⇧B)',
      'aria-label': 'Remove the best entry point', click: () => run('noEntry') }, '×') : '',
  );
}

function drawGrades(desk, grading) {
  const { state, outline, pool: { scale } } = desk;
  const part = byId('grades-part');
  part.hidden = Object.keys(scale.grades).length === 0;
  if (part.hidden) return;
  const faulty = new Set(desk.breaches.map((one) => one.path));
  const paths = Object.keys(state.grades).sort((one, other) => outline.row(one) - outline.row(other));
  const missing = desk.breaches.filter((one) => one.code === 'grade-missing').length;
  byId('grades').replaceChildren(
    ...paths.map((path) => make('li', {},
      make('button', { type: 'button', class: 'go', title: path, 'data-wrong': faulty.has(path),
        click: () => grading.open(path) },
      make('b', {}, Object.values(state.grades[path]).join(' ')), ` ${shortPath(path)}`,
      make('span', { class: 'sr' }, ` ${told(state.grades[path])}`)))),
    make('li', {}, make('button', { type: 'button', 'data-action': 'grade' },
      missing ? `Grade: ${missing} missing ` : 'Grade ', make('kbd', {}, 'm'))),
  );
}

/**
 * Keep the field and the state in step.
 * @param {import('./judging_desk.js').Desk} desk
 */
export function keepNote(desk) {
  const field = byId('note');
  let timer = 0;

  function keep() {
    clearTimeout(timer);
    const text = storable(field.value);
    if (desk.isEditable && text !== desk.state.note) desk.act({ kind: 'note', body: { text } });
  }

  function draw() {
    field.readOnly = !desk.isEditable;
    // what is being typed here is newer than what comes from elsewhere
    if (document.activeElement !== field && field.value !== desk.state.note) field.value = desk.state.note;
  }

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE);
  });
  field.addEventListener('change', keep);
  field.addEventListener('blur', keep);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      keep();
      desk.reading?.focus();
    }
  });
  window.addEventListener('pagehide', keep);
  document.addEventListener('visibilitychange', () => { if (document.hidden) keep(); });
  desk.addEventListener('closing', () => { if (desk.journal) keep(); });
  desk.addEventListener('opened', () => {
    clearTimeout(timer);
    field.value = desk.state.note;
    draw();
  });
  desk.addEventListener('change', draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
}

/**
 * Keep the verdict in step with the document.
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('./grade_panel.js').Grading} grading
 */
export function showVerdict(desk, grading) {
  const draw = () => {
    const { validated } = desk.state;
    byId('verdict').replaceChildren(
      make('p', { class: 'standing-words', 'data-done': validated }, words(desk)),
      ...(validated || !desk.isEditable ? [] : missing(desk, grading)),
      desk.isEditable ? buttons(validated) : '',
    );
    byId('sheet-words').textContent = summary(desk);
  };
  for (const name of ['opened', 'change']) desk.addEventListener(name, draw);
  desk.addEventListener('pool', () => { if (desk.journal) draw(); });
}

function words(desk) {
  if (desk.state.validated) return isWithoutHighlights(desk) ? 'Done: nothing relevant here' : 'Done';
  return isBegun(desk.state) ? 'Not done yet' : 'Not judged yet';
}

function missing(desk, grading) {
  const found = desk.breaches;
  if (!found.length || !isBegun(desk.state)) return [];
  const [ungraded, others] = [true, false].map((is) => found.filter((one) => (one.code === 'grade-missing') === is));
  const listed = [...others.slice(0, LISTED), ...ungraded.slice(0, 1)];
  const items = listed.map((breach) => make('li', {},
    make('button', { type: 'button', class: 'go', click: () => explain(desk, grading, breach) },
      breach === ungraded[0] ? `${counted(ungraded.length, 'grade')} missing` : sentence(breach))));
  const more = Math.max(0, others.length - LISTED);
  return [make('ul', { class: 'missing' }, ...items, more ? make('li', {}, `and ${counted(more, 'thing')} more`) : null)];
}

function sentence({ code, message }) {
  if (code === 'bep-missing') return 'The best entry point is missing';
  if (code === 'bep-alone') return 'An entry point, but nothing highlighted';
  return message;
}

function buttons(validated) {
  const names = validated ? ['reopen', 'validateNext'] : ['nothing', 'validate', 'validateNext'];
  return make('div', { class: 'buttons' }, ...names.map((name) => (name === 'reopen'
    ? make('button', { type: 'button', 'data-action': 'reopen' }, 'Reopen')
    : button(name, name === 'validateNext' ? 'main' : ''))));
}

function summary(desk) {
  const { highlights, grades } = desk.state;
  const parts = desk.pool.scale.highlights ? [counted(highlights.length, 'passage')] : [];
  if (Object.keys(desk.pool.scale.grades).length) parts.push(counted(Object.keys(grades).length, 'grade'));
  return `Topic, ${parts.join(', ')}, note`;
}

/** Shows pooled elements over the text, or does not. */
export class Pooled extends EventTarget {
  #desk;
  isShown = false;

  /** @param {import('./judging_desk.js').Desk} desk */
  constructor(desk) {
    super();
    this.#desk = desk;
    desk.addEventListener('opened', () => this.#hide());
  }

  /** Show or hide. */
  async toggle() {
    const desk = this.#desk;
    if (this.isShown) {
      if (desk.isEditable) desk.act({ kind: 'show', body: { pooled: false } });
      this.#hide();
      return say('What systems found is hidden.');
    }
    const { doc } = desk;
    try {
      if (desk.isEditable) await desk.look();
      const { parts } = await desk.pooled(doc);
      if (doc === desk.doc) this.#paint(parts);
    } catch (error) {
      say(`What systems found cannot be shown now: ${error.message}.`, 'wrong');
    }
    return undefined;
  }

  #paint(parts) {
    const { outline, reading } = this.#desk;
    const spans = parts.map((part) => spanOf(part, outline)).filter(Boolean);
    reading.painter.set('retrieved', spans);
    this.isShown = true;
    this.dispatchEvent(new Event('change'));
    say(spans.length ? `Systems found ${counted(spans.length, 'part')} of this document, underlined.`
      : 'Systems found this document as a whole, and no part of it.');
  }

  #hide() {
    this.isShown = false;
    this.#desk.reading.painter.set('retrieved', []);
    this.dispatchEvent(new Event('change'));
  }
}

function spanOf({ path, start, end }, outline) {
  if (start !== null && end !== null) return [start, end];
  const row = path === null ? -1 : outline.row(path);
  return row < 0 ? null : outline.span(row);
}
