/** Starts the judging page: fetches the assignment, opens the document, and connects keys and buttons with actions. */
import { byId, capitalise, make, pluralise } from '../core/page_helpers.js';
import { KeywordPanel } from '../keywords/keyword_panel.js';
import { openStore } from '../work/local_store.js';
import { Outbox } from '../work/outbox.js';
import { Api } from '../work/server_api.js';
import { AdjudicationPanel } from './adjudication_panel.js';
import { announce, handleTroubles, isDialogOpen, openDialog, showRefused, signInAgain } from './dialogs.js';
import { setUpFind } from './document_view.js';
import { GradePanel } from './grade_panel.js';
import { HistoryPanel } from './history_panel.js';
import { makeDecidingActions, makeMarkingActions, makeMovingActions } from './judging_actions.js';
import { Desk } from './judging_desk.js';
import { findAction, findActionOfKey, readKey, showHelp } from './keyboard.js';
import { keepNote, listPassages, PooledElements, showVerdict } from './side_panel.js';
import { isAvailable, showProgress, showSaving, showSelectionTools, showTools } from './toolbar.js';

const { user, account, csrf, assignment: assignmentId, doc: firstDoc, mine } = document.body.dataset;
const TOPIC_FIELDS = ['narrative', 'description', 'castitle', 'keywords'];
const FOLDED_KEY = 'doxel-topic-folded';

/** Fetch the assignment, and open the first document. */
async function start() {
  const api = new Api({ csrf });
  const outbox = new Outbox({ api, user, account, store: await openStore() });
  const [assignment, styles] = await Promise.all([api.get(`/api/assignments/${assignmentId}`), api.get('/api/styles')]);
  const desk = new Desk({ api, outbox, assignment, styles, isMine: mine === 'yes', account });
  const { run, grading } = setUpParts(desk, { api, outbox, user, account });
  listen(desk, run, grading);
  await desk.open(firstDoc, { remember: false });
}

/** Set up all parts of the page; return the function that runs an action by name, and the grade panel. */
function setUpParts(desk, parts) {
  const sheet = setUpSheet();
  const grading = new GradePanel(desk, sheet);
  const pooled = new PooledElements(desk);
  const adjudication = new AdjudicationPanel(desk, sheet);
  const steps = new HistoryPanel(desk, sheet);
  const dialogs = { signIn: () => signInAgain(parts), refused: () => showRefused(parts.outbox, desk) };
  const panels = { grading, pooled, adjudication, steps, sheet, find: setUpFind(desk), topic: showTopic(desk) };
  const actions = makeActions(desk, panels);
  const run = (name) => runAction(desk, actions, name);
  paintMarks(desk);
  listPassages(desk, grading, run);
  keepNote(desk);
  showVerdict(desk, panels);
  showTools(desk, pooled);
  showSelectionTools(desk);
  showProgress(desk);
  showSaving(parts.outbox, dialogs);
  handleTroubles(desk, parts, dialogs);
  showKeywords(desk, parts.account);
  offerNextTopic(desk, parts.api);
  desk.addEventListener('opened', () => desk.view.addEventListener('element', ({ detail: { row } }) => {
    if (grading.isOpen) grading.open(desk.outline.path(row));
    else actions.select(desk.outline.span(row));
  }));
  return { run, grading };
}

/** Return all actions, by their names in the table of keys. */
function makeActions(desk, { grading, pooled, adjudication, steps, sheet, find, topic }) {
  return {
    ...makeMarkingActions(desk), ...makeDecidingActions(desk, grading, adjudication),
    ...makeMovingActions(desk, grading, adjudication), ...adjudication.makeActions(),
    history: () => steps.toggle(),
    grade: () => grading.toggle(),
    gradeInside: () => grading.planInside(),
    gradeInherited: () => grading.planInherited(),
    pooled: () => pooled.toggle(),
    find: () => find.open(),
    help: () => showHelp(desk),
    topic: () => { if (topic.toggle()) sheet.open(); },
    guidelines: showGuidelines,
    note: () => { sheet.open(); byId('note').focus(); },
    leave: () => leave(desk, { find, grading, steps, sheet }),
  };
}

function showKeywords(desk, account) {
  const keywords = new KeywordPanel({
    container: byId('keywords'), key: `${account}:${desk.assignment.id}`, topic: desk.assignment.topic_fields,
  });
  desk.addEventListener('opened', () => keywords.show(desk.view));
}

/** Close the search, or the grade panel and the sheet, and go back to the text. */
function leave(desk, { find, grading, steps, sheet }) {
  if (find.close()) return;
  steps.close();
  if (grading.isOpen) grading.toggle();
  sheet.close();
  desk.view?.focus();
}

/** Run an action, or show why it is not possible. */
function runAction(desk, actions, name) {
  const action = findAction(name);
  if (desk.journal === null && !['help', 'guidelines', 'before', 'after'].includes(name)) return undefined;
  const edits = action === undefined || action.edits === true; // reopening has no key
  if (edits && desk.lockReason) return announce(desk.lockReason, 'wrong');
  if (action && !isAvailable(desk, action)) {
    return announce(`The scale ${desk.assignment.scale.name} does not have that.`, 'wrong');
  }
  return actions[name]();
}

