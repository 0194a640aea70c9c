// Axes of SVG charts in page pixels, so that text keeps its size; and the curves.
function niceMax(value) {
  if (!(value > 0)) return 1;
  const step = [1, 2, 2.5, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10(value / 4)));
  const chosen = step.find((one) => one * 5 >= value) || step[step.length - 1];
  return Math.ceil(value / chosen - 1e-9) * chosen;
}
function ticks(low, high, most = 5) {
  const raw = (high - low) / most;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * base).find((one) => one >= raw - 1e-12);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9; value += step)
    found.push(Math.abs(value) < 1e-12 ? 0 : value);
  return found;
}
const short = (value) => String(Number(value.toFixed(3)));

function frame(
  width,
  height,
  { low, high, xTicks, x, xLabel, yLabel, left = 44, right = 12, top = 10, bottom = 40 },
) {
  const y = (value) => top + (1 - (value - low) / (high - low || 1)) * (height - top - bottom);
  const grid = s(
    "g",
    { class: "grid" },
    ticks(low, high).map((value) => [
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
        short(value),
      ),
    ]),
    (xTicks || []).map((value) =>
      s("text", { x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, short(value)),
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
const pathOf = (points) =>
  points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function drawCurve(box, curve) {
  const width = box.clientWidth || 640,
    height = Math.round(Math.max(250, Math.min(430, width * 0.52)));
  const left = 50,
    right = 14,
    top = 10,
    bottom = 42;
  const lines = curve.lines.map((line) => ({
    ...line,
    points: line.at
      .map((_, k) => k)
      .filter((k) => isNumber(line.mean[k]) && isNumber(line.x[k]) && (!curve.over_ranks || line.x[k] >= 1)),
  }));
  const chosen = lines.filter((line) => slotOf(line.run) >= 0),
    others = lines.filter((line) => slotOf(line.run) < 0);
  const xs = lines.flatMap((line) => line.points.map((k) => line.x[k]));
  if (!xs.length) {
    box.replaceChildren(h("p", { class: "note" }, "No run has this curve: see what was skipped."));
    return;
  }
  const highest = Math.max(
    ...chosen.flatMap((line) => line.points.map((k) => line.high[k] ?? line.mean[k])),
    ...others.flatMap((line) => line.points.map((k) => line.mean[k])),
    0,
  );
  // ranks at which nothing happens any more are left out
  const moves = (line) =>
    line.points.findLastIndex(
      (k, place) => place > 0 && Math.abs(line.mean[k] - line.mean[line.points[place - 1]]) > 1e-9,
    );
  const lastMove = Math.max(
    ...lines.map((line) => (line.points.length ? line.x[line.points[Math.max(0, moves(line))]] : 1)),
  );
  const xMax = curve.over_ranks
      ? Math.min(Math.max(...xs), Math.max(10, lastMove * 1.15))
      : niceMax(Math.max(...xs)),
    high = niceMax(highest);
  const room = width - left - right;
  const x = curve.over_ranks
    ? (value) => left + (Math.log(value) / Math.log(Math.max(xMax, 2))) * room
    : (value) => left + (value / xMax) * room;
  const xTicks = curve.over_ranks
    ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((one) => one <= xMax)
    : ticks(0, xMax, width < 480 ? 5 : 10);
  const { grid, y } = frame(width, height, {
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
  for (const one of lines) one.points = one.points.filter((k) => one.x[k] <= xMax);
  const line = (one) => pathOf(one.points.map((k) => [x(one.x[k]), y(one.mean[k])]));
  const band = (one) => {
    const there = one.points.filter((k) => isNumber(one.low[k]));
    return there.length
      ? pathOf([
          ...there.map((k) => [x(one.x[k]), y(one.high[k])]),
          ...there.reverse().map((k) => [x(one.x[k]), y(one.low[k])]),
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
      "aria-label": `${curve.name}: ${curve.about}`,
    },
    grid,
    s(
      "g",
      { class: "others" },
      others.map((one) => s("path", { d: line(one) })),
    ),
    s(
      "g",
      { class: "bands" },
      chosen.map((one) => s("path", { class: `run c${slotOf(one.run)}`, d: band(one) })),
    ),
    s(
      "g",
      { class: "lines" },
      chosen.map((one) => s("path", { class: `run c${slotOf(one.run)}`, d: line(one) })),
    ),
    cursor,
  );
  const shown = chosen.length ? chosen : lines.slice(0, SLOTS);
  let here = null;
  const tell = (k, event) => {
    here = k;
    const there = shown.filter((one) => one.points.includes(k)).sort((a, b) => b.mean[k] - a.mean[k]);
    if (!there.length) return;
    const at = there[0].at[k],
      across = there.some((one) => one.x[k] !== at);
    cursor.replaceChildren(
      ...(across ? [] : [s("line", { x1: x(at), x2: x(at), y1: top, y2: height - bottom })]),
      ...there.map((one) =>
        s("circle", { class: `run c${slotOf(one.run)}`, cx: x(one.x[k]), cy: y(one.mean[k]), r: 4 }),
      ),
    );
    const rows = there.map((one) => [
      [swatch(one.run), " ", name(report.runs[one.run])],
      h("b", { "data-run": one.run }, fixed(one.mean[k])),
      h(
        "span",
        { class: "quiet" },
        across ? `at ${curve.x_label} ${fixed(one.x[k])}` : `${fixed(one.low[k])} – ${fixed(one.high[k])}`,
      ),
    ]);
    showTip(
      event,
      h("div", { class: "tip-title" }, `${across ? "rank" : curve.x_label} ${short(at)}`),
      tipTable(rows),
    );
  };
  const nearest = (event) => {
    const area = svg.getBoundingClientRect(),
      px = event.clientX - area.left,
      py = event.clientY - area.top;
    let best = null,
      least = Infinity;
    for (const one of shown)
      for (const k of one.points) {
        const distance =
          Math.abs(x(one.x[k]) - px) + (one.x[k] !== one.at[k] ? Math.abs(y(one.mean[k]) - py) : 0);
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
    const k = nearest(event);
    if (k !== null) tell(k, event);
  });
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !shown.length) return;
    event.preventDefault();
    const all = shown[0].points,
      place = Math.max(0, Math.min(all.length - 1, (here === null ? -1 : all.indexOf(here)) + step));
    const area = svg.getBoundingClientRect();
    tell(all[place], { clientX: area.left + x(shown[0].x[all[place]]), clientY: area.top + top });
  });
  box.replaceChildren(svg);
}

section("curves", (node) => {
  const box = part(node, "charts");
  box.className = "charts";
  if (!box.children.length)
    report.curves.forEach((curve) =>
      box.append(
        h(
          "figure",
          {},
          h("figcaption", {}, h("h3", {}, curve.name), h("p", { class: "note" }, `${curve.about}.`)),
          h("div", { class: "drawing", "data-curve": curve.name }),
        ),
      ),
    );
  box.querySelectorAll(".drawing").forEach((one, place) => drawCurve(one, report.curves[place]));
  const chosen = chosenRuns();
  part(node, "legend").replaceChildren(
    h(
      "ul",
      { class: "legend" },
      chosen.map((run) => h("li", {}, swatch(run), " ", name(report.runs[run]))),
    ),
    h(
      "p",
      { class: "note" },
      `Mean over topics with its interval.${report.runs.length > chosen.length ? " Other runs are grey: choose up to eight in the leaderboard." : ""} Point at a curve, or use the arrow keys, to read values.`,
    ),
  );
});
