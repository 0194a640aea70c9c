"""The range of scores over several assessors who judged the same topics.

A topic that several assessors judged has a score under each assessor's judgements, of which the first
assessments give the official one.  Assessors of different topics are independent, so the range of a mean runs
from the mean of the lowest to the mean of the highest scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from doxel.checks.score_warnings import ScoreWarning
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import Evaluation
from doxel.wording import join_words, pluralise

__all__ = ["add_assessor_ranges"]

_KEY = ["run", "topic", "measure"]


def add_assessor_ranges(evaluation: Evaluation, others: Sequence[pl.DataFrame]) -> Evaluation:
    """Return an evaluation with the lowest and highest score of each topic over all its assessors.

    ``others`` are the scores of the same runs under the judgements of further assessors.  A score that is
    undefined under some of them is left out; one that the evaluation itself does not define stays undefined.

    >>> from doxel import evaluate
    >>> gold, other = [("1", "report", 0, 100)], [("1", "report", 0, 50)]
    >>> evaluate([("1", "report", 0, 80)], gold, "char_rec", assessors=[other]).means.select(
    ...     "score", "assessors_low", "assessors_high"
    ... ).row(0)
    (0.8, 0.8, 1.0)
    """
    scores = evaluation.scores
    several = pl.concat([other.select("topic") for other in others]).unique()["topic"].to_list()
    judged = [topic for topic in scores["topic"].unique(maintain_order=True) if topic in set(several)]
    if scores.height and not judged:
        raise InputError(
            "judgements of other assessors",
            wanted="topics of the assessments",
            found=f"the topics {join_words(several)}" if several else "no topic with a score",
        )
    defined = pl.concat([scores.select(*_KEY, "score"), *(other.select(*_KEY, "score") for other in others)])
    ranges = (
        defined.filter(pl.col("score").is_not_nan())
        .group_by(_KEY)
        .agg(assessors_low=pl.col("score").min(), assessors_high=pl.col("score").max())
    )
    joined = scores.join(ranges, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.when(pl.col("score").is_not_nan()).then(name).otherwise(float("nan")).alias(name)
        for name in ("assessors_low", "assessors_high")
    )
    subject = pluralise(len(judged), "topic was", "topics were")
    note = ScoreWarning(
        f"{subject} judged by several assessors; beside the scores are the lowest and the highest that an "
        "assessor gives to each topic, and their means; -a with one file gives the mean of its assessor",
        "S125",
        topics=len(judged),
    )
    return replace(evaluation, scores=joined, warnings=(*evaluation.warnings, note))
