// Heat maps on a canvas; the agreement of measures and the overlap of runs.

// A matrix in shades, on a canvas: up to a hundred runs by a hundred topics without thousands of nodes.
// rows, cols: labels; value(r, c): null where there is none, full shade at scale; tell(r, c): nodes for hover.
function heat(box, { label, rows, cols, value, tell, pick, digits = 2, scale = 1 }) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink"),
    quiet = style.getPropertyValue("--quiet"),
    rule = style.getPropertyValue("--rule");
  const paper = style.getPropertyValue("--paper"),
    blue = style.getPropertyValue("--heat"),
    red = style.getPropertyValue("--cold");
  // ink or paper, whichever is read better on a shade
  const rgb = (colour) => [1, 3, 5].map((place) => parseInt(colour.trim().slice(place, place + 2), 16));
  const bright = (parts) =>
    parts
      .map((one) => (one / 255) ** 2.2)
      .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0.05);
  const contrast = (a, b) => Math.max(bright(a) / bright(b), bright(b) / bright(a));
  const onShade = (colour, strength) => {
    const shade = rgb(colour).map((one, place) => one * strength + rgb(paper)[place] * (1 - strength));
    return contrast(rgb(ink), shade) >= contrast(rgb(paper), shade) ? ink : paper;
  };
  const width = box.clientWidth || 600;
  const canvas = h("canvas", { class: pick ? "heat pick" : "heat", role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const font = "12px system-ui, sans-serif";
  context.font = font;
  const tall = rows.length > 40 ? Math.max(4, Math.floor(520 / rows.length)) : 20;
  const cut = (text, most) => {
    if (context.measureText(text).width <= most) return text;
    let shorter = text;
    while (shorter && context.measureText(`${shorter}…`).width > most) shorter = shorter.slice(0, -1);
    return `${shorter}…`;
  };
  const named = tall >= 11;
  const left = named
    ? Math.min(Math.max(...rows.map((one) => context.measureText(one).width)) + 10, width * 0.32)
    : 4;
  let wide = (width - left - 4) / cols.length;
  wide = Math.min(wide, 64);
  const upright = Math.max(...cols.map((one) => context.measureText(one).width)) + 8 > wide;
  const labelled = wide >= 11;
  const top = !labelled
    ? 4
    : upright
      ? Math.min(Math.max(...cols.map((one) => context.measureText(one).width)) + 8, 190)
      : 20;
  const height = top + tall * rows.length + 2,
    full = left + wide * cols.length + 2;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = full * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${full}px`;
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  context.font = font;
  context.textBaseline = "middle";
  context.fillStyle = quiet;
  if (named) rows.forEach((one, r) => context.fillText(cut(one, left - 8), 0, top + tall * (r + 0.5)));
  if (labelled)
    cols.forEach((one, c) => {
      context.save();
      context.translate(left + wide * (c + 0.5), top - 5);
      if (upright) context.rotate(-Math.PI / 2);
      else context.textAlign = "center";
      context.fillText(cut(one, upright ? 182 : wide), 0, upright ? 0 : -4);
      context.restore();
    });
  const gap = tall > 8 && wide > 8 ? 1 : 0;
  const written = wide >= 34 && tall >= 16;
  context.textAlign = "center";
  for (let r = 0; r < rows.length; r++) {
    for (let c = 0; c < cols.length; c++) {
      const x = left + wide * c,
        y = top + tall * r,
        v = value(r, c);
      context.globalAlpha = 1;
      context.fillStyle = rule;
      if (v === null || v === undefined) {
        context.globalAlpha = 0.5;
        context.fillRect(x + wide / 2 - 1, y + tall / 2 - 1, 2, 2);
        continue;
      }
      const strength = 0.06 + 0.94 * Math.min(1, Math.abs(v) / scale);
      context.globalAlpha = strength;
      context.fillStyle = v < 0 ? red : blue;
      context.fillRect(x, y, wide - gap, tall - gap);
      context.globalAlpha = 1;
      if (written) {
        context.fillStyle = onShade(v < 0 ? red : blue, strength);
        context.fillText(
          v.toFixed(digits).replace("-", "−"),
          x + (wide - gap) / 2,
          y + (tall - gap) / 2 + 0.5,
        );
      }
    }
  }
  const at = (event) => {
    const area = canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - area.left - left) / wide),
      r = Math.floor((event.clientY - area.top - top) / tall);
    return r >= 0 && c >= 0 && r < rows.length && c < cols.length ? [r, c] : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const cell = at(event);
    if (cell) showTip(event, tell(...cell));
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  if (pick)
    canvas.addEventListener("click", (event) => {
      const cell = at(event);
      if (cell) pick(...cell);
    });
  canvas.dataset.geometry = JSON.stringify({ left, top, wide, tall });
  box.replaceChildren(canvas);
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changed());

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
