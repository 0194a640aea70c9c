"""``doxel evaluate``: score runs and print the scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, or_default, show_table, ticks
from doxel.cli.options import (
    InexOption,
    SectionedCommand,
    format_option,
    limit_value,
    one_or_many,
    scoring_options,
    topics_of,
)
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import Evaluation

if TYPE_CHECKING:
    from doxel.studies.study_declaration import StudyResult

__all__ = ["command", "score", "scoring_keywords", "show", "show_notes"]

_LAYOUTS = ["table", "tsv", "csv", "json", "parquet", "latex", "trec", "inex_eval"]


@click.command("evaluate", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Also print the score of each topic.")
@format_option(*_LAYOUTS)
@click.option(
    "--compat",
    cls=InexOption,
    type=click.Choice(["inex_eval"]),
    help="Reproduce the figures of inex_eval 3.1, the official INEX tool of 2010, including its quirks.",
)
def command(
    runs: tuple[str, ...], per_topic: bool, layout: str | None, compat: str | None, **options: Any
) -> int:
    """Score runs against assessments.

    A RUN is a file with ranked results per topic (query).  Scores go to stdout, messages to stderr.  Some
    measures require a run without overlapping results or with results grouped by document; a run that does
    not qualify gets no score from them, and the exit status is 1.

    \b
    doxel evaluate -a gold.jsonl -m char_rec@5 -m char_prec@5 chunks.jsonl
    doxel evaluate -a inex.qrels -m iP@0.01,0.1 -m MAiP a.run b.run
    doxel evaluate -a 2006/ -c wikipedia.doxel -m inex2006-focused run.xml
    doxel evaluate -a inex.qrels --compat inex_eval -f inex_eval -q --task focused a.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    layout = or_default(layout)
    if compat is not None:
        from doxel.cli.compat import evaluate_like_the_tool

        return evaluate_like_the_tool(runs, layout, per_topic=per_topic, **options)
    if layout == "inex_eval":
        raise InputError("-f inex_eval prints the layout of that tool", wanted="--compat inex_eval as well")
    result = score(runs, options)
    show(result, layout, per_topic=per_topic)
    return 1 if result.rejected else 0


def score(runs: tuple[str, ...], options: dict[str, Any]) -> Evaluation:
    """Score runs with the shared options; skip unreadable runs if others can be read."""
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
    unreadable = [rejection for rejection in result.rejected if rejection.measure == "all"]
    if len(unreadable) == len(runs):
        raise InputError("no run could be read; the first error: " + unreadable[0].reason)
    return result


def scoring_keywords(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ``doxel.evaluate`` for the shared options."""
    same = ("topics", "task", "quant", "order", "sizes", "on_invalid", "models", "fol_end", "jobs", "cluster")
    return {
        **{name: options[name] for name in (*same, "chunks", "tokenisers", "structure")},
        "topic_file": topics_of(options["topic_files"]),
        "on_error": "skip" if len(runs) > 1 else "raise",
        **limit_value(options["limit"]),
    }


def show(result: Evaluation, layout: str, *, per_topic: bool) -> None:
    """Print the scores of an evaluation, and its warnings and rejections on stderr."""
    from doxel.reports.score_tables import SCORE_FORMATS, pivot, select_rows

    show_notes(result)
    if layout == "table":
        header, lines = pivot(select_rows(result, per_topic=per_topic))
        show_table(header, lines)
    elif layout == "parquet":
        if sys.stdout.isatty():
            raise InputError(
                "Parquet cannot be shown on a terminal",
                wanted="a file: doxel evaluate ... -f parquet > scores.parquet",
            )
        select_rows(result, per_topic=per_topic).write_parquet(sys.stdout.buffer)
    else:
        click.echo(SCORE_FORMATS[layout](result, per_topic=per_topic), nl=False)


def show_notes(result: Evaluation | StudyResult) -> None:
    """Print warnings and rejections on stderr."""
    from doxel.measures.measure_table import join_measure_names

    for warning in result.warnings:
        note(warning)
    rejected: dict[tuple[str, str], dict[str, None]] = {}
    for rejection in result.rejected:
        rejected.setdefault((rejection.run, rejection.reason), {})[rejection.measure] = None
    for (run, reason), measures in rejected.items():
        label = "skipped" if "all" in measures else f"{join_measure_names(list(measures))} not computed"
        note(f"{run}: {label}: {reason}")
