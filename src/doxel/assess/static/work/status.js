/**
 * How it stands with somebody's work.
 *
 * @typedef {import('./store.js').Entry} Entry
 * @typedef {{kind: 'saved'|'saving'|'offline'|'signed-out'|'refused', waiting: number, isKept: boolean,
 *   refused: Entry[], message: string, signedInAs: string}} Status
 *   isKept: whether work can be kept so that it outlives this page; message: what the trouble is; signedInAs:
 *   who has signed in, if that is somebody else
 */

/**
 * @param {{waiting: import('./waiting.js').Waiting, session: import('./session.js').Session, store: any,
 *   trouble: string|null}} parts
 * @returns {Status}
 */
export function statusOf({ waiting, session, store, trouble }) {
  const [count, refused] = [waiting.entries.length, waiting.refused];
  const kind = kindOf({ count, refused, session, trouble });
  const { isKept } = store;
  return { kind, waiting: count, isKept, refused, message: trouble ?? '', signedInAs: session.other };
}

/** What somebody must know first. */
function kindOf({ count, refused, session, trouble }) {
  if (session.isOut) return 'signed-out';
  if (trouble !== null) return 'offline';
  if (count > 0) return 'saving';
  return refused.length > 0 ? 'refused' : 'saved';
}
