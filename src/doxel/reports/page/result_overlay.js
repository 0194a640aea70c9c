// Results over the text of a document: in a strip that shows the whole document, and beside its lines.

// Positions count code points, JavaScript counts UTF-16 units: only this function converts them.
function makeUnitConverter(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (position) => position;
  const units = new Int32Array(text.length + 1);
  let point = 0,
    unit = 0;
  for (const letter of text) {
    units[point++] = unit;
    unit += letter.length;
  }
  units[point] = unit;
  return (position) => units[Math.min(position, point)];
}

const readResults = (shown, run) =>
  (shown.results[run] || []).map((row) =>
    Object.fromEntries(shown.columns.map((key, place) => [key, row[place]])),
  );

function listDocumentRuns(shownDocument) {
  const runs = listChosenRuns().filter((run) => shownDocument.results[run]);
  return runs.sort((a, b) => rankRuns().indexOf(a) - rankRuns().indexOf(b));
}

function describeResult(run, result) {
  const size = result.end - result.start;
  const rows = isNumber(result.start)
    ? [
        ["characters", h("b", {}, formatCount(size))],
        [
          "highlighted",
          isNumber(result.relevant)
            ? `${formatCount(result.relevant)}${size ? ` (${formatShare(result.relevant, size)})` : ""}`
            : NONE,
        ],
        [
          "not seen in earlier results",
          isNumber(result.new) ? `${formatCount(result.new)}, highlighted ${formatCount(result.new_relevant)}` : NONE,
        ],
      ]
    : [["not found in the collection", ""]];
  return [
    h(
      "div",
      { class: "tip-title" },
      makeSwatch(run),
      " ",
      isolateName(report.runs[run]),
      ` · rank ${formatCount(result.rank)}`,
    ),
    result.path ? h("div", { class: "path" }, isolateName(result.path)) : null,
    makeTipTable(rows),
  ].filter(Boolean);
}

// Returns the attributes of every mark of a result: its run, its rank, and the reaction to the pointer.
function makeResultAttributes(run, result, highlightPieces) {
  return {
    "data-run": run,
    "data-rank": result.rank,
    onpointermove: (event) => {
      showTip(event, describeResult(run, result));
      highlightPieces(result);
    },
    onpointerleave: () => {
      hideTip();
      highlightPieces(null);
    },
  };
}

// Puts overlapping results of a run side by side.
function assignLanes(results) {
  const ends = [];
  return results
    .filter((result) => isNumber(result.start))
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map((result) => {
      let lane = ends.findIndex((end) => end <= result.start);
      if (lane < 0) lane = ends.length;
      ends[lane] = Math.max(result.end, result.start + 1);
      return { ...result, lane, lanes: ends };
    });
}

function drawStrip(box, shownDocument, runs, highlightPieces) {
  const width = box.clientWidth || 640,
    row = 15,
    label = Math.min(150, width * 0.28),
    right = 6;
  const size = Math.max(shownDocument.size, 1),
    x = (position) => label + (Math.min(position, size) / size) * (width - label - right);
  const parts = [];
  let y = 4;
  const makeCaption = (text, at) =>
    s("text", { x: 0, y: at + 8, "dominant-baseline": "central", class: "caption" }, text);
  parts.push(
    makeCaption("highlighted", y),
    s("line", { class: "rail", x1: label, x2: width - right, y1: y + 7.5, y2: y + 7.5 }),
  );
  for (const [start, end] of shownDocument.highlights)
    parts.push(
      s("rect", { class: "hl", x: x(start), y, width: Math.max(1.5, x(end) - x(start)), height: row - 1 }),
    );
  if (isNumber(shownDocument.bep))
    parts.push(s("path", { class: "bep", d: `M${x(shownDocument.bep)} ${y - 3}v${row + 4}` }));
  y += row + 6;
  for (const run of runs) {
    const results = assignLanes(readResults(shownDocument, run)),
      many = Math.max(1, ...results.map((result) => result.lane + 1));
    const thick = Math.max(3, Math.min(12, 22 / many));
    const text = makeCaption(
      report.runs[run].length > 22 ? `${report.runs[run].slice(0, 21)}…` : report.runs[run],
      y,
    );
    parts.push(text, s("line", { class: "rail", x1: label, x2: width - right, y1: y + 7.5, y2: y + 7.5 }));
    results.forEach((result) =>
      parts.push(
        s(
          "g",
          {
            class: `result run c${findSlot(run)}`,
            ...makeResultAttributes(run, result, highlightPieces),
            onclick: () => highlightPieces(result, true),
          },
          s("rect", {
            x: x(result.start),
            y: y + result.lane * (thick + 1),
            width: Math.max(2.5, x(result.end) - x(result.start)),
            height: thick,
            rx: 1,
          }),
        ),
      ),
    );
    y += Math.max(row, many * (thick + 1)) + 5;
  }
  const old = box.querySelector("svg.strip");
  const svg = s(
    "svg",
    {
      class: "chart strip",
      width,
      height: y + 2,
      viewBox: `0 0 ${width} ${y + 2}`,
      role: "img",
      "aria-label": "positions of highlights and results in the document",
    },
    parts,
  );
  if (old) old.replaceWith(svg);
  else box.replaceChildren(svg);
}

