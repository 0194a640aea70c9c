"""Choose the evaluator that computes the figures of another tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.inputs.input_tables import as_runs

__all__ = ["evaluate_like"]


def evaluate_like(
    tool: str,
    runs: Any,
    assessments: Any,
    measures: Any,
    *,
    topics: Any,
    task: str | None,
    limit: int | None,
    min_grade: int | None,
    fol_end: bool,
    skip_errors: bool,
    progress: Callable[[], None] | None,
) -> Evaluation:
    """Return the figures of another tool."""
    if tool == "trec_eval":
        from doxel.evaluation.compat.trec_eval.trec_eval_tool import evaluate_like_trec_eval

        return evaluate_like_trec_eval(
            runs,
            assessments,
            measures,
            topics=topics or "run",
            min_grade=1 if min_grade is None else min_grade,
            limit=limit,
            skip_errors=skip_errors,
            progress=progress,
        )
    from doxel.evaluation.compat.inex_eval.inex_eval_tool import combine_outcomes, evaluate_like_inex_eval

    topics = topics or "assessed"
    outcomes = evaluate_like_inex_eval(
        as_runs(runs), assessments, measures, task=task, topics=topics, fol_end=fol_end
    )
    return combine_outcomes(outcomes, topics=topics, task=task)
