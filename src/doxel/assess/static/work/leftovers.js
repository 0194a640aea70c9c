/** On pages where nobody judges: sends what an earlier page left behind in this browser, and says so. */
import { counted } from '../core/page_helpers.js';
import { openStore } from './local_store.js';
import { Outbox } from './outbox.js';
import { Api } from './server_api.js';

const line = document.getElementById('leftovers');

async function start() {
  const { user, account, csrf } = line.dataset;
  const store = await openStore();
  const theirs = await store.ofNamesakes({ user, account });
  const elsewhere = theirs.length > 0 ? leftAlone(theirs.length, user) : '';
  const left = (await store.all(account)) ?? [];
  if (left.length === 0) {
    show(elsewhere);
    return;
  }
  const outbox = new Outbox({ api: new Api({ csrf }), user, account, store });
  const draw = () => show(`${words(outbox.status)} ${elsewhere}`);
  outbox.addEventListener('status', draw);
  await outbox.ready;
  draw();
}

function show(sentences) {
  line.textContent = sentences;
  line.hidden = sentences === '';
}

function leftAlone(count, user) {
  return `Of ${user} in another campaign this browser keeps ${counted(count, 'step')}, to be sent only there.`;
}

function words({ kind, waiting, refused }) {
  switch (kind) {
    case 'saving':
      return `Sending ${counted(waiting, 'step')} that this browser had kept.`;
    case 'offline':
    case 'signed-out':
      return `This browser keeps ${counted(waiting, 'step')} of yours until the server can be reached.`;
    case 'refused':
      return `The server has refused ${counted(refused.length, 'step')} of yours: open a document to see why.`;
    default:
      return 'What this browser had kept is saved now. Load the page again to see it counted.';
  }
}

start();
