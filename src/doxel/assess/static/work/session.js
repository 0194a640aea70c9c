/** Whose name we work in: nothing may go out in another one. */
export class Session {
  #api;
  #user;
  #changed;
  /** Whether nobody, or somebody else, has signed in. */
  isOut = false;
  /** Who has signed in, if that is somebody else. */
  other = '';

  /**
   * @param {{api: import('./api.js').Api, user: string, signal: AbortSignal,
   *   changed: (isBack: boolean) => void}} parts  changed is told whether the user has just come back
   */
  constructor({ api, user, signal, changed }) {
    this.#api = api;
    this.#user = user;
    this.#changed = changed;
    api.addEventListener('signed-out', () => this.end(), { signal });
    api.addEventListener('signed-in', ({ detail }) => this.#begin(detail.name), { signal });
  }

  /** The server knows us no more. */
  end() {
    this.isOut = true;
    this.#changed(false);
  }

  #begin(name) {
    const wasOut = this.isOut;
    this.isOut = name !== this.#user;
    this.other = this.isOut ? name : '';
    this.#changed(wasOut && !this.isOut);
  }

  /** Ask the server: somebody may have signed in elsewhere in this browser. */
  async look() {
    await this.#api.whoAmI().catch(() => {}); // the interface itself tells everybody what came of it
  }
}
