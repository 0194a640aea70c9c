"""Evidence F1 of QASPER's evaluator: the best agreement with an annotator, on texts of paragraphs.

Per question the largest F1 over annotators: hits are the texts that both have, precision divides by the
number of predicted texts and recall by the number of gold texts, repeats included in both.  If neither has a
text it is 1; a question without prediction scores 0.  The set ``qasper-text`` drops tables and figures from
the gold only.

Reference: scripts/evaluator.py of allenai/qasper-led-baseline, checked against its output.
"""

from __future__ import annotations

from collections.abc import Sequence

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.qasper_gold import FLOAT_MARK
from doxel.evaluation.compat.campaigns.scorer_declaration import (
    CampaignScorer,
    CampaignScores,
    refuse_format,
)
from doxel.files.json_records import load_records
from doxel.runs.result_order import order_results
from doxel.runs.run import Run

__all__ = ["QASPER", "compute_evidence_f1"]

_FIGURE = "evidence_F1"


def compute_evidence_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Return F1 against one annotator.

    >>> compute_evidence_f1(["a", "a", "b"], ["a"]), compute_evidence_f1([], [])
    (0.5, 1.0)
    """
    if not predicted and not gold:
        return 1.0
    hits = len(set(predicted) & set(gold))
    if not hits:
        return 0.0
    precision, recall = hits / len(predicted), hits / len(gold)
    return 2 * precision * recall / (precision + recall)


def _score_run(run: Run, assessments: Assessments, name: str) -> CampaignScores:
    if assessments.format != "qasper":
        raise refuse_format("qasper", assessments, "gold of QASPER")
    predictions = _list_predictions(run)
    scores = {}
    for record in load_records(assessments.about["qasper"]):
        topic = record["question_id"]
        annotators = [
            [text for text in evidence if name == "qasper" or FLOAT_MARK not in text]
            for evidence in record["evidence"]
        ]
        scores[topic] = (
            max((compute_evidence_f1(predictions[topic], texts) for texts in annotators), default=0.0)
            if topic in predictions
            else 0.0
        )
    return CampaignScores(
        {topic: {_FIGURE: score} for topic, score in scores.items()},
        {_FIGURE: sum(scores.values()) / len(scores)},
        lacking=[topic for topic in scores if topic not in predictions],
        unassessed=[topic for topic in predictions if topic not in scores],
    )


def _list_predictions(run: Run) -> dict[str, list[str]]:
    if run.format == "qasper" and run.about.get("qasper"):
        records = load_records(run.about["qasper"])
        return {str(record["question_id"]).strip(): record["predicted_evidence"] for record in records}
    if run.results["text"].null_count():
        raise refuse_format("qasper", run, "predictions of QASPER, or results with the texts of paragraphs")
    predictions: dict[str, list[str]] = {}
    for topic, text in order_results(run.results).select("topic", "text").iter_rows():
        predictions.setdefault(topic, []).append(text)
    return predictions


QASPER = CampaignScorer(
    name="qasper",
    about="Evidence F1 of QASPER's evaluator",
    sets={"qasper-text": (_FIGURE,), "qasper": (_FIGURE,)},
    score=_score_run,
    lacking="scored 0",
)
