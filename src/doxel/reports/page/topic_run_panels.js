// The topics with all runs, and each run with all measures and topics.
const topicView = { topic: null, order: "mean", run: null };
const topicName = (place) => report.topics[place].id;
const scoreOf = (run, topic, measure = state.measure) => {
  const scores = report.scores[measure][run];
  return scores === null ? null : scores[topic];
};
const topicTitle = (place) =>
  report.topics[place].title ? h("span", { class: "quiet" }, ` ${report.topics[place].title}`) : null;

function orderedTopics() {
  const topics = report.topics.map((_, topic) => topic);
  if (topicView.order === "id") return topics;
  const key = topics.map((topic) => {
    const scores = report.runs.map((_, run) => scoreOf(run, topic)).filter(isNumber);
    if (!scores.length) return -Infinity;
    const middle = mean(scores);
    return topicView.order === "mean" ? merit(middle) : Math.sqrt(mean(scores.map((one) => (one - middle) ** 2)));
  });
  return topics.sort((a, b) => key[b] - key[a] || a - b);
}

function bar(share, classes) {
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

section("topics", (node) => {
  const redraw = () => changed();
  const topics = orderedTopics(),
    runs = ranking().filter((run) => report.scores[state.measure][run] !== null);
  part(node, "order").replaceChildren(
    segments(
      "order of topics",
      [
        ["mean", "easiest first"],
        ["spread", "most divided first"],
        ["id", "as assessed"],
      ],
      topicView.order,
      (key) => {
        topicView.order = key;
        redraw();
      },
    ),
  );
  const all = runs.flatMap((run) => topics.map((topic) => scoreOf(run, topic))).filter(isNumber);
  const scale = all.reduce((most, one) => Math.max(most, one), 1e-9);
  heat(part(node, "heat"), {
    label: `${report.measures[state.measure]} of every run and topic`,
    rows: runs.map((run) => report.runs[run]),
    cols: topics.map(topicName),
    value: (r, c) => scoreOf(runs[r], topics[c]),
    scale,
    tell: (r, c) => [
      h("div", { class: "tip-title" }, "topic ", name(topicName(topics[c])), topicTitle(topics[c])),
      tipTable([[name(report.runs[runs[r]]), h("b", {}, fixed(scoreOf(runs[r], topics[c])))]]),
    ],
    pick: (r, c) => {
      topicView.topic = topics[c];
      redraw();
    },
  });
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      `${report.measures[state.measure]}, runs from the best mean down, topics across; the darkest shade is the highest score, ${fixed(scale)}. Press a cell to see its topic below.`,
    ),
  );
  if (topicView.topic === null) topicView.topic = topics[0];
  const { topic } = topicView,
    measure = state.measure;
  const shownDocuments = report.documents.some((one) => one.topic === topicName(topic));
  const worth = (run) => (isNumber(scoreOf(run, topic)) ? merit(scoreOf(run, topic)) : -Infinity);
  const rows = runs.slice().sort((a, b) => worth(b) - worth(a) || 0);
  const isBest = (run) => worth(run) === worth(rows[0]) && (report.lower[measure] || worth(run) > 0);
  part(node, "one").replaceChildren(
    h("h3", {}, "One topic, every run"),
    h(
      "div",
      { class: "controls" },
      select(
        "topic",
        report.topics.map((one, place) => [place, one.title ? `${one.id}: ${one.title}` : one.id]),
        topic,
        (value) => {
          topicView.topic = value;
          redraw();
        },
      ),
      shownDocuments
        ? h("a", { href: "#documents", onclick: () => openTopic(topicName(topic)) }, "see its documents")
        : null,
    ),
    scroller(
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
            h("td", { class: "fill" }),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((run) => {
            const v = scoreOf(run, topic);
            return h(
              "tr",
              { "data-run": run },
              h("th", { scope: "row" }, name(report.runs[run])),
              h(
                "td",
                { class: "number" },
                isNumber(v) && isBest(run) ? h("strong", { class: "best" }, fixed(v)) : fixed(v),
              ),
              h(
                "td",
                { class: "fill" },
                bar(isNumber(v) ? v / scale : null, slotOf(run) < 0 ? "other" : `run c${slotOf(run)}`),
              ),
            );
          }),
        ),
      ),
      "wide tall",
    ),
  );
});

