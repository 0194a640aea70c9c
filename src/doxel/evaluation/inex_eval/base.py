"""What there is to find: the assessments as the tool keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.errors import InputError
from doxel.evaluation.inex_eval.highlights import Highlights
from doxel.spans import Ints

__all__ = ["Base", "base_of"]


@dataclass(frozen=True)
class Base:
    """The assessed topics, sorted as strings, and the judged documents.

    ``pairs`` has one row per topic and judged document, whose number is the column ``pair``; every
    array about judged documents is indexed by it.
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
        """The highlights, each character once."""
        return self.highlights.merged()


def base_of(assessments: Assessments) -> Base:
    """Prepare assessments."""
    _require_sizes(assessments)
    judged = assessments.judged
    # Java compares strings by their UTF-16 units
    topics = tuple(
        sorted(judged["topic"].unique(), key=lambda topic: topic.encode("utf-16-be", "surrogatepass"))
    )
    relevant = judged.filter(pl.col("rsize") > 0).group_by("topic").agg(pl.len(), pl.col("rsize").sum())
    totals = pl.DataFrame({"topic": topics}).join(relevant, on="topic", how="left", maintain_order="left")
    # of a document judged twice the first size stands, while every line counts in the totals
    pairs = judged.group_by("topic", "doc", maintain_order=True).agg(pl.col("rsize", "docsize").first())
    pairs = pairs.with_row_index("pair")
    key = pairs.select("topic", "doc", "pair")
    spans = assessments.highlights.select("topic", "doc", "start", "end").join(key, on=["topic", "doc"])
    return Base(
        topics=topics,
        num_rel=_ints(totals["len"].fill_null(0)),
        rel_size=_ints(totals["rsize"].fill_null(0)),
        pairs=key,
        rsize=_ints(pairs["rsize"]),
        docsize=_ints(pairs["docsize"]),
        bep=_best_entry_points(assessments, key, spans),
        highlights=Highlights(_ints(spans["pair"]), _ints(spans["start"]), _ints(spans["end"])),
    )


def _require_sizes(assessments: Assessments) -> None:
    """Refuse what is not in the shape of the qrels of 2007 and later: the tool reads nothing else."""
    judged, highlights = assessments.judged, assessments.highlights
    lacks = judged.filter(pl.col("rsize").is_null() | pl.col("docsize").is_null())
    unplaced = highlights.filter(pl.col("start").is_null() | pl.col("end").is_null())
    for frame, wanted in ((lacks, "the declared rsize and docsize"), (unplaced, "highlights with offsets")):
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
    """Return each judged document's BEP; -1 where it has none, or has one but no highlight."""
    found = np.full(key.height, -1, dtype=np.int64)
    beps = assessments.beps.filter(pl.col("position").is_not_null()).join(
        key, on=["topic", "doc"], maintain_order="left"
    )
    # assignment in file order: of several the last stands
    found[_ints(beps["pair"])] = _ints(beps["position"])
    has_highlight = np.zeros(key.height, dtype=np.bool_)
    has_highlight[_ints(spans["pair"])] = True
    return np.where(has_highlight, found, -1)


def _ints(series: pl.Series) -> Ints:
    return series.cast(pl.Int64).to_numpy()
