/**
 * Events as the server takes them: without those that change nothing, in pieces that are small enough, and
 * with texts that can be stored.
 *
 * @typedef {import('../core/document_state.js').Event} Event
 */
import { apply, isSame } from '../core/document_state.js';

const MOST_SPANS = 1_000;
/** That somebody looked, or said that a document is done, is worth knowing even if it was so before. */
const ALWAYS = new Set(['show', 'validate', 'reopen']);

/**
 * Return the events that are to be sent.
 *
 * @param {Event[]} events
 * @param {import('../core/document_state.js').State} [state]  what they are applied to; without it all are needed
 * @returns {Event[]}
 */
export function fitting(events, state) {
  const found = [];
  let reached = state;
  for (const event of events.flatMap(pieces)) {
    const next = reached && apply(reached, event);
    // an edit that changes nothing else must not reopen the document either
    const isIdle = reached && isSame(next, { ...reached, validated: next.validated });
    if (!isIdle || ALWAYS.has(event.kind)) {
      found.push(event);
      reached = next;
    }
  }
  return found;
}

function pieces(event) {
  const { kind, body } = event;
  if (kind === 'note') {
    const text = storable(body.text);
    return [text === body.text ? event : { kind, body: { text } }];
  }
  if (!Array.isArray(body.spans) || body.spans.length <= MOST_SPANS) return [event];
  const found = [];
  for (let at = 0; at < body.spans.length; at += MOST_SPANS) {
    found.push({ kind, body: { spans: body.spans.slice(at, at + MOST_SPANS) } });
  }
  return found;
}

/**
 * Return a text as it can be kept: a NUL and half a character are all that no database takes.
 *
 * @param {string} text
 * @returns {string}
 */
export function storable(text) {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}
