"""The elements of judged documents, with their sizes and grades, as one forest.

A pair is a topic and a judged document.  The forest contains one document per pair that has relevant text
or grades.  Every element has a size, a relevant size and grades; a quantisation turns grades into gains,
and gains define recall bases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.judged_pairs import JudgedPairs
from doxel.documents import Collection, Forest
from doxel.documents.structural_summary import LINK_TAGS
from doxel.documents.tree_arrays import Tree
from doxel.quantisation import Quantisation
from doxel.quantisation.quantisations import COVERAGES, TOO_SMALL, UNGRADED, Grades
from doxel.spans import Booleans, Coverage, Floats, Ints, concatenate_ranges, sum_by_group

if TYPE_CHECKING:
    from doxel.topics.query_structure import Constraints

__all__ = ["ElementBase", "build_element_base", "parse_excluded_tags"]


def parse_excluded_tags(text: str | None) -> frozenset[str]:
    """Parse the option ``exclude_tags``: tags separated by commas, where "links" means all link tags.

    >>> sorted(parse_excluded_tags("p, it"))
    ['it', 'p']
    """
    if not text:
        return frozenset()
    return frozenset(
        tag for name in text.replace(",", " ").split() for tag in (LINK_TAGS if name == "links" else (name,))
    )


@dataclass(frozen=True)
class ElementBase:
    """The elements of judged pairs; ``pair`` and ``topic`` have one entry per document of the forest."""

    forest: Forest
    pair: Ints
    topic: Ints
    topics: int
    rsize: Ints
    grades: Grades
    off_target: Booleans | None = None  # elements that do not match their topic's query; None: all match

    @cached_property
    def tree(self) -> Tree:
        """The tree structure of the forest."""
        return self.forest.tree

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each element."""
        return self.forest.end - self.forest.start

    @cached_property
    def document_of_pair(self) -> Ints:
        """The document in the forest of each pair, or -1; the last entry is -1 and serves unknown pairs."""
        places = np.full(int(self.pair.max(initial=-1)) + 2, -1, dtype=np.int64)
        places[self.pair] = np.arange(len(self.pair))
        return places

    def documents(self, pair: Ints) -> Ints:
        """Return the documents in the forest of these pairs, -1 for pairs without one."""
        pairs = len(self.document_of_pair) - 1
        return self.document_of_pair[np.where((pair < 0) | (pair >= pairs), pairs, pair)]

    def excluded(self, tags: frozenset[str]) -> Booleans:
        """Mark the elements with these tags, and those that do not match their topic's query."""
        is_excluded = np.array([name in tags for name in self.forest.labels.names], dtype=bool)
        has_tag = (
            is_excluded[self.forest.name] if is_excluded.any() else np.zeros(len(self.forest), dtype=bool)
        )
        return has_tag if self.off_target is None else has_tag | self.off_target

    def gains(self, quantisation: Quantisation, exclude: frozenset[str] = frozenset()) -> Floats:
        """Return the gain of each element; excluded elements gain 0."""
        gained = quantisation(self.grades)
        if not exclude and self.off_target is None:
            return gained
        return np.where(self.excluded(exclude), 0.0, gained)

    @cached_property
    def element_topic(self) -> Ints:
        """The topic of each element."""
        return np.repeat(self.topic, np.diff(self.forest.first))

    def find_topics(self, rows: Ints) -> Ints:
        """Return the topics of some elements, without computing those of all."""
        return self.topic[np.searchsorted(self.forest.first, rows, side="right") - 1]

    @cached_property
    def relevant_total(self) -> Ints:
        """The relevant characters per topic, summed over all elements that match its query."""
        rsize = self.rsize if self.off_target is None else np.where(self.off_target, 0, self.rsize)
        return sum_by_group(self.element_topic, rsize, self.topics).astype(np.int64)


