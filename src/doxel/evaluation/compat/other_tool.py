"""Choose the evaluator that computes the figures of another tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.inputs.input_tables import as_runs

__all__ = ["KNOWN_FAULTS", "evaluate_like", "list_known_faults"]

KNOWN_FAULTS: dict[str, tuple[str, ...]] = {
    "inex_eval": (
        "Recall is binned at floor(100 * found / relevant) in doubles: 29 of 100 lands in the bin of 28.",
        "Recall above 1 is ignored.",
        "Thorough: repeated text is not trimmed in articles without relevant text.",
        (
            "A result that was not found in the collection has 18 characters and no relevance; in Thorough, "
            "in an article with relevant text, it has none."
        ),
        "A topic that a run splits into two blocks restarts the check for overlap.",
        "The order of the file is the ranking; rank and rsv are ignored.",
        "In context, num_rel and rel_size over all topics count every assessed topic, even if means do not.",
    ),
    "trec_eval": (
        "Equal scores are ranked by document id, descending; the rank column is ignored.",
        "A judged topic without relevant documents scores 0 and counts in the mean.",
        "Topics that the run lacks are left out of the means unless all assessed topics are asked for (-c).",
        "A negative grade is neither relevant nor judged, but belongs to the pool of infAP.",
    ),
}
"""The differences between the tools and the definitions of their measures, by tool."""


def list_known_faults(tool: str) -> list[str]:
    """Return the known faults and conventions of a tool, as sentences."""
    if tool in KNOWN_FAULTS:
        return list(KNOWN_FAULTS[tool])
    from doxel.evaluation.compat.campaigns.campaign_scorers import find_scorer

    return list(find_scorer(tool).faults)


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
    if tool in {"bioasq", "locomo"}:
        from doxel.evaluation.compat.campaigns.campaign_scorers import evaluate_campaign, find_scorer

        return evaluate_campaign(
            find_scorer(tool), runs, assessments, measures, skip_errors=skip_errors, progress=progress
        )
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
