// The topics with all runs, each run with all measures and topics, and how a score comes about.
const topicView = { topic: null, order: "mean", run: null, explained: null };
const getTopicId = (place) => report.topics[place].id;
const findScore = (run, topic, measure = state.measure) => {
  const scores = report.scores[measure][run];
  return scores === null ? null : scores[topic];
};
const makeTopicTitle = (place) =>
  report.topics[place].title ? h("span", { class: "quiet" }, ` ${report.topics[place].title}`) : null;

function orderTopics() {
  const topics = report.topics.map((_, topic) => topic);
  if (topicView.order === "id") return topics;
  const key = topics.map((topic) => {
    const scores = report.runs.map((_, run) => findScore(run, topic)).filter(isNumber);
    if (!scores.length) return -Infinity;
    const average = computeMean(scores);
    if (topicView.order === "mean") return toMerit(average);
    return Math.sqrt(computeMean(scores.map((score) => (score - average) ** 2)));
  });
  return topics.sort((a, b) => key[b] - key[a] || a - b);
}

function makeBar(share, classes) {
  return s(
    "svg",
    {
      class: `bar ${classes}`,
      width: "100%",
      height: 12,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    s("rect", { class: "rail", x: 0, y: 2, width: "100%", height: 8, rx: 1 }),
    isNumber(share)
      ? s("rect", { x: 0, y: 2, width: `${Math.max(0, Math.min(1, share)) * 100}%`, height: 8, rx: 1 })
      : null,
  );
}

addSection("topics", (node) => {
  const redraw = () => redrawAll();
  const topics = orderTopics(),
    runs = rankRuns().filter((run) => report.scores[state.measure][run] !== null);
  findPart(node, "order").replaceChildren(
    makeSegments(
      "order of topics",
      [
        ["mean", "easiest first"],
        ["spread", "largest spread"],
        ["id", "as assessed"],
      ],
      topicView.order,
      (key) => {
        topicView.order = key;
        redraw();
      },
    ),
  );
  const all = runs.flatMap((run) => topics.map((topic) => findScore(run, topic))).filter(isNumber);
  const scale = all.reduce((most, score) => Math.max(most, score), 1e-9);
  drawHeatMap(findPart(node, "heat"), {
    label: `${report.measures[state.measure]} of every run and topic`,
    rows: runs.map((run) => report.runs[run]),
    cols: topics.map(getTopicId),
    value: (r, c) => findScore(runs[r], topics[c]),
    scale,
    describe: (r, c) => [
      h("div", { class: "tip-title" }, "topic ", isolateName(getTopicId(topics[c])), makeTopicTitle(topics[c])),
      makeTipTable([[isolateName(report.runs[runs[r]]), h("b", {}, formatNumber(findScore(runs[r], topics[c])))]]),
    ],
    pick: (r, c) => {
      topicView.topic = topics[c];
      topicView.explained = runs[r];
      redraw();
    },
  });
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      `${report.measures[state.measure]}: one row per run, from the best mean down, and one column per topic; the darkest shade is the highest score, ${formatNumber(scale)}. Click a cell to see its topic and its explanation below.`,
    ),
  );
  if (topicView.topic === null) topicView.topic = topics[0];
  const { topic } = topicView,
    measure = state.measure;
  const hasDocuments = report.documents.some((candidate) => candidate.topic === getTopicId(topic));
  const findMerit = (run) => (isNumber(findScore(run, topic)) ? toMerit(findScore(run, topic)) : -Infinity);
  const rows = runs.slice().sort((a, b) => findMerit(b) - findMerit(a) || 0);
  const isBest = (run) =>
    findMerit(run) === findMerit(rows[0]) && (report.lower[measure] || findMerit(run) > 0);
  findPart(node, "one").replaceChildren(
    h("h3", {}, "One topic, every run"),
    h(
      "div",
      { class: "controls" },
      makeSelect(
        "topic",
        report.topics.map(({ id, title }, place) => [place, title ? `${id}: ${title}` : id]),
        topic,
        (value) => {
          topicView.topic = value;
          redraw();
        },
      ),
      hasDocuments
        ? h("a", { href: "#documents", onclick: () => openTopic(getTopicId(topic)) }, "show its documents")
        : null,
    ),
    makeScroller(
      "runs of one topic",
      h(
        "table",
        { class: "data bars" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "run"),
            h("th", { scope: "col", class: "number" }, report.measures[measure]),
            h("th", { scope: "col" }, "how it comes about"),
            h("td", { class: "fill" }),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((run) => {
            const v = findScore(run, topic);
            const explain = () => {
              topicView.explained = topicView.explained === run ? null : run;
              redraw();
            };
            const isExplained = String(topicView.explained === run);
            return h(
              "tr",
              { "data-run": run },
              h("th", { scope: "row" }, isolateName(report.runs[run])),
              h(
                "td",
                { class: "number" },
                isNumber(v) && isBest(run) ? h("strong", { class: "best" }, formatNumber(v)) : formatNumber(v),
              ),
              h("td", {}, h("button", { type: "button", "aria-pressed": isExplained, onclick: explain }, "explain")),
              h(
                "td",
                { class: "fill" },
                makeBar(isNumber(v) ? v / scale : null, findSlot(run) < 0 ? "other" : `run c${findSlot(run)}`),
              ),
            );
          }),
        ),
      ),
      "wide tall",
    ),
  );
  const isScored = topicView.explained !== null && report.scores[measure][topicView.explained] !== null;
  findPart(node, "explanation").replaceChildren(
    ...(isScored ? makeExplanation(topicView.explained, topic, measure).flat() : []),
  );
});

