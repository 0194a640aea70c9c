/**
 * What can be undone and done again, step by step; a step is what one action did, however many events.
 *
 * @typedef {import('./fold.js').Event} Event
 * @typedef {{done: Event[], undoing: Event[]}} Step
 */
import { apply, inverse } from './fold.js';

export class History {
  #done = [];
  #undone = [];

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /**
   * Remember a step; one that changed nothing is none.
   *
   * @param {import('./fold.js').State} stateBefore
   * @param {Event[]} events
   * @returns {Step|null}
   */
  did(stateBefore, events) {
    const undoing = [];
    let state = stateBefore;
    for (const event of events) {
      undoing.unshift(...inverse(state, event));
      state = apply(state, event);
    }
    if (undoing.length === 0) return null;
    const step = { done: events, undoing };
    this.#done.push(step);
    this.#undone = [];
    return step;
  }

  /** @returns {Event[]|null}  the events that undo the last step */
  undo() {
    const step = this.#done.pop();
    if (step === undefined) return null;
    this.#undone.push(step);
    return step.undoing;
  }

  /** @returns {Event[]|null}  the events that do again what was undone last */
  redo() {
    const step = this.#undone.pop();
    if (step === undefined) return null;
    this.#done.push(step);
    return step.done;
  }

  /**
   * Forget a step that never came to be, such as one that was refused.
   *
   * @param {Event} event  one of those that did it or undid it
   */
  forget(event) {
    const isOther = (step) => !step.done.includes(event) && !step.undoing.includes(event);
    this.#done = this.#done.filter(isOther);
    this.#undone = this.#undone.filter(isOther);
  }
}
