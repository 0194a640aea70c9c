// Shared by all parts of the page: the data, building nodes, numbers, the hover box, the state, tables.
const report = JSON.parse(document.getElementById("report").textContent);
const SVG = "http://www.w3.org/2000/svg";
const SLOTS = 8; // colours that are told apart
const NONE = "–";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined));
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
// Names come from files: isolated, so that right-to-left ones leave their neighbours alone.
const name = (text) => h("bdi", {}, text);
const byId = (id) => document.getElementById(id);

// As Python rounds, so that the page and `doxel evaluate` print the same digits: a tie at the fifth
// place is an odd number of 32nds, and goes to the even digit.
function fixed(value, digits = 4) {
  if (value === null || value === undefined) return NONE;
  const text = value.toFixed(digits);
  const parts = value * 32;
  if (digits !== 4 || !Number.isInteger(parts) || parts % 2 === 0) return text;
  const down = Math.floor(Math.abs(value) * 1e4);
  const even = down % 2 === 0 ? down : down + 1;
  return (value < 0 ? "-" : "") + (even / 1e4).toFixed(4);
}
const signed = (value) =>
  value === null ? NONE : (value > 0 ? "+" : value < 0 ? "−" : "") + fixed(Math.abs(value));
const pValue = (p) => (p === null ? NONE : p < 0.0001 ? "< 0.0001" : fixed(p));
const count = (number) => number.toLocaleString("en-GB");
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
const isNumber = (value) => value !== null && value !== undefined;
const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length === 0
    ? null
    : sorted.length % 2
      ? sorted[half]
      : (sorted[half - 1] + sorted[half]) / 2;
}

// -- the state: one measure to look at, and the runs that have a colour --
const state = { measure: report.main, slots: new Array(SLOTS).fill(null) };
const watchers = [];
const changed = () => watchers.forEach((redraw) => redraw());
const slotOf = (run) => state.slots.indexOf(run);
const chosenRuns = () => state.slots.filter(isNumber);
const meanOf = (run, measure = state.measure) => {
  const found = report.means[measure][run];
  return found === null ? null : found.score;
};
// how good a score is: of some measures less is better
const merit = (score, measure = state.measure) => (report.lower[measure] ? -score : score);
function ranking(measure = state.measure) {
  const runs = report.runs.map((_, run) => run);
  const value = (run) => (isNumber(meanOf(run, measure)) ? merit(meanOf(run, measure), measure) : -Infinity);
  return runs.sort((a, b) => value(b) - value(a) || a - b);
}
function toggle(run) {
  const slot = slotOf(run);
  const free = state.slots.indexOf(null);
  if (slot >= 0) state.slots[slot] = null;
  else state.slots[free >= 0 ? free : SLOTS - 1] = run;
  changed();
}
{
  const first = [...ranking().slice(0, 5), report.baseline];
  [...new Set(first)].slice(0, SLOTS).forEach((run, slot) => (state.slots[slot] = run));
}
const swatch = (run) => {
  const slot = slotOf(run);
  return s(
    "svg",
    { class: `swatch ${slot < 0 ? "other" : `run c${slot}`}`, width: 22, height: 10, "aria-hidden": "true" },
    s("line", { x1: 1, x2: 21, y1: 5, y2: 5 }),
  );
};

// -- the hover box --
const tip = byId("tip");
function showTip(event, ...content) {
  tip.replaceChildren(...content.flat());
  tip.hidden = false;
  const { innerWidth: width, innerHeight: height } = window;
  const x = event.clientX + 14,
    y = event.clientY + 14;
  tip.style.left = `${Math.max(4, Math.min(x, width - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + tip.offsetHeight > height ? Math.max(4, event.clientY - tip.offsetHeight - 10) : y}px`;
}
const hideTip = () => (tip.hidden = true);
const tipTable = (rows) =>
  h(
    "table",
    {},
    rows.map((cells) =>
      h(
        "tr",
        {},
        cells.map((cell) => h("td", {}, cell)),
      ),
    ),
  );

// -- drawing when it is first seen, and again when something changes --
function section(id, draw) {
  const node = byId(id);
  if (!node) return;
  let seen = false,
    width = 0;
  const redraw = () => {
    if (seen) draw(node);
  };
  const look = () => {
    if (!seen) {
      seen = true;
      draw(node);
    }
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      if (entries.some((one) => one.isIntersecting)) {
        watcher.disconnect();
        look();
      }
    },
    { rootMargin: "400px" },
  );
  watcher.observe(node);
  window.addEventListener("beforeprint", look);
  new ResizeObserver(() => {
    if (node.clientWidth !== width) {
      width = node.clientWidth;
      requestAnimationFrame(redraw);
    }
  }).observe(node);
  watchers.push(redraw);
}
function part(node, key) {
  let found = node.querySelector(`[data-part="${key}"]`);
  if (!found) {
    found = h("div", { "data-part": key });
    node.append(found);
  }
  return found;
}
function select(label, options, value, change) {
  return h(
    "label",
    { class: "choice" },
    h("span", {}, label),
    h(
      "select",
      { onchange: (event) => change(Number(event.target.value)) },
      options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
    ),
  );
}
function segments(label, options, value, change) {
  return h(
    "div",
    { class: "segments", role: "group", "aria-label": label },
    options.map(([key, text]) =>
      h(
        "button",
        { type: "button", "aria-pressed": String(key === value), onclick: () => change(key) },
        text,
      ),
    ),
  );
}

// What may be wider or taller than its place can be reached and moved by keys.
const scroller = (label, content, kind = "wide") =>
  h("div", { class: kind, tabindex: 0, role: "region", "aria-label": label }, content);

// -- tables that sort by their head --
// columns: {key, label, kind: "text"|"number"|"none", value(row), cell(row)}; order keeps {key, down}.
function sortedTable(columns, rows, order, redraw, rowAttributes = () => ({})) {
  const by = columns.find((one) => one.key === order.key) || columns[0];
  const missing = (value) => value === null || value === undefined;
  const compare = (a, b) => {
    const x = by.value(a),
      y = by.value(b);
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    const way = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return order.down ? -way : way;
  };
  const sorted = by.value
    ? rows.map((row, place) => [row, place]).sort((a, b) => compare(a[0], b[0]) || a[1] - b[1])
    : rows.map((row) => [row]);
  const head = columns.map((one) => {
    if (!one.value) return h("th", { scope: "col", class: one.kind }, one.label);
    const here = one.key === by.key;
    const sort = () => {
      order.down = here ? !order.down : one.kind === "number";
      order.key = one.key;
      redraw();
    };
    return h(
      "th",
      {
        scope: "col",
        class: one.kind,
        "aria-sort": here ? (order.down ? "descending" : "ascending") : "none",
      },
      h(
        "button",
        { type: "button", onclick: sort, "data-sort": one.key },
        one.label,
        h("span", { class: "arrow", "aria-hidden": "true" }, here ? (order.down ? "▾" : "▴") : ""),
      ),
    );
  });
  return h(
    "table",
    { class: "data" },
    h("thead", {}, h("tr", {}, head)),
    h(
      "tbody",
      {},
      sorted.map(([row]) =>
        h(
          "tr",
          rowAttributes(row),
          columns.map((one, place) =>
            h(
              place === (columns[0].value ? 0 : 1) ? "th" : "td",
              { class: one.kind, scope: place === (columns[0].value ? 0 : 1) ? "row" : null },
              one.cell(row),
            ),
          ),
        ),
      ),
    ),
  );
}
