// Heat maps on a canvas; the agreement of measures and the overlap of runs.

// Draws a matrix in shades on a canvas: a hundred runs by a hundred topics without thousands of nodes.
// rows, cols: labels; value(r, c): null if missing, full shade at scale; describe(r, c): nodes of the hover box.
function drawHeatMap(box, { label, rows, cols, value, describe, pick, digits = 2, scale = 1 }) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink"),
    quiet = style.getPropertyValue("--quiet"),
    rule = style.getPropertyValue("--rule");
  const paper = style.getPropertyValue("--paper"),
    blue = style.getPropertyValue("--heat"),
    red = style.getPropertyValue("--cold");
  // ink or paper, whichever has more contrast on a shade
  const toRgb = (colour) => [1, 3, 5].map((place) => parseInt(colour.trim().slice(place, place + 2), 16));
  const findLuminance = (channels) =>
    channels
      .map((channel) => (channel / 255) ** 2.2)
      .reduce((sum, channel, place) => sum + channel * [0.2126, 0.7152, 0.0722][place], 0.05);
  const findContrast = (a, b) =>
    Math.max(findLuminance(a) / findLuminance(b), findLuminance(b) / findLuminance(a));
  const chooseTextColour = (colour, strength) => {
    const shade = toRgb(colour).map(
      (channel, place) => channel * strength + toRgb(paper)[place] * (1 - strength),
    );
    return findContrast(toRgb(ink), shade) >= findContrast(toRgb(paper), shade) ? ink : paper;
  };
  const width = box.clientWidth || 600;
  const canvas = h("canvas", { class: pick ? "heat pick" : "heat", role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const font = "12px system-ui, sans-serif";
  context.font = font;
  const tall = rows.length > 40 ? Math.max(4, Math.floor(520 / rows.length)) : 20;
  const shorten = (text, most) => {
    if (context.measureText(text).width <= most) return text;
    let shorter = text;
    while (shorter && context.measureText(`${shorter}…`).width > most) shorter = shorter.slice(0, -1);
    return `${shorter}…`;
  };
  const findWidest = (labels) => Math.max(...labels.map((text) => context.measureText(text).width));
  const hasRowLabels = tall >= 11;
  const left = hasRowLabels ? Math.min(findWidest(rows) + 10, width * 0.32) : 4;
  let wide = (width - left - 4) / cols.length;
  wide = Math.min(wide, 64);
  const isUpright = findWidest(cols) + 8 > wide;
  const hasColumnLabels = wide >= 11;
  const top = !hasColumnLabels ? 4 : isUpright ? Math.min(findWidest(cols) + 8, 190) : 20;
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
  if (hasRowLabels)
    rows.forEach((text, r) => context.fillText(shorten(text, left - 8), 0, top + tall * (r + 0.5)));
  if (hasColumnLabels)
    cols.forEach((text, c) => {
      context.save();
      context.translate(left + wide * (c + 0.5), top - 5);
      if (isUpright) context.rotate(-Math.PI / 2);
      else context.textAlign = "center";
      context.fillText(shorten(text, isUpright ? 182 : wide), 0, isUpright ? 0 : -4);
      context.restore();
    });
  const gap = tall > 8 && wide > 8 ? 1 : 0;
  const hasNumbers = wide >= 34 && tall >= 16;
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
      if (hasNumbers) {
        context.fillStyle = chooseTextColour(v < 0 ? red : blue, strength);
        context.fillText(
          v.toFixed(digits).replace("-", "−"),
          x + (wide - gap) / 2,
          y + (tall - gap) / 2 + 0.5,
        );
      }
    }
  }
  const findCell = (event) => {
    const area = canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - area.left - left) / wide),
      r = Math.floor((event.clientY - area.top - top) / tall);
    return r >= 0 && c >= 0 && r < rows.length && c < cols.length ? [r, c] : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const cell = findCell(event);
    if (cell) showTip(event, describe(...cell));
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  if (pick)
    canvas.addEventListener("click", (event) => {
      const cell = findCell(event);
      if (cell) pick(...cell);
    });
  canvas.dataset.geometry = JSON.stringify({ left, top, wide, tall });
  box.replaceChildren(canvas);
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawAll());

const matrixView = { agreement: "tau", overlap: "characters" };

addSection("agreement", (node) => drawTasks(node, drawAgreement));

function drawAgreement(node, task) {
  const { agreement } = task,
    key = matrixView.agreement;
  if (!agreement) {
    findPart(node, "note").replaceChildren(h("p", { class: "note" }, "This task has one run or one measure only."));
    return;
  }
  const words = { tau: "Kendall’s tau", tau_ap: "tau_AP", rbo: "RBO" };
  findPart(node, "choice").replaceChildren(
    makeSegments("coefficient", Object.entries(words), key, (value) => {
      matrixView.agreement = value;
      redrawAll();
    }),
  );
  drawHeatMap(findPart(node, "heat"), {
    label: `${words[key]} between rankings of the runs`,
    rows: report.measures,
    cols: report.measures,
    value: (r, c) => agreement[key][r][c],
    describe: (r, c) => [
      h("div", { class: "tip-title" }, `${report.measures[r]} and ${report.measures[c]}`),
      makeTipTable(
        Object.keys(words).map((other) => [words[other], h("b", {}, formatNumber(agreement[other][r][c]))]),
      ),
    ],
  });
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      `How similarly two measures rank the runs, by their means: 1 is the same order, −1 the reverse (RBO from 0 to 1, p = ${agreement.persistence}). In tau_AP the top counts more, and the column is the reference.`,
    ),
  );
}

addSection("overlap", (node) => {
  const { overlap } = report,
    key = matrixView.overlap;
  const order = rankRuns();
  findPart(node, "choice").replaceChildren(
    makeSegments(
      "unit of the overlap",
      [
        ["characters", "characters"],
        ["results", "results"],
      ],
      key,
      (value) => {
        matrixView.overlap = value;
        redrawAll();
      },
    ),
  );
  const names = order.map((run) => report.runs[run]);
  drawHeatMap(findPart(node, "heat"), {
    label: `shared ${key} of every two runs`,
    rows: names,
    cols: names,
    value: (r, c) => overlap[key][order[r]][order[c]],
    describe: (r, c) => [
      h("div", { class: "tip-title" }, isolateName(names[r]), " and ", isolateName(names[c])),
      makeTipTable(
        ["characters", "results"].map((unit) => [
          `shared ${unit}`,
          h("b", {}, formatNumber(overlap[unit][order[r]][order[c]])),
        ]),
      ),
    ],
  });
  findPart(node, "note").replaceChildren(
    h(
      "p",
      { class: "note" },
      `The share of ${key} that both runs returned, of all that either of them returned among the first ${formatCount(report.depth)} results of a topic; mean over topics. Two results are the same if their spans are.`,
    ),
  );
});
