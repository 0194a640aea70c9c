/** What leads an assessor through the work: the guidelines on request, and the next topic at the end of one. */
import { make, pluralise } from '../core/page_helpers.js';
import { announce, openDialog } from './dialogs.js';

/** Show the guidelines over the page; they are fetched as a page, whose text the server has made safe. */
export async function showGuidelines() {
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
export function offerNextTopic(desk, api) {
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