function listen(desk, run, grading) {
  document.addEventListener('keydown', (event) => {
    const key = isDialogOpen() ? null : readKey(event);
    if (key === null) return;
    const action = findActionOfKey(key);
    const isTaken = grading.handleKey(key);
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
 * Connect the sheet: on a small screen the panel is below the text, and opens on request.
 *
 * @returns {{open: () => void, close: () => void}}
 */
function setUpSheet() {
  const [handle, panel] = [byId('sheet'), byId('panel')];
  const set = (isOpen) => {
    handle.setAttribute('aria-expanded', String(isOpen));
    panel.toggleAttribute('data-open', isOpen);
  };
  handle.addEventListener('click', () => set(handle.getAttribute('aria-expanded') === 'false'));
  return { open: () => set(true), close: () => set(false) };
}

/**
 * Paint the passages and the entry point, in step with the state.
 *
 * @param {import('./judging_desk.js').Desk} desk
 */
function paintMarks(desk) {
  const paint = ({ highlights, bep }) => {
    desk.view.painter.set('judged', highlights);
    desk.view.painter.setPoint('bep', bep);
  };
  const draw = () => paint(desk.state);
  desk.addEventListener('opened', draw);
  desk.addEventListener('change', draw);
  desk.addEventListener('preview', ({ detail }) => paint(detail));
}

/**
 * Show the topic beside the document, the narrative first.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @returns {{toggle: () => boolean}}  toggle folds or unfolds it, and returns whether it is visible now
 */
function showTopic(desk) {
  const { topic, topic_fields: fields } = desk.assignment;
  const [firstField, ...others] = TOPIC_FIELDS.filter((name) => fields[name]);
  const none = fields.title ? '' : 'The server was started without topics.';
  const words = firstField ? fields[firstField] : none;
  const more = others.flatMap((name) => [make('h3', {}, name), make('p', {}, fields[name])]);
  byId('topic').replaceChildren(make('p', { class: 'narrative' }, words),
    others.length ? make('details', {}, make('summary', {}, capitalise(others.join(', '))), ...more) : '');
  byId('topic-fold').replaceChildren(`Topic ${topic}`, fields.title ? `: ${fields.title}` : '');
  byId('topic-fold').addEventListener('click', () => foldTopic(!byId('topic').hidden));
  foldTopic(wasTopicFolded());
  return { toggle: () => { foldTopic(!byId('topic').hidden); return !byId('topic').hidden; } };
}

function foldTopic(isFolded) {
  byId('topic').hidden = isFolded;
  byId('topic-fold').setAttribute('aria-expanded', String(!isFolded));
  try {
    sessionStorage.setItem(FOLDED_KEY, isFolded ? 'yes' : 'no');
  } catch {
    // without storage the topic is unfolded on every page
  }
}

function wasTopicFolded() {
  try {
    return sessionStorage.getItem(FOLDED_KEY) === 'yes';
  } catch {
    return false;
  }
}

/** Show the guidelines over the page; they are fetched as a page, whose text the server has made safe. */
async function showGuidelines() {
  let content = null;
  try {
    const answer = await fetch('/guidelines');
    content = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('.guidelines');
  } catch {
    announce('The guidelines cannot be fetched now: there is no connection.', 'wrong');
    return;
  }
  if (content === null) announce('This campaign has no guidelines. Press ? for the keys.');
  else openDialog('Guidelines', [document.adoptNode(content)], { name: 'guide' });
}

/**
 * Offer the next topic once all documents of this one are done.
 *
 * @param {import('./judging_desk.js').Desk} desk
 * @param {import('../work/server_api.js').Api} api
 */
function offerNextTopic(desk, api) {
  const line = make('p', { id: 'finished', class: 'banner', role: 'status', hidden: '' });
  document.querySelector('main').before(line);
  let wasFinished = null;
  const look = async () => {
    const { id, listed } = desk.assignment;
    const isFinished = desk.isEditable && listed.every(({ status }) => status === 'validated');
    const isNew = isFinished && wasFinished === false;
    wasFinished = isFinished;
    if (!isFinished) line.hidden = true;
    if (!isNew) return;
    try {
      const { following } = await api.get(`/api/assignments/${id}/following`);
      line.replaceChildren('This topic is finished. ', ...describeFollowing(following), ' ',
        make('a', { href: `/assignments/${id}` }, 'See all documents'));
      line.hidden = false;
    } catch {
      // without a connection the page of the assignment offers the next topic
    }
  };
  for (const name of ['opened', 'change', 'assignment']) desk.addEventListener(name, look);
}

function describeFollowing(following) {
  if (following === null) return ['It was your last one: thank you!'];
  const { id, topic, title, documents } = following;
  const name = `topic ${topic}${title ? `: ${title}` : ''}`;
  return ['Next: ', make('a', { href: `/assignments/${id}` }, name), ` (${pluralise(documents, 'document')}).`];
}

start().catch((error) => {
  byId('banner').hidden = false;
  byId('banner').textContent = `The page cannot be opened now: ${error.message}. Reload it in a moment.`;
});
