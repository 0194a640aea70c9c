/** When something that failed is tried again: after pauses that grow, and not before the server wants it. */
const LONGEST_PAUSE = 30_000;

export class Pacing {
  #first;
  #pause;
  #attempt;
  #timer = null;
  #notBefore = 0;
  #isStopped = false;
  #hasWaited = false;

  /**
   * @param {number} first  milliseconds of the first pause; each one after it is twice as long
   * @param {() => void} attempt
   */
  constructor(first, attempt) {
    this.#first = first;
    this.#pause = first;
    this.#attempt = attempt;
  }

  /** Whether an attempt is going to be made. */
  get isSet() {
    return this.#timer !== null;
  }

  /** Milliseconds for which the server wants to be left alone. */
  get early() {
    return Math.max(0, this.#notBefore - Date.now());
  }

  /**
   * Try again in some time, unless it will be tried anyhow.
   *
   * @param {number} milliseconds
   */
  later(milliseconds) {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#hasWaited = true;
      this.#attempt();
    }, milliseconds);
  }

  /**
   * It has failed: try again after a pause.
   *
   * @param {number} wanted  milliseconds that the server wants to be left alone
   */
  failed(wanted) {
    this.#notBefore = Date.now() + wanted;
    // who goes on working tries with every step, and shall not wait the longer for it
    if (this.#hasWaited) this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
    this.#hasWaited = false;
    // not all at the same moment when a server comes back
    this.later(Math.max(wanted, this.#pause * (0.75 + Math.random() / 2)));
  }

  /** It has worked: the next failure is the first. */
  succeeded() {
    this.#notBefore = 0;
    this.hope();
  }

  /** There is reason to hope: go back to short pauses. */
  hope() {
    this.#pause = this.#first;
    this.#hasWaited = false;
  }

  /** It is being tried: what was planned is not needed any more. */
  cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Never try again. */
  stop() {
    this.#isStopped = true;
    this.cancel();
  }
}