// Makes the text in pieces: cut wherever a block, a highlight, the entry point or a result starts or ends.
function makeText(shownDocument, runs) {
  const units = makeUnitConverter(shownDocument.text),
    cuts = new Set([0, shownDocument.size]);
  const blocks = shownDocument.blocks.length ? shownDocument.blocks : [[0, shownDocument.size, "plain"]];
  blocks.forEach(([start, end]) => cuts.add(start).add(end));
  shownDocument.highlights.forEach(([start, end]) => cuts.add(start).add(end));
  runs.forEach((run) =>
    readResults(shownDocument, run).forEach((result) => {
      if (isNumber(result.start)) cuts.add(result.start).add(result.end);
    }),
  );
  if (isNumber(shownDocument.bep)) cuts.add(shownDocument.bep);
  const places = [...cuts].filter((place) => place >= 0 && place <= shownDocument.size).sort((a, b) => a - b);
  const isHighlighted = (place) => shownDocument.highlights.some(([start, end]) => start <= place && place < end);
  const pieces = [];
  let next = 0;
  const paragraphs = [];
  blocks.forEach(([start, end, kind, line], place) => {
    while (next < places.length && places[next] < start) next++;
    const inside = [];
    for (; next < places.length - 1 && places[next] < end; next++) {
      const from = places[next],
        to = places[next + 1];
      if (from === shownDocument.bep)
        inside.push(
          h("span", { class: "entry", title: "best entry point", "aria-label": "best entry point" }, "▸"),
        );
      const piece = h(
        isHighlighted(from) ? "mark" : "span",
        { "data-start": from, "data-end": to },
        shownDocument.text.slice(units(from), units(to)),
      );
      pieces.push({ from, to, piece });
      inside.push(piece);
    }
    // cells of a row and items of a short list share a line
    const before = blocks[place - 1];
    if (kind === "short" && before && before[2] === "short" && before[3] === line)
      paragraphs[paragraphs.length - 1].append(h("span", { class: "short" }, inside));
    else
      paragraphs.push(
        h(
          "p",
          { class: kind === "short" ? "brief" : kind, dir: "auto" },
          kind === "short" ? h("span", { class: "short" }, inside) : inside,
        ),
      );
  });
  return { text: h("div", { class: "prose" }, paragraphs), pieces };
}

// Draws brackets beside the text, from the first line of a result to its last.
function drawBrackets(holder, gutter, shownDocument, runs, pieces, highlightPieces) {
  const origin = holder.getBoundingClientRect().top;
  const firstFrom = (position) => pieces.find((piece) => piece.to > position) || pieces[pieces.length - 1];
  const lastBefore = (position) => {
    for (let k = pieces.length - 1; k >= 0; k--) if (pieces[k].from < position) return pieces[k];
    return pieces[0];
  };
  let x = 2;
  const nodes = [];
  const isNarrow = window.innerWidth < 600,
    step = isNarrow ? 9 : 17;
  for (const run of runs) {
    const results = assignLanes(readResults(shownDocument, run)),
      many = Math.max(1, ...results.map((result) => result.lane + 1));
    for (const result of results) {
      const begin = firstFrom(result.start).piece.getClientRects(),
        end = lastBefore(Math.max(result.end, result.start + 1)).piece.getClientRects();
      if (!begin.length || !end.length) continue;
      const top = begin[0].top - origin,
        bottom = Math.max(end[end.length - 1].bottom - origin, top + 14),
        at = x + result.lane * step;
      nodes.push(
        s(
          "g",
          {
            class: `bracket run c${findSlot(run)}`,
            ...makeResultAttributes(run, result, highlightPieces),
          },
          s("rect", { class: "target", x: at - 3, y: top, width: step, height: bottom - top }),
          s("path", { d: `M${at + 5} ${top + 1.5}h-4V${bottom - 1.5}h4` }),
          isNarrow ? null : s("text", { x: at + 3.5, y: top + 11 }, String(result.rank)),
        ),
      );
    }
    x += many * step + 5;
  }
  gutter.replaceChildren(...nodes);
  gutter.setAttribute("width", x);
  gutter.setAttribute("height", holder.offsetHeight);
  return x;
}

// The document view: text, highlights, entry point, and the results of each run with their ranks.
const documentView = { place: 0 };
function openTopic(id) {
  documentView.place = Math.max(
    0,
    report.documents.findIndex((candidate) => candidate.topic === id),
  );
  redrawAll();
}

