"""LaTeX tables for papers: booktabs, escaped text, and a note with the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from doxel.measures.measure_table import find_best_score
from doxel.reports.tables import escape_latex

__all__ = ["comparison_table", "leaderboard_table"]

_NONE = "--"


def leaderboard_table(report: Mapping[str, Any]) -> str:
    """Return the table of means, the best of each measure in bold, with letters for significance groups."""
    measures = report["measures"]
    rows = [
        [escape_latex(run), *(_mean(report, measure, place) for measure in range(len(measures)))]
        for place, run in enumerate(report["runs"])
    ]
    compared = [comparison for comparison in report["comparisons"] if comparison is not None]
    settings = report["parameters"]
    note = f"Means over topics ({_topics(report)})."
    if compared:
        note += (
            " Runs that share a letter do not differ significantly by randomised Tukey HSD"
            f" (two-sided, family-wise level {1 - settings['level']:.2g},"
            f" {settings['resamples']} resamples, seed {settings['seed']})."
        )
    header = ["run", *map(escape_latex, measures)]
    return _table(header, "l" + "r" * len(measures), rows, note)


def _topics(report: Mapping[str, Any]) -> str:
    counts = sorted({mean["topics"] for of_runs in report["means"] for mean in of_runs if mean is not None})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _mean(report: Mapping[str, Any], measure: int, run: int) -> str:
    means = report["means"][measure]
    if means[run] is None or means[run]["score"] is None:
        return _NONE
    scores = [mean["score"] for mean in means if mean is not None and mean["score"] is not None]
    best = find_best_score(report["measures"][measure], scores)
    text = f"{means[run]['score']:.4f}"
    compared = report["comparisons"][measure]
    letters = "" if compared is None else compared["groups"].get(str(run), "")
    letters = letters.replace("–", "--")
    shown = rf"\textbf{{{text}}}" if means[run]["score"] == best and len(means) > 1 else text
    return shown + (rf"\rlap{{\textsuperscript{{{letters}}}}}" if letters else "")


def comparison_table(report: Mapping[str, Any], measure: int) -> str | None:
    """Return the table of tests of all runs against the baseline by a measure, or None without tests."""
    compared = report["comparisons"][measure]
    if compared is None or not compared["pairs"]:
        return None
    rows = [
        [
            escape_latex(report["runs"][pair["run"]]),
            *(_number(pair[name], signs=True) for name in ("difference", "d", "delta")),
            *(_number(pair[name], signs=False) for name in ("p", "p_adjusted")),
            f"{pair['wins']}/{pair['ties']}/{pair['losses']}",
        ]
        for pair in compared["pairs"]
    ]
    base = escape_latex(report["runs"][report["baseline"]])
    settings = "; ".join(f"{name}: {value}" for name, value in compared["settings"].items())
    header = ["run", "difference", "$d$", r"$\delta$", "$p$", "$p$ (corrected)", "wins/ties/losses"]
    return _table(header, "lrrrrrr", rows, f"Baseline: {base}. {escape_latex(settings)}.", escaped=True)


def _number(value: float | None, *, signs: bool) -> str:
    if value is None:
        return r"$\infty$"
    return f"${value:+.4f}$" if signs else f"{value:.4f}"


def _table(
    header: Sequence[str], columns: str, rows: Iterable[Sequence[str]], note: str, *, escaped: bool = False
) -> str:
    note = note if escaped else escape_latex(note)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            rf"\multicolumn{{{len(header)}}}{{p{{0.9\linewidth}}}}{{\footnotesize {note}}} \\",
            r"\end{tabular}",
            "",
        ]
    )
