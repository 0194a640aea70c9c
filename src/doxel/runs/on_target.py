"""Which results conform to the structure that their topics ask for.

An element conforms or does not (:mod:`doxel.topics.nexi.matching`).  A passage, or an entry point,
conforms where the smallest element that holds it does, as structural relevance groups passages.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.documents.holders import holders
from doxel.documents.labels import labels_of
from doxel.errors import InputError
from doxel.spans import Ints
from doxel.topics.structure import Constraints

__all__ = ["on_target"]


def on_target(results: pl.DataFrame, constraints: Constraints, collection: Collection | None) -> pl.Series:
    """Tell for resolved results whether they are what their topics ask for; null where nobody can tell.

    That is for results that were not found and for topics that are not known; and without a collection
    for all but elements.  The columns are those of ``doxel.runs.resolve.RESOLVED``.
    """
    if constraints.structure.is_vague:
        return pl.repeat(value=True, n=results.height, eager=True).alias("on_target")
    if collection is None:
        return _by_path(results, constraints)
    return _in_collection(results, constraints, collection)


def _topics(results: pl.DataFrame, constraints: Constraints, verdict: Ints) -> list[tuple[str, Ints]]:
    """Return the rows of each topic that asks for something; decide those of topics that ask for nothing."""
    rows = results.with_row_index("row").group_by("topic", maintain_order=True).agg("row")
    asking: list[tuple[str, Ints]] = []
    for topic, some in rows.iter_rows():
        chosen = np.array(some, dtype=np.int64)
        if constraints.asks(topic):
            asking.append((topic, chosen))
        elif topic in constraints.topics:
            verdict[chosen] = 1
    return asking


def _series(verdict: Ints) -> pl.Series:
    """Return verdicts (1, 0, and -1 for unknown) as truth values."""
    told = pl.Series("on_target", verdict == 1, dtype=pl.Boolean)
    return told.set(pl.Series(verdict < 0), None)


def _by_path(results: pl.DataFrame, constraints: Constraints) -> pl.Series:
    if constraints.structure.support == "strict":
        raise InputError(
            "structure: support=strict looks into documents", wanted="a collection (-c)", found="none"
        )
    verdict = np.full(results.height, -1, dtype=np.int64)
    is_element = (results["path"].is_not_null() & results["path_end"].is_null()).to_numpy()
    labels, label = labels_of(results["path"].fill_null("/"))
    for topic, rows in _topics(results, constraints, verdict):
        known = rows[is_element[rows]]
        verdict[known] = constraints.on_target(topic, labels)[label[known]]
    return _series(verdict)


def _in_collection(results: pl.DataFrame, constraints: Constraints, collection: Collection) -> pl.Series:
    verdict = np.full(results.height, -1, dtype=np.int64)
    found = (results["number"].is_not_null() & results["start"].is_not_null()).to_numpy()
    if not found.any():
        _topics(results, constraints, verdict)
        return _series(verdict)
    number = results["number"].fill_null(-1).to_numpy()
    forest, place = collection.shared_forest(number[found])
    document = np.where(found, place[number], 0)
    element = results["element"].fill_null(-1).to_numpy().copy()
    passages = np.flatnonzero(found & (element < 0))
    if len(passages):
        start, end = (results[name].fill_null(0).to_numpy()[passages] for name in ("start", "end"))
        rows = holders(forest, document[passages], start, end)
        element[passages] = np.where(rows >= 0, rows - forest.first[document[passages]], -1)
    for topic, rows in _topics(results, constraints, verdict):
        verdict[rows[found[rows]]] = 0  # a document without elements has none that could conform
        known = rows[found[rows] & (element[rows] >= 0)]
        if constraints.structure.support == "vague":
            label = forest.label[forest.first[document[known]] + element[known]]
            verdict[known] = constraints.on_target(topic, forest.labels)[label]
        elif len(known):
            numbers, which = np.unique(number[known], return_inverse=True)
            counts = collection.documents["elements"].to_numpy()[numbers].astype(np.int64)
            first = np.cumsum(counts) - counts
            verdict[known] = constraints.conforming(topic, collection, numbers)[first[which] + element[known]]
    return _series(verdict)
