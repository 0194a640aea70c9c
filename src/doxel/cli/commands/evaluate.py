"""``doxel evaluate``: score runs and print the scores.

With ``--compat``, print the figures of another tool.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxel.checks.score_warnings import sort_by_gravity
from doxel.cli.console import (
    choose_layout,
    ignore_closed_pipe,
    print_note,
    redirect_output,
    show_table,
    show_ticks,
)
from doxel.cli.options import (
    SectionedCommand,
    assessor_option,
    format_option,
    scoring_options,
)
from doxel.errors import InputError, UnscoredRunError
from doxel.evaluation.evaluation_result import Evaluation
from doxel.files import strip_compression

if TYPE_CHECKING:
    from doxel.studies.study_declaration import StudyResult
    from doxel.topics import Topics

__all__ = ["build_scoring_keywords", "command", "score_runs", "show_notes", "show_scores"]

# options that have no meaning for another tool, with their defaults
_IGNORED: dict[str, Any] = {
    "collection": None,
    "quant": None,
    "sizes": None,
    "order": "rank",
    "models": (),
    "structure": None,
    "chunks": None,
    "tokenisers": (),
    "on_invalid": "reject",
    "passage_ids": False,
    "unjudged": None,
    "residual": False,
    "assessors": (),
}
_NAMES = {"models": "model", "tokenisers": "tokeniser", "assessors": "assessor"}  # of options that repeat
_ALSO_IGNORED: dict[str, dict[str, Any]] = {
    "inex_eval": {"limit": None, "min_grade": None},
    "trec_eval": {"task": None, "fol_end": False},
    **{
        key: {"task": None, "fol_end": False, "limit": None, "min_grade": None, "topics": None}
        for key in ("bioasq", "locomo")
    },
}


def run_other_tool(tool: str, runs: tuple[str, ...], layout: str, *, per_topic: bool, **options: Any) -> int:
    """Print the figures of another tool for runs, in its layout or in any of ours."""
    for name, default in {**_IGNORED, **_ALSO_IGNORED[tool]}.items():
        if options.get(name, default) != default:
            print_note(f"--{_NAMES.get(name, name).replace('_', '-')} is ignored with --compat {tool}")
    if layout == "inex_eval" and tool == "inex_eval":
        return _print_inex_eval(runs, per_topic=per_topic, **options)
    if layout == "inex_eval":
        raise InputError("-f inex_eval prints the layout of that tool", wanted="--compat inex_eval as well")
    result = score_runs(runs, options, compat=tool, min_grade=options["min_grade"])
    if layout == "trec" and tool == "trec_eval":
        from doxel.evaluation.compat.trec_eval.trec_eval_tool import render_trec_eval_output

        show_notes(result)
        click.echo(render_trec_eval_output(result, per_topic=per_topic), nl=False)
    else:
        show_scores(result, layout, per_topic=per_topic)
    return 1 if result.rejected else 0


def _print_inex_eval(runs: tuple[str, ...], *, per_topic: bool, **options: Any) -> int:
    """Print the figures of inex_eval 3.1 in its own layout, one block per run."""
    from doxel.evaluation.compat.inex_eval.inex_eval_tool import (
        combine_outcomes,
        evaluate_like_inex_eval,
        render_tool_output,
    )

    outcomes = evaluate_like_inex_eval(
        runs,
        options["assessments"],
        options["measures"],
        task=options["task"],
        topics=options["topics"] or "assessed",
        fol_end=options["fol_end"],
    )
    for warning in combine_outcomes(outcomes).warnings:
        print_note(f"{warning} [{warning.code}]")
    for path, outcome in zip(runs, outcomes, strict=True):
        if outcome.rejected:
            print_note(f"{outcome.run}: rejected: {outcome.rejected}")
        click.echo(
            render_tool_output(outcome, file=strip_compression(Path(path).name), per_topic=per_topic),
            nl=False,
        )
    return 1 if any(outcome.rejected for outcome in outcomes) else 0


_LAYOUTS = ["table", "tsv", "csv", "json", "parquet", "latex", "trec", "inex_eval"]


@click.command("evaluate", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Also print the score of each topic.")
@click.option(
    "--residual",
    is_flag=True,
    help="Also print how far each score could rise if the unjudged text among the results were relevant; nan "
    "for measures that look at elements, grades or entry points.",
)
@assessor_option
@format_option(
    *_LAYOUTS,
    about="Output format.  Default: that of the file's suffix (.csv, .json, .parquet, .tex) with -o, else a "
    "table on a terminal and tsv in a pipe.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the scores to a file, compressed if it ends in .gz, .xz or .zst.  Default: stdout.",
)
@click.option(
    "--compat",
    type=click.Choice(["inex_eval", "trec_eval", "bioasq", "locomo"]),
    help="Reproduce the figures of another tool, under its rules and names: inex_eval 3.1, the official INEX "
    "tool of 2010, trec_eval 10 (whole documents; -m map, P_5, ndcg_cut_10, all_trec ...), or the scorers of "
    "BioASQ (-m bioasq9) and LoCoMo.  'doxel measures --compat NAME' lists their known faults.",
)
@click.option(
    "--min-grade",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --compat trec_eval: the lowest grade of a relevant document.  Default: 1.",
)
def command(
    runs: tuple[str, ...],
    per_topic: bool,
    layout: str | None,
    output: str | None,
    compat: str | None,
    **options: Any,
) -> int:
    """Score runs against assessments.

    A RUN is a file with ranked results per topic (query).  Scores go to stdout, messages to stderr.  Some
    measures require a run without overlapping results or with results grouped by document; a run that does
    not qualify gets no score from them, and the exit status is 1.  A run that declares a sub-task with
    structure, such as SCAS, is scored by it if the topics are given (-t), unless --structure overrides it.

    Retrieved texts may be JSON lines such as {"question": "...", "contexts": ["...", "..."]}, the best first;
    one line per result {"topic": "7", "doc": "manual", "start": 0, "end": 90}; or CSV with such columns.

    \b
    doxel evaluate -a gold.csv -c docs.doxel -m char_rec@5 -m char_prec@5 chunks.csv
    doxel evaluate -a inex.qrels -m iP@0.01,0.1 -m MAiP a.run b.run
    doxel evaluate -a 2006/ -c wikipedia.doxel -m inex2006-focused run.xml
    doxel evaluate -a inex.qrels --compat inex_eval -f inex_eval -q --task focused a.run
    doxel evaluate -a trec.qrels --compat trec_eval -m official -f trec a.run
    doxel evaluate -a gold.json --compat bioasq -m bioasq9 answers.json
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    layout = choose_layout(layout, output)
    if compat is not None:
        with redirect_output(output):
            return run_other_tool(compat, runs, layout, per_topic=per_topic, **options)
    if layout == "inex_eval":
        raise InputError("-f inex_eval prints the layout of that tool", wanted="--compat inex_eval as well")
    if options["min_grade"] is not None:
        raise InputError("--min-grade", wanted="--compat trec_eval as well, or rel=N in a measure")
    by_task = options.pop("by_task", False)  # set by 'doxel campaign evaluate'
    result = score_runs(runs, options)
    with redirect_output(output):
        show_scores(result, layout, per_topic=per_topic, by_task=by_task)
    return 1 if result.rejected else 0


