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
   * @param {{api: import('./api.js').Api, user: string, account: string, signal: AbortSignal,
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