function makeSummary(shownDocument, runs) {
  const total = shownDocument.highlights.reduce((sum, [start, end]) => sum + end - start, 0);
  const rows = runs.map((run) => {
    const results = readResults(shownDocument, run),
      sum = (key) => results.reduce((all, result) => all + (result[key] || 0), 0);
    return h(
      "tr",
      { "data-run": run },
      h("th", { scope: "row" }, makeSwatch(run), " ", isolateName(report.runs[run])),
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
      ].map(([key, value]) => h("td", { class: "number", "data-count": key }, formatCount(value))),
      h("td", { class: "number" }, total ? formatShare(sum("new_relevant"), total) : NONE),
    );
  });
  if (!rows.length)
    return h("p", { class: "note" }, "None of the chosen runs returned any part of this document.");
  return makeScroller(
    "results of the runs in the document",
    h(
      "table",
      { class: "data" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["run", "ranks", "characters", "highlighted characters", "share of all highlighted"].map((label, place) =>
            h("th", { scope: "col", class: place > 1 ? "number" : null }, label),
          ),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

addSection("documents", (node) => {
  const box = findPart(node, "view");
  const shownDocument = report.documents[documentView.place],
    runs = listDocumentRuns(shownDocument);
  const topics = [...new Set(report.documents.map((other) => other.topic))];
  const total = shownDocument.highlights.reduce((sum, [start, end]) => sum + end - start, 0);
  const list = h(
    "nav",
    { class: "shelf", "aria-label": "documents" },
    topics.map((topic) =>
      h(
        "div",
        {},
        h("h3", {}, "topic ", isolateName(topic)),
        h(
          "ul",
          {},
          report.documents.map((other, place) =>
            other.topic === topic
              ? h(
                  "li",
                  {},
                  h(
                    "button",
                    {
                      type: "button",
                      "aria-current": place === documentView.place ? "true" : null,
                      onclick: () => {
                        documentView.place = place;
                        redrawAll();
                      },
                    },
                    isolateName(other.doc),
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
  const highlightPieces = (result, scroll = false) => {
    for (const { from, to, piece } of pieces)
      piece.classList.toggle("on", result !== null && from < result.end && to > result.start);
    const first = result && pieces.find((piece) => piece.to > result.start);
    if (scroll && first)
      desk.scrollTo({
        top: first.piece.getBoundingClientRect().top - holder.getBoundingClientRect().top - 60,
        behavior: "smooth",
      });
  };
  const stripBox = h("div", { class: "stripbox" });
  const judgement = !shownDocument.judged
    ? "not judged"
    : total
      ? `${formatCount(total)} of ${formatCount(shownDocument.size)} characters are highlighted`
      : shownDocument.graded
        ? `${pluralise(shownDocument.graded, "element was", "elements were")} graded, and no text is highlighted`
        : "judged, and no text is highlighted";
  const head = h(
    "div",
    { class: "dochead" },
    h("h3", {}, isolateName(shownDocument.doc)),
    h(
      "p",
      { class: "note" },
      "topic ",
      isolateName(shownDocument.topic),
      shownDocument.title ? [": ", isolateName(shownDocument.title)] : null,
      ` · ${judgement}${isNumber(shownDocument.bep) ? ` · best entry point at ${formatCount(shownDocument.bep)}` : ""}`,
    ),
  );
  const main = h("div", { class: "document" }, head, makeSummary(shownDocument, runs), stripBox);
  box.className = "documents";
  box.replaceChildren(list, main);
  drawStrip(stripBox, shownDocument, runs, highlightPieces);
  if (shownDocument.text === null) {
    main.append(
      h(
        "p",
        { class: "note" },
        shownDocument.size > report.longest
          ? "The text is too long to be shown here."
          : "The text is not shown: the report was made without a collection.",
      ),
    );
    return;
  }
  const prose = makeText(shownDocument, runs),
    gutter = s("svg", { class: "gutter", width: 0, height: 0, "aria-hidden": "true" });
  pieces = prose.pieces;
  holder = h("div", { class: "reading" }, gutter, prose.text);
  desk = h("div", { class: "desk", tabindex: 0, role: "region", "aria-label": `text of ${shownDocument.doc}` }, holder);
  main.append(desk);
  // the first drawing gives the width of the brackets, the second their place beside the wrapped lines
  const wide = drawBrackets(holder, gutter, shownDocument, runs, pieces, highlightPieces);
  holder.style.setProperty("--gutter", `${wide}px`);
  drawBrackets(holder, gutter, shownDocument, runs, pieces, highlightPieces);
  const firstMark = pieces.find(({ piece }) => piece.tagName === "MARK");
  if (firstMark)
    desk.scrollTop = Math.max(
      0,
      firstMark.piece.getBoundingClientRect().top - holder.getBoundingClientRect().top - 90,
    );
});
