"""``doxel evaluate --compat inex_eval``: the figures of the official tool of 2010."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from doxel.assessments import read_assessments
from doxel.cli.console import note
from doxel.cli.options import one_or_many
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.inex_eval.inex_eval_figures import ToolOutcome
from doxel.evaluation.compat.inex_eval.inex_eval_tool import TASKS, evaluate_like_tool, render_tool_output
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.files import strip_compression
from doxel.runs import Run, read_run

__all__ = ["evaluate_like_the_tool"]

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


def evaluate_like_the_tool(runs: tuple[str, ...], layout: str, *, per_topic: bool, **options: Any) -> int:
    """Print the figures of inex_eval 3.1 for runs, in its layout or in any of ours."""
    from doxel.cli.evaluate import show

    for name, default in _IGNORED.items():
        if options[name] != default:
            note(f"--{name.replace('_', '-')} is ignored with --compat inex_eval")
    assessments = read_assessments(one_or_many(options["assessments"]))
    parameters = _parameters(options["measures"])
    outcomes: list[tuple[str, ToolOutcome]] = []
    for path in runs:
        try:
            run = read_run(path, fol_end=options["fol_end"])
        except InputError as error:  # like the tool, reject the run and continue
            outcomes.append((path, ToolOutcome(str(path), rejected=str(error))))
            continue
        task = _task(options["task"], run)
        topics = options["topics"]
        outcomes.append((path, evaluate_like_tool(run, assessments, task=task, topics=topics, **parameters)))
    if layout != "inex_eval":
        result = _evaluation([outcome for _, outcome in outcomes])
        show(result, layout, per_topic=per_topic)
        return 1 if result.rejected else 0
    for path, outcome in outcomes:
        for warning in outcome.warnings:
            note(warning)
        if outcome.rejected:
            note(f"{outcome.run}: rejected: {outcome.rejected}")
        click.echo(
            render_tool_output(outcome, file=strip_compression(Path(path).name), per_topic=per_topic),
            nl=False,
        )
    return 1 if any(outcome.rejected for _, outcome in outcomes) else 0


def _task(requested: str | None, run: Run) -> str:
    task = requested or run.task or "focused"
    if task not in TASKS:
        raise InputError(
            "inex_eval does not support this task", wanted=f"one of {', '.join(TASKS)}", found=repr(task)
        )
    return task


def _parameters(measures: tuple[str, ...]) -> dict[str, Any]:
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


def _evaluation(outcomes: list[ToolOutcome]) -> Evaluation:
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
