"""Notes about topics that are in a run or in the assessments, but not in both."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from doxel.wording import join_words, pluralise

__all__ = ["topic_remarks"]


def topic_remarks(results: pl.DataFrame, assessed: Sequence[str], lacking: int) -> list[str]:
    """List ignored results of topics that were not assessed, and topics that score 0.

    ``lacking`` is the number of assessed topics that have no results but count all the same.
    """
    remarks: list[str] = []
    unassessed = results.filter(~pl.col("topic").is_in(assessed))
    if unassessed.height:
        subject = pluralise(
            unassessed["topic"].n_unique(),
            "topic was never assessed; its",
            "topics were never assessed; their",
        )
        remarks.append(f"{subject} {pluralise(unassessed.height, 'result is', 'results are')} ignored")
    if unassessed.height and unassessed.height == results.height:
        topics = results["topic"].unique(maintain_order=True).to_list()
        remarks.append(
            f"none of its topics was assessed: the run has topics {join_words(topics, 3)}, "
            f"the assessments have {join_words(assessed, 3)}; do the ids match?"
        )
    if lacking:
        remarks.append(
            pluralise(
                lacking,
                "assessed topic has no results and scores 0",
                "assessed topics have no results and score 0",
            )
        )
    return remarks
