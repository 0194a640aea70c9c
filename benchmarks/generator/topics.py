"""Topics: relevant passages in some documents, as highlights of their real text.

The documents are read back through ``doxel.documents``, so that every span counts the characters that
doxel counts: the concatenation of the text nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents import Collection
from doxel.documents.element_forest import Forest
from doxel.spans import Coverage, Floats, Ints

__all__ = ["Topic", "Universe", "topics"]


_FIRST_TOPIC = 2006_001
_SMALLEST, _LARGEST = 80, 6_000  # characters of an element with which a highlight may begin
_DIVISIBLE = 24  # characters of a text node in which a highlight may begin or end
_JUDGED_IN_VAIN = 60  # documents a topic that were judged, with nothing relevant found


@dataclass(frozen=True)
class Topic:
    """A topic and its assessments.

    ``judged``: row (the document's place among all that there are), doc, size, rsize, bep (null where
    nothing is relevant); ``highlights``: row, doc, start, end.  Over a collection there are also the
    paths by which assessment files of 2005-07 name these places: ``bep_path``, ``path``, ``path_end``.
    """

    id: str
    judged: pl.DataFrame
    highlights: pl.DataFrame


class Universe:
    """The documents of a collection from which topics and runs are drawn.

    All of a small collection; of a large one as many as hold ``elements`` elements, so that memory
    is bounded whatever the size of the collection.
    """

    def __init__(self, collection: Collection, *, seed: int, elements: int = 2_000_000) -> None:
        self._collection = collection
        order = np.random.default_rng([seed, 3]).permutation(len(collection))
        counts = collection.documents["elements"].to_numpy().astype(np.int64)
        enough = int(np.searchsorted(np.cumsum(counts[order]), elements)) + 1
        self.numbers: Ints = np.sort(order[:enough])
        self.docs: pl.Series = collection.documents["doc"].gather(self.numbers)
        self.forest: Forest = collection.forest(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def size(self) -> Ints:
        """The characters of each element."""
        return self.forest.end - self.forest.start

    @cached_property
    def doc_size(self) -> Ints:
        """The characters of each document."""
        return self.size[self.forest.first[:-1]]

    @cached_property
    def paths(self) -> pl.Series:
        """The path of each element."""
        return self.forest.paths()

    @cached_property
    def may_begin(self) -> npt.NDArray[np.bool_]:
        """Whether a highlight may begin with an element."""
        return (self.size >= _SMALLEST) & (self.size <= _LARGEST) & (self.forest.depth >= 3)

    def rows(self, documents: Ints) -> Ints:
        """Return the elements of some documents."""
        first = self.forest.first
        return np.concatenate([np.arange(first[row], first[row + 1]) for row in documents.tolist()])

    def relevance(self, topic: Topic, rows: Ints) -> Floats:
        """Return the relevant share of each element."""
        highlights = topic.highlights
        coverage = Coverage(*(highlights[name].to_numpy() for name in ("row", "start", "end")))
        forest = self.forest
        covered = coverage.covered(forest.document[rows], forest.start[rows], forest.end[rows])
        return covered / np.maximum(self.size[rows], 1)

    def interrupted(self, document: int) -> set[int]:
        """Return the elements of a document whose own text a comment or instruction interrupts."""
        first = int(self.forest.first[document])
        number = int(self.numbers[document])
        return {first + row for row in self._collection.breaks(number)["element"].to_list()}


def topics(universe: Universe, count: int, *, relevant: int = 60, seed: int = 1) -> Iterator[Topic]:
    """Yield topics with about ``relevant`` relevant documents each."""
    usable = np.unique(universe.forest.document[universe.may_begin])
    for number in range(count):
        rng = np.random.default_rng([seed, 4, number])
        wanted = int(relevant * rng.uniform(0.3, 1.7)) + 1
        documents = rng.permutation(usable)[:wanted]
        yield _topic(universe, str(_FIRST_TOPIC + number), documents, rng)


def _topic(universe: Universe, name: str, relevant: Ints, rng: np.random.Generator) -> Topic:
    highlight_rows = [
        place for row in relevant.tolist() for place in _document_highlights(universe, row, rng)
    ]
    highlights = pl.DataFrame(highlight_rows, schema=_HIGHLIGHTS, orient="row")
    sums = highlights.group_by("row").agg(
        rsize=(pl.col("end") - pl.col("start")).sum(),
        bep=pl.col("bep").sort_by("start").first(),
        bep_path=pl.col("bep_path").sort_by("start").first(),
    )
    vain = rng.permutation(len(universe))[: _JUDGED_IN_VAIN + len(relevant)]
    vain = vain[~np.isin(vain, relevant)][:_JUDGED_IN_VAIN]
    rows = np.sort(np.concatenate([relevant, vain]))
    judged = pl.DataFrame({"row": rows, "doc": universe.docs.gather(rows), "size": universe.doc_size[rows]})
    judged = judged.join(sums, on="row", how="left", maintain_order="left")
    return Topic(name, judged.with_columns(pl.col("rsize").fill_null(0)), highlights)


_HIGHLIGHTS = {
    "row": pl.Int64,
    "doc": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "path": pl.String,
    "path_end": pl.String,
    "bep": pl.Int64,
    "bep_path": pl.String,
}


def _document_highlights(
    universe: Universe, document: int, rng: np.random.Generator
) -> list[tuple[object, ...]]:
    """Draw the highlights of one document, in order, without overlap.

    The best entry point of a highlight is the element in which it starts.
    """
    forest = universe.forest
    rows = universe.rows(np.array([document]))
    begins = rng.permutation(rows[universe.may_begin[rows]])[: 1 + rng.poisson(1.0)]
    whole = universe.interrupted(document)
    highlights: list[tuple[object, ...]] = []
    reached = 0
    for first in np.sort(begins).tolist():
        last = _sibling(forest, first, int(rng.integers(0, 3)))
        start, path = _place(universe, first, whole, rng, at_end=False)
        end, path_end = _place(universe, last, whole, rng, at_end=True)
        if reached <= start < end:
            point = int(forest.start[first]), universe.paths[first]
            highlights.append((document, universe.docs[document], start, end, path, path_end, *point))
            reached = end
    return highlights


def _sibling(forest: Forest, row: int, steps: int) -> int:
    """Return the sibling ``steps`` further on, or the last one if there are fewer."""
    for _ in range(steps):
        following = int(forest.subtree_end[row])
        if following >= len(forest) or forest.parent[following] != forest.parent[row]:
            break
        row = following
    return row


def _place(
    universe: Universe, row: int, interrupted: set[int], rng: np.random.Generator, *, at_end: bool
) -> tuple[int, str]:
    """Return a position and how it is written: the border of an element, or inside its first text node.

    An end is in the second half of the text node and a start in the first half, so that both may be in the
    same node.
    """
    forest = universe.forest
    path = str(universe.paths[row])
    # the text before the first child; all of it where there is none
    length = int(forest.before[row + 1] if forest.descendants[row] else universe.size[row])
    if length < _DIVISIBLE or row in interrupted or rng.random() < 0.5:
        return int(forest.end[row] if at_end else forest.start[row]), path
    half = length // 2
    offset = half + int(rng.integers(1, half)) if at_end else int(rng.integers(1, half))
    return int(forest.start[row]) + offset, f"{path}/text()[1].{offset}"
