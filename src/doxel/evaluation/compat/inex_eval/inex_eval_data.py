"""The data of inex_eval: assessments, and the results of a run in file order, as the tool represents them.

``ToolHighlights`` counts the highlighted characters inside many spans at once.  ``find_new_fragments`` finds
the new text of results: the characters that no earlier result of the same article contains.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.errors import InputError
from doxel.runs import Run
from doxel.spans import Booleans, Ints

__all__ = [
    "Fragments",
    "ToolAssessments",
    "ToolHighlights",
    "ToolResults",
    "find_new_fragments",
    "is_relevant",
    "prepare_assessments",
    "prepare_results",
]


@dataclass(frozen=True)
class ToolAssessments:
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
    highlights: ToolHighlights

    @cached_property
    def merged(self) -> ToolHighlights:
        """The highlights, with overlapping ones merged."""
        return self.highlights.merge()


def prepare_assessments(assessments: Assessments) -> ToolAssessments:
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
    spans = assessments.relevant_highlights.select("topic", "doc", "start", "end").join(
        key, on=["topic", "doc"]
    )
    return ToolAssessments(
        topics=topics,
        num_rel=_to_ints(totals["len"].fill_null(0)),
        rel_size=_to_ints(totals["rsize"].fill_null(0)),
        pairs=key,
        rsize=_to_ints(pairs["rsize"]),
        docsize=_to_ints(pairs["docsize"]),
        bep=_find_best_entry_points(assessments, key, spans),
        highlights=ToolHighlights(_to_ints(spans["pair"]), _to_ints(spans["start"]), _to_ints(spans["end"])),
    )


def _require_sizes(assessments: Assessments) -> None:
    """Raise an error unless the assessments have the form of qrels since 2007: the tool reads no other."""
    judged, highlights = assessments.judged, assessments.relevant_highlights
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


def _find_best_entry_points(assessments: Assessments, key: pl.DataFrame, spans: pl.DataFrame) -> Ints:
    """Return each judged document's BEP; -1 if it has none, or if it has no highlight."""
    positions = np.full(key.height, -1, dtype=np.int64)
    beps = assessments.beps.filter(pl.col("position").is_not_null()).join(
        key, on=["topic", "doc"], maintain_order="left"
    )
    # assigned in file order: the last of several wins
    positions[_to_ints(beps["pair"])] = _to_ints(beps["position"])
    has_highlight = np.zeros(key.height, dtype=np.bool_)
    has_highlight[_to_ints(spans["pair"])] = True
    return np.where(has_highlight, positions, -1)


def _to_ints(series: pl.Series) -> Ints:
    """Return a series as an array of 64-bit integers."""
    return series.cast(pl.Int64).to_numpy()


@dataclass(frozen=True)
class ToolHighlights:
    """Highlights [start, end), each in one judged document, given by its number (``pair``).

    A character in two highlights counts twice, as in the tool.
    """

    pair: Ints
    start: Ints
    end: Ints

    def size(self, pair: Ints, start: Ints, end: Ints) -> Ints:
        """Return the highlighted characters of the spans [start, end).

        >>> marks = ToolHighlights(np.array([0, 0, 1]), np.array([10, 50, 0]), np.array([20, 60, 5]))
        >>> marks.size(np.array([0, 1]), np.array([15, 0]), np.array([55, 100])).tolist()
        [10, 5]
        """
        return self.count_before(pair, np.maximum(start, end)) - self.count_before(pair, start)

    def count_before(self, pair: Ints, position: Ints) -> Ints:
        """Return the highlighted characters before a position of a document."""
        # distance to the starts minus distance to the ends: inside a highlight it grows by 1 per character
        return self._starts.sum_passed(pair, position) - self._ends.sum_passed(pair, position)

    def merge(self) -> ToolHighlights:
        """Return the same characters in highlights that do not overlap."""
        order = np.lexsort((self.start, self.pair))
        pair, start, end = self.pair[order], self.start[order], self.end[order]
        stride = int(end.max(initial=0)) + 1
        reach = np.maximum.accumulate(pair * stride + end)
        first = np.ones(len(pair), dtype=np.bool_)
        first[1:] = (pair * stride + start)[1:] > reach[:-1]
        last = np.append(first[1:], True)[: len(pair)]
        return ToolHighlights(pair[first], start[first], reach[last] - pair[last] * stride)

    @cached_property
    def _starts(self) -> _Borders:
        return _Borders.of(self.pair, self.start, self._stride)

    @cached_property
    def _ends(self) -> _Borders:
        return _Borders.of(self.pair, self.end, self._stride)

    @cached_property
    def _stride(self) -> int:
        return int(self.end.max(initial=0)) + 2


@dataclass(frozen=True)
class _Borders:
    """The starts, or the ends, of the highlights of all documents in one sorted array.

    Position x of document d is stored as ``d * stride + x``, so that one binary search serves all documents.
    """

    stride: int
    key: Ints
    total: Ints

    @classmethod
    def of(cls, pair: Ints, position: Ints, stride: int) -> _Borders:
        order = np.lexsort((position, pair))
        total = np.concatenate(([0], np.cumsum(position[order])))
        return cls(stride, (pair * stride + position)[order], total)

    def sum_passed(self, pair: Ints, position: Ints) -> Ints:
        """Return the sum of the distances from the borders before a position to the position."""
        # after the last border both sums grow alike, so their difference is constant
        position = np.clip(position, 0, self.stride - 1)
        first = np.searchsorted(self.key, pair * self.stride)
        last = np.searchsorted(self.key, pair * self.stride + position)
        count: Ints = last - first
        return count * position - (self.total[last] - self.total[first])


