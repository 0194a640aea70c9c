"""Assessments as the structure of queries leaves them: what elements that conform can show.

Where the structure of queries is strict, a system may only return elements that conform.  So what is
left to find is the highlighted text inside such elements, and the best entry points inside them.  What
becomes of the elements themselves is the recall base's business: those that do not conform gain nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.listed import ListedDocuments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.spans import Coverage, intersection
from doxel.topics.structure import Constraints

__all__ = ["conforming_part"]


def conforming_part(
    assessments: Assessments, constraints: Constraints, collection: Collection
) -> Assessments:
    """Return resolved assessments without what no conforming element can show."""
    constraints.require(assessments.topics)
    if isinstance(collection, ListedDocuments) and constraints.structure.support == "strict":
        raise InputError(
            "structure: support=strict looks into documents",
            wanted="a collection (-c)",
            found="assessments that list some of their elements",
        )
    highlights, beps = [], []
    for topic in assessments.topics:
        of_topic = pl.col("topic") == topic
        marked, points = assessments.highlights.filter(of_topic), assessments.beps.filter(of_topic)
        if constraints.asks(topic) and marked.height + points.height:
            marked, points = _inside(topic, marked, points, constraints, collection)
        highlights.append(marked)
        beps.append(points)
    return replace(
        assessments,
        highlights=pl.concat([assessments.highlights.clear(), *highlights]),
        beps=pl.concat([assessments.beps.clear(), *beps]),
    )


def _inside(
    topic: str, marked: pl.DataFrame, points: pl.DataFrame, constraints: Constraints, collection: Collection
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the highlights and entry points of a topic as far as they lie in conforming elements."""
    docs = pl.concat([marked["doc"], points["doc"]]).unique(maintain_order=True)
    numbers = collection.numbers(docs)
    docs, numbers = docs.filter(pl.Series(numbers >= 0)), numbers[numbers >= 0]
    forest = collection.forest(numbers)
    kept = constraints.conforming(topic, collection, numbers)
    cover = Coverage(forest.document[kept], forest.start[kept], forest.end[kept])
    group, start, end = _spans(marked, "start", "end", docs)
    row, start, end = intersection(cover, group, start, end)
    inside = marked[row].with_columns(start=pl.Series(start), end=pl.Series(end))
    group, start, _ = _spans(points, "position", "position", docs)
    there = cover.covered(group, start, start + 1) > 0
    return inside, points.filter(pl.Series(there, dtype=pl.Boolean))


def _spans(
    frame: pl.DataFrame, start: str, end: str, docs: pl.Series
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the place of each row's document among some (-1 for none), and where it begins and ends."""
    places = {doc: place for place, doc in enumerate(docs)}
    group = np.array([places.get(doc, -1) for doc in frame["doc"]], dtype=np.int64)
    return group, frame[start].fill_null(-1).to_numpy(), frame[end].fill_null(-1).to_numpy()
