"""One run, laid out for scoring: its results in rank order, topic by topic, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.evaluation.assessed import Assessed
from doxel.evaluation.seen import Seen, see
from doxel.spans import Ints

__all__ = ["Ranked", "lay_out"]

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Ranked:
    """The results of assessed topics, ordered by topic and position.

    ``group`` tells the documents of a topic apart, judged or not; ``pair`` is the judged pair, -1 for
    a document that was not judged.  An unresolved result has an empty span.  ``same_as`` tells
    elements and passages apart: two results of a group with the same number are the same thing.
    """

    assessed: Assessed
    topic: Ints
    group: Ints
    pair: Ints
    start: Ints
    end: Ints
    is_element: Booleans
    same_as: Ints

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def first(self) -> Ints:
        """The row of each topic's first result; one more entry at the end."""
        return np.searchsorted(self.topic, np.arange(len(self.assessed.topics) + 1))

    @cached_property
    def position(self) -> Ints:
        """The position of each result in its topic, from 0."""
        return np.arange(len(self)) - self.first[self.topic]

    @cached_property
    def length(self) -> Ints:
        """The number of results of each topic."""
        return np.diff(self.first)

    @cached_property
    def size(self) -> Ints:
        """The characters of each result."""
        return self.end - self.start

    @cached_property
    def relevant(self) -> Ints:
        """The relevant characters of each result."""
        found = np.zeros(len(self), dtype=np.int64)
        judged = np.flatnonzero(self.pair >= 0)
        found[judged] = self.assessed.relevant_text.covered(
            self.pair[judged], self.start[judged], self.end[judged]
        )
        return found

    @cached_property
    def seen(self) -> Seen:
        """What each result shows that no earlier one of its topic has shown."""
        return see(self.group, self.start, self.end)

    @cached_property
    def new_relevant(self) -> Ints:
        """The relevant characters of each result that no earlier one has shown."""
        if self.seen.is_all_new:
            return self.relevant
        pair = self.pair[self.seen.owner]
        parts = np.zeros(len(pair), dtype=np.int64)
        judged = np.flatnonzero(pair >= 0)
        parts[judged] = self.assessed.relevant_text.covered(
            pair[judged], self.seen.start[judged], self.seen.end[judged]
        )
        found = self.relevant.copy()
        found[self.seen.contested] = 0
        np.add.at(found, self.seen.owner, parts)
        return found

    @cached_property
    def is_repeat(self) -> Booleans:
        """Whether the same element or passage stands at an earlier rank of the topic."""
        order = np.lexsort((self.same_as, self.group))  # stable: earlier ranks first
        again = np.zeros(len(self), dtype=bool)
        again[order[1:]] = (np.diff(self.group[order]) == 0) & (np.diff(self.same_as[order]) == 0)
        return again & (self.same_as >= 0)

    def matrix(self, values: np.ndarray) -> npt.NDArray[np.float64]:
        """Return values of results as topics x ranks, padded with 0."""
        padded = np.zeros((len(self.assessed.topics), int(self.length.max(initial=0))))
        padded[self.topic, self.position] = values
        return padded

    def take(self, rows: np.ndarray) -> Ranked:
        """Return the ranked list of some rows, in the order given."""
        columns = ("topic", "group", "pair", "start", "end", "is_element", "same_as")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def limited(self, limit: int | None) -> Ranked:
        """Return the first results of each topic."""
        if limit is None or int(self.length.max(initial=0)) <= limit:
            return self
        return self.take(np.flatnonzero(self.position < limit))

    def cut(self, characters: int, *, within: Ints) -> Ranked:
        """Return the list cut where each topic or article has shown so many characters.

        ``within`` numbers what the characters are counted in; the result that crosses is shortened.
        """
        order = np.argsort(within, kind="stable")
        size = self.size[order]
        shown = np.cumsum(size) - size
        begins = np.searchsorted(within[order], within[order])
        left = np.empty(len(self), dtype=np.int64)
        left[order] = characters - (shown - shown[begins])
        shorter = replace(self, end=np.minimum(self.end, self.start + np.maximum(left, 0)))
        return shorter.take(np.flatnonzero((left > 0) | (self.size == 0)))


def lay_out(results: pl.DataFrame, assessed: Assessed) -> Ranked:
    """Lay out the results of one run, given in rank order, topic by topic.

    Results of topics that were never assessed are left out; the caller counts them.
    """
    numbers = pl.DataFrame(
        {"topic": assessed.topics, "number": np.arange(len(assessed.topics), dtype=np.int64)}
    )
    table = results.join(numbers, on="topic", how="inner", maintain_order="left")
    table = table.join(assessed.pairs, on=["topic", "doc"], how="left", maintain_order="left")
    topic = table["number"].to_numpy()
    if len(topic) and (np.diff(topic) < 0).any():
        order = np.argsort(topic, kind="stable")
        table, topic = table[order], topic[order]
    document = table["doc"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    _, group = np.unique(topic * (int(document.max(initial=0)) + 1) + document, return_inverse=True)
    found = (table["start"].fill_null(-1) >= 0).to_numpy()
    start = np.where(found, table["start"].fill_null(0).to_numpy(), 0)
    end = np.where(found, table["end"].fill_null(-1).to_numpy(), 0)  # an entry point has no end
    is_element = (
        table["element"].is_not_null().to_numpy()
        if "element" in table.columns
        else np.zeros(len(topic), dtype=bool)
    )
    return Ranked(
        assessed=assessed,
        topic=topic,
        group=group.astype(np.int64),
        pair=table["pair"].cast(pl.Int64).fill_null(-1).to_numpy(),
        start=start,
        end=np.maximum(end, start),
        is_element=is_element,
        same_as=_identities(table, start, np.maximum(end, start), found, is_element),
    )


def _identities(
    table: pl.DataFrame, start: Ints, end: Ints, found: Booleans, is_element: Booleans
) -> Ints:
    """Number what results are: elements by themselves, passages by their span; -1 for what was not found."""
    stride = int(end.max(initial=0)) + 1
    spans = start * stride + end
    if not is_element.any():
        return np.where(found, spans, -1)
    elements = table["element"].fill_null(0).to_numpy() + stride * stride  # beyond any span
    return np.where(is_element, elements, np.where(found, spans, -1))
