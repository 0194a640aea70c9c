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

/** Milliseconds; a little longer than the server waits for its disk. */
const TIMEOUT = 40_000;
/** The largest request, in bytes, that goes on after the page is closed; browsers allow 64 kB in all. */
const MOST_KEEPALIVE = 32_000;

/** Too large, too often, too busy: a proxy may answer with these too, without our JSON. */
const PROXY_STATUSES = new Set([413, 429, 503]);

/** The server has refused a request. */
export class RefusedError extends Error {
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

/** There was no answer, or not from our server. */
class UnreachableError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'Unreachable';
  }
}

/** The calls of the interface. */
export class Api extends EventTarget {
  /** @param {{csrf: string, patience?: number}} options  the CSRF token; patience in milliseconds */
  constructor({ csrf, patience = TIMEOUT }) {
    super();
    this.csrf = csrf;
    this.patience = patience;
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  get(path) {
    return this.#request(path, { method: 'GET' });
  }

  /**
   * @param {string} path
   * @param {any} body
   * @returns {Promise<any>}
   */
  post(path, body) {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'x-csrf-token': this.csrf };
    // a unit takes at most three bytes, so this never exceeds the limit
    const keepalive = text.length * 3 < MOST_KEEPALIVE;
    return this.#request(path, { method: 'POST', headers, body: text, keepalive });
  }

  /**
   * Sign in without leaving the page; later changes are made in that name.
   *
   * @param {string} name
   * @param {string} password
   * @returns {Promise<SignedIn>}
   */
  async signIn(name, password) {
    const session = await this.post('/api/session', { name, password });
    this.#useSession(session);
    return session;
  }

  /**
   * Ask who is signed in, which may have changed in another tab, and continue in that name.
   *
   * @returns {Promise<SignedIn>}
   */
  async fetchSession() {
    const session = await this.get('/api/session');
    this.#useSession(session);
    return session;
  }

  #useSession({ name, account, csrf }) {
    this.csrf = csrf;
    this.dispatchEvent(new CustomEvent('signed-in', { detail: { name, account } }));
  }

  async #request(path, options) {
    const [response, data] = await this.#fetch(path, options);
    const { ok, status, headers } = response;
    const error = data?.error;
    if (!ok && !PROXY_STATUSES.has(status) && typeof error?.code !== 'string') {
      this.#failUnreached('the answer is not from doxel'); // a proxy's own error page
    }
    this.dispatchEvent(new Event('reached'));
    if (ok) return data;
    if (status === 401 && error?.code !== 'wrong-credentials') this.dispatchEvent(new Event('signed-out'));
    throw new RefusedError(status, error ?? {}, parseSeconds(headers.get('retry-after')));
  }

  async #fetch(path, options) {
    // a long document may take longer
    const signal = AbortSignal.timeout(options.method === 'GET' ? 3 * this.patience : this.patience);
    try {
      const response = await fetch(path, { ...options, signal, cache: 'no-store' });
      const text = await response.text();
      return [response, this.#parse(response, text)];
    } catch (error) {
      if (error instanceof UnreachableError) throw error;
      return this.#failUnreached(error.name === 'TimeoutError' ? 'the server did not answer in time' : 'no connection');
    }
  }

  #parse(response, text) {
    if (response.status === 204) return null;
    try {
      return JSON.parse(text);
    } catch {
      return response.ok ? this.#failUnreached('the answer is not from doxel') : null;
    }
  }

  #failUnreached(message) {
    this.dispatchEvent(new Event('unreached'));
    throw new UnreachableError(message);
  }
}

/**
 * Return a document's name as part of an address; slashes stay slashes.
 *
 * @param {string} doc
 * @returns {string}
 */
export function encodePath(doc) {
  return doc.split('/').map(encodeURIComponent).join('/');
}

function parseSeconds(header) {
  return /^\d{1,6}$/.test(header ?? '') ? Number(header) : 0;
}

/** Watches the session: nothing may be sent from another account, not even from one of the same name. */
export class Session {
  #api;
  #user;
  #account;
  #callback;
  /** Whether nobody, or somebody else, has signed in. */
  isOut = false;
  /** The name of another user who has signed in. */
  other = '';

  /**
   * @param {{api: Api, user: string, account: string, signal: AbortSignal,
   *   changed: (isBack: boolean) => void}} parts  changed is called with whether the user has just come back
   */
  constructor({ api, user, account, signal, changed }) {
    this.#api = api;
    this.#user = user;
    this.#account = account;
    this.#callback = changed;
    api.addEventListener('signed-out', () => this.#end(), { signal });
    api.addEventListener('signed-in', ({ detail }) => this.#begin(detail), { signal });
  }

  /** The session has ended. */
  #end() {
    this.isOut = true;
    this.other = '';
    this.#callback(false);
  }

  #begin({ name, account }) {
    const wasOut = this.isOut;
    this.isOut = account !== this.#account;
    this.other = this.isOut ? this.#formatName(name) : '';
    this.#callback(wasOut && !this.isOut);
  }

  #formatName(name) {
    return name === this.#user ? `${name} of another campaign` : name;
  }

  /** Ask the server: somebody may have signed in elsewhere in this browser.  Api dispatches the result. */
  async check() {
    await this.#api.fetchSession().catch(() => {});
  }
}
