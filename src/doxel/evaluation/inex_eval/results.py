"""What was found: a run's results as the tool sees them, in file order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.novelty import Fragments, new_text
from doxel.runs import Run
from doxel.spans import Booleans, Ints

__all__ = ["Results", "is_relevant", "results_of"]


UNRESOLVED_SIZE = 18  # what a result that is not in the collection costs
UNRESOLVED_START = -10_000  # and where it starts: too far away for any best entry point


@dataclass(frozen=True)
class Results:
    """The results for assessed topics, in file order, which is the ranking.

    ``number`` counts the run's results from 0; ``topic`` is a number in the base's topics, ``pair`` one of
    its judged documents or -1.  ``article`` numbers the documents of each block of a topic in the order they
    first appear: where a topic's results are split into blocks, each block starts anew.
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
        """Each result's characters."""
        return np.where(self.resolved, self.end - self.start, UNRESOLVED_SIZE)

    @cached_property
    def new(self) -> Fragments:
        """The text that each result adds to its article; unresolved results have none."""
        places = np.flatnonzero(self.resolved)
        found = new_text(self.article[places], self.start[places], self.end[places])
        return found._replace(result=places[found.result])

    def rsize(self, base: Base) -> Ints:
        """Return each result's relevant characters."""
        found = base.highlights.size(self.pair, self.start, self.end)
        return np.where(is_relevant(base, self.pair), found, 0)


def is_relevant(base: Base, pair: Ints) -> Booleans:
    """Return which documents are declared to have relevant text; what was not judged (-1) has none."""
    return np.append(base.rsize, 0)[pair] > 0


def results_of(run: Run, base: Base) -> Results:
    """Prepare a run's results; those for topics never assessed are left out."""
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
    start, end = _ints(frame["start"]), _ints(frame["end"])
    resolved = start >= 0
    return Results(
        number=_ints(frame["result"]),
        topic=_ints(frame["number"]),
        pair=_ints(frame["pair"].cast(pl.Int64).fill_null(-1)),
        article=_ints(frame["article"]),
        start=np.where(resolved, start, UNRESOLVED_START),
        end=np.where(resolved, end, UNRESOLVED_START),
        resolved=resolved,
    )


def _ints(series: pl.Series) -> Ints:
    return series.cast(pl.Int64).to_numpy()
