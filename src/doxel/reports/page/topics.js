// Topics: all runs by all topics in shades; one topic with every run.
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
