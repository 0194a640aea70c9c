"""``doxel evaluate``: score runs and print the scores.

With ``--compat inex_eval``, print the figures of the official INEX tool of 2010.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from doxel.assessments import read_assessments
from doxel.cli.console import choose_layout, print_note, show_table, show_ticks
from doxel.cli.options import (
    InexOption,
    SectionedCommand,
    build_limit_keyword,
    format_option,
    read_topic_files,
    scoring_options,
    unwrap_single,
)
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.inex_eval.inex_eval_figures import ToolOutcome
from doxel.evaluation.compat.inex_eval.inex_eval_tool import TASKS, evaluate_like_tool, render_tool_output
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.files import strip_compression
from doxel.runs import Run, read_run

if TYPE_CHECKING:
    from doxel.studies.study_declaration import StudyResult

__all__ = ["build_scoring_keywords", "command", "score_runs", "show_notes", "show_scores"]

_IGNORED = {
    "collection": None,
    "quant": None,
    "limit": None,
    "sizes": None,
    "order": "rank",
    "models": (),
    "structure": None,
    "chunks": None,
    "tokenisers": (),
    "on_invalid": "reject",
}


def run_inex_eval(runs: tuple[str, ...], layout: str, *, per_topic: bool, **options: Any) -> int:
    """Print the figures of inex_eval 3.1 for runs, in its layout or in any of ours."""
    for name, default in _IGNORED.items():
        if options[name] != default:
            print_note(f"--{name.replace('_', '-')} is ignored with --compat inex_eval")
    assessments = read_assessments(unwrap_single(options["assessments"]))
    parameters = _read_parameters(options["measures"])
    outcomes: list[tuple[str, ToolOutcome]] = []
    for path in runs:
        try:
            run = read_run(path, fol_end=options["fol_end"])
        except InputError as error:  # like the tool, reject the run and continue
            outcomes.append((path, ToolOutcome(str(path), rejected=str(error))))
            continue
        task = _choose_task(options["task"], run)
        topics = options["topics"]
        outcomes.append((path, evaluate_like_tool(run, assessments, task=task, topics=topics, **parameters)))
    if layout != "inex_eval":
        result = _combine_outcomes([outcome for _, outcome in outcomes])
        show_scores(result, layout, per_topic=per_topic)
        return 1 if result.rejected else 0
    for path, outcome in outcomes:
        for warning in outcome.warnings:
            print_note(warning)
        if outcome.rejected:
            print_note(f"{outcome.run}: rejected: {outcome.rejected}")
        click.echo(
            render_tool_output(outcome, file=strip_compression(Path(path).name), per_topic=per_topic),
            nl=False,
        )
    return 1 if any(outcome.rejected for _, outcome in outcomes) else 0


def _choose_task(requested: str | None, run: Run) -> str:
    task = requested or run.task or "focused"
    if task not in TASKS:
        raise InputError(
            "inex_eval does not support this task", wanted=f"one of {', '.join(TASKS)}", found=repr(task)
        )
    return task


def _read_parameters(measures: tuple[str, ...]) -> dict[str, Any]:
    """Return the tool's options -beta, -n, -irr and -i from the parameters of MAgP."""
    written = [measure.written for measure in expand_sets(measures) if measure.declaration.name == "MAgP"]
    if len(written) > 1:
        raise MeasureError("--compat inex_eval takes one MAgP only; its parameters set the tool's options")
    values = dict(written[0]) if written else {}
    if unknown := set(values) - {"beta", "n", "T", "score"}:
        raise MeasureError(f"inex_eval has no option for {', '.join(sorted(unknown))}")
    named = {"beta": "beta", "n": "n", "T": "tolerance"}
    parameters = {named[name]: value for name, value in values.items() if name in named}
    return {**parameters, **({"score": "t2i"} if values.get("score") == "t2i" else {})}


