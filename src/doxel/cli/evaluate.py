"""``doxel evaluate``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, or_default, show_table, ticks
from doxel.cli.options import format_option, limit_value, one_or_many, scoring_options, topics_of
from doxel.errors import InputError
from doxel.evaluation.evaluation import Evaluation

if TYPE_CHECKING:
    from doxel.studies.declare import StudyResult

__all__ = ["command", "score", "scoring_keywords", "show", "show_notes"]

_LAYOUTS = ["table", "tsv", "csv", "json", "parquet", "latex", "trec", "inex_eval"]


@click.command("evaluate")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Scores of single topics too.")
@format_option(*_LAYOUTS)
@click.option(
    "--compat",
    type=click.Choice(["inex_eval"]),
    help="Compute exactly what the official tool of 2010 computed, its quirks included.",
)
def command(
    runs: tuple[str, ...], per_topic: bool, layout: str | None, compat: str | None, **options: Any
) -> int:
    """Score runs against assessments.

    Each RUN is a file; scores go to stdout, everything else to stderr.  A measure that requires
    something of a run (no overlap, grouped articles) refuses a run that lacks it; the others are still
    scored, and the exit status is then 1.

    \b
    doxel evaluate -a inex.qrels -m iP@0.01,0.1 -m MAiP a.run b.run
    doxel evaluate -a 2006/ -c wikipedia.doxel -m inex2006-focused run.xml
    doxel evaluate -a inex.qrels --compat inex_eval -f inex_eval -q --task focused a.run
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    chosen = or_default(layout)
    if compat is not None:
        from doxel.cli.compat import evaluate_like_the_tool

        return evaluate_like_the_tool(runs, chosen, per_topic=per_topic, **options)
    if chosen == "inex_eval":
        raise InputError("-f inex_eval is the layout of that tool", wanted="--compat inex_eval with it")
    result = score(runs, options)
    show(result, chosen, per_topic=per_topic)
    return 1 if result.rejected else 0


def score(runs: tuple[str, ...], options: dict[str, Any]) -> Evaluation:
    """Score runs as the shared options say; a run that cannot be read is skipped if others can."""
    from doxel.evaluation import evaluate

    with ticks("evaluate", total=len(runs)) as tick:
        result = evaluate(
            list(runs),
            one_or_many(options["assessments"]),
            options["measures"] or None,
            collection=options["collection"],
            progress=tick,
            **scoring_keywords(runs, options),
        )
    unreadable = [one for one in result.rejected if one.measure == "all"]
    if len(unreadable) == len(runs):
        raise InputError("no run could be read; the first: " + unreadable[0].reason)
    return result


def scoring_keywords(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ``doxel.evaluate`` that the shared options stand for."""
    same = ("topics", "task", "quant", "order", "sizes", "on_invalid", "models", "fol_end", "jobs", "cluster")
    return {
        **{name: options[name] for name in (*same, "chunks", "tokenisers", "structure")},
        "topic_file": topics_of(options["topic_files"]),
        "on_error": "skip" if len(runs) > 1 else "raise",
        **limit_value(options["limit"]),
    }


def show(result: Evaluation, layout: str, *, per_topic: bool) -> None:
    """Print an evaluation, and on stderr what was counted out and why."""
    from doxel.reports.tables import FORMATS, pivot, rows

    show_notes(result)
    if layout == "table":
        header, lines = pivot(rows(result, per_topic=per_topic))
        show_table(header, lines)
    elif layout == "parquet":
        if sys.stdout.isatty():
            raise InputError(
                "Parquet is not text", wanted="a file: doxel evaluate ... -f parquet > scores.parquet"
            )
        rows(result, per_topic=per_topic).write_parquet(sys.stdout.buffer)
    else:
        click.echo(FORMATS[layout](result, per_topic=per_topic), nl=False)


def show_notes(result: Evaluation | StudyResult) -> None:
    """Say on stderr what was counted out and why."""
    from doxel.measures.names import shown_names

    for warning in result.warnings:
        note(warning)
    refused: dict[tuple[str, str], dict[str, None]] = {}
    for rejection in result.rejected:
        refused.setdefault((rejection.run, rejection.reason), {})[rejection.measure] = None
    for (run, reason), measures in refused.items():
        what = "skipped" if "all" in measures else f"{shown_names(list(measures))} refused"
        note(f"{run}: {what}: {reason}")
