"""``doxel check``: check runs, topics and assessments for errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from doxel._version import __version__
from doxel.checks.check_declaration import MOST_PLACES, SEVERITIES, FindingGroup, Report
from doxel.checks.check_table import CHECKS
from doxel.checks.checker import check_inputs
from doxel.checks.score_checks import SCORE_CHECKS
from doxel.cli.console import ignore_closed_pipe, print_note, show_table, show_ticks
from doxel.cli.options import (
    InexOption,
    SectionedCommand,
    TaskName,
    collection_option,
    fol_end_option,
    format_option,
    order_option,
    structure_option,
    topics_option,
)
from doxel.errors import InputError
from doxel.runs.run import TASK_NAMES
from doxel.wording import format_json, format_share, pluralise

__all__ = ["command", "format_findings"]

_UNREADABLE = "F001"
_FIRST = 5  # line numbers to show per finding


@click.command("check", cls=SectionedCommand)
@click.argument("runs", nargs=-1, metavar="RUN...")
@collection_option
@topics_option("The topics (queries) that the runs answer: a file or folder.  Repeat to join several.")
@click.option(
    "-a",
    "--assessments",
    multiple=True,
    metavar="ASSESSMENTS",
    help="Judgements of what is relevant: a file or folder.  Repeat to join several.",
)
@format_option("table", "json", default="table", about="Print tables, or everything as JSON.")
@click.option(
    "--task",
    cls=InexOption,
    type=TaskName(list(TASK_NAMES)),
    help="The kind of results that the run may return, and is checked for: focused, for example, forbids "
    "overlapping results.  Default: the task that the run declares.",
)
@order_option
@fol_end_option
@structure_option
@click.option("--codes", is_flag=True, help="List and explain all codes, and check nothing.")
def command(
    *,
    runs: tuple[str, ...],
    collection: str | None,
    topic_files: tuple[str, ...],
    assessments: tuple[str, ...],
    layout: str,
    task: str | None,
    order: str,
    fol_end: bool,
    structure: str | None,
    codes: bool,
) -> int:
    """Check runs, topics and assessments for errors before scoring.

    A RUN is a file, or a folder or archive of runs; without runs, only topics and assessments are checked.
    Every finding has a code; --codes explains them.  The exit status is 1 if there are errors: scores would
    be wrong, or could not be computed.

    \b
    doxel check -c wikipedia.doxel -t topics.xml -a inex.qrels a.run b.run
    doxel check --task focused -f json a.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    if codes:
        _show_codes(layout)
        return 0
    if not (runs or topic_files or assessments):
        raise click.UsageError("Nothing to check: pass runs, topics (-t) or assessments (-a).")
    _require_files((*runs, *topic_files, *assessments))
    with show_ticks("check", total=len(runs)) as tick:
        report = check_inputs(
            runs,
            assessments=assessments or None,
            topics=topic_files or None,
            collection=collection,
            task=task,
            order=order,
            fol_end=fol_end,
            structure=structure,
            progress=tick,
        )
    for sentence in report.notes:
        print_note(sentence)
    with ignore_closed_pipe():
        if layout == "json":
            click.echo(format_findings(report))
        else:
            _show_findings(report)
    options = [("-a", file) for file in assessments] + [("-t", file) for file in topic_files]
    _show_hints(report, [*runs, *(word for option in options for word in option)])
    print_note(_summarise(report))
    return 1 if report.has_errors else 0


def _require_files(paths: tuple[str, ...]) -> None:
    """Raise an error for a file that does not exist; this is a wrong call, not a finding."""
    for path in paths:
        if not Path(path).exists():
            raise InputError("cannot be read: no such file or directory", file=path)


def _show_findings(report: Report) -> None:
    if report.groups:
        rows = [
            [
                group.check.code,
                group.check.severity,
                group.count,
                group.check.title,
                _format_place(group),
                _format_first_case(group),
            ]
            for group in report.groups
        ]
        show_table(["code", "severity", "count", "finding", "where", "first case"], rows)
    if report.runs:
        runs = [
            [run.id, run.file, run.format, run.task, run.topics, run.results, _describe_overlap(run.overlap)]
            for run in report.runs
        ]
        show_table(["run", "file", "format", "task", "topics", "results", "overlapping"], runs)


def _show_hints(report: Report, arguments: Sequence[str]) -> None:
    """Print a hint for each unreadable file that was passed as something else, as other commands do."""
    from doxel.cli.main import find_hint

    for group in report.groups:
        if group.check.code == _UNREADABLE:
            hint = find_hint(InputError("", file=group.file), ["check", *arguments])
            if hint is not None:
                print_note(hint)


def _format_place(group: FindingGroup) -> str:
    """Return the file of a group, and its first line numbers."""
    lines = group.places["line"].drop_nulls().unique(maintain_order=True).to_list()
    more = ", ..." if group.count > len(lines[:_FIRST]) and len(lines) >= _FIRST else ""
    numbers = ", ".join(map(str, lines[:_FIRST])) + more
    label = f"line {numbers}" if len(lines) == 1 else f"lines {numbers}"
    return ": ".join(part for part in (group.file or "", label if lines else "") if part)


def _format_first_case(group: FindingGroup) -> str:
    """Return the message at the first place, with its topic and document."""
    place = group.places.row(0, named=True)
    labels = [
        f"{label} {place[key]}" for label, key in (("topic", "topic"), ("document", "doc")) if place[key]
    ]
    message = place["message"]
    return message if not labels else f"{', '.join(labels)}: {message}"


def _describe_overlap(overlap: float | None) -> str:
    return "unknown" if overlap is None else format_share(overlap, 1)


def _summarise(report: Report) -> str:
    return ", ".join(pluralise(report.count(severity), severity) for severity in SEVERITIES)


def format_findings(report: Report) -> str:
    """Return a report as JSON: all findings with their counts, and up to ``places_cap`` places of each."""
    findings = [
        {
            "code": group.check.code,
            "severity": group.check.severity,
            "title": group.check.title,
            "file": group.file,
            "count": group.count,
            "places": group.places.drop("file").to_dicts(),
        }
        for group in report.groups
    ]
    content = {
        "findings": findings,
        "places_cap": MOST_PLACES,
        "counts": {severity: report.count(severity) for severity in SEVERITIES},
        "runs": [asdict(run) for run in report.runs],
        "notes": list(report.notes),
        "versions": {"doxel": __version__},
    }
    return format_json(content, indent=1)


def _show_codes(layout: str) -> None:
    checks = (*CHECKS, *SCORE_CHECKS)
    if layout == "json":
        keys = ("code", "severity", "effect", "title", "explanation", "mend")
        codes: list[dict[str, Any]] = [{key: getattr(check, key) for key in keys} for check in checks]
        click.echo(format_json({"codes": codes}, indent=1))
        return
    rows = [
        [check.code, check.severity, check.effect, check.title, f"{check.explanation}  {check.mend}"]
        for check in checks
    ]
    show_table(["code", "severity", "effect", "finding", "meaning and remedy"], rows)
