// Results over the text of a document: in a strip that shows the whole document, and beside its lines.

// Positions count code points, JavaScript counts UTF-16 units: this is the one place where they meet.
function unitsOf(text) {
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

const resultsOf = (one, run) =>
  (one.results[run] || []).map((row) =>
    Object.fromEntries(one.columns.map((key, place) => [key, row[place]])),
  );

function runsOf(one) {
  const chosen = chosenRuns().filter((run) => one.results[run]);
  return chosen.sort((a, b) => ranking().indexOf(a) - ranking().indexOf(b));
}

function tellResult(run, result) {
  const size = result.end - result.start;
  const rows = isNumber(result.start)
    ? [
        ["characters", h("b", {}, count(size))],
        [
          "highlighted",
          isNumber(result.relevant)
            ? `${count(result.relevant)}${size ? ` (${Math.round((100 * result.relevant) / size)} %)` : ""}`
            : NONE,
        ],
        [
          "not seen before",
          isNumber(result.new) ? `${count(result.new)}, highlighted ${count(result.new_relevant)}` : NONE,
        ],
      ]
    : [["not found in the collection", ""]];
  return [
    h(
      "div",
      { class: "tip-title" },
      swatch(run),
      " ",
      name(report.runs[run]),
      ` · rank ${count(result.rank)}`,
    ),
    result.path ? h("div", { class: "path" }, name(result.path)) : null,
    tipTable(rows),
  ].filter(Boolean);
}

// What every mark of a result has: whose it is, and what happens under the pointer.
function watched(run, result, light) {
  return {
    "data-run": run,
    "data-rank": result.rank,
    onpointermove: (event) => {
      showTip(event, tellResult(run, result));
      light(result);
    },
    onpointerleave: () => {
      hideTip();
      light(null);
    },
  };
}

// Overlapping results of a run stand beside one another.
function lanes(results) {
  const ends = [];
  return results
    .filter((one) => isNumber(one.start))
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map((one) => {
      let lane = ends.findIndex((end) => end <= one.start);
      if (lane < 0) lane = ends.length;
      ends[lane] = Math.max(one.end, one.start + 1);
      return { ...one, lane, lanes: ends };
    });
}

function strip(box, one, runs, light) {
  const width = box.clientWidth || 640,
    row = 15,
    label = Math.min(150, width * 0.28),
    right = 6;
  const size = Math.max(one.size, 1),
    x = (position) => label + (Math.min(position, size) / size) * (width - label - right);
  const parts = [];
  let y = 4;
  const caption = (text, at) =>
    s("text", { x: 0, y: at + 8, "dominant-baseline": "central", class: "caption" }, text);
  parts.push(
    caption("highlighted", y),
    s("line", { class: "rail", x1: label, x2: width - right, y1: y + 7.5, y2: y + 7.5 }),
  );
  for (const [start, end] of one.highlights)
    parts.push(
      s("rect", { class: "hl", x: x(start), y, width: Math.max(1.5, x(end) - x(start)), height: row - 1 }),
    );
  if (isNumber(one.bep)) parts.push(s("path", { class: "bep", d: `M${x(one.bep)} ${y - 3}v${row + 4}` }));
  y += row + 6;
  for (const run of runs) {
    const laid = lanes(resultsOf(one, run)),
      many = Math.max(1, ...laid.map((result) => result.lane + 1));
    const thick = Math.max(3, Math.min(12, 22 / many));
    const text = caption(
      report.runs[run].length > 22 ? `${report.runs[run].slice(0, 21)}…` : report.runs[run],
      y,
    );
    parts.push(text, s("line", { class: "rail", x1: label, x2: width - right, y1: y + 7.5, y2: y + 7.5 }));
    laid.forEach((result) =>
      parts.push(
        s(
          "g",
          {
            class: `result run c${slotOf(run)}`,
            ...watched(run, result, light),
            onclick: () => light(result, true),
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
  const made = s(
    "svg",
    {
      class: "chart strip",
      width,
      height: y + 2,
      viewBox: `0 0 ${width} ${y + 2}`,
      role: "img",
      "aria-label": "where highlights and results lie in the document",
    },
    parts,
  );
  if (old) old.replaceWith(made);
  else box.replaceChildren(made);
}

// The text in pieces: cut wherever a block, a highlight, the entry point or a result begins or ends.
function textOf(one, runs) {
  const units = unitsOf(one.text),
    cuts = new Set([0, one.size]);
  const blocks = one.blocks.length ? one.blocks : [[0, one.size, "plain"]];
  blocks.forEach(([start, end]) => cuts.add(start).add(end));
  one.highlights.forEach(([start, end]) => cuts.add(start).add(end));
  runs.forEach((run) =>
    resultsOf(one, run).forEach((result) => {
      if (isNumber(result.start)) cuts.add(result.start).add(result.end);
    }),
  );
  if (isNumber(one.bep)) cuts.add(one.bep);
  const places = [...cuts].filter((place) => place >= 0 && place <= one.size).sort((a, b) => a - b);
  const lit = (place) => one.highlights.some(([start, end]) => start <= place && place < end);
  const pieces = [];
  let next = 0;
  const paragraphs = [];
  blocks.forEach(([start, end, kind, line], place) => {
    while (next < places.length && places[next] < start) next++;
    const inside = [];
    for (; next < places.length - 1 && places[next] < end; next++) {
      const from = places[next],
        to = places[next + 1];
      if (from === one.bep)
        inside.push(
          h("span", { class: "entry", title: "best entry point", "aria-label": "best entry point" }, "▸"),
        );
      const piece = h(
        lit(from) ? "mark" : "span",
        { "data-start": from, "data-end": to },
        one.text.slice(units(from), units(to)),
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

// Brackets beside the text, from the line where a result begins to the line where it ends.
function brackets(holder, gutter, one, runs, pieces, light) {
  const origin = holder.getBoundingClientRect().top;
  const firstFrom = (position) => pieces.find((piece) => piece.to > position) || pieces[pieces.length - 1];
  const lastBefore = (position) => {
    for (let k = pieces.length - 1; k >= 0; k--) if (pieces[k].from < position) return pieces[k];
    return pieces[0];
  };
  let x = 2;
  const nodes = [];
  const narrow = window.innerWidth < 600,
    step = narrow ? 9 : 17;
  for (const run of runs) {
    const laid = lanes(resultsOf(one, run)),
      many = Math.max(1, ...laid.map((result) => result.lane + 1));
    for (const result of laid) {
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
            class: `bracket run c${slotOf(run)}`,
            ...watched(run, result, light),
          },
          s("rect", { class: "target", x: at - 3, y: top, width: step, height: bottom - top }),
          s("path", { d: `M${at + 5} ${top + 1.5}h-4V${bottom - 1.5}h4` }),
          narrow ? null : s("text", { x: at + 3.5, y: top + 11 }, String(result.rank)),
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
