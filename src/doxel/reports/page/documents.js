// The document view: text, highlights, entry point, and what each run returned of it, with ranks.
const shown = { place: 0 };
function openTopic(id) {
  shown.place = Math.max(
    0,
    report.documents.findIndex((one) => one.topic === id),
  );
  changed();
}

function summary(one, runs) {
  const total = one.highlights.reduce((sum, [start, end]) => sum + end - start, 0);
  const rows = runs.map((run) => {
    const results = resultsOf(one, run),
      sum = (key) => results.reduce((all, result) => all + (result[key] || 0), 0);
    return h(
      "tr",
      { "data-run": run },
      h("th", { scope: "row" }, swatch(run), " ", name(report.runs[run])),
      h(
        "td",
        {},
        results
          .slice(0, 8)
          .map((result) => result.rank)
          .join(", ") + (results.length > 8 ? ", …" : ""),
      ),
      ...[
        ["new", sum("new")],
        ["new_relevant", sum("new_relevant")],
      ].map(([key, value]) => h("td", { class: "number", "data-count": key }, count(value))),
      h("td", { class: "number" }, total ? `${Math.round((100 * sum("new_relevant")) / total)} %` : NONE),
    );
  });
  if (!rows.length)
    return h("p", { class: "note" }, "None of the chosen runs returned anything of this document.");
  return scroller(
    "what runs returned of the document",
    h(
      "table",
      { class: "data" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["run", "ranks", "characters", "of them highlighted", "of all highlighted"].map((label, place) =>
            h("th", { scope: "col", class: place > 1 ? "number" : null }, label),
          ),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

section("documents", (node) => {
  const box = part(node, "view");
  const one = report.documents[shown.place],
    runs = runsOf(one);
  const topics = [...new Set(report.documents.map((each) => each.topic))];
  const total = one.highlights.reduce((sum, [start, end]) => sum + end - start, 0);
  const list = h(
    "nav",
    { class: "shelf", "aria-label": "documents to look at" },
    topics.map((topic) =>
      h(
        "div",
        {},
        h("h3", {}, "topic ", name(topic)),
        h(
          "ul",
          {},
          report.documents.map((each, place) =>
            each.topic === topic
              ? h(
                  "li",
                  {},
                  h(
                    "button",
                    {
                      type: "button",
                      "aria-current": place === shown.place ? "true" : null,
                      onclick: () => {
                        shown.place = place;
                        changed();
                      },
                    },
                    name(each.doc),
                  ),
                )
              : null,
          ),
        ),
      ),
    ),
  );
  let pieces = [],
    desk = null,
    holder = null;
  const light = (result, scroll = false) => {
    for (const { from, to, piece } of pieces)
      piece.classList.toggle("on", result !== null && from < result.end && to > result.start);
    const first = result && pieces.find((each) => each.to > result.start);
    if (scroll && first)
      desk.scrollTo({
        top: first.piece.getBoundingClientRect().top - holder.getBoundingClientRect().top - 60,
        behavior: "smooth",
      });
  };
  const stripBox = h("div", { class: "stripbox" });
  const judged = !one.judged
    ? "not judged"
    : total
      ? `${count(total)} of ${count(one.size)} characters are highlighted`
      : one.graded
        ? `${plural(one.graded, "element was", "elements were")} graded, and no text is highlighted`
        : "judged, and nothing in it is highlighted";
  const head = h(
    "div",
    { class: "dochead" },
    h("h3", {}, name(one.doc)),
    h(
      "p",
      { class: "note" },
      "topic ",
      name(one.topic),
      one.title ? [": ", name(one.title)] : null,
      ` · ${judged}${isNumber(one.bep) ? ` · best entry point at ${count(one.bep)}` : ""}`,
    ),
  );
  const main = h("div", { class: "document" }, head, summary(one, runs), stripBox);
  box.className = "documents";
  box.replaceChildren(list, main);
  strip(stripBox, one, runs, light);
  if (one.text === null) {
    main.append(
      h(
        "p",
        { class: "note" },
        one.size > report.longest
          ? "The text is too long to be shown here."
          : "Without a collection there are positions but no text.",
      ),
    );
    return;
  }
  const made = textOf(one, runs),
    gutter = s("svg", { class: "gutter", width: 0, height: 0, "aria-hidden": "true" });
  pieces = made.pieces;
  holder = h("div", { class: "reading" }, gutter, made.text);
  desk = h("div", { class: "desk", tabindex: 0, role: "region", "aria-label": `text of ${one.doc}` }, holder);
  main.append(desk);
  // the first drawing says how wide the brackets are, the second where lines break beside them
  const wide = brackets(holder, gutter, one, runs, pieces, light);
  holder.style.setProperty("--gutter", `${wide}px`);
  brackets(holder, gutter, one, runs, pieces, light);
  const marked = pieces.find(({ piece }) => piece.tagName === "MARK");
  if (marked)
    desk.scrollTop = Math.max(
      0,
      marked.piece.getBoundingClientRect().top - holder.getBoundingClientRect().top - 90,
    );
});
