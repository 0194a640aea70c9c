/** On pages where nobody judges: sends what an earlier page left behind in this browser, and says so. */
import { Api } from './api.js';
import { Outbox } from './outbox.js';
import { openStore } from './store.js';

const line = document.getElementById('leftovers');

async function start() {
  const { user, csrf } = line.dataset;
  const store = await openStore();
  const left = await store.all(user);
  if (left === null || left.length === 0) return;
  const outbox = new Outbox({ api: new Api({ csrf }), user, store });
  const draw = () => {
    line.textContent = words(outbox.status);
    line.hidden = false;
  };
  outbox.addEventListener('status', draw);
  await outbox.ready;
  draw();
}

function words({ kind, waiting, refused }) {
  switch (kind) {
    case 'saving':
      return `Sending ${steps(waiting)} that this browser had kept.`;
    case 'offline':
    case 'signed-out':
      return `This browser keeps ${steps(waiting)} of yours until the server can be reached.`;
    case 'refused':
      return `The server has refused ${steps(refused.length)} of yours: open a document to see why.`;
    default:
      return 'What this browser had kept is saved now. Load the page again to see it counted.';
  }
}

function steps(count) {
  return count === 1 ? '1 step' : `${count} steps`;
}

start();
