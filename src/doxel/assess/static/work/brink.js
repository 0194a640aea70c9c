/**
 * Events whose way to the disk has only begun.
 *
 * Nobody can wait for IndexedDB while a page goes away, and what was asked of it then may be dropped.  The
 * storage used here takes a text at once.  It is small: events stay only until they are on disk, or where
 * there is no other.  Nothing here throws.
 *
 * @typedef {import('./store.js').Entry} Entry
 */
const PREFIX = 'doxel-assess ';

export class Brink {
  /**
   * Keep events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are kept
   */
  hold(entries) {
    return attempt(false, (storage) => {
      for (const entry of entries) storage.setItem(nameOf(entry), JSON.stringify(entry));
      return true;
    });
  }

  /**
   * Let go of events.
   *
   * @param {Entry[]} entries
   * @returns {boolean}  whether all are gone
   */
  release(entries) {
    return attempt(false, (storage) => {
      for (const entry of entries) storage.removeItem(nameOf(entry));
      return true;
    });
  }

  /**
   * Return what is kept of a user; null if that cannot be read.
   *
   * @param {string} user
   * @returns {Entry[]|null}
   */
  all(user) {
    return attempt(null, (storage) => {
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at));
      const ours = names.filter((name) => name?.startsWith(PREFIX));
      // another tab may have taken one away since
      const found = ours.map((name) => JSON.parse(storage.getItem(name) ?? 'null'));
      return found.filter((entry) => entry?.user === user);
    });
  }
}

function nameOf({ client, sequence }) {
  return `${PREFIX}${client} ${sequence}`;
}

/** Merely to look at it is forbidden in some browsers. */
function attempt(otherwise, work) {
  try {
    return work(globalThis.localStorage);
  } catch {
    return otherwise;
  }
}
