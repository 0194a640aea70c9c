"""``doxel evaluate``."""

from __future__ import annotations

import sys

import click

from doxel.cli.console import note, show_table
from doxel.evaluation import Evaluation

__all__ = ["command"]


@click.command("evaluate")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-a", "--assessments", required=True, metavar="ASSESSMENTS", help="What was judged relevant.")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="A measure or a list of them; repeat at will."
)
@click.option("-q", "--per-topic", is_flag=True, help="Scores of single topics too.")
@click.option(
    "-f",
    "--format",
    "layout",
    type=click.Choice(["table", "tsv", "csv", "json", "latex", "trec"]),
    help="Default: table on a terminal, tsv in a pipe.",
)
def command(
    runs: tuple[str, ...], assessments: str, measures: tuple[str, ...], per_topic: bool, layout: str | None
) -> int:
    """Score runs against assessments."""
    from doxel.assessments import read_assessments
    from doxel.evaluation import evaluate
    from doxel.runs import read_run

    result = evaluate(
        [read_run(path) for path in runs],
        read_assessments(assessments),
        measures or ("iP@0,0.01,0.05,0.10", "MAiP"),
    )
    show(result, layout or ("table" if sys.stdout.isatty() else "tsv"), per_topic=per_topic)
    return 1 if result.rejected else 0


def show(result: Evaluation, layout: str, *, per_topic: bool) -> None:
    """Print an evaluation, and on stderr what was counted out and why."""
    from doxel.reports.tables import FORMATS, pivot, rows

    for warning in result.warnings:
        note(warning)
    for rejection in result.rejected:
        note(f"{rejection.run}: {rejection.measure} refused: {rejection.reason}")
    if layout == "table":
        header, lines = pivot(rows(result, per_topic=per_topic))
        show_table(header, lines)
    else:
        click.echo(FORMATS[layout](result, per_topic=per_topic), nl=False)
