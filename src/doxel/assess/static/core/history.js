/**
 * What can be undone and done again, step by step; a step is what one action did, however many events.
 *
 * @typedef {import('./fold.js').Event} Event
 * @typedef {{event: Event, undoing: Event[]}} Part
 * @typedef {Part[]} Step
 */
import { apply, inverse } from './fold.js';

export class History {
  /** @type {Step[]} */
  #done = [];
  /** @type {Step[]} */
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
   * @returns {boolean}  whether there is something to undo
   */
  did(stateBefore, events) {
    const step = [];
    let state = stateBefore;
    for (const event of events) {
      step.push({ event, undoing: inverse(state, event) });
      state = apply(state, event);
    }
    if (step.every(({ undoing }) => undoing.length === 0)) return false;
    this.#done.push(step);
    this.#undone = [];
    return true;
  }

  /** @returns {Event[]|null}  the events that undo the last step */
  undo() {
    const step = this.#done.pop();
    if (step === undefined) return null;
    this.#undone.push(step);
    return [...step].reverse().flatMap(({ undoing }) => undoing);
  }

  /** @returns {Event[]|null}  the events that do again what was undone last */
  redo() {
    const step = this.#undone.pop();
    if (step === undefined) return null;
    this.#done.push(step);
    return step.map(({ event }) => event);
  }

  /**
   * Learn that an event never came to be: it was refused.  What did not happen need not be undone; what was
   * not undone still can be.
   *
   * @param {Event} event  one that did something, or undid it
   */
  refused(event) {
    const isUndoing = (step) => step.some(({ undoing }) => undoing.includes(event));
    this.#done.push(...this.#undone.filter(isUndoing));
    this.#undone = this.#undone.filter((step) => !isUndoing(step));
    const others = (step) => step.filter((part) => part.event !== event);
    const isStep = (step) => step.some(({ undoing }) => undoing.length > 0);
    this.#done = this.#done.map(others).filter(isStep);
    this.#undone = this.#undone.map(others).filter(isStep);
  }
}
