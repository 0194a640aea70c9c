/**
 * A worker that searches a text for patterns, so that a pattern that never ends can be stopped with the worker.
 *
 * Receives {text}, then {id, source, flags}; answers {id, isBegun}, then {id, places, isCut}: starts and ends in
 * turn, in UTF-16 units.
 */

const MOST = 5_000; // places: more are of no use to anybody, and take long to paint

let text = '';

function places(source, flags) {
  const found = [];
  for (const match of text.matchAll(new RegExp(source, flags))) {
    if (match[0] === '') continue; // nothing that could be painted
    if (found.length === 2 * MOST) return { places: found, isCut: true };
    found.push(match.index, match.index + match[0].length);
  }
  return { places: found, isCut: false };
}

onmessage = ({ data }) => {
  if ('text' in data) {
    text = data.text;
    return;
  }
  postMessage({ id: data.id, isBegun: true });
  postMessage({ id: data.id, ...places(data.source, data.flags) });
};