// Draws one column per topic, from the highest to the lowest; each has a mark for a value to compare with.
function drawTopicColumns(box, items, { label, low, high, mark, describe, chooseClass }) {
  const width = box.clientWidth || 640,
    height = 230,
    left = 50,
    right = 8,
    top = 10,
    bottom = 26;
  const wide = (width - left - right) / Math.max(items.length, 1);
  const { grid, y } = makeFrame(width, height, { low, high, left, right, top, bottom, yLabel: label });
  const labels = wide >= 22;
  const columns = items.map((item, place) => {
    const x = left + wide * place,
      zero = y(0),
      at = y(item.value);
    const inner = Math.max(1, Math.min(wide - 1, wide * 0.8, 34));
    const begin = x + (wide - inner) / 2;
    return s(
      "g",
      {
        class: "column",
        "data-topic": getTopicId(item.topic),
        onpointermove: (event) => showTip(event, describe(item)),
        onpointerleave: hideTip,
      },
      s("rect", { class: "target", x, y: top, width: wide, height: height - top - bottom }),
      s("rect", {
        class: chooseClass(item),
        x: begin,
        y: Math.min(zero, at),
        width: inner,
        height: Math.max(1, Math.abs(at - zero)),
      }),
      isNumber(mark ? mark(item) : null)
        ? s("line", {
            class: "mark",
            x1: begin - 1,
            x2: begin + inner + 1,
            y1: y(mark(item)),
            y2: y(mark(item)),
          })
        : null,
      labels
        ? s(
            "text",
            { class: "tick", x: x + wide / 2, y: height - 8, "text-anchor": "middle" },
            getTopicId(item.topic).slice(0, Math.max(2, Math.floor(wide / 7))),
          )
        : null,
    );
  });
  box.replaceChildren(
    s(
      "svg",
      { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      grid,
      columns,
    ),
  );
}

addSection("runs", (node) => {
  const { measure } = state;
  if (topicView.run === null) topicView.run = rankRuns()[0];
  const { run } = topicView;
  findPart(node, "choice").replaceChildren(
    h(
      "div",
      { class: "controls" },
      makeSelect(
        "run",
        report.runs.map((label, place) => [place, label]),
        run,
        (value) => {
          topicView.run = value;
          redrawAll();
        },
      ),
    ),
  );
  const rows = report.measures.map((label, place) => [label, place]);
  findPart(node, "table").replaceChildren(
    makeScroller(
      "measures of one run",
      h(
        "table",
        { class: "data" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["measure", "mean", "low", "high", "place", "topics", "undefined"].map((label, place) =>
              h("th", { scope: "col", class: place ? "number" : null }, label),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map(([label, place]) => {
            const summary = report.means[place][run];
            const order = rankRuns(place, findTask(run).runs);
            const scoredRuns = order.filter((other) => report.means[place][other] !== null);
            return h(
              "tr",
              {},
              h("th", { scope: "row" }, label),
              ...(summary === null
                ? [h("td", { colspan: 6, class: "quiet" }, "not scored: see Warnings")]
                : [
                    formatNumber(summary.score),
                    formatNumber(summary.low),
                    formatNumber(summary.high),
                    `${order.indexOf(run) + 1} of ${scoredRuns.length}`,
                    formatCount(summary.topics ?? 0),
                    formatCount(summary.undefined ?? 0),
                  ].map((text) => h("td", { class: "number" }, text))),
            );
          }),
        ),
      ),
    ),
  );
  const items = report.topics
    .map((_, topic) => ({ topic, value: findScore(run, topic) }))
    .filter((item) => isNumber(item.value))
    .sort((a, b) => toMerit(b.value) - toMerit(a.value) || a.topic - b.topic);
  const findMedian = (topic) => computeMedian(report.runs.map((_, other) => findScore(other, topic)).filter(isNumber));
  const slot = findSlot(run);
  const isOnlyRun = report.runs.length === 1;
  const box = findPart(node, "columns");
  if (!items.length) {
    box.replaceChildren();
    return;
  }
  drawTopicColumns(box, items, {
    label: report.measures[measure],
    low: 0,
    high: Math.max(roundUp(Math.max(...items.map((item) => item.value))), 0.1),
    mark: isOnlyRun ? null : (item) => findMedian(item.topic),
    chooseClass: () => (slot < 0 ? "other" : `run c${slot}`),
    describe: (item) => [
      h("div", { class: "tip-title" }, "topic ", isolateName(getTopicId(item.topic)), makeTopicTitle(item.topic)),
      makeTipTable([
        [isolateName(report.runs[run]), h("b", {}, formatNumber(item.value))],
        ["median of runs", formatNumber(findMedian(item.topic))],
      ]),
    ],
  });
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      isOnlyRun
        ? "One column per topic, the best first."
        : "One column per topic, the best first; the line across each is the median of all runs.",
    ),
  );
});

