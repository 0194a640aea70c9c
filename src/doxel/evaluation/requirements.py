"""What measures require of a run: found lacking with a reason, or repaired and counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.measures.requirements import GROUPED, NO_OVERLAP, ONE_PER_DOCUMENT
from doxel.spans import Ints
from doxel.wording import counted

__all__ = ["lacks", "repair"]


@dataclass(frozen=True)
class _Requirement:
    offences: Callable[[Ranked], Ints]  # rows of results that offend
    says: str
    repaired: Callable[[Ranked], Ranked]
    did: Callable[[int], str]


def lacks(ranked: Ranked, required: Sequence[str]) -> str | None:
    """Return why a run does not meet what is required, or None if it does."""
    for name in required:
        requirement = _REQUIREMENTS[name]
        rows = requirement.offences(ranked)
        if len(rows):
            row = int(rows[0])
            topic = ranked.assessed.topics[ranked.topic[row]]
            rank = int(ranked.position[row]) + 1
            first = f"first in topic {topic} at rank {rank}"
            return f"{requirement.says}: {counted(len(rows), 'result')}, {first}"
    return None


def repair(ranked: Ranked, required: Sequence[str]) -> tuple[Ranked, list[str]]:
    """Return a run that meets what is required, and what was done to it."""
    done: list[str] = []
    for name in required:
        requirement = _REQUIREMENTS[name]
        offences = len(requirement.offences(ranked))
        if offences:
            better = requirement.repaired(ranked)
            # a result that overlaps only dropped ones stays: what was dropped counts, not what offended
            done.append(requirement.did(len(ranked) - len(better) or offences))
            ranked = better
    return ranked, done


def _overlapping(ranked: Ranked) -> Ints:
    return np.flatnonzero(ranked.seen.new_size < ranked.size)


def _without_overlap(ranked: Ranked) -> Ranked:
    """Keep the better-ranked of two overlapping results; one that overlaps only dropped ones stays."""
    kept = np.ones(len(ranked), dtype=bool)
    rows = np.flatnonzero(ranked.seen.contested)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    for document in np.split(rows, np.flatnonzero(np.diff(ranked.group[rows])) + 1):
        start, end = ranked.start[document], ranked.end[document]
        stays = np.zeros(len(document), dtype=bool)
        for number in range(len(document)):
            before = slice(0, number)
            meets = (start[before] < end[number]) & (end[before] > start[number])
            stays[number] = not (meets & stays[before]).any()
        kept[document] = stays
    return ranked.take(np.flatnonzero(kept))


def _article_blocks(ranked: Ranked) -> np.ndarray:
    """Tell which results begin a block of results of one article."""
    begins = np.ones(len(ranked), dtype=bool)
    begins[1:] = np.diff(ranked.group) != 0
    return begins


def _interleaved(ranked: Ranked) -> Ints:
    blocks = np.flatnonzero(_article_blocks(ranked))
    _, first = np.unique(ranked.group[blocks], return_index=True)
    again = np.ones(len(blocks), dtype=bool)
    again[first] = False
    return blocks[again]


def _regrouped(ranked: Ranked) -> Ranked:
    _, first, which = np.unique(ranked.group, return_index=True, return_inverse=True)
    return ranked.take(np.argsort(first[which], kind="stable"))


def _further_results(ranked: Ranked) -> Ints:
    _, first = np.unique(ranked.group, return_index=True)
    again = np.ones(len(ranked), dtype=bool)
    again[first] = False
    return np.flatnonzero(again)


def _first_results(ranked: Ranked) -> Ranked:
    _, first = np.unique(ranked.group, return_index=True)
    return ranked.take(np.sort(first))


_REQUIREMENTS = {
    NO_OVERLAP: _Requirement(
        _overlapping,
        "results overlap earlier ones",
        _without_overlap,
        lambda count: f"overlapping results: {count:,} dropped, the better-ranked kept",
    ),
    GROUPED: _Requirement(
        _interleaved,
        "articles are interleaved",
        _regrouped,
        lambda count: (
            f"interleaved articles: {counted(count, 'block')} moved to the first occurrence of "
            f"{'its' if count == 1 else 'their'} article"
        ),
    ),
    ONE_PER_DOCUMENT: _Requirement(
        _further_results,
        "a document has several results",
        _first_results,
        lambda count: f"further results of a document: {count:,} dropped, the first kept",
    ),
}
