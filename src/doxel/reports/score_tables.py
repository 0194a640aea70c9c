"""Formats scores as text: tsv, csv, json, trec, LaTeX, and rows for a terminal table.

The LaTeX tables of reports use booktabs, escape all text, and end with a note on the settings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.evaluation import Evaluation
from doxel.evaluation.evaluation_result import describe_unequal_topics
from doxel.measures.measure_table import find_best_score

__all__ = [
    "SCORE_FORMATS",
    "format_comparison",
    "format_csv_table",
    "format_leaderboard",
    "format_tsv_lines",
    "pivot",
    "select_rows",
]


def select_rows(evaluation: Evaluation, *, per_topic: bool) -> pl.DataFrame:
    """Return the rows to print: means with the topic ``all``, after the scores per topic if requested."""
    means = evaluation.means.select("run", pl.lit("all").alias("topic"), "measure", "score")
    if not per_topic:
        return means
    pieces = [
        piece
        for run in means["run"].unique(maintain_order=True)
        for piece in (
            evaluation.scores.filter(pl.col("run") == run),
            means.filter(pl.col("run") == run),
        )
    ]
    return pl.concat(pieces) if pieces else means


def pivot(table: pl.DataFrame) -> tuple[list[str], list[list[object]]]:
    """Return a header and lines with one column per measure, and a topic column if there are several."""
    measures = table["measure"].unique(maintain_order=True).to_list()
    by_topic = table["topic"].n_unique() > 1
    keys = ["run", "topic"] if by_topic else ["run"]
    lines: dict[tuple[str, ...], dict[str, float]] = {}
    for run, topic, measure, score in table.iter_rows():
        lines.setdefault((run, topic) if by_topic else (run,), {})[measure] = score
    return [*keys, *measures], [
        [*key, *(values.get(measure) for measure in measures)] for key, values in lines.items()
    ]


def _join_columns(table: pl.DataFrame, separator: str, quote: Callable[[str], str]) -> str:
    lines = [separator.join(table.columns)]
    for run, topic, measure, score in table.iter_rows():
        lines.append(separator.join([quote(run), quote(topic), quote(measure), repr(float(score))]))
    return "\n".join(lines) + "\n"


def format_tsv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return tab-separated scores with full precision."""
    return _join_columns(
        select_rows(evaluation, per_topic=per_topic), "\t", lambda text: " ".join(text.split())
    )


def format_tsv_lines(table: pl.DataFrame) -> list[str]:
    """Return rows as lines of :func:`format_tsv`, without a header."""
    return _join_columns(table, "\t", lambda text: " ".join(text.split())).splitlines()[1:]


def format_csv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return comma-separated scores; text that a spreadsheet would run as a formula is escaped."""
    return _join_columns(select_rows(evaluation, per_topic=per_topic), ",", _format_csv_field)


def format_csv_table(table: pl.DataFrame) -> str:
    """Return any table as CSV with full precision; formulas are escaped, nulls are empty."""
    lines = [",".join(table.columns)]
    lines += [
        ",".join(_format_csv_field("" if value is None else value) for value in row)
        for row in table.iter_rows()
    ]
    return "\n".join(lines) + "\n"


def _format_csv_field(value: object) -> str:
    """Return a value as a CSV field; text that a spreadsheet would run as a formula is escaped."""
    if not isinstance(value, str):
        return repr(value)
    text = value
    safe = f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
    return '"' + safe.replace('"', '""') + '"' if set(safe) & set(',"\r\n') else safe


def format_json(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores, counts, rejections and warnings as JSON; an undefined score is null."""
    scores = [
        {"run": run, "topic": topic, "measure": measure, "score": score if math.isfinite(score) else None}
        for run, topic, measure, score in select_rows(evaluation, per_topic=per_topic).iter_rows()
    ]
    counts = evaluation.means.select("run", "measure", "topics", "undefined").to_dicts()
    return json.dumps(
        {
            "scores": scores,
            "counts": counts,
            "rejected": [asdict(rejection) for rejection in evaluation.rejected],
            "warnings": list(evaluation.warnings),
            "versions": {"doxel": __version__, "polars": pl.__version__},
            "parameters": dict(evaluation.parameters),
            "tasks": dict(evaluation.tasks),
        },
        indent=1,
        ensure_ascii=False,
        default=str,
    )


