"""Formats an audit as text, Markdown, HTML and JSON, and writes counterexamples as files to run again."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.auditing.audit_cases import AuditCase, Passage
from doxel.auditing.auditor import Audit, Counterexample, Finding
from doxel.auditing.scorers import Scorer
from doxel.errors import InputError
from doxel.files.outputs import write_file, write_folder
from doxel.reports.report_page import Html, build_tag, isolate
from doxel.reports.study_pages import (
    escape_markdown,
    render_document,
    render_html_table,
    render_markdown_table,
)
from doxel.wording import format_json, pluralise

__all__ = [
    "describe_audit",
    "render_html",
    "render_markdown",
    "render_markdown_parts",
    "render_text",
    "tabulate_audit",
    "write_audit",
]

_CELLS = {
    "kept": "kept",
    "broken": "BROKEN",
    "broken on purpose": "on purpose",
    "not kept": "not kept",
    "not tested": "-",
}
_FOLDER = "counterexamples"


def tabulate_audit(audit: Audit) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table: one row per law, one column per figure."""
    figures = audit.figures
    cells = {(finding.law.name, finding.figure): _CELLS[finding.verdict] for finding in audit.findings}
    laws = {finding.law.name: finding.law for finding in audit.findings}
    rows = [
        [law.name, law.statement, *(cells[law.name, figure] for figure in figures)] for law in laws.values()
    ]
    return ["law", "what must hold", *figures], rows


def summarise_audit(audit: Audit) -> list[str]:
    """Return sentences with the number of cases and the verdict."""
    limit = "" if audit.seconds is None else f", all that {audit.seconds:g} seconds allowed"
    tested = f"{pluralise(audit.cases, 'random case')}, seed {audit.seed}{limit}."
    broken = [finding for finding in audit.broken if finding.verdict == "broken"]
    on_purpose = len(audit.broken) - len(broken)
    verdict = (
        "No law was broken."
        if audit.is_acquitted
        else f"{pluralise(len(broken), 'law')} broken"
        + (f", {pluralise(on_purpose, 'law')} broken on purpose." if on_purpose else ".")
    )
    return [tested, verdict]


def render_text(audit: Audit) -> str:
    """Return the table of laws and figures and the counterexamples as plain text."""
    header, rows = tabulate_audit(audit)
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, ["-" * width for width in widths], *rows)
    ]
    for finding in _list_shown(audit):
        title, details = _explain(finding)
        lines += ["", title, *(f"  {line}".rstrip() for line in details)]
    return "\n".join([*lines, "", *summarise_audit(audit)]) + "\n"


def render_markdown(audit: Audit) -> str:
    """Return the same in Markdown."""
    return "\n\n".join(render_markdown_parts(audit)) + "\n"


def render_markdown_parts(audit: Audit, *, level: int = 2) -> list[str]:
    """Return the paragraphs of an audit in Markdown, with headings of a level."""
    parts = [" ".join(summarise_audit(audit)), render_markdown_table(_frame(audit))]
    for finding in _list_shown(audit):
        title, details = _explain(finding)
        parts += [f"{'#' * level} {escape_markdown(title)}", "```text\n" + "\n".join(details) + "\n```"]
    return parts


def render_html(audit: Audit) -> str:
    """Return the same as a self-contained HTML page."""
    body: list[Html] = [
        build_tag("h1", f"Audit of {', '.join(audit.figures)}"),
        *(build_tag("p", sentence) for sentence in summarise_audit(audit)),
        render_html_table(_frame(audit)),
    ]
    for finding in _list_shown(audit):
        title, details = _explain(finding)
        body += [build_tag("h2", isolate(title)), build_tag("pre", "\n".join(details))]
    body.append(build_tag("p", f"doxel {__version__}", class_="about"))
    return render_document(f"Audit of {', '.join(audit.figures)}", body)


def _frame(audit: Audit) -> pl.DataFrame:
    header, rows = tabulate_audit(audit)
    return pl.DataFrame(rows, schema=header, orient="row")


def _list_shown(audit: Audit) -> list[Finding]:
    return [finding for finding in audit.findings if finding.counterexample is not None]


_VERBS = {"broken": "breaks", "broken on purpose": "breaks on purpose", "not kept": "does not keep"}


def _explain(finding: Finding) -> tuple[str, list[str]]:
    """Return the title of a counterexample, and its lines."""
    law, counterexample = finding.law, finding.counterexample
    assert counterexample is not None  # noqa: S101 -- for the type checker
    title = f"{finding.figure} {_VERBS[finding.verdict]} '{law.name}': {law.statement}"
    lines = [law.reason, *([f"Note: {finding.note}."] if finding.note else []), ""]
    if counterexample.failure is not None:
        lines.append(f"The scorer {counterexample.failure.kind}: {counterexample.failure.message}")
    lines += [f"gold     {_list_passages(counterexample.changed, counterexample.changed.gold)}"]
    if law.compares and counterexample.case != counterexample.changed:
        is_same_gold = counterexample.case.gold == counterexample.changed.gold
        before = counterexample.case
        if not is_same_gold:
            lines[-1] = f"gold     {_list_passages(before, before.gold)}"
        lines.append(f"run      {_list_passages(before, before.results)}")
        lines.append(f"score    {_format_score(counterexample.before)}")
        if not is_same_gold:
            lines.append(f"gold     {_list_passages(before, counterexample.changed.gold)}")
    lines.append(f"run      {_describe_changed(counterexample)}")
    lines.append(f"score    {_format_score(counterexample.after)}")
    return title, lines


