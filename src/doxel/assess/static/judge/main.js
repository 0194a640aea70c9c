/** Starts the page: fetches the pool, opens the document, and connects keys and buttons with actions. */

import { byId } from '../core/page_helpers.js';
import { decidingActions } from './deciding.js';
import { Desk } from './desk.js';
import { isDialogOpen } from './dialogs.js';
import { findWords } from './find.js';
import { Grading } from './grading.js';
import { showHelp } from './help.js';
import { actionNamed, actionOf, keyOf } from './keys.js';
import { markingActions } from './marking.js';
import { movingActions } from './moving.js';
import { keepNote } from './note.js';
import { paintMarks } from './painting.js';
import { listPassages } from './passages.js';
import { Pooled } from './pooled.js';
import { showRefused } from './refused.js';
import { say } from './say.js';
import { sheet } from './sheet.js';
import { signInAgain } from './signin.js';
import { showProgress, showSaving } from './status.js';
import { isThere, showNear, showTools } from './tools.js';
import { showTopic } from './topic.js';
import { troubles } from './troubles.js';
import { showVerdict } from './verdict.js';
import { KeywordsPanel } from '../keywords/panel.js';
import { openStore } from '../work/local_store.js';
import { Outbox } from '../work/outbox.js';
import { Api } from '../work/server_api.js';

const { user, account, csrf, pool: number, doc: first, mine } = document.body.dataset;

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

start().catch((error) => {
  byId('banner').hidden = false;
  byId('banner').textContent = `The page cannot be opened now: ${error.message}. Load it again in a moment.`;
});
