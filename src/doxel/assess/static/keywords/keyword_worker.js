/**
 * A worker that searches a text for patterns, so that a pattern that never ends can be stopped with the worker.
 *
 * Receives {text}, then {id, source, flags}; answers {id, isBegun}, then {id, places, isCut}: starts and ends in
 * turn, in UTF-16 units.
 */

const MOST_PLACES = 5_000; // more are of no use, and take long to paint

let text = '';

function findPlaces(source, flags) {
  const places = [];
  for (const match of text.matchAll(new RegExp(source, flags))) {
    if (match[0] === '') continue; // cannot be painted
    if (places.length === 2 * MOST_PLACES) return { places, isCut: true };
    places.push(match.index, match.index + match[0].length);
  }
  return { places, isCut: false };
}

onmessage = ({ data }) => {
  if ('text' in data) {
    text = data.text;
    return;
  }
  postMessage({ id: data.id, isBegun: true });
  postMessage({ id: data.id, ...findPlaces(data.source, data.flags) });
};
