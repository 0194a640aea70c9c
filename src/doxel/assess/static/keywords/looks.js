/** How keywords look: a colour and a style each, as rules that this page adds to its style sheets. */

export const COLOURS = ['yellow', 'orange', 'red', 'pink', 'violet', 'blue', 'teal', 'green'];

let sheet = null;

/**
 * Say how the keywords look, instead of how they looked before.
 *
 * @param {{colour: number, style: string}[]} keywords
 */
export function showLooks(keywords) {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync(keywords.map(({ colour, style }, slot) => rules(slot, colour, style)).join('\n'));
}

/** The names of colours are properties of keywords.css, lighter or darker with the page. */
function rules(slot, colour, style) {
  const [line, ground] = [`var(--keyword-${colour})`, `var(--keyword-${colour}-ground)`];
  if (style === 'marked') {
    return `::highlight(keyword-${slot}) { background-color: ${ground}; }
      .paint-keyword-${slot} { background: ${ground}; mix-blend-mode: var(--keyword-blend); }`;
  }
  const drawn = { underlined: 'solid', dotted: 'dotted', wavy: 'wavy' }[style];
  // a colour for the letters too: not every browser draws lines under what is highlighted
  return `::highlight(keyword-${slot}) { color: ${line}; text-decoration: underline ${drawn} ${line} 2px; }
    .paint-keyword-${slot} { border-bottom: 3px ${drawn === 'wavy' ? 'double' : drawn} ${line}; }`;
}
