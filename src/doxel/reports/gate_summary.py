"""Formats the verdict of a gate: Markdown for a pull request, and data for JSON."""

from __future__ import annotations

import math
import re
from typing import Any

import polars as pl

from doxel.evaluation.analysis.regression_gate import GateCheck, GateVerdict
from doxel.measures.measure_table import lower_is_better
from doxel.reports.output_files import to_plain
from doxel.wording import escape_unprintable, pluralise

__all__ = [
    "BROKEN_SHOWN",
    "describe_verdict",
    "list_broken_topics",
    "render_gate_markdown",
    "tabulate_checks",
]

BROKEN_SHOWN = 20
"""The number of broken topics that a table lists per measure."""

_HEADINGS = {"pass": "✅ passed", "fail": "❌ failed", "cannot be compared": "⚠️ cannot be compared"}
_LONGEST_TITLE = 160
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~])")


def tabulate_checks(verdict: GateVerdict) -> tuple[list[str], list[list[Any]]]:
    """Return the header and the rows of a table with one row per measure.

    ``limit`` is the end of the one-sided interval of the change; None if the topics are too few for it.
    """
    header = ["measure", "baseline", "run", "change", "limit", "worse", "same", "better"]
    return header, [
        [
            check.measure,
            check.baseline,
            check.mean,
            check.mean - check.baseline,
            _find_limit(check),
            check.broken.height,
            check.topics.height - check.broken.height - check.better,
            check.better,
        ]
        for check in verdict.checks
    ]


def _find_limit(check: GateCheck) -> float | None:
    if not math.isfinite(check.least_loss):
        return None
    return check.least_loss if lower_is_better(check.measure) else -check.least_loss


def list_broken_topics(verdict: GateVerdict, check: GateCheck, count: int | None = None) -> pl.DataFrame:
    """Return the topics that became worse, the largest loss first: topic, baseline, score, loss, text."""
    broken = check.broken if count is None else check.broken.head(count)
    texts = [verdict.titles.get(topic) for topic in broken["topic"]]
    return broken.with_columns(text=pl.Series(texts, dtype=pl.String))


def describe_verdict(verdict: GateVerdict) -> dict[str, Any]:
    """Return a verdict as data for JSON; the broken topics of each measure are complete."""
    header, rows = tabulate_checks(verdict)
    content = {
        "status": verdict.status,
        "run": verdict.run,
        "baseline_run": verdict.baseline_run,
        "settings": vars(verdict.settings),
        "obstacles": verdict.obstacles,
        "failures": verdict.failures,
        "notes": verdict.notes,
        "measures": [
            {
                **dict(zip(header, row, strict=True)),
                "topics": check.topics.height,
                "outcome": "fail" if check.failures else "pass",
                "level": check.level,
                "broken": list_broken_topics(verdict, check).to_dicts(),
            }
            for check, row in zip(verdict.checks, rows, strict=True)
        ],
    }
    plain: dict[str, Any] = to_plain(content)
    return plain


def render_gate_markdown(verdict: GateVerdict) -> str:
    """Return a summary in GitHub's Markdown: the means, the reasons and the topics that became worse."""
    lines = [f"### Retrieval gate: {_HEADINGS[verdict.status]}", ""]
    lines += [f"- {_escape(sentence)}" for sentence in (*verdict.obstacles, *verdict.failures)]
    header, rows = tabulate_checks(verdict)
    if rows:
        lines += ["", *_render_table(header, rows), ""]
    for check in verdict.checks:
        if check.broken.height:
            lines += _render_broken(verdict, check)
    lines += [f"> {_escape(note)}  " for note in verdict.notes]
    return "\n".join(lines).rstrip() + "\n"


def _render_broken(verdict: GateVerdict, check: GateCheck) -> list[str]:
    """Return a section that can be opened, because most readers need only the table above."""
    broken_topics = list_broken_topics(verdict, check, BROKEN_SHOWN)
    title = f"{pluralise(check.broken.height, 'topic')} worse by {check.measure}"
    more = check.broken.height - broken_topics.height
    more_topics = ["", f"... and {pluralise(more, 'more topic')}"] if more else []
    columns = [
        name
        for name in broken_topics.columns
        if name != "text" or broken_topics["text"].null_count() < broken_topics.height
    ]
    table = _render_table(columns, [list(row) for row in broken_topics.select(columns).iter_rows()])
    return [f"<details><summary>{_escape(title)}</summary>", "", *table, *more_topics, "", "</details>", ""]


def _render_table(header: list[str], rows: list[list[Any]]) -> list[str]:
    numeric = [
        all(isinstance(row[place], int | float | None) for row in rows) for place in range(len(header))
    ]
    return [
        f"| {' | '.join(map(_escape, header))} |",
        f"|{'|'.join('---:' if is_number else '---' for is_number in numeric)}|",
        *(f"| {' | '.join(map(_render_cell, row))} |" for row in rows),
    ]


def _render_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else _escape(str(value))


def _escape(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line and not too long.

    >>> print(_escape("a <b>|* of\n[x](y)"))
    a &lt;b&gt;\|\* of \[x\]\(y\)
    """
    line = " ".join(escape_unprintable(text).split())
    line = line if len(line) <= _LONGEST_TITLE * 4 else f"{line[: _LONGEST_TITLE * 4]}..."
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", line)
