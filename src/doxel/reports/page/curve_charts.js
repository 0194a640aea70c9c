// Axes of SVG charts in page pixels, so that text keeps its size; and the curves.
function roundUp(value) {
  if (!(value > 0)) return 1;
  const steps = [1, 2, 2.5, 5, 10].map((factor) => factor * 10 ** Math.floor(Math.log10(value / 4)));
  const step = steps.find((candidate) => candidate * 5 >= value) || steps[steps.length - 1];
  return Math.ceil(value / step - 1e-9) * step;
}
function chooseTicks(low, high, most = 5) {
  const raw = (high - low) / most;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * base).find((size) => size >= raw - 1e-12);
  const ticks = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9; value += step)
    ticks.push(Math.abs(value) < 1e-12 ? 0 : value);
  return ticks;
}
// 1, 2 and 5 times powers of ten, or the powers alone if the others would touch
function chooseLogTicks(low, high, room) {
  const narrowest = (room * Math.log(2)) / Math.log(Math.max(high / low, 2));
  const factors = narrowest < 7 * formatShort(high).length + 6 ? [1] : [1, 2, 5];
  return [1, 10, 100, 1000, 10000, 100000]
    .flatMap((power) => factors.map((factor) => factor * power))
    .filter((tick) => tick >= low && tick <= high);
}
const formatShort = (value) => String(Number(value.toFixed(3)));

