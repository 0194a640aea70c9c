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
   * Return what is kept, of whomever; null if that cannot be read.
   *
   * @returns {Entry[]|null}
   */
  all() {
    return attempt(null, (storage) => {
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at));
      const ours = names.filter((name) => name?.startsWith(PREFIX));
      // another tab may have taken one away since
      return ours.map((name) => read(storage.getItem(name))).filter((entry) => entry !== null);
    });
  }
}

function nameOf({ client, sequence }) {
  return `${PREFIX}${client} ${sequence}`;
}

/** What cannot be read is none of ours, and keeps nobody from the others. */
function read(written) {
  try {
    return JSON.parse(written ?? 'null');
  } catch {
    return null;
  }
}

/** Merely to look at it is forbidden in some browsers. */
function attempt(otherwise, work) {
  try {
    return work(globalThis.localStorage);
  } catch {
    return otherwise;
  }
}
