// Shared by all parts of the page: the data, building nodes, numbers, the hover box, the state, tables.
const report = JSON.parse(document.getElementById("report").textContent);
const SVG = "http://www.w3.org/2000/svg";
const SLOTS = 8; // distinct colours for runs
const NONE = "–";

function fillNode(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}
const h = (tag, attributes, ...children) => fillNode(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fillNode(document.createElementNS(SVG, tag), attributes, children);
// Names come from files: isolated, so that right-to-left names do not reorder the text around them.
const isolateName = (text) => h("bdi", {}, text);
const byId = (id) => document.getElementById(id);

// Rounds as Python does, so that the page and `doxel evaluate` print the same digits: a tie at the fifth
// place is an odd number of 32nds, and is rounded to the even digit.
function formatNumber(value, digits = 4) {
  if (value === null || value === undefined) return NONE;
  const text = value.toFixed(digits);
  const parts = value * 32;
  if (digits !== 4 || !Number.isInteger(parts) || parts % 2 === 0) return text;
  const down = Math.floor(Math.abs(value) * 1e4);
  const even = down % 2 === 0 ? down : down + 1;
  return (value < 0 ? "-" : "") + (even / 1e4).toFixed(4);
}
const formatSigned = (value) =>
  value === null ? NONE : (value > 0 ? "+" : value < 0 ? "−" : "") + formatNumber(Math.abs(value));
const formatPValue = (p) => (p === null ? NONE : p < 0.0001 ? "< 0.0001" : formatNumber(p));
const formatCount = (number) => number.toLocaleString("en-GB");
// only the whole is 100 %
const formatShare = (part, whole) => `${part < whole ? Math.min(99, Math.round((100 * part) / whole)) : 100} %`;
const pluralise = (number, singular, plural) => `${formatCount(number)} ${number === 1 ? singular : plural}`;
const isNumber = (value) => value !== null && value !== undefined;
const computeMean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
function computeMedian(values) {
  const ordered = values.slice().sort((a, b) => a - b);
  const half = ordered.length >> 1;
  return ordered.length === 0
    ? null
    : ordered.length % 2
      ? ordered[half]
      : (ordered[half - 1] + ordered[half]) / 2;
}

// -- the tasks: only runs of one task are compared; each has its baseline, tests, curves and agreement --
const tasks = report.tasks.length
  ? report.tasks
  : [{ ...report, name: null, runs: report.runs.map((_, run) => run) }];
const findTask = (run) => tasks.find((task) => task.runs.includes(run));
// Draws a section once for each task, below its name if there are several.
function drawTasks(node, draw) {
  if (tasks.length === 1) {
    draw(node, tasks[0]);
    return;
  }
  tasks.forEach((task, place) => {
    const part = findPart(node, `task-${place}`);
    if (!part.querySelector("h3.task")) part.prepend(h("h3", { class: "task" }, task.name));
    draw(part, task);
  });
}

// -- the state: the chosen measure, and the runs that have a colour --
const state = { measure: report.main, slots: new Array(SLOTS).fill(null) };
const redraws = [];
const redrawAll = () => redraws.forEach((redraw) => redraw());
const findSlot = (run) => state.slots.indexOf(run);
const listChosenRuns = () => state.slots.filter(isNumber);
const findMean = (run, measure = state.measure) => {
  const summary = report.means[measure][run];
  return summary === null ? null : summary.score;
};
// a larger merit is better; of some measures a lower score is better
const toMerit = (score, measure = state.measure) => (report.lower[measure] ? -score : score);
function rankRuns(measure = state.measure, runs = report.runs.map((_, run) => run)) {
  const value = (run) => (isNumber(findMean(run, measure)) ? toMerit(findMean(run, measure), measure) : -Infinity);
  return runs.slice().sort((a, b) => value(b) - value(a) || a - b);
}
function toggleRun(run) {
  const slot = findSlot(run);
  const freeSlot = state.slots.indexOf(null);
  if (slot >= 0) state.slots[slot] = null;
  else state.slots[freeSlot >= 0 ? freeSlot : SLOTS - 1] = run;
  redrawAll();
}
{
  // of several tasks, the best runs of each in turn
  const rankings = tasks.map((task) => rankRuns(state.measure, task.runs));
  const turns = [0, 1, 2, 3, 4].flatMap((place) => rankings.map((runs) => runs[place])).filter(isNumber);
  const first = report.chosen || [...turns.slice(0, tasks.length > 1 ? SLOTS : 5), report.baseline];
  [...new Set(first)].slice(0, SLOTS).forEach((run, slot) => (state.slots[slot] = run));
}
const makeSwatch = (run) => {
  const slot = findSlot(run);
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
const makeTipTable = (rows) =>
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

// -- sections are drawn when they first become visible, and again when something changes --
function addSection(id, draw) {
  const node = byId(id);
  if (!node) return;
  let isDrawn = false,
    width = 0;
  const redraw = () => {
    if (isDrawn) draw(node);
  };
  const drawOnce = () => {
    if (!isDrawn) {
      isDrawn = true;
      draw(node);
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        observer.disconnect();
        drawOnce();
      }
    },
    { rootMargin: "400px" },
  );
  observer.observe(node);
  window.addEventListener("beforeprint", drawOnce);
  new ResizeObserver(() => {
    if (node.clientWidth !== width) {
      width = node.clientWidth;
      requestAnimationFrame(redraw);
    }
  }).observe(node);
  redraws.push(redraw);
}
function findPart(node, key) {
  const child = node.querySelector(`[data-part="${key}"]`);
  if (child) return child;
  const newChild = h("div", { "data-part": key });
  node.append(newChild);
  return newChild;
}
function makeSelect(label, options, value, change) {
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
function makeSegments(label, options, value, change) {
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

// A box for content that may be wider or taller than its place; the keyboard can reach and scroll it.
const makeScroller = (label, content, kind = "wide") =>
  h("div", { class: kind, tabindex: 0, role: "region", "aria-label": label }, content);

// -- tables that are sorted by a click on a column's head --
// columns: {key, label, kind: "text"|"number"|"none", value(row), cell(row)}; order holds {key, down}.
function makeSortedTable(columns, rows, order, redraw, rowAttributes = () => ({})) {
  const sortColumn = columns.find((column) => column.key === order.key) || columns[0];
  const isMissing = (value) => value === null || value === undefined;
  const compare = (a, b) => {
    const x = sortColumn.value(a),
      y = sortColumn.value(b);
    if (isMissing(x) || isMissing(y)) return isMissing(x) - isMissing(y);
    const difference = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return order.down ? -difference : difference;
  };
  const sortedRows = sortColumn.value
    ? rows.map((row, place) => [row, place]).sort((a, b) => compare(a[0], b[0]) || a[1] - b[1])
    : rows.map((row) => [row]);
  const head = columns.map((column) => {
    if (!column.value) return h("th", { scope: "col", class: column.kind }, column.label);
    const isSorted = column.key === sortColumn.key;
    const sort = () => {
      order.down = isSorted ? !order.down : column.kind === "number";
      order.key = column.key;
      redraw();
    };
    return h(
      "th",
      {
        scope: "col",
        class: column.kind,
        "aria-sort": isSorted ? (order.down ? "descending" : "ascending") : "none",
      },
      h(
        "button",
        { type: "button", onclick: sort, "data-sort": column.key },
        column.label,
        h("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? (order.down ? "▾" : "▴") : ""),
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
      sortedRows.map(([row]) =>
        h(
          "tr",
          rowAttributes(row),
          columns.map((column, place) =>
            h(
              place === (columns[0].value ? 0 : 1) ? "th" : "td",
              { class: column.kind, scope: place === (columns[0].value ? 0 : 1) ? "row" : null },
              column.cell(row),
            ),
          ),
        ),
      ),
    ),
  );
}
