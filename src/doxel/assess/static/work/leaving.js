/**
 * Have people asked before the page goes, or not: browsers do not keep a page at hand that always asks.
 *
 * @param {boolean} isNeeded
 */
export function askBeforeLeaving(isNeeded) {
  if (isNeeded) globalThis.addEventListener('beforeunload', ask);
  else globalThis.removeEventListener('beforeunload', ask);
}

function ask(event) {
  event.preventDefault();
}
