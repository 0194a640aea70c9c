/** A word from tab to tab; where a browser has no way for it, nobody hears anything. */
export class Tabs {
  #channel = null;

  /**
   * @param {string} name
   * @param {(message: any) => void} hear  called with what other tabs say
   */
  constructor(name, hear) {
    if (!globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', ({ data }) => hear(data));
  }

  /** @param {any} message */
  say(message) {
    this.#channel?.postMessage(message);
  }

  close() {
    this.#channel?.close();
    this.#channel = null;
  }
}