class Fragments(NamedTuple):
    """Fragments [start, end) of new text, each with the number of its result."""

    result: Ints
    start: Ints
    end: Ints

    def take(self, places: Ints) -> Fragments:
        """Return the fragments at the given positions, in the given order."""
        return Fragments(self.result[places], self.start[places], self.end[places])

    def total(self, values: Ints, results: int) -> Ints:
        """Return the sum of the fragments' values for each of ``results`` results."""
        sums = np.zeros(results, dtype=np.int64)
        np.add.at(sums, self.result, values)
        return sums

    def sizes(self, results: int) -> Ints:
        """Return the number of new characters of each of ``results`` results."""
        return self.total(self.end - self.start, results)


def find_new_fragments(article: Ints, start: Ints, end: Ints) -> Fragments:
    """Return the new text of results, which are in rank order.

    >>> find_new_fragments(np.array([0, 0, 0]), np.array([10, 40, 0]), np.array([20, 50, 45]))
    Fragments(result=array([0, 1, 2, 2]), start=array([10, 40,  0, 20]), end=array([20, 50, 10, 40]))
    """
    repeated = _mark_overlapping(article, start, end)
    plain = np.flatnonzero(~repeated)
    seen_texts: dict[int, _SeenText] = {}
    rows = [
        (result, *gap)
        for result in np.flatnonzero(repeated).tolist()
        for gap in seen_texts.setdefault(int(article[result]), _SeenText()).add(
            int(start[result]), int(end[result])
        )
    ]
    more = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Fragments(
        np.concatenate((plain, more[:, 0])),
        np.concatenate((start[plain], more[:, 1])),
        np.concatenate((end[plain], more[:, 2])),
    )


def _mark_overlapping(article: Ints, start: Ints, end: Ints) -> Booleans:
    """Mark the results of articles in which any two results overlap; usually there are none."""
    order = np.lexsort((start, article))
    order = order[end[order] > start[order]]
    stride = int(end.max(initial=0)) + 1
    key = article[order] * stride
    reach = np.maximum.accumulate(key + end[order])
    overlaps = (key + start[order])[1:] < reach[:-1]
    return np.isin(article, article[order][1:][overlaps])


class _SeenText:
    """The characters seen so far in one article, as sorted disjoint spans."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """Mark [start, end) as seen; return the parts of it that are new."""
        if end <= start:
            return []
        # the spans that touch the new one and are merged with it
        low, high = bisect_left(self.ends, start), bisect_right(self.starts, end)
        starts, ends = self.starts[low:high], self.ends[low:high]
        gaps = [gap for gap in zip([start, *ends], [*starts, end], strict=True) if gap[0] < gap[1]]
        self.starts[low:high] = [min([start, *starts])]
        self.ends[low:high] = [max([end, *ends])]
        return gaps


UNRESOLVED_SIZE = 18  # the tool's size of a result that is not in the collection
UNRESOLVED_START = -10_000  # and its start, too far from any best entry point


@dataclass(frozen=True)
class ToolResults:
    """The results for assessed topics, in file order, which is the ranking.

    ``number`` counts the run's results from 0; ``topic`` is an index in the base's topics, ``pair`` a judged
    document or -1.  ``article`` numbers the documents of each block of a topic by first occurrence: if a
    topic's results are split into blocks, each block has its own numbers.
    """

    number: Ints
    topic: Ints
    pair: Ints
    article: Ints
    start: Ints
    end: Ints
    resolved: Booleans

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each result."""
        return np.where(self.resolved, self.end - self.start, UNRESOLVED_SIZE)

    @cached_property
    def new(self) -> Fragments:
        """The text that each result adds to its article; nothing for unresolved results."""
        places = np.flatnonzero(self.resolved)
        fragments = find_new_fragments(self.article[places], self.start[places], self.end[places])
        return fragments._replace(result=places[fragments.result])

    def rsize(self, base: ToolAssessments) -> Ints:
        """Return the number of relevant characters of each result."""
        sizes = base.highlights.size(self.pair, self.start, self.end)
        return np.where(is_relevant(base, self.pair), sizes, 0)


def is_relevant(base: ToolAssessments, pair: Ints) -> Booleans:
    """Mark the documents that are declared to have relevant text; -1, not judged, has none."""
    return np.append(base.rsize, 0)[pair] > 0


def prepare_results(run: Run, base: ToolAssessments) -> ToolResults:
    """Convert the results of a run; those for topics that were not assessed are left out."""
    numbers = pl.DataFrame({"topic": base.topics, "number": range(len(base.topics))})
    frame = (
        run.results.select("topic", "doc", "start", "end")
        .with_row_index("result")
        .join(numbers, on="topic", maintain_order="left")
        .join(base.pairs, on=["topic", "doc"], how="left", maintain_order="left")
        .with_columns(block=(pl.col("topic") != pl.col("topic").shift()).fill_null(value=True).cum_sum())
    )
    articles = frame.select("block", "doc").unique(maintain_order=True).with_row_index("article")
    frame = frame.join(articles, on=["block", "doc"], maintain_order="left")
    start, end = _to_ints(frame["start"]), _to_ints(frame["end"])
    resolved = start >= 0
    return ToolResults(
        number=_to_ints(frame["result"]),
        topic=_to_ints(frame["number"]),
        pair=_to_ints(frame["pair"].cast(pl.Int64).fill_null(-1)),
        article=_to_ints(frame["article"]),
        start=np.where(resolved, start, UNRESOLVED_START),
        end=np.where(resolved, end, UNRESOLVED_START),
        resolved=resolved,
    )
