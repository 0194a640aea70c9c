// The leaderboard, and the differences to the baseline.

// The leaderboard: means of all measures, the chosen one with its interval and its groups.
const boardOrder = { key: "mean", down: true };

function findBest(measure, runs) {
  const scores = runs
    .map((run) => report.means[measure][run])
    .filter(isNumber)
    .map((summary) => summary.score)
    .filter(isNumber);
  if (!scores.length) return null;
  return report.lower[measure] ? Math.min(...scores) : Math.max(...scores);
}

// Draws a score and a range around or beside it, on the scale from low to high.
function drawRange(score, from, to, low, high, run, mark = "whisker") {
  const width = 120,
    height = 18,
    pad = 6;
  const x = (value) => pad + ((value - low) / (high - low || 1)) * (width - 2 * pad);
  const slot = findSlot(run);
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
    isNumber(from) ? s("line", { class: mark, x1: x(from), x2: x(to), y1: height / 2, y2: height / 2 }) : null,
    isNumber(score) ? s("circle", { cx: x(score), cy: height / 2, r: 3.5 }) : null,
  );
}

function makeScoreCell(measure, run) {
  const summary = report.means[measure][run];
  if (summary === null) return h("span", { class: "none", title: "not scored: see Warnings" }, NONE);
  const { runs } = findTask(run);
  const isBest = runs.length > 1 && isNumber(summary.score) && summary.score === findBest(measure, runs);
  return isBest
    ? h("strong", { class: "best", title: "the best mean" }, formatNumber(summary.score))
    : formatNumber(summary.score);
}

addSection("leaderboard", (node) => drawTasks(node, drawLeaderboard));

function drawLeaderboard(node, task) {
  const { measure } = state;
  const means = task.runs.map((run) => report.means[measure][run]).filter(isNumber);
  // one scale for all uncertainties, so that they can be compared
  const ends = means.flatMap((summary) =>
    ["score", "low", "high", "optimistic", "assessors_low", "assessors_high"]
      .map((name) => summary[name])
      .filter(isNumber),
  );
  const low = ends.length ? Math.min(...ends) : 0,
    high = ends.length ? Math.max(...ends) : 1;
  const hasResiduals = means.some((summary) => isNumber(summary.residual)),
    hasAssessors = means.some((summary) => isNumber(summary.assessors_low));
  const rangeColumn = (key, label, describe) => ({
    key,
    label,
    kind: "none plot",
    cell: (run) => {
      const summary = report.means[measure][run];
      const range = summary === null ? null : describe(summary);
      return range === null || !isNumber(range.from)
        ? NONE
        : h(
            "span",
            { class: "ends" },
            drawRange(summary.score, range.from, range.to, low, high, run, range.mark),
            h("span", { class: "numbers" }, range.text),
          );
    },
  });
  const comparison = task.comparisons[measure];
  const redraw = () => redrawAll();
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
            checked: findSlot(run) >= 0,
            "aria-label": `show ${report.runs[run]}`,
            onchange: () => toggleRun(run),
          }),
          makeSwatch(run),
        ),
    },
    {
      key: "run",
      label: "run",
      kind: "text",
      value: (run) => report.runs[run],
      cell: (run) => [
        isolateName(report.runs[run]),
        run === task.baseline && task.runs.length > 1 ? h("span", { class: "tag" }, "baseline") : null,
      ],
    },
    {
      key: "mean",
      label: report.measures[measure],
      kind: "number",
      value: (run) => findMean(run),
      cell: (run) => makeScoreCell(measure, run),
    },
    rangeColumn("interval", `${Number((report.parameters.level * 100).toFixed(4))} % interval over topics`, (summary) => ({
      from: summary.low,
      to: summary.high,
      text: `${formatNumber(summary.low)} – ${formatNumber(summary.high)}`,
    })),
  ];
  if (hasResiduals)
    columns.push(
      rangeColumn("residual", "unjudged text", (summary) => ({
        from: isNumber(summary.residual) ? summary.score : null,
        to: summary.optimistic,
        mark: "residual",
        text: formatSigned(summary.residual),
      })),
    );
  if (hasAssessors)
    columns.push(
      rangeColumn("assessors", "assessors", (summary) => ({
        from: summary.assessors_low,
        to: summary.assessors_high,
        mark: "assessors",
        text: `${formatNumber(summary.assessors_low)} – ${formatNumber(summary.assessors_high)}`,
      })),
    );
  // letters are from Tukey's test: other tests have only the p-values of the differences
  const hasLetters = comparison !== null && Object.keys(comparison.groups).length > 0;
  if (hasLetters)
    // beside the mean, so that a narrow screen shows them without scrolling
    columns.splice(3, 0, {
      key: "groups",
      label: "group",
      kind: "letters",
      value: (run) => comparison.groups[run],
      cell: (run) => comparison.groups[run] || NONE,
    });
  report.measures.forEach((label, other) => {
    if (other !== measure)
      columns.push({
        key: `m${other}`,
        label,
        kind: "number",
        value: (run) => findMean(run, other),
        cell: (run) => makeScoreCell(other, run),
      });
  });
  findPart(node, "table").replaceChildren(
    makeScroller(
      task.name ? `leaderboard of ${task.name}` : "leaderboard",
      makeSortedTable(columns, task.runs, boardOrder, redraw, (run) => ({ "data-run": run })),
    ),
  );
  const topics = report.topics.length,
    used = comparison ? comparison.settings.topics : topics;
  const tukey = hasLetters
    ? `Runs that share a letter do not differ significantly by randomised Tukey HSD; a–d stands for a, b, c and d (${pluralise(used, "topic", "topics")}, ` +
      `two-sided, ${formatNumber(1 - report.parameters.level, 2)} for the whole family of pairs, ${formatCount(report.parameters.resamples)} resamples, seed ${report.parameters.seed}).`
    : comparison
      ? `Differences to the baseline are tested below: ${comparison.settings.test}, correction ${comparison.settings.correction}.`
      : "";
  const counts = new Set(means.map((summary) => summary.topics));
  const unequal = counts.size > 1 ? ` (${Math.min(...counts)} to ${Math.max(...counts)}, by run)` : "";
  const residuals = hasResiduals
    ? "Unjudged text: how far the mean would move if all retrieved text of documents that nobody judged were relevant. "
    : "";
  const assessors = hasAssessors
    ? "Assessors: the lowest and the highest mean over the assessors of each topic. "
    : "";
  const friedman =
    comparison && isNumber(comparison.friedman)
      ? ` Friedman's test that all runs are equal: p ${comparison.friedman < 0.0001 ? "" : "= "}${formatPValue(comparison.friedman)}.`
      : "";
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      `Means over topics${unequal}; the interval is a percentile bootstrap of topics. ${residuals}${assessors}${task.runs.length > 1 ? "The best mean of each measure is bold. " : ""}${tukey}${friedman}`,
    ),
  );
}

