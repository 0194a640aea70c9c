"""Formats scores as text: tsv, csv, json, latex, trec, and rows for a terminal table."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

import polars as pl

from doxel._version import __version__
from doxel.evaluation import Evaluation
from doxel.measures.measure_table import find_best_score

__all__ = ["FORMATS", "csv_table", "pivot", "rows", "tsv_lines"]


def rows(evaluation: Evaluation, *, per_topic: bool) -> pl.DataFrame:
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


def _separated(table: pl.DataFrame, separator: str, quote: Callable[[str], str]) -> str:
    lines = [separator.join(table.columns)]
    for run, topic, measure, score in table.iter_rows():
        lines.append(separator.join([quote(run), quote(topic), quote(measure), repr(float(score))]))
    return "\n".join(lines) + "\n"


def tsv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return tab-separated scores with full precision."""
    return _separated(rows(evaluation, per_topic=per_topic), "\t", lambda text: " ".join(text.split()))


def tsv_lines(table: pl.DataFrame) -> list[str]:
    """Return rows as lines of :func:`tsv`, without a header."""
    return _separated(table, "\t", lambda text: " ".join(text.split())).splitlines()[1:]


def csv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return comma-separated scores; text that a spreadsheet would run as a formula is escaped."""
    return _separated(rows(evaluation, per_topic=per_topic), ",", _csv_field)


def csv_table(table: pl.DataFrame) -> str:
    """Return any table as CSV with full precision; formulas are escaped, nulls are empty."""
    lines = [",".join(table.columns)]
    lines += [
        ",".join(_csv_field("" if value is None else value) for value in row) for row in table.iter_rows()
    ]
    return "\n".join(lines) + "\n"


def _csv_field(value: object) -> str:
    """Return a value as a CSV field; text that a spreadsheet would run as a formula is escaped."""
    if not isinstance(value, str):
        return repr(value)
    text = value
    safe = f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
    return '"' + safe.replace('"', '""') + '"' if set(safe) & set(',"\r\n') else safe


def as_json(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores, counts, rejections and warnings as JSON; an undefined score is null."""
    scores = [
        {"run": run, "topic": topic, "measure": measure, "score": score if math.isfinite(score) else None}
        for run, topic, measure, score in rows(evaluation, per_topic=per_topic).iter_rows()
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
        },
        indent=1,
        ensure_ascii=False,
        default=str,
    )


def trec(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores in the layout of trec_eval: measure, topic, score, with one block per run."""
    lines: list[str] = []
    table = rows(evaluation, per_topic=per_topic)
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


def escape_latex(text: str) -> str:
    """Return text with all LaTeX syntax escaped."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def latex(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return a booktabs table with the best mean of each measure in bold."""
    header, lines = pivot(rows(evaluation, per_topic=per_topic))
    keys = sum(name in {"run", "topic"} for name in header)
    best = _best(header, lines, keys) if len(lines) > 1 and not per_topic else {}
    body = [
        " & ".join(_latex_cell(value, bold=best.get(column) == value) for column, value in enumerate(line))
        + r" \\"
        for line in lines
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * keys}{'r' * (len(header) - keys)}}}",
            r"\toprule",
            " & ".join(escape_latex(name) for name in header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _best(header: Sequence[str], lines: Sequence[Sequence[object]], keys: int) -> dict[int, float | None]:
    best: dict[int, float | None] = {}
    for column in range(keys, len(header)):
        scores = [value for line in lines if isinstance(value := line[column], float)]
        best[column] = find_best_score(header[column], scores)
    return best


def _latex_cell(value: object, *, bold: bool) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "--"
    text = f"{value:.4f}" if isinstance(value, float) else escape_latex(str(value))
    return rf"\textbf{{{text}}}" if bold else text


FORMATS: dict[str, Callable[..., str]] = {
    "tsv": tsv,
    "csv": csv,
    "json": as_json,
    "latex": latex,
    "trec": trec,
}
