/** Starts the judging page: fetches the pool, opens the document, and connects keys and buttons with actions. */
import { byId, capitalised, make } from '../core/page_helpers.js';
import { KeywordsPanel } from '../keywords/keyword_panel.js';
import { openStore } from '../work/local_store.js';
import { Outbox } from '../work/outbox.js';
import { Api } from '../work/server_api.js';
import { isDialogOpen, say, showRefused, signInAgain, troubles } from './dialogs.js';
import { findWords } from './document_view.js';
import { Grading } from './grade_panel.js';
import { decidingActions, markingActions, movingActions } from './judging_actions.js';
import { Desk } from './judging_desk.js';
import { actionNamed, actionOf, keyOf, showHelp } from './keyboard.js';
import { keepNote, listPassages, Pooled, showVerdict } from './side_panel.js';
import { isThere, showNear, showProgress, showSaving, showTools } from './toolbar.js';

const { user, account, csrf, pool: number, doc: first, mine } = document.body.dataset;
const ORDER = ['narrative', 'description', 'castitle', 'keywords'];
const FOLDED = 'doxel-topic-folded';

/** @returns {Promise<void>} */
async function start() {
  const api = new Api({ csrf });
  const outbox = new Outbox({ api, user, account, store: await openStore() });
  const [pool, styles] = await Promise.all([api.get(`/api/pools/${number}`), api.get('/api/styles')]);
  const desk = new Desk({ api, outbox, pool, styles, isMine: mine === 'yes' });
  const { run, grading } = furnish(desk, { api, outbox, user, account });
  listen(desk, run, grading);
  await desk.open(first, { remember: false });
}

/** Put all parts of the page in place; returns what runs an action by its name, and where grades are given. */
function furnish(desk, parts) {
  const panel = sheet();
  const grading = new Grading(desk, panel);
  const pooled = new Pooled(desk);
  const doors = { signIn: () => signInAgain(parts), refused: () => showRefused(parts.outbox, desk) };
  const actions = actionsOf(desk, { grading, pooled, panel, find: findWords(desk), topic: showTopic(desk) });
  const run = (name) => act(desk, actions, name);
  paintMarks(desk);
  listPassages(desk, grading, run);
  keepNote(desk);
  showVerdict(desk, grading);
  showTools(desk, pooled);
  showNear(desk);
  showProgress(desk);
  showSaving(parts.outbox, doors);
  troubles(desk, parts, doors);
  showKeywords(desk, parts.account);
  desk.addEventListener('opened', () => desk.reading.addEventListener('element', ({ detail: { row } }) => {
    if (grading.isOpen) grading.open(desk.outline.path(row));
    else actions.select(desk.outline.span(row));
  }));
  return { run, grading };
}

/** All actions, by the names of the keys' table. */
function actionsOf(desk, { grading, pooled, panel, find, topic }) {
  return {
    ...markingActions(desk), ...decidingActions(desk, grading), ...movingActions(desk, grading),
    grade: () => grading.toggle(),
    pooled: () => pooled.toggle(),
    find: () => find.open(),
    help: () => showHelp(desk),
    topic: () => { if (topic.toggle()) panel.open(); },
    note: () => { panel.open(); byId('note').focus(); },
    leave: () => leave(desk, { find, grading, panel }),
  };
}

function showKeywords(desk, account) {
  const keywords = new KeywordsPanel({
    container: byId('keywords'), key: `${account}:${desk.pool.id}`, topic: desk.pool.topic_fields,
  });
  desk.addEventListener('opened', () => keywords.show(desk.reading));
}

/** Close what is open, one thing at a time, and go back to the text. */
function leave(desk, { find, grading, panel }) {
  if (find.close()) return;
  if (grading.isOpen) grading.toggle();
  panel.close();
  desk.reading?.focus();
}

/** Run an action, or say why it cannot be. */
function act(desk, actions, name) {
  const action = actionNamed(name);
  if (desk.journal === null && !['help', 'before', 'after'].includes(name)) return undefined;
  const edits = action === undefined || action.edits === true; // reopening has no key
  if (edits && desk.hindrance) return say(desk.hindrance, 'wrong');
  if (action && !isThere(desk, action)) return say(`Not on the scale of ${desk.pool.scale.name}.`, 'wrong');
  return actions[name]();
}

function listen(desk, run, grading) {
  document.addEventListener('keydown', (event) => {
    const key = isDialogOpen() ? null : keyOf(event);
    if (key === null) return;
    const action = actionOf(key);
    const isTaken = grading.take(key);
    if (!isTaken && !action) return;
    event.preventDefault();
    if (!isTaken && (action.again || !event.repeat)) run(action.name);
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-action]');
    if (button && !button.disabled) run(button.dataset.action);
  });
  window.addEventListener('popstate', () => desk.follow(location.pathname));
}

/**
 * @returns {{open: () => void, close: () => void}}
 */
function sheet() {
  const [handle, panel] = [byId('sheet'), byId('panel')];
  const set = (isOpen) => {
    handle.setAttribute('aria-expanded', String(isOpen));
    panel.toggleAttribute('data-open', isOpen);
  };
  handle.addEventListener('click', () => set(handle.getAttribute('aria-expanded') === 'false'));
  return { open: () => set(true), close: () => set(false) };
}

/**
 * Keep the painting in step with the state.
 * @param {import('./judging_desk.js').Desk} desk
 */
function paintMarks(desk) {
  const draw = () => {
    const { highlights, bep } = desk.state;
    desk.reading.painter.set('judged', highlights);
    desk.reading.painter.setPoint('bep', bep);
  };
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
}

/**
 * Write the topic beside the document.
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{toggle: () => boolean}} toggle folds or unfolds it, and tells whether it is seen now
 */
function showTopic(desk) {
  const { topic, topic_fields: fields } = desk.pool;
  const [first, ...others] = ORDER.filter((name) => fields[name]);
  const words = first ? fields[first] : 'The server was started without topics.';
  const more = others.flatMap((name) => [make('h3', {}, name), make('p', {}, fields[name])]);
  byId('topic').replaceChildren(make('p', { class: 'narrative' }, words),
    others.length ? make('details', {}, make('summary', {}, capitalised(others.join(', '))), ...more) : '');
  byId('topic-fold').replaceChildren(`Topic ${topic}`, fields.title ? `: ${fields.title}` : '');
  byId('topic-fold').addEventListener('click', () => fold(!byId('topic').hidden));
  fold(remembered());
  return { toggle: () => { fold(!byId('topic').hidden); return !byId('topic').hidden; } };
}

function fold(isFolded) {
  byId('topic').hidden = isFolded;
  byId('topic-fold').setAttribute('aria-expanded', String(!isFolded));
  try {
    sessionStorage.setItem(FOLDED, isFolded ? 'yes' : 'no');
  } catch {
    // a browser that keeps nothing shows the topic every time
  }
}

function remembered() {
  try {
    return sessionStorage.getItem(FOLDED) === 'yes';
  } catch {
    return false;
  }
}

start().catch((error) => {
  byId('banner').hidden = false;
  byId('banner').textContent = `The page cannot be opened now: ${error.message}. Load it again in a moment.`;
});