def _combine_outcomes(outcomes: list[ToolOutcome]) -> Evaluation:
    tables = [
        outcome.scores().select(run=pl.lit(outcome.run), topic="topic", measure="measure", score="score")
        for outcome in outcomes
        if not outcome.rejected
    ]
    table = pl.concat([SCORES.empty(), *tables])
    is_mean = pl.col("topic") == "all"
    rejected = tuple(
        Rejection(outcome.run, "inex_eval", outcome.rejected) for outcome in outcomes if outcome.rejected
    )
    warnings = tuple(warning for outcome in outcomes for warning in outcome.warnings)
    return Evaluation(
        table.filter(~is_mean), rejected, warnings=warnings, overall=table.filter(is_mean).drop("topic")
    )


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
    not qualify gets no score from them, and the exit status is 1.  A run that declares a sub-task with
    structure, such as SCAS, is scored so if the topics are given (-t), unless --structure says otherwise.

    \b
    doxel evaluate -a gold.jsonl -m char_rec@5 -m char_prec@5 chunks.jsonl
    doxel evaluate -a inex.qrels -m iP@0.01,0.1 -m MAiP a.run b.run
    doxel evaluate -a 2006/ -c wikipedia.doxel -m inex2006-focused run.xml
    doxel evaluate -a inex.qrels --compat inex_eval -f inex_eval -q --task focused a.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    layout = choose_layout(layout)
    if compat is not None:
        return run_inex_eval(runs, layout, per_topic=per_topic, **options)
    if layout == "inex_eval":
        raise InputError("-f inex_eval prints the layout of that tool", wanted="--compat inex_eval as well")
    by_task = options.pop("by_task", False)  # set by 'doxel campaign evaluate'
    result = score_runs(runs, options)
    show_scores(result, layout, per_topic=per_topic, by_task=by_task)
    return 1 if result.rejected else 0


def score_runs(runs: tuple[str, ...], options: dict[str, Any]) -> Evaluation:
    """Score runs with the shared options; skip unreadable runs if others can be read."""
    from doxel.evaluation import evaluate

    with show_ticks("evaluate", total=len(runs)) as tick:
        result = evaluate(
            list(runs),
            unwrap_single(options["assessments"]),
            options["measures"] or None,
            collection=options["collection"],
            progress=tick,
            **build_scoring_keywords(runs, options),
        )
    unreadable = [rejection for rejection in result.rejected if rejection.measure == "all"]
    if len(unreadable) == len(runs):
        raise InputError("no run could be read; the first error: " + unreadable[0].reason)
    return result


def build_scoring_keywords(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ``doxel.evaluate`` for the shared options."""
    same = ("topics", "task", "quant", "order", "sizes", "on_invalid", "models", "fol_end", "jobs", "cluster")
    return {
        **{name: options[name] for name in (*same, "chunks", "tokenisers", "structure")},
        "topic_file": read_topic_files(options["topic_files"]),
        "on_error": "skip" if len(runs) > 1 else "raise",
        **build_limit_keyword(options["limit"]),
    }


def show_scores(result: Evaluation, layout: str, *, per_topic: bool, by_task: bool = False) -> None:
    """Print the scores of an evaluation, and its warnings and rejections on stderr.

    ``by_task``: in the layouts for readers, one table per task if the runs have several.
    """
    from doxel.reports.score_tables import SCORE_FORMATS, pivot, select_rows

    show_notes(result)
    has_tasks = by_task and len(set(result.tasks.values())) > 1
    parts = result.by_task() if has_tasks else {"": result}
    if layout == "table":
        for task, part in parts.items():
            header, lines = pivot(select_rows(part, per_topic=per_topic))
            show_table(header, lines, title=task or None)
    elif layout == "latex" and has_tasks:
        for task, part in parts.items():
            click.echo(f"% {task}\n{SCORE_FORMATS[layout](part, per_topic=per_topic)}")
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
        print_note(warning)
    rejected: dict[tuple[str, str], dict[str, None]] = {}
    for rejection in result.rejected:
        rejected.setdefault((rejection.run, rejection.reason), {})[rejection.measure] = None
    for (run, reason), measures in rejected.items():
        label = "skipped" if "all" in measures else f"{join_measure_names(list(measures))} not computed"
        print_note(f"{run}: {label}: {reason}")
