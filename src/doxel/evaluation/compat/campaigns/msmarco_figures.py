"""MRR@10 of MS MARCO's passage ranking: RR@10 over all judged queries, an unanswered one 0.

In a run of the campaign's own format a passage is at the rank that its line gives, even if ranks are missing
before it; if two lines give one rank, the later line counts.  Reciprocal ranks are added up in the order of
the run.

Reference: msmarco_passage_eval.py of castorini/anserini-tools, checked against its output.
"""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.evaluation.compat.campaigns.scorer_declaration import (
    CampaignScorer,
    CampaignScores,
    refuse_format,
)
from doxel.runs.result_order import order_results
from doxel.runs.run import Run

__all__ = ["MSMARCO"]

_FIGURE = "MRR@10"
_CUTOFF = 10


def _score_run(run: Run, assessments: Assessments, _name: str) -> CampaignScores:
    if assessments.scale != "documents":
        raise refuse_format("msmarco", assessments, "judgements of whole passages: topic 0 passage 1")
    relevant = assessments.judged.filter(pl.col("grade") >= 1).select("topic", "doc")
    if run.format == "msmarco":
        ranked = run.results.with_columns(place="rank").unique(["topic", "place"], keep="last")
    else:
        ranked = order_results(run.results).with_columns(place="position")
    hits = ranked.filter(pl.col("place").is_between(1, _CUTOFF)).join(
        relevant, on=["topic", "doc"], how="semi"
    )
    first = dict(hits.group_by("topic").agg(pl.col("place").min()).iter_rows())
    topics = relevant["topic"].unique(maintain_order=True).to_list()
    scores = {topic: 1.0 / first[topic] if topic in first else 0.0 for topic in topics}
    answered = dict.fromkeys(run.topics)
    total = sum(scores[topic] for topic in answered if topic in scores)
    return CampaignScores(
        {topic: {_FIGURE: score} for topic, score in scores.items()},
        {_FIGURE: total / len(scores) if scores else float("nan")},
        lacking=[topic for topic in topics if topic not in answered],
        unassessed=[topic for topic in run.topics if topic not in scores],
    )


MSMARCO = CampaignScorer(
    name="msmarco",
    about="MRR@10 of MS MARCO's passage ranking",
    sets={"msmarco": (_FIGURE,)},
    score=_score_run,
    lacking="scored 0",
)