// How a score comes about: rank by rank for the topics that are shown, else the command that prints it.
function quoteWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

function makeExplainCommand(run, topic, measure, ranks) {
  const { before, files } = report.explain;
  if (before === null || !files[run])
    return `result.explain(${[report.runs[run], getTopicId(topic), report.measures[measure]]
      .map((word) => JSON.stringify(word))
      .join(", ")})`;
  const words = ["--topic", getTopicId(topic), "-m", report.measures[measure], files[run]];
  if (ranks) words.unshift("--depth", String(ranks));
  return `${before} ${words.map(quoteWord).join(" ")}`;
}

function formatQuantity(value) {
  if (value === null || typeof value === "string") return value ?? "";
  return Number.isInteger(value) ? formatCount(value) : formatNumber(value);
}

function makeExplanationTable({ header, about, rows }) {
  const isText = header.map((_, place) => rows.every((row) => row[place] === null || typeof row[place] === "string"));
  const kind = (place) => (isText[place] ? null : "number");
  return h(
    "table",
    { class: "data explanation" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        header.map((label, place) =>
          h("th", { scope: "col", class: kind(place), title: about[label] ?? null }, label),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          {},
          row.map((value, place) =>
            h(
              "td",
              { class: kind(place) },
              isText[place] && value !== null ? isolateName(value) : formatQuantity(value),
            ),
          ),
        ),
      ),
    ),
  );
}

// Returns the explanation of one cell, or the command that prints it.
function makeExplanation(run, topic, measure) {
  const title = h(
    "h3",
    {},
    `${report.measures[measure]} of `,
    isolateName(report.runs[run]),
    ", topic ",
    isolateName(getTopicId(topic)),
  );
  const explanation = report.explain.cells.find(
    (cell) => cell.run === run && cell.topic === getTopicId(topic) && cell.measure === measure,
  );
  const makeCommand = (ranks) =>
    h("p", { class: "note" }, h("code", { class: "command" }, makeExplainCommand(run, topic, measure, ranks)));
  if (!explanation)
    return [
      title,
      h("p", { class: "note" }, "This page does not contain the explanation. To see it, type"),
      makeCommand(),
    ];
  const symbols = Object.entries(explanation.about);
  return [
    title,
    makeScroller("explanation of the score", makeExplanationTable(explanation), "wide tall"),
    explanation.rest ? h("p", { class: "note" }, explanation.rest, ". To see all ranks, type") : null,
    explanation.rest ? makeCommand(explanation.ranks) : null,
    h("p", { class: "sum" }, explanation.formula, h("br", {}), `= ${explanation.sum}`),
    explanation.notes.map((sentence) => h("p", { class: "note" }, sentence)),
    h(
      "details",
      {},
      h("summary", {}, "symbols"),
      h(
        "dl",
        { class: "symbols" },
        symbols.map(([symbol, text]) => [h("dt", {}, symbol), h("dd", {}, text)]),
      ),
    ),
  ].filter(Boolean);
}
