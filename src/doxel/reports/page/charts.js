// Axes for drawings in SVG, in pixels of the page, so that letters keep their size.
function niceMax(value) {
  if (!(value > 0)) return 1;
  const step = [1, 2, 2.5, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10(value / 4)));
  const chosen = step.find((one) => one * 5 >= value) || step[step.length - 1];
  return Math.ceil(value / chosen - 1e-9) * chosen;
}
function ticks(low, high, most = 5) {
  const raw = (high - low) / most;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * base).find((one) => one >= raw - 1e-12);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9; value += step)
    found.push(Math.abs(value) < 1e-12 ? 0 : value);
  return found;
}
const short = (value) => String(Number(value.toFixed(3)));

function frame(
  width,
  height,
  { low, high, xTicks, x, xLabel, yLabel, left = 44, right = 12, top = 10, bottom = 40 },
) {
  const y = (value) => top + (1 - (value - low) / (high - low || 1)) * (height - top - bottom);
  const grid = s(
    "g",
    { class: "grid" },
    ticks(low, high).map((value) => [
      s("line", {
        x1: left,
        x2: width - right,
        y1: y(value),
        y2: y(value),
        class: value === 0 ? "zero" : null,
      }),
      s(
        "text",
        { x: left - 7, y: y(value), "text-anchor": "end", "dominant-baseline": "central" },
        short(value),
      ),
    ]),
    (xTicks || []).map((value) =>
      s("text", { x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, short(value)),
    ),
    xLabel
      ? s(
          "text",
          { class: "axis", x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" },
          xLabel,
        )
      : null,
    yLabel
      ? s(
          "text",
          {
            class: "axis",
            transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)`,
            "text-anchor": "middle",
          },
          yLabel,
        )
      : null,
  );
  return { grid, y };
}
const pathOf = (points) =>
  points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
