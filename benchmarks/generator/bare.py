"""Topics and FOL candidates without a collection: documents are ids and lengths.

They are quick to make in any number, and contain all that the measures over characters need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.generator.topics import Topic
from doxel.spans import Coverage, Floats, Ints

__all__ = ["LENGTH", "RELEVANT", "BareDocuments", "bare_documents", "bare_topics", "pieces"]


_FIRST_TOPIC = 2009_001
LENGTH, RELEVANT = 7_000, 86  # mean characters of a document, mean relevant documents of a topic
_SIGMA = 0.9
_MOST_HIGHLIGHTS, _MOST_PIECES = 6, 9


@dataclass(frozen=True)
class BareDocuments:
    """Documents as numbers, and their lengths in characters."""

    number: Ints
    size: Ints

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True)
class Pieces:
    """Passages of documents that do not overlap, and the share of each that is relevant."""

    row: Ints
    start: Ints
    end: Ints
    relevance: Floats


def bare_documents(count: int, *, length: int = LENGTH, seed: int = 1) -> BareDocuments:
    """Make documents with the lengths of a large encyclopaedia, ``length`` characters on average."""
    rng = np.random.default_rng([seed, 5])
    number = np.unique(rng.integers(1, 40 * count, 2 * count))
    number = np.sort(rng.permutation(number)[:count])
    size = rng.lognormal(np.log(length) - _SIGMA**2 / 2, _SIGMA, count)
    return BareDocuments(number, np.maximum(200, size).astype(np.int64))


def bare_topics(
    documents: BareDocuments, count: int, *, relevant: int = RELEVANT, seed: int = 1
) -> Iterator[Topic]:
    """Yield topics with about ``relevant`` relevant documents each, two highlights in each."""
    for number in range(count):
        rng = np.random.default_rng([seed, 6, number])
        wanted = int(relevant * rng.uniform(0.3, 1.7)) + 1
        rows = np.sort(rng.choice(len(documents), wanted, replace=False))
        yield _topic(documents, str(_FIRST_TOPIC + number), rows, rng)


def _topic(documents: BareDocuments, name: str, rows: Ints, rng: np.random.Generator) -> Topic:
    """Cut each document at random places; every other piece is highlighted, up to a number of them."""
    size = documents.size[rows]
    cuts = np.sort(rng.random((len(rows), 2 * _MOST_HIGHLIGHTS)), axis=1) * size[:, None]
    start, end = cuts[:, 0::2].astype(np.int64), cuts[:, 1::2].astype(np.int64)
    count = 1 + np.minimum(rng.poisson(1.04, len(rows)), _MOST_HIGHLIGHTS - 1)
    is_highlighted = (np.arange(_MOST_HIGHLIGHTS) < count[:, None]) & (end > start)
    row = np.broadcast_to(np.arange(len(rows))[:, None], is_highlighted.shape)[is_highlighted]
    highlights = pl.DataFrame(
        {
            "row": rows[row],
            "doc": documents.number[rows[row]],
            "start": start[is_highlighted],
            "end": end[is_highlighted],
        }
    )
    sums = highlights.group_by("row").agg(
        rsize=(pl.col("end") - pl.col("start")).sum(), bep=pl.col("start").min()
    )
    judged = pl.DataFrame({"row": rows, "doc": documents.number[rows], "size": size})
    judged = judged.join(sums, on="row", how="left", maintain_order="left")
    return Topic(name, judged.with_columns(pl.col("rsize").fill_null(0)), highlights)


def pieces(
    documents: BareDocuments, topic: Topic, *, count: int, grain: int, rng: np.random.Generator
) -> Pieces:
    """Cut the relevant documents of a topic, and others, into ``count`` passages or a few more."""
    relevant = topic.judged["row"].to_numpy()
    others = rng.integers(0, len(documents), count)
    rows = np.concatenate([relevant, others[~np.isin(others, relevant)]])
    _, first = np.unique(rows, return_index=True)
    rows = rows[np.sort(first)]
    parts = np.clip(documents.size[rows] // grain, 2, _MOST_PIECES)
    enough = int(np.searchsorted(np.cumsum(parts), 2 * count)) + 1
    rows, parts = rows[:enough], parts[:enough]
    row = np.repeat(rows, parts)
    number = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
    step = documents.size[row] / np.repeat(parts, parts)
    # a passage lies within its own step, so that no two can meet
    start = (step * (number + 0.4 * rng.random(len(row)))).astype(np.int64)
    end = (step * (number + 0.5 + 0.5 * rng.random(len(row)))).astype(np.int64)
    highlights = topic.highlights
    coverage = Coverage(*(highlights[name].to_numpy() for name in ("row", "start", "end")))
    return Pieces(row, start, end, coverage.covered(row, start, end) / np.maximum(end - start, 1))