def format_trec(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores in the layout of trec_eval: measure, topic, score, with one block per run."""
    lines: list[str] = []
    table = select_rows(evaluation, per_topic=per_topic)
    for run in table["run"].unique(maintain_order=True):
        lines.append(f"{'runid':<22}\tall\t{run}")
        lines.extend(
            f"{measure:<22}\t{topic}\t{score:.4f}"
            for _, topic, measure, score in table.filter(pl.col("run") == run).iter_rows()
        )
    return "\n".join(lines) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",  # after a line break these two would be read as its arguments
    "*": "{*}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def _escape_latex(text: str) -> str:
    """Return text with all LaTeX syntax escaped."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def format_latex(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return a booktabs table with the best mean of each measure in bold."""
    header, lines = pivot(select_rows(evaluation, per_topic=per_topic))
    keys = sum(name in {"run", "topic"} for name in header)
    best = _find_best(header, lines, keys) if len(lines) > 1 and not per_topic else {}
    body = [
        " & ".join(
            _format_latex_cell(value, bold=best.get(column) == value) for column, value in enumerate(line)
        )
        + r" \\"
        for line in lines
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * keys}{'r' * (len(header) - keys)}}}",
            r"\toprule",
            " & ".join(_escape_latex(name) for name in header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            *_format_notes(evaluation, len(header)),
            r"\end{tabular}",
            "",
        ]
    )


def _format_notes(evaluation: Evaluation, columns: int) -> list[str]:
    """Return a row that says that the means are over different topics, if they are."""
    if evaluation.parameters.get("topics") != "run":
        return []
    return [
        rf"\multicolumn{{{columns}}}{{p{{0.9\linewidth}}}}{{\footnotesize {_escape_latex(note)}}} \\"
        for note in describe_unequal_topics(evaluation.scores)
    ]


def _find_best(
    header: Sequence[str], lines: Sequence[Sequence[object]], keys: int
) -> dict[int, float | None]:
    best: dict[int, float | None] = {}
    for column in range(keys, len(header)):
        scores = [value for line in lines if isinstance(value := line[column], float)]
        best[column] = find_best_score(header[column], scores)
    return best


def _format_latex_cell(value: object, *, bold: bool) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "--"
    text = f"{value:.4f}" if isinstance(value, float) else _escape_latex(str(value))
    return rf"\textbf{{{text}}}" if bold else text


SCORE_FORMATS: dict[str, Callable[..., str]] = {
    "tsv": format_tsv,
    "csv": format_csv,
    "json": format_json,
    "latex": format_latex,
    "trec": format_trec,
}


_NONE = "--"


def format_leaderboard(report: Mapping[str, Any]) -> str:
    """Return the table of means, the best of each measure in bold, with letters if they were tested."""
    measures = report["measures"]
    rows = [
        [_escape_latex(run), *(_format_mean(report, measure, place) for measure in range(len(measures)))]
        for place, run in enumerate(report["runs"])
    ]
    has_letters = any(comparison is not None and comparison["groups"] for comparison in report["comparisons"])
    settings = report["parameters"]
    note = f"Means over topics ({_format_topics(report)})."
    if has_letters:
        note += (
            " Runs that share a letter do not differ significantly by randomised Tukey HSD"
            f" (two-sided, family-wise level {1 - settings['level']:.2g},"
            f" {settings['resamples']} resamples, seed {settings['seed']})."
        )
    header = ["run", *map(_escape_latex, measures)]
    return _format_table(header, "l" + "r" * len(measures), rows, note)


def _format_topics(report: Mapping[str, Any]) -> str:
    counts = sorted({mean["topics"] for of_runs in report["means"] for mean in of_runs if mean is not None})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _format_mean(report: Mapping[str, Any], measure: int, run: int) -> str:
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


def format_comparison(report: Mapping[str, Any], measure: int) -> str | None:
    """Return the table of tests of all runs against the baseline by a measure, or None without tests."""
    compared = report["comparisons"][measure]
    if compared is None or not compared["pairs"]:
        return None
    rows = [
        [
            _escape_latex(report["runs"][pair["run"]]),
            *(_format_number(pair[name], signs=True) for name in ("difference", "d", "delta")),
            *(_format_number(pair[name], signs=False) for name in ("p", "p_adjusted")),
            f"{pair['wins']}/{pair['ties']}/{pair['losses']}",
        ]
        for pair in compared["pairs"]
    ]
    base = _escape_latex(report["runs"][report["baseline"]])
    settings = "; ".join(f"{name}: {value}" for name, value in compared["settings"].items())
    header = ["run", "difference", "$d$", r"$\delta$", "$p$", "$p$ (corrected)", "wins/ties/losses"]
    return _format_table(
        header, "lrrrrrr", rows, f"Baseline: {base}. {_escape_latex(settings)}.", escaped=True
    )


def _format_number(value: float | None, *, signs: bool) -> str:
    if value is None:
        return r"$\infty$"
    return f"${value:+.4f}$" if signs else f"{value:.4f}"


def _format_table(
    header: Sequence[str], columns: str, rows: Iterable[Sequence[str]], note: str, *, escaped: bool = False
) -> str:
    note = note if escaped else _escape_latex(note)
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
