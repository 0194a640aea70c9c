/**
 * The history of a document: all steps from the log, newest first.  A step that is chosen is shown in the text; the
 * document can return to it, which is one more step.
 *
 * @typedef {import('../work/event_journal.js').TimelineStep} TimelineStep
 */
import { EMPTY } from '../core/document_state.js';
import { byId, capitalise, formatGrades, make, pluralise, shorten } from '../core/page_helpers.js';
import { intersectSpans } from '../core/text_offsets.js';
import { announce } from './dialogs.js';

const MOST_SHOWN = 100; // steps; a button shows the others
const MOST_GRADES = 3; // in the words of a step
const COPY_WORDS = { handed: 'taken over with the work of another', import: 'imported', agreed: 'agreed by all' };

/** The panel with the steps of the open document. */
export class HistoryPanel {
  #desk;
  #sheet;
  #chosen = null;
  #most = MOST_SHOWN;
  #isOpen = false;

  /**
   * @param {import('./judging_desk.js').Desk} desk
   * @param {{open: () => void}} sheet  must be open for the panel to be visible
   */
  constructor(desk, sheet) {
    this.#desk = desk;
    this.#sheet = sheet;
    desk.addEventListener('opened', () => this.close());
    desk.addEventListener('change', () => this.#redraw());
    desk.addEventListener('assignment', () => { if (desk.journal) this.#redraw(); });
    byId('steps').addEventListener('keydown', (event) => this.#walk(event));
  }

  /** Show or hide the steps. */
  toggle() {
    if (this.#isOpen) {
      this.close();
      this.#desk.view.focus();
      return;
    }
    this.#isOpen = true;
    this.#most = MOST_SHOWN;
    byId('steps-part').hidden = false;
    this.#sheet.open();
    this.#draw();
    byId('steps-part').scrollIntoView({ block: 'nearest' });
    byId('steps').querySelector('.go')?.focus();
  }

  /** Hide the steps, and show the present state in the text again. */
  close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#chosen = null;
    byId('steps-part').hidden = true;
    this.#desk.preview(null);
  }

  #redraw() {
    if (!this.#isOpen) return;
    this.#chosen = null;
    this.#draw();
  }

  #draw() {
    const { journal } = this.#desk;
    const steps = [...journal.timeline].reverse();
    byId('steps-title').textContent = steps.length ? `History (${pluralise(steps.length, 'step')})` : 'History';
    byId('steps-about').textContent = steps.length
      ? 'Choose a step to see the document as it was then.' : 'Nothing has happened here yet.';
    const visibleSteps = steps.slice(0, this.#most);
    const items = visibleSteps.map((step, index) => this.#makeItem(step, index === 0));
    if (steps.length > visibleSteps.length) items.push(this.#makeMore(steps.length - visibleSteps.length));
    else if (steps.length) items.push(this.#makeItem(makeBeginning(steps.at(-1)), false));
    byId('steps').replaceChildren(...items);
  }

  #makeMore(count) {
    const showAll = () => { this.#most = Infinity; this.#draw(); };
    return make('li', {}, make('button', { type: 'button', class: 'go', click: showAll },
      `Show ${pluralise(count, 'earlier step')}`));
  }

  #makeItem(step, isLast) {
    const isChosen = this.#chosen === step.id;
    const choose = () => this.#choose(step);
    const tags = [...listTags(step, this.#desk.assignment.looks), ...(isLast ? ['now'] : [])];
    const mayRestore = isChosen && this.#desk.isEditable && !isLast;
    return make('li', { 'data-undone': step.isUndone },
      make('button', { type: 'button', class: 'go', 'data-step': step.id, 'aria-pressed': isChosen, click: choose },
        make('time', { datetime: new Date(step.at).toISOString() }, formatMoment(step.at)), ' ',
        describeStep(step, this.#desk), ...tags.flatMap((tag) => [' ', make('small', {}, `· ${tag}`)])),
      mayRestore ? make('button', { type: 'button', class: 'main', click: () => this.#restore(step) },
        'Return to this') : '');
  }

  #choose(step) {
    const isAgain = this.#chosen === step.id;
    this.#chosen = isAgain ? null : step.id;
    this.#desk.preview(isAgain ? null : step.state);
    this.#draw();
    byId('steps').querySelector(`[data-step="${CSS.escape(step.id)}"]`)?.focus();
    const { highlights, validated } = step.state;
    if (!isAgain) announce(`As it was then: ${pluralise(highlights.length, 'passage')}${validated ? ', done' : ''}.`);
  }

  #restore(step) {
    this.#chosen = null;
    this.#desk.journal.restore(step.state);
    this.#desk.preview(null);
    this.#draw();
    byId('steps').querySelector('.go')?.focus();
    announce(`Returned to the state of ${formatMoment(step.at)}. Undo takes this back.`);
  }

  /** Move between the steps with the arrow keys. */
  #walk(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const buttons = [...byId('steps').querySelectorAll('.go')];
    const index = buttons.indexOf(document.activeElement.closest('li')?.querySelector('.go'));
    buttons[Math.max(0, Math.min(buttons.length - 1, index + by))]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Return the state before the first step, as a step. */
function makeBeginning({ at }) {
  return { id: 'beginning', seq: 0, at, client: '', reverts: null, isCopied: false, events: [], before: EMPTY,
    state: EMPTY, isUndone: false };
}

function listTags({ isUndone, isCopied, client, seq }, looks) {
  const tags = [];
  if (isUndone) tags.push('undone');
  if (isCopied) tags.push(COPY_WORDS[client.split(':')[0]] ?? 'copied');
  if (seq === null) tags.push('not saved yet');
  const seen = looks.filter((look) => seq === null || seq > look.seq).map(({ assessor }) => assessor);
  if (seen.length > 0) tags.push(`after seeing the marks of ${[...new Set(seen)].join(', ')}`);
  return tags;
}

/**
 * Return a step in words.
 *
 * @param {TimelineStep} step
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {string}
 */
function describeStep({ id, events, reverts, before }, desk) {
  if (id === 'beginning') return 'The beginning: nothing judged';
  const gradings = events.filter(({ kind }) => kind === 'grade');
  const describedEvents = gradings.length > MOST_GRADES
    ? events.filter((event) => !gradings.slice(1).includes(event)) : events;
  const more = describedEvents === events ? '' : ` and ${pluralise(gradings.length - 1, 'more grade')}`;
  const words = capitalise(describedEvents.map((event) => describeEvent(event, before, desk)).join(', ') + more);
  if (id.startsWith('restore-')) return `Returned to an earlier state: ${words}`;
  if (reverts === null) return words;
  return `${id.startsWith('redo-') ? 'Redo' : 'Undo'}: ${words}`;
}

function describeEvent({ kind, body }, before, { view, sources }) {
  const quoteSpans = ([first, ...others]) => `“${view.quote(first, 50)}”`
    + (others.length ? ` and ${pluralise(others.length, 'more passage')}` : '');
  switch (kind) {
    case 'highlight': return `highlighted ${quoteSpans(body.spans)}`;
    case 'unhighlight': {
      const removedSpans = intersectSpans(before.highlights, body.spans); // the event may name the whole document
      return `highlight removed from ${quoteSpans(removedSpans.length ? removedSpans : body.spans)}`;
    }
    case 'bep': return body.position === null ? 'entry point removed'
      : `entry point at “${shorten(view.readFrom(body.position), 40)}”`;
    case 'grade': return `${view.name(body.path)}: ${body.grades === null ? 'no grade' : formatGrades(body.grades)}`;
    case 'note': return body.text.trim() ? `note “${shorten(body.text, 50)}”` : 'note deleted';
    case 'aspect': return body.aspect === null ? 'aspect removed' : `aspect “${shorten(body.aspect, 40)}”`;
    case 'flag': return body.flagged ? 'flagged' : 'flag removed';
    case 'decide': return describeDecision(body, sources);
    case 'validate': return 'done';
    case 'reopen': return 'reopened';
    case 'show': return body.pooled ? 'looked at the pooled elements' : 'pooled elements hidden';
    default: return kind;
  }
}

function describeDecision({ decision }, sources) {
  if (decision === null) return 'decision taken back';
  const source = sources.find(({ assignment }) => String(assignment) === decision);
  return `decided for ${source ? source.assessor : decision}`;
}

/** Return a readable time: for today the time alone, else the day and the time. */
function formatMoment(at) {
  const moment = new Date(at);
  const time = moment.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (moment.toDateString() === new Date().toDateString()) return time;
  const day = moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  return `${day}, ${time}`;
}