// Differences to the baseline: topic by topic for one run, and tested for every run.
const pairOrder = { key: "difference", down: true };

addSection("differences", (node) => drawTasks(node, drawDifferences));

function drawDifferences(node, task) {
  const { measure } = state,
    base = task.baseline;
  const others = rankRuns(measure, task.runs).filter(
    (run) => run !== base && report.scores[measure][run] !== null,
  );
  const comparison = task.comparisons[measure];
  if (!isNumber(base) || report.scores[measure][base] === null || !others.length) {
    const reason =
      task.runs.length > 1
        ? "The baseline, or every other run, is not scored by this measure."
        : "This task has one run only.";
    findPart(node, "choice").replaceChildren(h("p", { class: "note" }, reason));
    ["columns", "note", "table", "how"].forEach((key) => findPart(node, key).replaceChildren());
    return;
  }
  if (!others.includes(task.shownRun)) task.shownRun = others[0];
  const run = task.shownRun;
  findPart(node, "choice").replaceChildren(
    h(
      "div",
      { class: "controls" },
      makeSelect(
        "run",
        others.map((other) => [other, report.runs[other]]),
        run,
        (value) => {
          task.shownRun = value;
          redrawAll();
        },
      ),
      h("span", {}, "against ", isolateName(report.runs[base])),
    ),
  );
  const items = report.topics
    .map((_, topic) => ({ topic, score: findScore(run, topic), baseScore: findScore(base, topic) }))
    .filter((item) => isNumber(item.score) && isNumber(item.baseScore))
    .map((item) => ({ ...item, value: item.score - item.baseScore }))
    .sort((a, b) => toMerit(b.value) - toMerit(a.value) || a.topic - b.topic);
  const reach = roundUp(Math.max(0.01, ...items.map((item) => Math.abs(item.value))));
  drawTopicColumns(findPart(node, "columns"), items, {
    label: `difference in ${report.measures[measure]}`,
    low: -reach,
    high: reach,
    mark: null,
    chooseClass: (item) => (toMerit(item.value) < 0 ? "worse" : "better"),
    describe: (item) => [
      h("div", { class: "tip-title" }, "topic ", isolateName(getTopicId(item.topic)), makeTopicTitle(item.topic)),
      makeTipTable([
        [isolateName(report.runs[run]), formatNumber(item.score)],
        [isolateName(report.runs[base]), formatNumber(item.baseScore)],
        ["difference", h("b", {}, formatSigned(item.value))],
      ]),
    ],
  });
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      report.lower[measure]
        ? "One column per topic: below the line the run is better than the baseline, above it worse."
        : "One column per topic: above the line the run is better than the baseline, below it worse.",
    ),
  );
  if (!comparison || !comparison.pairs.length) {
    findPart(node, "table").replaceChildren();
    findPart(node, "how").replaceChildren();
    return;
  }
  const number = (key, label, show = formatNumber) => ({
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
      cell: (row) => isolateName(report.runs[row.run]),
    },
    number("difference", "difference", formatSigned),
    number("p", "p", formatPValue),
    {
      ...number("p_adjusted", "p, corrected", formatPValue),
      cell: (row) =>
        row.p_adjusted < 1 - report.parameters.level
          ? h("strong", { class: "best", title: "significant" }, formatPValue(row.p_adjusted))
          : formatPValue(row.p_adjusted),
    },
    number("d", "d", (value) => (value === null ? "∞" : formatSigned(value))),
    number("delta", "Cliff’s delta", formatSigned),
    number("wins", "better", formatCount),
    number("ties", "equal", formatCount),
    number("losses", "worse", formatCount),
  ];
  findPart(node, "table").replaceChildren(
    makeScroller(
      "differences to the baseline",
      makeSortedTable(
        columns,
        comparison.pairs,
        pairOrder,
        () => redrawAll(),
        (row) => ({ "data-run": row.run }),
      ),
      "wide tall",
    ),
  );
  const settings = Object.entries(comparison.settings)
    .map(([key, value]) => `${key}: ${typeof value === "number" ? formatCount(value) : value}`)
    .join("; ");
  findPart(node, "how").replaceChildren(
    h("p", { class: "note" }, `${settings}. d: mean difference in standard deviations of the differences.`),
  );
}
