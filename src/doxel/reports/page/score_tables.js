// The leaderboard, and the differences to the baseline.
const boardOrder = { key: "mean", down: true };

function bestOf(measure) {
  const scores = report.means[measure]
    .filter(isNumber)
    .map((one) => one.score)
    .filter(isNumber);
  if (!scores.length) return null;
  return report.lower[measure] ? Math.min(...scores) : Math.max(...scores);
}

function intervalPlot(found, low, high, run) {
  const width = 150,
    height = 18,
    pad = 6;
  const x = (value) => pad + ((value - low) / (high - low || 1)) * (width - 2 * pad);
  const slot = slotOf(run);
  return s(
    "svg",
    {
      class: `interval ${slot < 0 ? "other" : `run c${slot}`}`,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "aria-hidden": "true",
    },
    s("line", { class: "rail", x1: pad, x2: width - pad, y1: height / 2, y2: height / 2 }),
    isNumber(found.low)
      ? s("line", { class: "whisker", x1: x(found.low), x2: x(found.high), y1: height / 2, y2: height / 2 })
      : null,
    isNumber(found.score) ? s("circle", { cx: x(found.score), cy: height / 2, r: 3.5 }) : null,
  );
}

function scoreCell(measure, run) {
  const found = report.means[measure][run];
  if (found === null) return h("span", { class: "none", title: "not scored: see what was skipped" }, NONE);
  const best = report.runs.length > 1 && isNumber(found.score) && found.score === bestOf(measure);
  return best
    ? h("strong", { class: "best", title: "the best mean" }, fixed(found.score))
    : fixed(found.score);
}

section("leaderboard", (node) => {
  const { measure } = state;
  const means = report.means[measure].filter(isNumber);
  const low = Math.min(...means.map((one) => one.low ?? one.score ?? 0)),
    high = Math.max(...means.map((one) => one.high ?? one.score ?? 1));
  const compared = report.comparisons[measure];
  const redraw = () => changed();
  const columns = [
    {
      key: "chosen",
      label: h("span", { class: "quiet" }, "show"),
      kind: "none",
      cell: (run) =>
        h(
          "label",
          { class: "pick", title: "show this run in curves and documents" },
          h("input", {
            type: "checkbox",
            checked: slotOf(run) >= 0,
            "aria-label": `show ${report.runs[run]}`,
            onchange: () => toggle(run),
          }),
          swatch(run),
        ),
    },
    {
      key: "run",
      label: "run",
      kind: "text",
      value: (run) => report.runs[run],
      cell: (run) => [
        name(report.runs[run]),
        run === report.baseline && report.runs.length > 1 ? h("span", { class: "tag" }, "baseline") : null,
      ],
    },
    {
      key: "mean",
      label: report.measures[measure],
      kind: "number",
      value: (run) => meanOf(run),
      cell: (run) => scoreCell(measure, run),
    },
    {
      key: "interval",
      label: `${Math.round(report.parameters.level * 100)} % interval`,
      kind: "none plot",
      cell: (run) => {
        const found = report.means[measure][run];
        return found === null
          ? NONE
          : h(
              "span",
              { class: "ends" },
              intervalPlot(found, low, high, run),
              h("span", { class: "numbers" }, `${fixed(found.low)} – ${fixed(found.high)}`),
            );
      },
    },
  ];
  if (compared)
    columns.push({
      key: "groups",
      label: "group",
      kind: "letters",
      value: (run) => compared.groups[run],
      cell: (run) => compared.groups[run] || NONE,
    });
  report.measures.forEach((label, other) => {
    if (other !== measure)
      columns.push({
        key: `m${other}`,
        label,
        kind: "number",
        value: (run) => meanOf(run, other),
        cell: (run) => scoreCell(other, run),
      });
  });
  const runs = report.runs.map((_, run) => run);
  part(node, "table").replaceChildren(
    scroller(
      "leaderboard",
      sortedTable(columns, runs, boardOrder, redraw, (run) => ({ "data-run": run })),
    ),
  );
  const topics = report.topics.length,
    used = compared ? compared.settings.topics : topics;
  const said = compared
    ? `Runs that share a letter are not told apart by randomised Tukey HSD; a–d stands for a, b, c and d (${plural(used, "topic", "topics")}, ` +
      `two-sided, ${fixed(1 - report.parameters.level, 2)} for the whole family of pairs, ${count(report.parameters.resamples)} resamples, seed ${report.parameters.seed}).`
    : "";
  const friedman =
    compared && isNumber(compared.friedman)
      ? ` Friedman's test that all runs are alike: p ${compared.friedman < 0.0001 ? "" : "= "}${pValue(compared.friedman)}.`
      : "";
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      `Means over topics; the interval is a bootstrap of topics. ${report.runs.length > 1 ? "The best mean of each measure is bold. " : ""}${said}${friedman}`,
    ),
  );
});

