/** On pages without a document: sends the events that an earlier page left in this browser, and shows that. */
import { pluralise } from '../core/page_helpers.js';
import { openStore } from './local_store.js';
import { Outbox } from './outbox.js';
import { Api } from './server_api.js';

const line = document.getElementById('leftovers');

async function start() {
  const { user, account, csrf } = line.dataset;
  const store = await openStore();
  const namesakeEntries = await store.listNamesakes({ user, account });
  const namesakeSentence = namesakeEntries.length > 0 ? describeNamesakes(namesakeEntries.length, user) : '';
  const entries = (await store.list(account)) ?? [];
  if (entries.length === 0) {
    show(namesakeSentence);
    return;
  }
  const outbox = new Outbox({ api: new Api({ csrf }), user, account, store });
  const draw = () => show(`${describeStatus(outbox.status)} ${namesakeSentence}`);
  outbox.addEventListener('status', draw);
  await outbox.ready;
  draw();
}

function show(sentences) {
  line.textContent = sentences;
  line.hidden = sentences === '';
}

function describeNamesakes(count, user) {
  return `This browser keeps ${pluralise(count, 'step')} of ${user} in another campaign, to be sent only there.`;
}

function describeStatus({ kind, waiting, refused }) {
  switch (kind) {
    case 'saving':
      return `Sending ${pluralise(waiting, 'step')} that this browser has kept.`;
    case 'offline':
    case 'signed-out':
      return `This browser keeps ${pluralise(waiting, 'step')} of yours until it can reach the server.`;
    case 'refused':
      return `The server refused ${pluralise(refused.length, 'step')} of yours. Open a document to see why.`;
    default:
      return 'All steps that this browser kept are saved now. Reload the page to see them counted.';
  }
}

start();
