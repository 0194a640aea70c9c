"""What is said of topics that a run and its assessments do not share."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from doxel.wording import counted, listed

__all__ = ["topic_remarks"]


def topic_remarks(results: pl.DataFrame, assessed: Sequence[str], lacking: int) -> list[str]:
    """Say which results are ignored because nobody assessed their topic, and which topics score 0.

    ``lacking`` is the number of assessed topics without results that count all the same.
    """
    remarks: list[str] = []
    unknown = results.filter(~pl.col("topic").is_in(assessed))
    if unknown.height:
        said = counted(
            unknown["topic"].n_unique(),
            "topic was never assessed; its",
            "topics were never assessed; their",
        )
        remarks.append(f"{said} {counted(unknown.height, 'result is', 'results are')} ignored")
    if unknown.height and unknown.height == results.height:
        its = results["topic"].unique(maintain_order=True).to_list()
        remarks.append(
            f"none of its topics was assessed: it has {listed(its, 3)}, the assessments have "
            f"{listed(assessed, 3)}; do the ids match?"
        )
    if lacking:
        remarks.append(
            counted(
                lacking,
                "assessed topic has no results and scores 0",
                "assessed topics have no results and score 0",
            )
        )
    return remarks
