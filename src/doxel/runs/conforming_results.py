"""Mark the results that match the structure requested by their topics.

An element matches or does not (:mod:`doxel.topics.nexi.query_matching`).  A passage or an entry point
matches if the smallest element that contains it does; structural relevance groups passages in the same
way.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.documents.element_forest import find_smallest_elements, parse_label_paths
from doxel.errors import InputError
from doxel.spans import Ints
from doxel.topics.query_structure import Constraints

__all__ = ["find_conforming_results"]


def find_conforming_results(
    results: pl.DataFrame, constraints: Constraints, collection: Collection | None
) -> pl.Series:
    """Mark the resolved results that match the structure of their topics; null if undecidable.

    Undecidable are results that were not found, results of unknown topics and, without a collection, all
    results except elements.  The columns of ``results`` are those of ``result_spans.RESOLVED_RESULTS``.
    """
    if constraints.structure.is_vague:
        return pl.repeat(value=True, n=results.height, eager=True).alias("on_target")
    if collection is None:
        return _match_by_path(results, constraints)
    return _match_in_collection(results, constraints, collection)


def _group_structured_topics(
    results: pl.DataFrame, constraints: Constraints, verdict: Ints
) -> list[tuple[str, Ints]]:
    """Return the rows of each topic with a structure; accept all results of topics without one."""
    groups = results.with_row_index("row").group_by("topic", maintain_order=True).agg("row")
    structured: list[tuple[str, Ints]] = []
    for topic, group in groups.iter_rows():
        rows = np.array(group, dtype=np.int64)
        if constraints.asks(topic):
            structured.append((topic, rows))
        elif topic in constraints.topics:
            verdict[rows] = 1
    return structured


def _build_series(verdict: Ints) -> pl.Series:
    """Return verdicts (1, 0, and -1 for unknown) as Booleans."""
    series = pl.Series("on_target", verdict == 1, dtype=pl.Boolean)
    return series.set(pl.Series(verdict < 0), None)


def _match_by_path(results: pl.DataFrame, constraints: Constraints) -> pl.Series:
    if constraints.structure.support == "strict":
        raise InputError(
            "structure: support=strict needs the documents", wanted="a collection (-c)", found="none"
        )
    verdict = np.full(results.height, -1, dtype=np.int64)
    is_element = (results["path"].is_not_null() & results["path_end"].is_null()).to_numpy()
    labels, label = parse_label_paths(results["path"].fill_null("/"))
    for topic, rows in _group_structured_topics(results, constraints, verdict):
        element_rows = rows[is_element[rows]]
        verdict[element_rows] = constraints.on_target(topic, labels)[label[element_rows]]
    return _build_series(verdict)


def _match_in_collection(
    results: pl.DataFrame, constraints: Constraints, collection: Collection
) -> pl.Series:
    verdict = np.full(results.height, -1, dtype=np.int64)
    is_found = (results["number"].is_not_null() & results["start"].is_not_null()).to_numpy()
    if not is_found.any():
        _group_structured_topics(results, constraints, verdict)
        return _build_series(verdict)
    number = results["number"].fill_null(-1).to_numpy()
    forest, place = collection.shared_forest(number[is_found])
    document = np.where(is_found, place[number], 0)
    element = results["element"].fill_null(-1).to_numpy().copy()
    passages = np.flatnonzero(is_found & (element < 0))
    if len(passages):
        start, end = (results[name].fill_null(0).to_numpy()[passages] for name in ("start", "end"))
        rows = find_smallest_elements(forest, document[passages], start, end)
        element[passages] = np.where(rows >= 0, rows - forest.first[document[passages]], -1)
    for topic, rows in _group_structured_topics(results, constraints, verdict):
        verdict[rows[is_found[rows]]] = 0  # a document without elements has none that could match
        inner = rows[is_found[rows] & (element[rows] >= 0)]
        if constraints.structure.support == "vague":
            label = forest.label[forest.first[document[inner]] + element[inner]]
            verdict[inner] = constraints.on_target(topic, forest.labels)[label]
        elif len(inner):
            numbers, index = np.unique(number[inner], return_inverse=True)
            counts = collection.documents["elements"].to_numpy()[numbers].astype(np.int64)
            first = np.cumsum(counts) - counts
            verdict[inner] = constraints.conforming(topic, collection, numbers)[first[index] + element[inner]]
    return _build_series(verdict)
