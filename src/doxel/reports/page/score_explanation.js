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
