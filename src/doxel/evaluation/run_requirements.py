"""Check the requirements that measures place on a run, and repair runs that violate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.errors import InputError
from doxel.evaluation.ranked_run import RankedRun
from doxel.measures.chunks.classic_library import JudgedDocuments
from doxel.measures.declaration import GROUPED, NO_OVERLAP, ONE_PER_DOCUMENT, View
from doxel.measures.text_views import DocumentRanking
from doxel.spans import Booleans, Ints
from doxel.wording import pluralise

__all__ = [
    "find_violation",
    "mark_disjoint",
    "repair_run",
    "require_something_to_find",
]


@dataclass(frozen=True)
class _Requirement:
    find_offences: Callable[[RankedRun], Ints]  # rows of the results that violate it
    violation: str
    repair: Callable[[RankedRun], RankedRun]
    describe_repair: Callable[[int], str]


def find_violation(ranked: RankedRun, requirements: Sequence[str]) -> str | None:
    """Return the reason why a run violates one of the requirements, or None."""
    for name in requirements:
        requirement = _REQUIREMENTS[name]
        rows = requirement.find_offences(ranked)
        if len(rows):
            row = int(rows[0])
            topic = ranked.assessed.topics[ranked.topic[row]]
            rank = int(ranked.position[row]) + 1
            first = f"first in topic {topic} at rank {rank}"
            return f"{requirement.violation}: {pluralise(len(rows), 'result')}, {first}"
    return None


def repair_run(ranked: RankedRun, requirements: Sequence[str]) -> tuple[RankedRun, list[str]]:
    """Return a run that meets the requirements, and a note for each repair."""
    notes: list[str] = []
    for name in requirements:
        requirement = _REQUIREMENTS[name]
        offences = len(requirement.find_offences(ranked))
        if offences:
            repaired = requirement.repair(ranked)
            # count the dropped results: one that overlaps only dropped results stays
            notes.append(requirement.describe_repair(len(ranked) - len(repaired) or offences))
            ranked = repaired
    return ranked, notes


def require_something_to_find(ranked: RankedRun, view: View, parameters: Mapping[str, Any]) -> None:
    """Raise an error if a measure of text has nothing to find in grades of documents."""
    is_graded = (ranked.assessed.document_grade > 0).any()
    is_of_text = not isinstance(view, DocumentRanking | JudgedDocuments)
    if is_graded and is_of_text and not view.find_defined(parameters).any():
        wanted = "relevant text for this measure, or a measure of documents: AP, nDCG, P, R, RR"
        raise InputError("assessments", wanted=wanted, found="grades of documents")


def _find_overlapping(ranked: RankedRun) -> Ints:
    _ = ranked.size  # raises an error if the positions of results are unknown
    if ranked.seen.is_all_new:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(ranked.seen.new_size < ranked.size)


def _drop_overlapping(ranked: RankedRun) -> RankedRun:
    """Keep the better-ranked of two overlapping results; keep results that overlap only dropped ones."""
    is_kept = np.ones(len(ranked), dtype=bool)
    rows = np.flatnonzero(ranked.seen.contested)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    for document in np.split(rows, np.flatnonzero(np.diff(ranked.group[rows])) + 1):
        is_kept[document] = mark_disjoint(ranked.start[document], ranked.end[document])
    return ranked.take(np.flatnonzero(is_kept))


def mark_disjoint(start: Ints, end: Ints) -> Booleans:
    """Mark the spans of one document that overlap no earlier marked span.

    >>> mark_disjoint(np.array([0, 5, 10]), np.array([6, 12, 15])).tolist()
    [True, False, True]
    """
    stays = np.zeros(len(start), dtype=bool)
    for number in range(len(start)):
        before = slice(0, number)
        meets = (start[before] < end[number]) & (end[before] > start[number])
        stays[number] = not (meets & stays[before]).any()
    return stays


def _mark_block_starts(ranked: RankedRun) -> np.ndarray:
    """Mark the results that start a block of results from one article."""
    begins = np.ones(len(ranked), dtype=bool)
    begins[1:] = np.diff(ranked.group) != 0
    return begins


def _find_interleaved(ranked: RankedRun) -> Ints:
    blocks = np.flatnonzero(_mark_block_starts(ranked))
    _, first = np.unique(ranked.group[blocks], return_index=True)
    is_return = np.ones(len(blocks), dtype=bool)
    is_return[first] = False
    return blocks[is_return]


def _regroup_articles(ranked: RankedRun) -> RankedRun:
    _, first, article = np.unique(ranked.group, return_index=True, return_inverse=True)
    return ranked.take(np.argsort(first[article], kind="stable"))


def _find_further_results(ranked: RankedRun) -> Ints:
    _, first = np.unique(ranked.group, return_index=True)
    is_further = np.ones(len(ranked), dtype=bool)
    is_further[first] = False
    return np.flatnonzero(is_further)


def _keep_first_results(ranked: RankedRun) -> RankedRun:
    _, first = np.unique(ranked.group, return_index=True)
    return ranked.take(np.sort(first))


_REQUIREMENTS = {
    NO_OVERLAP: _Requirement(
        _find_overlapping,
        "results overlap earlier ones",
        _drop_overlapping,
        lambda count: f"overlapping results: {count:,} dropped; the better-ranked result was kept",
    ),
    GROUPED: _Requirement(
        _find_interleaved,
        "articles are interleaved",
        _regroup_articles,
        lambda count: (
            f"interleaved articles: {pluralise(count, 'block')} moved to the first occurrence of "
            f"{'its' if count == 1 else 'their'} article"
        ),
    ),
    ONE_PER_DOCUMENT: _Requirement(
        _find_further_results,
        "documents have several results",
        _keep_first_results,
        lambda count: f"several results per document: {count:,} dropped; the first was kept",
    ),
}
