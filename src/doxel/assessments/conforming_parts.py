"""Restrict assessments to the elements that match the structure of queries.

If the structure of queries is strict, a system may only return matching elements.  It can then find only
the highlighted text and the best entry points inside them.  The recall base handles the elements
themselves: an element that does not match gains nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.listed_documents import ListedDocuments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.spans import Coverage, intersect_spans
from doxel.topics.query_structure import Constraints

__all__ = ["select_conforming_parts"]


def select_conforming_parts(
    assessments: Assessments, constraints: Constraints, collection: Collection
) -> Assessments:
    """Return the highlights and best entry points of resolved assessments inside matching elements."""
    constraints.require(assessments.topics)
    if isinstance(collection, ListedDocuments) and constraints.structure.support == "strict":
        raise InputError(
            "structure: support=strict needs the documents",
            wanted="a collection (-c)",
            found="only the elements listed in the assessments",
        )
    highlights, beps = [], []
    for topic in assessments.topics:
        is_topic = pl.col("topic") == topic
        passages, points = assessments.highlights.filter(is_topic), assessments.beps.filter(is_topic)
        if constraints.asks(topic) and passages.height + points.height:
            passages, points = _select_inside(topic, passages, points, constraints, collection)
        highlights.append(passages)
        beps.append(points)
    return replace(
        assessments,
        highlights=pl.concat([assessments.highlights.clear(), *highlights]),
        beps=pl.concat([assessments.beps.clear(), *beps]),
    )


def _select_inside(
    topic: str, passages: pl.DataFrame, points: pl.DataFrame, constraints: Constraints, collection: Collection
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the parts of highlights and the entry points of a topic inside matching elements."""
    docs = pl.concat([passages["doc"], points["doc"]]).unique(maintain_order=True)
    numbers = collection.numbers(docs)
    docs, numbers = docs.filter(pl.Series(numbers >= 0)), numbers[numbers >= 0]
    forest = collection.forest(numbers)
    is_match = constraints.conforming(topic, collection, numbers)
    cover = Coverage(forest.document[is_match], forest.start[is_match], forest.end[is_match])
    group, start, end = _find_spans(passages, "start", "end", docs)
    row, start, end = intersect_spans(cover, group, start, end)
    inner_passages = passages[row].with_columns(start=pl.Series(start), end=pl.Series(end))
    group, start, _ = _find_spans(points, "position", "position", docs)
    is_inside = cover.covered(group, start, start + 1) > 0
    return inner_passages, points.filter(pl.Series(is_inside, dtype=pl.Boolean))


def _find_spans(
    frame: pl.DataFrame, start: str, end: str, docs: pl.Series
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's document in ``docs`` (-1 for none), and its start and end."""
    indices = {doc: index for index, doc in enumerate(docs)}
    group = np.array([indices.get(doc, -1) for doc in frame["doc"]], dtype=np.int64)
    return group, frame[start].fill_null(-1).to_numpy(), frame[end].fill_null(-1).to_numpy()
