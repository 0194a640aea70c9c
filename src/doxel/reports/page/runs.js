// Runs: one of them with all measures and every topic.

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
