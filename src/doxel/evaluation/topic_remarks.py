"""What is said of topics that a run and its assessments do not share."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["topic_remarks"]


def topic_remarks(results: pl.DataFrame, assessed: Sequence[str], lacking: int) -> list[str]:
    """Say which results are ignored because nobody assessed their topic, and which topics score 0.

    ``lacking`` is the number of assessed topics without results that count all the same.
    """
    remarks: list[str] = []
    unknown = results.filter(~pl.col("topic").is_in(assessed))
    if unknown.height:
        topics = unknown["topic"].n_unique()
        remarks.append(f"{topics:,} topics were never assessed; their {unknown.height:,} results are ignored")
    if lacking:
        remarks.append(f"{lacking:,} assessed topics have no results and score 0")
    return remarks
