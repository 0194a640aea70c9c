"""The assessments, in the tool's representation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.errors import InputError
from doxel.evaluation.inex_eval.highlights import Highlights
from doxel.spans import Ints

__all__ = ["Base", "base_of", "to_ints"]


@dataclass(frozen=True)
class Base:
    """The assessed topics, sorted as strings, and the judged documents.

    ``pairs`` has one row per topic and judged document, numbered in the column ``pair``; this number is the
    index of every array about judged documents.
    """

    topics: tuple[str, ...]
    num_rel: Ints
    rel_size: Ints
    pairs: pl.DataFrame
    rsize: Ints
    docsize: Ints
    bep: Ints
    highlights: Highlights

    @cached_property
    def merged(self) -> Highlights:
        """The highlights, with overlapping ones merged."""
        return self.highlights.merged()


def base_of(assessments: Assessments) -> Base:
    """Convert assessments to the tool's representation."""
    _require_sizes(assessments)
    judged = assessments.judged
    # Java compares strings by UTF-16 code units
    topics = tuple(
        sorted(judged["topic"].unique(), key=lambda topic: topic.encode("utf-16-be", "surrogatepass"))
    )
    relevant = judged.filter(pl.col("rsize") > 0).group_by("topic").agg(pl.len(), pl.col("rsize").sum())
    totals = pl.DataFrame({"topic": topics}).join(relevant, on="topic", how="left", maintain_order="left")
    # for a document judged twice the first size is used, but every line counts in the totals
    pairs = judged.group_by("topic", "doc", maintain_order=True).agg(pl.col("rsize", "docsize").first())
    pairs = pairs.with_row_index("pair")
    key = pairs.select("topic", "doc", "pair")
    spans = assessments.highlights.select("topic", "doc", "start", "end").join(key, on=["topic", "doc"])
    return Base(
        topics=topics,
        num_rel=to_ints(totals["len"].fill_null(0)),
        rel_size=to_ints(totals["rsize"].fill_null(0)),
        pairs=key,
        rsize=to_ints(pairs["rsize"]),
        docsize=to_ints(pairs["docsize"]),
        bep=_best_entry_points(assessments, key, spans),
        highlights=Highlights(to_ints(spans["pair"]), to_ints(spans["start"]), to_ints(spans["end"])),
    )


def _require_sizes(assessments: Assessments) -> None:
    """Raise an error unless the assessments have the form of qrels since 2007: the tool reads no other."""
    judged, highlights = assessments.judged, assessments.highlights
    unsized = judged.filter(pl.col("rsize").is_null() | pl.col("docsize").is_null())
    without_offsets = highlights.filter(pl.col("start").is_null() | pl.col("end").is_null())
    for frame, wanted in (
        (unsized, "the declared rsize and docsize"),
        (without_offsets, "highlights with offsets"),
    ):
        if frame.height:
            row = frame.row(0, named=True)
            raise InputError(
                "inex_eval reads qrels of 2007 and later",
                file=assessments.file,
                line=row.get("line"),
                wanted=f"{wanted} of every judged document",
                found=f"none for topic {row['topic']}, document {row['doc']}",
            )


def _best_entry_points(assessments: Assessments, key: pl.DataFrame, spans: pl.DataFrame) -> Ints:
    """Return each judged document's BEP; -1 if it has none, or if it has no highlight."""
    positions = np.full(key.height, -1, dtype=np.int64)
    beps = assessments.beps.filter(pl.col("position").is_not_null()).join(
        key, on=["topic", "doc"], maintain_order="left"
    )
    # assigned in file order: the last of several wins
    positions[to_ints(beps["pair"])] = to_ints(beps["position"])
    has_highlight = np.zeros(key.height, dtype=np.bool_)
    has_highlight[to_ints(spans["pair"])] = True
    return np.where(has_highlight, positions, -1)


def to_ints(series: pl.Series) -> Ints:
    """Return a series as an array of 64-bit integers."""
    return series.cast(pl.Int64).to_numpy()
