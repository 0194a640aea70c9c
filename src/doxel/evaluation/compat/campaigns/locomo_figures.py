"""The retrieval figure of LoCoMo's program, ``recall_acc``: evidence entries among the retrieved context.

Per question: entries in the context / entries, repeats included.  If the first entry of the context starts
with S, the context consists of sessions, and an entry counts if its session is among them.

Reference: task_eval/evaluation.py of snap-research/locomo, checked against its output.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from doxel.assessments.assessments import Assessments
from doxel.evaluation.compat.campaigns.scorer_declaration import (
    CampaignScorer,
    CampaignScores,
    refuse_format,
)
from doxel.files.json_records import load_records
from doxel.runs.campaigns.locomo_predictions import LOCOMO_PREDICTIONS
from doxel.runs.run import Run

__all__ = ["LOCOMO", "compute_recall"]

_FIGURE = "recall_acc"


def compute_recall(evidence: Sequence[str], context: Sequence[str] | None) -> float:
    """Return the recall of a question; without evidence, or without context, it is 1.

    >>> (
    ...     compute_recall(["D1:3", "D2:2"], ["D2:2"]),
    ...     compute_recall(["D1:3"], ["S1"]),
    ...     compute_recall(["D1:3"], None),
    ... )
    (0.5, 1.0, 1.0)
    """
    if not evidence or not context:
        return 1.0
    if context[0].startswith("S"):
        sessions = {name[1:] for name in context}
        hits = sum(entry.split(":")[0][1:] in sessions for entry in evidence)
    else:
        hits = sum(entry in context for entry in evidence)
    return float(hits) / len(evidence)


def _score_run(run: Run, assessments: Assessments, _name: str) -> CampaignScores:
    if assessments.format != "locomo":
        raise refuse_format("locomo", assessments, "gold of LoCoMo")
    evidence = {
        topic: question.get("evidence") or []
        for topic, question in _iterate_questions(load_records(assessments.about["locomo"]))
    }
    if run.format == "locomo" and run.about.get("locomo"):
        samples = load_records(run.about["locomo"])
    else:
        content = json.loads(LOCOMO_PREDICTIONS.write(run))
        samples = content if isinstance(content, list) else [content]
    contexts = {topic: _find_context(question) for topic, question in _iterate_questions(samples)}
    scores = {
        topic: compute_recall(entries, contexts[topic])
        for topic, entries in evidence.items()
        if topic in contexts
    }
    mean = sum(scores.values()) / len(scores) if scores else float("nan")
    free = [topic for topic in scores if not evidence[topic] or not contexts[topic]]
    return CampaignScores(
        {topic: {_FIGURE: scores.get(topic, float("nan"))} for topic in evidence},
        {_FIGURE: mean},
        lacking=[topic for topic in evidence if topic not in contexts],
        unassessed=[topic for topic in contexts if topic not in evidence],
        notes=(f"{len(free):,} of {len(scores):,} questions score 1 without evidence or without context",)
        if free
        else (),
    )


def _iterate_questions(samples: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{str(sample['sample_id']).strip()}:{position}", question)
        for sample in samples
        for position, question in enumerate(sample["qa"])
    ]


def _find_context(question: dict[str, Any]) -> list[str] | None:
    return next((value for key, value in question.items() if key.endswith("prediction_context")), None)


LOCOMO = CampaignScorer(
    name="locomo",
    about="recall_acc of LoCoMo's program (task_eval/evaluation.py)",
    sets={"locomo": (_FIGURE,)},
    score=_score_run,
    lacking="left out of the mean",
    compat=True,
    faults=(
        "A question whose prediction has no context scores 1: a system that retrieves nothing is perfect.",
        "A question without evidence scores 1, whatever was retrieved; the real data have four.",
        "Only recall is computed: retrieving the whole conversation scores 1.",
        "An entry that holds several ids, or names no turn, is never found and keeps the score below 1.",
        "A turn that the evidence repeats counts twice.",
        (
            "Whether a context consists of sessions is decided by its first entry; among turns a session "
            "counts for nothing."
        ),
        "Questions that the predictions lack are left out of the mean.",
    ),
)