function makeFrame(
  width,
  height,
  { low, high, xTicks, x, xLabel, yLabel, left = 44, right = 12, top = 10, bottom = 40 },
) {
  const y = (value) => top + (1 - (value - low) / (high - low || 1)) * (height - top - bottom);
  const grid = s(
    "g",
    { class: "grid" },
    chooseTicks(low, high).map((value) => [
      s("line", {
        x1: left,
        x2: width - right,
        y1: y(value),
        y2: y(value),
        class: value === 0 ? "zero" : null,
      }),
      s(
        "text",
        { x: left - 7, y: y(value), "text-anchor": "end", "dominant-baseline": "central" },
        formatShort(value),
      ),
    ]),
    (xTicks || []).map((value) =>
      s("text", { x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, formatShort(value)),
    ),
    xLabel
      ? s(
          "text",
          { class: "axis", x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" },
          xLabel,
        )
      : null,
    yLabel
      ? s(
          "text",
          {
            class: "axis",
            transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)`,
            "text-anchor": "middle",
          },
          yLabel,
        )
      : null,
  );
  return { grid, y };
}
const makePath = (points) =>
  points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// Places of labels, at least a distance apart, that move as little as possible and keep their order.
function spreadLabels(wanted, distance, low, high) {
  const order = wanted.map((_, place) => place).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const step = Math.min(distance, (high - low) / Math.max(1, order.length - 1));
  const blocks = []; // labels that would overlap share their mean
  order.forEach((label, place) => {
    blocks.push({ sum: wanted[label] - place * step, size: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1],
        before = blocks[blocks.length - 2];
      if (before.sum / before.size <= last.sum / last.size) break;
      blocks.splice(-2, 2, { sum: before.sum + last.sum, size: before.size + last.size });
    }
  });
  const means = blocks.flatMap(({ sum, size }) => new Array(size).fill(sum / size));
  const places = new Array(wanted.length);
  order.forEach((label, place) => {
    const highest = high - step * (order.length - 1);
    places[label] = Math.max(low, Math.min(highest, means[place])) + place * step;
  });
  return places;
}

// The names of runs at the right ends of their lines, in a chart that is wide enough for them.
const LABELLED_FROM = 420; // pixels
const LABEL_HEIGHT = 15;
const BANDS_UP_TO = 3; // more bands hide each other and the lines
const hasLabels = (box) => box.clientWidth >= LABELLED_FROM;
function measureLabels(lines) {
  const longest = Math.max(0, ...lines.map((line) => report.runs[line.run].length));
  return 34 + Math.min(120, 7 * longest);
}
function makeLabels(lines, findPoint, width, right, [low, high]) {
  const ends = lines.map((line) => findPoint(line, line.points[line.points.length - 1]));
  // of lines that end together, the one with the better mean is named first
  const findHeight = (line) =>
    line.points.reduce((sum, k) => sum + findPoint(line, k)[1], 0) / Math.max(1, line.points.length);
  const wanted = ends.map(
    ([, y], place) => Math.round(y / LABEL_HEIGHT) * LABEL_HEIGHT + (findHeight(lines[place]) / high) * (LABEL_HEIGHT / 2),
  );
  const places = spreadLabels(wanted, LABEL_HEIGHT, low, high);
  const edge = width - right;
  return lines.map((line, place) => {
    const [x, y] = ends[place],
      label = places[place],
      start = edge + 12,
      name = report.runs[line.run];
    const letters = [...name];
    const shortName = letters.length > 17 ? `${letters.slice(0, 16).join("")}…` : name;
    return s(
      "g",
      { class: `swatch run c${findSlot(line.run)}` },
      s("polyline", { class: "leader", points: `${x},${y} ${Math.max(x, edge)},${y} ${start},${label}` }),
      s("line", { x1: start, x2: start + 16, y1: label, y2: label }),
      s("text", { x: start + 20, y: label, "dominant-baseline": "central" }, shortName, s("title", {}, name)),
    );
  });
}

// A curve: the mean of each chosen run with its band, the other runs in grey behind them.  The line of an
// ideal ranking has no run (-1) but a name, and is dashed.
function drawCurve(box, curve) {
  const width = box.clientWidth || 640,
    height = Math.round(Math.max(250, Math.min(430, width * 0.52)));
  const lines = curve.lines.map((line) => ({
    ...line,
    points: line.at
      .map((_, k) => k)
      .filter((k) => isNumber(line.mean[k]) && isNumber(line.x[k]) && (!curve.over_ranks || line.x[k] >= 1)),
  }));
  const chosenLines = lines.filter((line) => findSlot(line.run) >= 0),
    others = lines.filter((line) => findSlot(line.run) < 0);
  const labelledLines = hasLabels(box) ? chosenLines.filter((line) => line.points.length) : [];
  const left = 50,
    right = labelledLines.length ? measureLabels(labelledLines) : 14,
    top = 10,
    bottom = 42;
  const xs = lines.flatMap((line) => line.points.map((k) => line.x[k]));
  if (!xs.length) {
    box.replaceChildren(h("p", { class: "note" }, "No run has this curve: see Warnings."));
    return;
  }
  const bandedLines = chosenLines.length <= BANDS_UP_TO ? chosenLines : [];
  const highest = Math.max(
    ...bandedLines.flatMap((line) => line.points.map((k) => line.high[k] ?? line.mean[k])),
    ...chosenLines.flatMap((line) => line.points.map((k) => line.mean[k])),
    ...others.flatMap((line) => line.points.map((k) => line.mean[k])),
    0,
  );
  // leave out the ranks after the last change
  const findLastMove = (line) =>
    line.points.findLastIndex(
      (k, place) => place > 0 && Math.abs(line.mean[k] - line.mean[line.points[place - 1]]) > 1e-9,
    );
  const lastMove = Math.max(
    ...lines.map((line) => (line.points.length ? line.x[line.points[Math.max(0, findLastMove(line))]] : 1)),
  );
  // ranks start at 1, budgets at their first point
  const xMin = Math.max(1, Math.min(...xs));
  const xMax = curve.over_ranks
      ? Math.min(Math.max(...xs), Math.max(10 * xMin, lastMove * 1.15))
      : roundUp(Math.max(...xs)),
    high = roundUp(highest);
  const room = width - left - right;
  const x = curve.over_ranks
    ? (value) => left + (Math.log(value / xMin) / Math.log(Math.max(xMax / xMin, 2))) * room
    : (value) => left + (value / xMax) * room;
  const xTicks = curve.over_ranks
    ? chooseLogTicks(xMin, xMax, room)
    : chooseTicks(0, xMax, width < 480 ? 5 : 10);
  const { grid, y } = makeFrame(width, height, {
    low: 0,
    high,
    xTicks,
    x,
    xLabel: curve.x_label,
    yLabel: curve.y_label,
    left,
    right,
    top,
    bottom,
  });
  for (const line of lines) line.points = line.points.filter((k) => line.x[k] <= xMax);
  const makeLinePath = (line) => makePath(line.points.map((k) => [x(line.x[k]), y(line.mean[k])]));
  const makeBandPath = (line) => {
    const points = line.points.filter((k) => isNumber(line.low[k]));
    return points.length
      ? makePath([
          ...points.map((k) => [x(line.x[k]), y(line.high[k])]),
          ...points.reverse().map((k) => [x(line.x[k]), y(line.low[k])]),
        ]) + "Z"
      : "";
  };
  const cursor = s("g", { class: "cursor" });
  const svg = s(
    "svg",
    {
      class: "chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      tabindex: 0,
      "data-right": right,
      "aria-label": `${curve.name}: ${curve.about}`,
    },
    grid,
    s(
      "g",
      { class: "others" },
      others.map((line) => s("path", { class: line.run < 0 ? "ideal" : null, d: makeLinePath(line) })),
    ),
    s(
      "g",
      { class: "bands" },
      bandedLines.map((line) => s("path", { class: `run c${findSlot(line.run)}`, d: makeBandPath(line) })),
    ),
    s(
      "g",
      { class: "lines" },
      chosenLines.map((line) => s("path", { class: `run c${findSlot(line.run)}`, d: makeLinePath(line) })),
    ),
    s(
      "g",
      { class: "labels" },
      makeLabels(
        labelledLines.filter((line) => line.points.length),
        (line, k) => [x(line.x[k]), y(line.mean[k])],
        width,
        right,
        [top + 4, height - bottom],
      ),
    ),
    cursor,
  );
  const ideal = lines.filter((line) => line.run < 0),
    runs = chosenLines.length ? chosenLines : lines.filter((line) => line.run >= 0).slice(0, SLOTS);
  const visibleLines = [...runs, ...ideal];
  let current = null;
  const showValues = (k, event) => {
    current = k;
    const linesHere = visibleLines.filter((line) => line.points.includes(k)).sort((a, b) => b.mean[k] - a.mean[k]);
    if (!linesHere.length) return;
    const at = linesHere[0].at[k],
      hasOwnX = linesHere.some((line) => line.x[k] !== at); // each line has its own x at a rank
    cursor.replaceChildren(
      ...(hasOwnX ? [] : [s("line", { x1: x(at), x2: x(at), y1: top, y2: height - bottom })]),
      ...linesHere.map((line) =>
        s("circle", { class: `run c${findSlot(line.run)}`, cx: x(line.x[k]), cy: y(line.mean[k]), r: 4 }),
      ),
    );
    const rows = linesHere.map((line) => [
      line.run < 0 ? [isolateName(line.name)] : [makeSwatch(line.run), " ", isolateName(report.runs[line.run])],
      h("b", { "data-run": line.run < 0 ? line.name : line.run }, formatNumber(line.mean[k])),
      h(
        "span",
        { class: "quiet" },
        hasOwnX
          ? `at ${curve.x_label} ${formatNumber(line.x[k])}`
          : `${formatNumber(line.low[k])} – ${formatNumber(line.high[k])}`,
      ),
    ]);
    showTip(
      event,
      h("div", { class: "tip-title" }, `${hasOwnX ? "rank" : curve.x_label} ${formatShort(at)}`),
      makeTipTable(rows),
    );
  };
  const findNearest = (event) => {
    const area = svg.getBoundingClientRect(),
      px = event.clientX - area.left,
      py = event.clientY - area.top;
    let best = null,
      least = Infinity;
    for (const line of visibleLines)
      for (const k of line.points) {
        const distance =
          Math.abs(x(line.x[k]) - px) + (line.x[k] !== line.at[k] ? Math.abs(y(line.mean[k]) - py) : 0);
        if (distance < least) {
          least = distance;
          best = k;
        }
      }
    return best;
  };
  const leave = () => {
    hideTip();
    cursor.replaceChildren();
  };
  svg.addEventListener("pointermove", (event) => {
    const k = findNearest(event);
    if (k !== null) showValues(k, event);
  });
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !visibleLines.length) return;
    event.preventDefault();
    const all = visibleLines[0].points,
      place = Math.max(0, Math.min(all.length - 1, (current === null ? -1 : all.indexOf(current)) + step));
    const area = svg.getBoundingClientRect();
    showValues(all[place], { clientX: area.left + x(visibleLines[0].x[all[place]]), clientY: area.top + top });
  });
  box.replaceChildren(svg);
}

addSection("curves", (node) => drawTasks(node, drawCurves));

function drawCurves(node, task) {
  const box = findPart(node, "charts");
  box.className = "charts";
  if (!box.children.length)
    task.curves.forEach((curve) =>
      box.append(
        h(
          "figure",
          {},
          h("figcaption", {}, h(task.name ? "h4" : "h3", {}, curve.name), h("p", { class: "note" }, `${curve.about}.`)),
          h("div", { class: "drawing", "data-curve": curve.name }),
        ),
      ),
    );
  box.querySelectorAll(".drawing").forEach((drawing, place) => drawCurve(drawing, task.curves[place]));
  if (!task.curves.length) {
    findPart(node, "legend").replaceChildren(h("p", { class: "note" }, "No run of this task has a curve."));
    return;
  }
  const runs = listChosenRuns().filter((run) => task.runs.includes(run));
  findPart(node, "legend").replaceChildren(
    h(
      "ul",
      { class: "legend" },
      hasLabels(box.querySelector(".drawing"))
        ? null
        : runs.map((run) => h("li", {}, makeSwatch(run), " ", isolateName(report.runs[run]))),
      report.curves.some((curve) => curve.lines.some((line) => line.run < 0))
        ? h("li", {}, "dashed: the ideal ranking")
        : null,
    ),
    h(
      "p",
      { class: "note" },
      `Mean over topics${runs.length <= BANDS_UP_TO ? " with its interval" : `; of ${BANDS_UP_TO} runs or fewer, bands show the intervals`}.${task.runs.length > runs.length ? " Other runs are grey: choose up to eight in the leaderboard." : ""} Point at a curve, or use the arrow keys, to read values.`,
    ),
  );
}
