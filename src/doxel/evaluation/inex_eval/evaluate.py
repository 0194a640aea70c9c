"""Evaluate one run against assessments, as the tool does."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np

from doxel.assessments import Assessments
from doxel.errors import MeasureError
from doxel.evaluation.inex_eval.articles import article_figures, entry_point_score, f_score
from doxel.evaluation.inex_eval.base import Base, base_of
from doxel.evaluation.inex_eval.characters import character_figures
from doxel.evaluation.inex_eval.figures import Figures
from doxel.evaluation.inex_eval.outcome import Outcome
from doxel.evaluation.inex_eval.rejections import misshapen, rejection
from doxel.evaluation.inex_eval.results import Results, results_of
from doxel.evaluation.inex_eval.tolerance import tolerance_score
from doxel.evaluation.topic_remarks import topic_remarks
from doxel.runs import Run

__all__ = ["TASKS", "evaluate"]

TASKS = ("focused", "thorough", "relevant-in-context", "best-in-context")


def evaluate(
    run: Run,
    assessments: Assessments,
    *,
    task: str,
    topics: Literal["assessed", "run"] = "assessed",
    score: Literal["t2i"] | None = None,
    beta: float = 0.25,
    n: int = 500,
    tolerance: int = 300,
) -> Outcome:
    """Evaluate a run as ``inex_eval`` 3.1 does.

    Parameters
    ----------
    run
        The run; its results have offsets and lengths, and are ranked by their order in the file.
    assessments
        Assessments with the declared sizes and offsets of qrels since 2007.
    task
        One of ``TASKS``: the tool's -f, -t, -r, -b.
    topics
        ``"assessed"``: averages over all assessed topics, with 0 for those missing from the run (-c);
        ``"run"``: averages over the assessed topics of the run.
    score
        ``"t2i"``: score articles by tolerance to irrelevance (-i); only for the task
        relevant-in-context.
    beta
        The weight of recall in the F measure (-beta).
    n
        The distance from a best entry point at which the score reaches 0 (-n).
    tolerance
        The number of irrelevant characters after which reading ends (-irr).

    Returns
    -------
    Outcome
        The figures, or the reason why the tool rejects the run.

    Raises
    ------
    MeasureError
        If the task or a parameter is invalid.
    InputError
        If the assessments declare no sizes.
    """
    _check(task, topics, score, beta=beta, n=n, tolerance=tolerance)
    reason = misshapen(run)
    if reason is not None:
        return Outcome(run.id, reason)
    base = base_of(assessments)
    results = results_of(run, base)
    reason = rejection(run, results, task=task)
    if reason is not None:
        return Outcome(run.id, reason)
    figures = _figures(results, base, task=task, score=score, beta=beta, n=n, tolerance=tolerance)
    return _outcome(run, base, results, figures, every_topic=topics == "assessed")


def _figures(
    results: Results, base: Base, *, task: str, score: str | None, beta: float, n: int, tolerance: int
) -> Figures:
    if task == "best-in-context":
        return article_figures(results, base, partial(entry_point_score, n=n), entry_points=True)
    if task == "relevant-in-context":
        article_score = (
            partial(tolerance_score, tolerance=tolerance) if score else partial(f_score, beta=beta)
        )
        return article_figures(results, base, article_score)
    return character_figures(results, base, thorough=task == "thorough")


def _outcome(run: Run, base: Base, results: Results, figures: Figures, *, every_topic: bool) -> Outcome:
    in_run = np.zeros(len(base.topics), dtype=np.bool_)
    in_run[results.topic] = True
    is_counted = np.ones_like(in_run) if every_topic else in_run
    remarks = topic_remarks(run.results, base.topics, int((is_counted & ~in_run).sum()))
    return Outcome(
        run.id,
        per_topic=tuple(figures.topic_rows(base.topics, is_counted)),
        overall=tuple(figures.overall_rows(is_counted)),
        warnings=tuple(f"{run.id}: {remark}" for remark in remarks),
    )


def _check(task: str, topics: str, score: str | None, *, beta: float, n: int, tolerance: int) -> None:
    if task not in TASKS:
        raise MeasureError(f"inex_eval: the task: wanted one of {', '.join(TASKS)}, found {task!r}")
    if topics not in {"assessed", "run"}:
        raise MeasureError(f"inex_eval: topics: wanted 'assessed' or 'run', found {topics!r}")
    if score not in {None, "t2i"} or (score and task != "relevant-in-context"):
        raise MeasureError(
            "inex_eval: the score: wanted none, or 't2i' with the task relevant-in-context, "
            f"found {score!r} with {task}"
        )
    if not (math.isfinite(beta) and beta >= 0):
        raise MeasureError(f"inex_eval: beta: wanted a number of 0 or more, found {beta}")
    for name, value in (("n", n), ("tolerance", tolerance)):
        if value < 1:
            raise MeasureError(f"inex_eval: {name}: wanted a whole number of 1 or more, found {value}")
