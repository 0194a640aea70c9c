"""Section 12 of measures.md: the reference choices of a chunking, all its chunks known (``Case.chunks``).

Readings
--------
- Reading: ``greedy_*@k`` stops when no chunk adds relevant text.
- Reading: The reference choices take ``repeats`` as the char measures do.  Order and limit belong to runs
  and mean nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import Numeric, Score, nothing_after, rank_of
from .spans import Places, compare, gold, places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .case_model import Case, Result


def chunks_of(case: Case) -> Sequence[Result]:
    """All chunks of the chunking."""
    if case.chunks is None:
        raise ValueError("a reference choice needs all chunks of the chunking")
    return case.chunks


def omega_measure(kind: str) -> Callable[..., Score]:
    """``omega_prec``, ``omega_rec`` or ``omega_iou``."""

    def measure(case: Case, *, at: None = None, repeats: str = "once") -> Score:
        """Score the set of all chunks that share at least one character with G."""
        nothing_after(at)
        wanted = gold(case)
        touching = [places(each) for each in chunks_of(case) if places(each) & wanted]
        return compare(wanted, touching, repeats)[kind] if wanted else None

    return measure


def greedy(case: Case, count: int) -> list[Result]:
    """Chunks chosen one by one by most new relevant characters, ties to the shorter, then id and start."""
    wanted = gold(case)
    left = list(chunks_of(case))
    selection: list[Result] = []
    seen: Places = set()

    def preference(chunk: Result) -> tuple[int, int, str, int]:
        """Smallest is best."""
        new = len((places(chunk) - seen) & wanted)
        return (-new, chunk.size, chunk.doc, chunk.start or 0)

    while left and len(selection) < count:
        best = min(left, key=preference)
        if not (places(best) - seen) & wanted:
            break
        left.remove(best)
        selection.append(best)
        seen |= places(best)
    return selection


def greedy_measure(kind: str) -> Callable[..., Score]:
    """``greedy_prec``, ``greedy_rec`` or ``greedy_iou``."""

    def measure(case: Case, *, at: Numeric | None = None, repeats: str = "once") -> Score:
        """Score k chunks chosen one by one."""
        wanted = gold(case)
        pieces = [places(each) for each in greedy(case, rank_of(at))]
        return compare(wanted, pieces, repeats)[kind] if wanted else None

    return measure
