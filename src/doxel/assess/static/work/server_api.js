/**
 * The server's JSON interface, and the session.  Every call returns data, is refused with a reason, or gets no
 * answer.
 *
 * Events: 'signed-out' (the session has ended), 'signed-in' (detail: {name, account}), 'reached' and 'unreached'
 * (whether the last call got an answer from our server).
 *
 * @typedef {{name: string, account: string, role: string, csrf: string}} SignedIn  `account` identifies a user,
 *   also among users of the same name in other campaigns
 */

/** Somewhat longer than the server waits for its disk. */
const PATIENCE = 40_000;
/** What goes on although the page is closed; browsers allow 64 kB in all. */
const MOST_LINGERING = 32_000;

/** Too large, too often, too busy: a server in front of ours may say so as well, in its own way. */
const COMMON = new Set([413, 429, 503]);

/** The server has answered, and said no. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, details?: any}} error
   * @param {number} retryAfter  seconds
   */
  constructor(status, { code = 'failed', message = 'the server refused this', details = null }, retryAfter) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** There was no answer, or none of our server. */
class Unreachable extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'Unreachable';
  }
}

export class Api extends EventTarget {
  /** @param {{csrf: string, patience?: number}} options  the word that every change must carry */
  constructor({ csrf, patience = PATIENCE }) {
    super();
    this.csrf = csrf;
    this.patience = patience;
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  get(path) {
    return this.#call(path, { method: 'GET' });
  }

  /**
   * @param {string} path
   * @param {any} body
   * @returns {Promise<any>}
   */
  post(path, body) {
    const written = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'x-csrf-token': this.csrf };
    // at most three bytes a unit, so this asks for no more than what is surely allowed
    const keepalive = written.length * 3 < MOST_LINGERING;
    return this.#call(path, { method: 'POST', headers, body: written, keepalive });
  }

  /**
   * Sign in, in place; whoever it is, changes are made in that name from here on.
   *
   * @param {string} name
   * @param {string} password
   * @returns {Promise<SignedIn>}
   */
  async signIn(name, password) {
    const signed = await this.post('/api/session', { name, password });
    this.#take(signed);
    return signed;
  }

  /**
   * Ask who is signed in, which may have changed in another tab, and go on in that name.
   *
   * @returns {Promise<SignedIn>}
   */
  async whoAmI() {
    const session = await this.get('/api/session');
    this.#take(session);
    return session;
  }

  #take({ name, account, csrf }) {
    this.csrf = csrf;
    this.dispatchEvent(new CustomEvent('signed-in', { detail: { name, account } }));
  }

  async #call(path, options) {
    const [response, data] = await this.#fetched(path, options);
    const { ok, status, headers } = response;
    const error = data?.error;
    if (!ok && !COMMON.has(status) && typeof error?.code !== 'string') {
      this.#unreached('the answer is not from doxel'); // a server in front of ours says that ours is away
    }
    this.dispatchEvent(new Event('reached'));
    if (ok) return data;
    if (status === 401 && error?.code !== 'wrong-credentials') this.dispatchEvent(new Event('signed-out'));
    throw new Refused(status, error ?? {}, seconds(headers.get('retry-after')));
  }

  async #fetched(path, options) {
    // a long document may take its time
    const signal = AbortSignal.timeout(options.method === 'GET' ? 3 * this.patience : this.patience);
    try {
      const response = await fetch(path, { ...options, signal, cache: 'no-store' });
      const written = await response.text();
      return [response, this.#read(response, written)];
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      return this.#unreached(error.name === 'TimeoutError' ? 'the server is silent' : 'no connection');
    }
  }

  #read(response, written) {
    if (response.status === 204) return null;
    try {
      return JSON.parse(written);
    } catch {
      return response.ok ? this.#unreached('the answer is not from doxel') : null;
    }
  }

  #unreached(message) {
    this.dispatchEvent(new Event('unreached'));
    throw new Unreachable(message);
  }
}

/**
 * Return a document's name as part of an address; slashes are part of the path.
 *
 * @param {string} doc
 * @returns {string}
 */
export function addressed(doc) {
  return doc.split('/').map(encodeURIComponent).join('/');
}

function seconds(header) {
  return /^\d{1,6}$/.test(header ?? '') ? Number(header) : 0;
}

/** Whose account we work in: nothing may go out in another one, not even in one of the same name. */
export class Session {
  #api;
  #user;
  #account;
  #changed;
  /** Whether nobody, or somebody else, has signed in. */
  isOut = false;
  /** Who has signed in, if that is somebody else. */
  other = '';

  /**
   * @param {{api: Api, user: string, account: string, signal: AbortSignal,
   *   changed: (isBack: boolean) => void}} parts  changed is told whether the user has just come back
   */
  constructor({ api, user, account, signal, changed }) {
    this.#api = api;
    this.#user = user;
    this.#account = account;
    this.#changed = changed;
    api.addEventListener('signed-out', () => this.#end(), { signal });
    api.addEventListener('signed-in', ({ detail }) => this.#begin(detail), { signal });
  }

  /** The server knows nobody any more. */
  #end() {
    this.isOut = true;
    this.other = '';
    this.#changed(false);
  }

  #begin({ name, account }) {
    const wasOut = this.isOut;
    this.isOut = account !== this.#account;
    this.other = this.isOut ? this.#named(name) : '';
    this.#changed(wasOut && !this.isOut);
  }

  #named(name) {
    return name === this.#user ? `${name} of another campaign` : name;
  }

  /** Ask the server: somebody may have signed in elsewhere in this browser. */
  async look() {
    await this.#api.whoAmI().catch(() => {}); // the interface itself tells everybody what came of it
  }
}