def score_runs(runs: tuple[str, ...], options: dict[str, Any], **compat: Any) -> Evaluation:
    """Score runs with the shared options; skip unreadable runs if others can be read."""
    from doxel.evaluation import evaluate

    with show_ticks("evaluate", total=len(runs)) as tick:
        result = evaluate(
            list(runs),
            options["assessments"],
            options["measures"] or None,
            collection=options["collection"],
            progress=tick,
            **build_scoring_keywords(runs, options),
            **compat,
        )
    unreadable = [rejection for rejection in result.rejected if rejection.measure == "all"]
    refusal = next((rejection for rejection in unreadable if rejection.code is not None), None)
    if len(unreadable) == len(runs) and refusal is not None:
        problem = f"no run was scored; {refusal.run}: {refusal.reason}"
        raise UnscoredRunError(problem, run=refusal.run, code=refusal.code or "")
    if len(unreadable) == len(runs):
        raise InputError("no run could be read; the first error: " + unreadable[0].reason)
    return result


def build_scoring_keywords(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ``doxel.evaluate`` for the shared options."""
    same = ("topics", "task", "quant", "order", "sizes", "on_invalid", "models", "fol_end", "jobs", "cluster")
    checks = ("passage_ids", "on_mismatch", "no_guessing", "silence", "unjudged")
    of_some_commands = ("residual", "assessors")
    return {
        **{name: options[name] for name in (*same, *checks, "chunks", "tokenisers", "structure")},
        **{name: options[name] for name in of_some_commands if name in options},
        "topic_file": _read_topic_files(options["topic_files"]),
        "on_error": "skip" if len(runs) > 1 else "raise",
        **_build_limit_keyword(options["limit"]),
    }


def _read_topic_files(topic_files: tuple[str, ...]) -> Topics | None:
    """Read topic files as one set; return None without files."""
    if not topic_files:
        return None
    from doxel.topics import read_topics

    return read_topics(list(topic_files))


def _build_limit_keyword(limit: int | str | None) -> dict[str, Any]:
    """Return the keyword for ``--limit``; empty if the option was not set."""
    return {} if limit is None else {"limit": None if limit == "none" else limit}


def show_scores(result: Evaluation, layout: str, *, per_topic: bool, by_task: bool = False) -> None:
    """Print the scores of an evaluation, then its warnings and rejections on stderr.

    ``by_task``: in the layouts for readers, one table per task if the runs have several.
    """
    with ignore_closed_pipe():
        _print_scores(result, layout, per_topic=per_topic, by_task=by_task)
    show_notes(result)


def _print_scores(result: Evaluation, layout: str, *, per_topic: bool, by_task: bool) -> None:
    from doxel.evaluation.evaluation_result import select_rows
    from doxel.reports.score_tables import SCORE_FORMATS, pivot

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
                wanted="a file: doxel evaluate ... -o scores.parquet",
            )
        rows = select_rows(result, per_topic=per_topic).drop("optimistic", strict=False)
        rows.write_parquet(sys.stdout.buffer)
    else:
        click.echo(SCORE_FORMATS[layout](result, per_topic=per_topic), nl=False)


def show_notes(result: Evaluation | StudyResult) -> None:
    """Print rejections and warnings on stderr, the gravest first, one line each."""
    from doxel.evaluation.evaluation_warnings import merge_unjudged_notes
    from doxel.measures.measure_table import join_measure_names

    measures_by_reason: dict[tuple[str, str, str | None], dict[str, None]] = {}
    for rejection in result.rejected:
        key = (rejection.run, rejection.reason, rejection.code)
        measures_by_reason.setdefault(key, {})[rejection.measure] = None
    for (run, reason, code), measures in measures_by_reason.items():
        label = "skipped" if "all" in measures else f"{join_measure_names(list(measures))} not computed"
        is_named = code is None or reason.endswith(f"[{code}]")
        print_note(f"{run}: {label}: {reason}" + ("" if is_named else f" [{code}]"))
    for warning in sort_by_gravity(merge_unjudged_notes(result.warnings)):
        if warning.effect != "refuse":  # refused runs are among the rejections
            print_note(f"{warning} [{warning.code}]")
