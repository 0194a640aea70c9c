/** Something that is never done twice at once: asked for in the middle, it is done once more afterwards. */
export class Turns {
  #work;
  #mayRepeat;
  #running = null;
  #isAskedAgain = false;

  /**
   * @param {() => Promise<void>} work
   * @param {() => boolean} mayRepeat  asked before it is done once more
   */
  constructor(work, mayRepeat) {
    this.#work = work;
    this.#mayRepeat = mayRepeat;
  }

  get isRunning() {
    return this.#running !== null;
  }

  /** @returns {Promise<void>}  settled when what is under way, or has just begun, is over */
  take() {
    this.#isAskedAgain = this.isRunning;
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
      if (this.#isAskedAgain && this.#mayRepeat()) this.take();
    });
    return this.#running;
  }
}