def _describe_changed(counterexample: Counterexample) -> str:
    changed = counterexample.changed
    results = _list_passages(changed, changed.results) or "no results"
    if changed.shuffle:
        return f"{results} (lines of both files in another order)"
    if changed.judged:
        judged = ", ".join(f"{doc} for topic {topic}" for topic, doc in changed.judged)
        return f"{results} (and gold that judges {judged} as not relevant)"
    return results


def _list_passages(case: AuditCase, passages: tuple[Passage, ...]) -> str:
    """Return passages on one line, with their topics if there are several."""
    topics = list(dict.fromkeys(passage.topic for passage in passages))
    parts = []
    for topic in topics:
        places = " ".join(_name_place(passage, case.shape) for passage in passages if passage.topic == topic)
        parts.append(f"topic {topic}: {places}" if len(case.topics) > 1 else places)
    return "; ".join(parts)


def _name_place(passage: Passage, shape: str) -> str:
    if shape in {"documents", "articles"}:
        return passage.doc
    if shape == "elements":
        return f"{passage.doc}/p[{passage.start + 1}]"
    return f"{passage.doc}[{passage.start},{passage.end})"


def _format_score(score: float | None) -> str:
    return "none" if score is None else f"{score:.6g}"


def describe_audit(audit: Audit) -> dict[str, Any]:
    """Return an audit as data for JSON."""
    return {
        "cases": audit.cases,
        "seed": audit.seed,
        "seconds": audit.seconds,
        "acquitted": audit.is_acquitted,
        "findings": [
            {
                "figure": finding.figure,
                "law": finding.law.name,
                "statement": finding.law.statement,
                "reason": finding.law.reason,
                "kind": finding.law.kind,
                "verdict": finding.verdict,
                "cases": finding.cases,
                "note": finding.note,
                "counterexample": _describe_counterexample(finding.counterexample),
            }
            for finding in audit.findings
        ],
    }


def _describe_counterexample(counterexample: Counterexample | None) -> dict[str, Any] | None:
    if counterexample is None:
        return None
    failure = counterexample.failure
    cases = {"before": counterexample.case, "after": counterexample.changed}
    scores = {"before": counterexample.before, "after": counterexample.after}
    return {
        "failure": None if failure is None else f"{failure.kind}: {failure.message}",
        **{
            when: {
                "score": scores[when],
                "gold": [list(passage) for passage in case.list_gold()],
                "run": [[rank, *passage] for rank, passage in case.list_ranked_results()],
                "judged": [list(pair) for pair in case.judged],
            }
            for when, case in cases.items()
        },
    }


def write_audit(audit: Audit, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the tables and one folder per counterexample; return the folders of counterexamples.

    Counterexamples of an earlier audit in the same folder are replaced.
    """
    places = []
    with write_folder(folder, last="audit.html", replace=True) as out:
        for finding in _list_shown(audit):
            name = re.sub(r"[^\w.-]+", "-", f"{finding.figure}-{finding.law.name}").strip("-")
            place = Path(_FOLDER) / name
            (out / place).mkdir(parents=True, exist_ok=True)
            _write_counterexample(audit, finding, out / place, Path(folder) / place)
            places.append(Path(folder) / place)
        write_file(out / "audit.txt", render_text(audit).encode())
        write_file(out / "audit.md", render_markdown(audit).encode())
        write_file(out / "audit.json", f"{format_json(describe_audit(audit), indent=1)}\n".encode())
        write_file(out / "audit.html", render_html(audit).encode())
    return places


def _write_counterexample(audit: Audit, finding: Finding, folder: Path, shown_folder: Path) -> None:
    """Write the files of a counterexample, and README.txt with the command lines that score them."""
    counterexample = finding.counterexample
    assert counterexample is not None  # noqa: S101 -- for the type checker
    scorer = _find_scorer(audit, finding.figure)
    title, details = _explain(finding)
    cases = [("", counterexample.changed, counterexample.after)]
    if finding.law.compares and counterexample.case != counterexample.changed:
        cases = [
            ("-before", counterexample.case, counterexample.before),
            ("-after", counterexample.changed, counterexample.after),
        ]
    lines = [title, "", *details, "", "Run it:", ""]
    for suffix, case, score in cases:
        try:
            line = scorer.write_case(case, folder, shown_folder, suffix, finding.figure)
        except InputError as error:  # a run without results cannot be written in every format
            if isinstance(error.__cause__, OSError):
                raise
            line = f"(not written: {error})"
        lines += [line, f"    -> {_format_score(score)}"]
    write_file(folder / "README.txt", ("\n".join(lines) + "\n").encode())


def _find_scorer(audit: Audit, figure: str) -> Scorer:
    return next(
        scorer for scorer in audit.scorers if figure in {candidate.name for candidate in scorer.figures}
    )
