// Differences to the baseline: topic by topic for one run, and tested for every run.
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