def build_element_base(
    assessments: Assessments,
    assessed: JudgedPairs,
    collection: Collection,
    constraints: Constraints | None = None,
) -> ElementBase:
    """Build the elements of all pairs that have relevant text or a grade."""
    elements = assessments.elements.join(assessed.pairs, on=["topic", "doc"], how="inner")
    has_content = assessed.relevant_text.total(np.arange(assessed.pairs.height)) > 0
    has_content[elements["pair"].to_numpy()] = True
    numbers = collection.numbers(assessed.pairs["doc"])
    pair = np.flatnonzero(has_content & (numbers >= 0))
    forest = collection.forest(numbers[pair])
    rsize, share = _count_relevant(assessed.relevant_text, forest, pair)
    return ElementBase(
        forest=forest,
        pair=pair,
        topic=assessed.topic[pair],
        topics=len(assessed.topics),
        rsize=rsize,
        grades=_build_grades(assessments.scale, elements, forest, pair, share),
        off_target=None
        if constraints is None
        else _find_off_target(assessed, pair, forest, collection, constraints),
    )


def _count_relevant(text: Coverage, forest: Forest, pair: Ints) -> tuple[Ints, Floats]:
    """Return the number of relevant characters of each element, and their share of its characters.

    Most elements are before or after all relevant text of their document.  Only the others are written to
    the arrays of zeros: memory costs time when it is first written to.
    """
    first, last = (np.repeat(bounds, np.diff(forest.first)) for bounds in text.find_bounds(pair))
    rows = np.flatnonzero((forest.end > first) & (forest.start < last))
    start, end = forest.start[rows], forest.end[rows]
    pairs = np.repeat(pair, np.diff(np.searchsorted(rows, forest.first)))
    rsize, share = np.zeros(len(forest), dtype=np.int64), np.zeros(len(forest))
    rsize[rows] = relevant = text.covered(pairs, start, end)
    share[rows] = np.divide(relevant, end - start, out=np.zeros(len(rows)), where=end > start)
    return rsize, share


def _find_off_target(
    assessed: JudgedPairs, pair: Ints, forest: Forest, collection: Collection, constraints: Constraints
) -> Booleans:
    """Mark the elements that do not match the query of their topic."""
    off_target = np.zeros(len(forest), dtype=bool)
    numbers = collection.numbers(assessed.pairs["doc"])
    for number, topic in enumerate(assessed.topics):
        documents = np.flatnonzero(assessed.topic[pair] == number)
        if len(documents) and constraints.asks(topic):
            rows = concatenate_ranges(forest.first[documents], np.diff(forest.first)[documents])
            off_target[rows] = ~constraints.conforming(topic, collection, numbers[pair[documents]])
    return off_target


def _build_grades(scale: str, elements: pl.DataFrame, forest: Forest, pair: Ints, share: Floats) -> Grades:
    if scale == "2006":
        return Grades(scale, np.broadcast_to(1.0, len(share)), share)
    exhaustivity = np.full(len(share), UNGRADED)
    specificity = share if scale == "2005" else np.full(len(share), UNGRADED)
    document = np.full(int(pair.max(initial=-1)) + 1, -1, dtype=np.int64)
    document[pair] = np.arange(len(pair))
    rows = forest.find(document[elements["pair"].to_numpy()], elements["path"])
    matches = np.flatnonzero(rows >= 0)
    first, second = ("relevance", "coverage") if scale == "2002" else ("exhaustivity", "specificity")
    exhaustivity[rows[matches]] = _encode_grades(elements[first])[matches]
    if scale != "2005":
        specificity[rows[matches]] = _encode_grades(elements[second])[matches]
    return Grades(scale, exhaustivity, specificity)


def _encode_grades(grades: pl.Series) -> Floats:
    """Return grades as numbers; coverage is its index in N, L, S, E, and U and null are UNGRADED."""
    codes = {str(number): float(number) for number in range(4)}
    codes |= {letter: float(place) for place, letter in enumerate(COVERAGES)}
    codes |= {"?": TOO_SMALL, "U": UNGRADED}
    return grades.replace_strict(codes, default=UNGRADED, return_dtype=pl.Float64).to_numpy()
