"""The results of a run in file order, in the tool's representation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from doxel.evaluation.inex_eval.base import Base, to_ints
from doxel.evaluation.inex_eval.novelty import Fragments, new_text
from doxel.runs import Run
from doxel.spans import Booleans, Ints

__all__ = ["Results", "is_relevant", "results_of"]


UNRESOLVED_SIZE = 18  # the tool's size of a result that is not in the collection
UNRESOLVED_START = -10_000  # and its start, too far from any best entry point


@dataclass(frozen=True)
class Results:
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
        fragments = new_text(self.article[places], self.start[places], self.end[places])
        return fragments._replace(result=places[fragments.result])

    def rsize(self, base: Base) -> Ints:
        """Return the number of relevant characters of each result."""
        sizes = base.highlights.size(self.pair, self.start, self.end)
        return np.where(is_relevant(base, self.pair), sizes, 0)


def is_relevant(base: Base, pair: Ints) -> Booleans:
    """Mark the documents that are declared to have relevant text; -1, not judged, has none."""
    return np.append(base.rsize, 0)[pair] > 0


def results_of(run: Run, base: Base) -> Results:
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
    start, end = to_ints(frame["start"]), to_ints(frame["end"])
    resolved = start >= 0
    return Results(
        number=to_ints(frame["result"]),
        topic=to_ints(frame["number"]),
        pair=to_ints(frame["pair"].cast(pl.Int64).fill_null(-1)),
        article=to_ints(frame["article"]),
        start=np.where(resolved, start, UNRESOLVED_START),
        end=np.where(resolved, end, UNRESOLVED_START),
        resolved=resolved,
    )