// Columns for topics, from the highest to the lowest; each has a mark for something to compare with.
function topicColumns(box, items, { label, low, high, mark, tell, classOf }) {
  const width = box.clientWidth || 640,
    height = 230,
    left = 50,
    right = 8,
    top = 10,
    bottom = 26;
  const wide = (width - left - right) / Math.max(items.length, 1);
  const { grid, y } = frame(width, height, { low, high, left, right, top, bottom, yLabel: label });
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
        "data-topic": topicName(item.topic),
        onpointermove: (event) => showTip(event, tell(item)),
        onpointerleave: hideTip,
      },
      s("rect", { class: "target", x, y: top, width: wide, height: height - top - bottom }),
      s("rect", {
        class: classOf(item),
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
            topicName(item.topic).slice(0, Math.max(2, Math.floor(wide / 7))),
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

section("runs", (node) => {
  const { measure } = state;
  if (topicView.run === null) topicView.run = ranking()[0];
  const { run } = topicView;
  part(node, "choice").replaceChildren(
    h(
      "div",
      { class: "controls" },
      select(
        "run",
        report.runs.map((one, place) => [place, one]),
        run,
        (value) => {
          topicView.run = value;
          changed();
        },
      ),
    ),
  );
  const rows = report.measures.map((label, place) => [label, place]);
  part(node, "table").replaceChildren(
    scroller(
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
            ["measure", "mean", "low", "high", "place", "topics", "undefined"].map((one, place) =>
              h("th", { scope: "col", class: place ? "number" : null }, one),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map(([label, place]) => {
            const found = report.means[place][run];
            const order = ranking(place);
            return h(
              "tr",
              {},
              h("th", { scope: "row" }, label),
              ...(found === null
                ? [h("td", { colspan: 6, class: "quiet" }, "not scored: see what was skipped")]
                : [
                    fixed(found.score),
                    fixed(found.low),
                    fixed(found.high),
                    `${order.indexOf(run) + 1} of ${order.filter((one) => report.means[place][one] !== null).length}`,
                    count(found.topics ?? 0),
                    count(found.undefined ?? 0),
                  ].map((one) => h("td", { class: "number" }, one))),
            );
          }),
        ),
      ),
    ),
  );
  const items = report.topics
    .map((_, topic) => ({ topic, value: scoreOf(run, topic) }))
    .filter((one) => isNumber(one.value))
    .sort((a, b) => merit(b.value) - merit(a.value) || a.topic - b.topic);
  const of = (topic) => median(report.runs.map((_, other) => scoreOf(other, topic)).filter(isNumber));
  const slot = slotOf(run);
  const alone = report.runs.length === 1;
  const box = part(node, "columns");
  if (!items.length) {
    box.replaceChildren();
    return;
  }
  topicColumns(box, items, {
    label: report.measures[measure],
    low: 0,
    high: Math.max(niceMax(Math.max(...items.map((one) => one.value))), 0.1),
    mark: alone ? null : (item) => of(item.topic),
    classOf: () => (slot < 0 ? "other" : `run c${slot}`),
    tell: (item) => [
      h("div", { class: "tip-title" }, "topic ", name(topicName(item.topic)), topicTitle(item.topic)),
      tipTable([
        [name(report.runs[run]), h("b", {}, fixed(item.value))],
        ["median of runs", fixed(of(item.topic))],
      ]),
    ],
  });
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      alone
        ? "One column a topic, the best first."
        : "One column a topic, the best first; the line across each is the median of all runs.",
    ),
  );
});