const against = { run: null };
const pairOrder = { key: "difference", down: true };

section("differences", (node) => {
  const { measure } = state,
    base = report.baseline;
  const others = ranking().filter((run) => run !== base && report.scores[measure][run] !== null);
  const compared = report.comparisons[measure];
  if (report.scores[measure][base] === null || !others.length) {
    part(node, "choice").replaceChildren(
      h("p", { class: "note" }, "The baseline, or every other run, is not scored by this measure."),
    );
    ["columns", "said", "table", "how"].forEach((key) => part(node, key).replaceChildren());
    return;
  }
  if (against.run === null || !others.includes(against.run)) against.run = others[0];
  const { run } = against;
  part(node, "choice").replaceChildren(
    h(
      "div",
      { class: "controls" },
      select(
        "run",
        others.map((one) => [one, report.runs[one]]),
        run,
        (value) => {
          against.run = value;
          changed();
        },
      ),
      h("span", {}, "against ", name(report.runs[base])),
    ),
  );
  const items = report.topics
    .map((_, topic) => ({ topic, one: scoreOf(run, topic), other: scoreOf(base, topic) }))
    .filter((item) => isNumber(item.one) && isNumber(item.other))
    .map((item) => ({ ...item, value: item.one - item.other }))
    .sort((a, b) => merit(b.value) - merit(a.value) || a.topic - b.topic);
  const reach = niceMax(Math.max(0.01, ...items.map((item) => Math.abs(item.value))));
  topicColumns(part(node, "columns"), items, {
    label: `difference in ${report.measures[measure]}`,
    low: -reach,
    high: reach,
    mark: null,
    classOf: (item) => (merit(item.value) < 0 ? "worse" : "better"),
    tell: (item) => [
      h("div", { class: "tip-title" }, "topic ", name(topicName(item.topic)), topicTitle(item.topic)),
      tipTable([
        [name(report.runs[run]), fixed(item.one)],
        [name(report.runs[base]), fixed(item.other)],
        ["difference", h("b", {}, signed(item.value))],
      ]),
    ],
  });
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      report.lower[measure]
        ? "One column a topic: below the line the run is better than the baseline, above it worse."
        : "One column a topic: above the line the run is better than the baseline, below it worse.",
    ),
  );
  if (!compared || !compared.pairs.length) {
    part(node, "table").replaceChildren();
    part(node, "how").replaceChildren();
    return;
  }
  const number = (key, label, show = fixed) => ({
    key,
    label,
    kind: "number",
    value: (row) => row[key],
    cell: (row) => show(row[key]),
  });
  const columns = [
    {
      key: "run",
      label: "run",
      kind: "text",
      value: (row) => report.runs[row.run],
      cell: (row) => name(report.runs[row.run]),
    },
    number("difference", "difference", signed),
    number("p", "p", pValue),
    {
      ...number("p_adjusted", "p, corrected", pValue),
      cell: (row) =>
        row.p_adjusted < 1 - report.parameters.level
          ? h("strong", { class: "best", title: "told apart" }, pValue(row.p_adjusted))
          : pValue(row.p_adjusted),
    },
    number("d", "d", (value) => (value === null ? "∞" : signed(value))),
    number("delta", "Cliff’s delta", signed),
    number("wins", "better", count),
    number("ties", "equal", count),
    number("losses", "worse", count),
  ];
  part(node, "table").replaceChildren(
    scroller(
      "differences to the baseline",
      sortedTable(
        columns,
        compared.pairs,
        pairOrder,
        () => changed(),
        (row) => ({ "data-run": row.run }),
      ),
      "wide tall",
    ),
  );
  const said = Object.entries(compared.settings)
    .map(([key, value]) => `${key}: ${typeof value === "number" ? count(value) : value}`)
    .join("; ");
  part(node, "how").replaceChildren(
    h("p", { class: "note" }, `${said}. d: mean difference in standard deviations of the differences.`),
  );
});
