// Agreement of measures, and overlap of runs.
const matrixView = { agreement: "tau", overlap: "characters" };

section("agreement", (node) => {
  const found = report.agreement,
    key = matrixView.agreement;
  const words = { tau: "Kendall’s tau", tau_ap: "tau_AP", rbo: "RBO" };
  part(node, "choice").replaceChildren(
    segments("coefficient", Object.entries(words), key, (value) => {
      matrixView.agreement = value;
      changed();
    }),
  );
  heat(part(node, "heat"), {
    label: `${words[key]} between rankings of the runs`,
    rows: report.measures,
    cols: report.measures,
    value: (r, c) => found[key][r][c],
    tell: (r, c) => [
      h("div", { class: "tip-title" }, `${report.measures[r]} and ${report.measures[c]}`),
      tipTable(Object.keys(words).map((one) => [words[one], h("b", {}, fixed(found[one][r][c]))])),
    ],
  });
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      `How far two measures rank the runs alike, by their means: 1 the same order, −1 the reverse (RBO from 0 to 1, p = ${found.persistence}). In tau_AP the top counts more, and the column is taken as the truth.`,
    ),
  );
});

section("overlap", (node) => {
  const found = report.overlap,
    key = matrixView.overlap;
  const order = ranking();
  part(node, "choice").replaceChildren(
    segments(
      "what is shared",
      [
        ["characters", "characters"],
        ["results", "results"],
      ],
      key,
      (value) => {
        matrixView.overlap = value;
        changed();
      },
    ),
  );
  const names = order.map((run) => report.runs[run]);
  heat(part(node, "heat"), {
    label: `shared ${key} of every two runs`,
    rows: names,
    cols: names,
    value: (r, c) => found[key][order[r]][order[c]],
    tell: (r, c) => [
      h("div", { class: "tip-title" }, name(names[r]), " and ", name(names[c])),
      tipTable(
        ["characters", "results"].map((one) => [
          `shared ${one}`,
          h("b", {}, fixed(found[one][order[r]][order[c]])),
        ]),
      ),
    ],
  });
  part(node, "said").replaceChildren(
    h(
      "p",
      { class: "note" },
      `Of all ${key} that either of two runs returned among the first ${count(report.depth)} results of a topic, the share that both returned; mean over topics. A result is shared when it is the same span.`,
    ),
  );
});
