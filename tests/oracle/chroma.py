"""Section 12 of measures.md, last part: the formulas of Chroma's chunking evaluation, defects included.

Gold spans are lists of characters here, not a set: where two of them overlap, the same character is listed
twice, and is taken off or left over twice.

Readings
--------
- Reading: That project scores a question against one text.  Here the gold spans of all documents are put
  together, as in the other measures.
- Reading: Where nothing was retrieved its newer versions give 0, older ones stop with an error; here it is 0.
- Reading: ``chroma_omega`` takes chunks that share a character with a gold span, or only a border.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chunk_references import chunks_of
from .rules import ListOptions, Numeric, Score, all_ordered, nothing_after, rank_of, ratio
from .spans import gold, places

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from .case_model import Case, Result
    from .spans import Places


def marks(case: Case) -> list[tuple[str, int]]:
    """The characters of all gold spans, each as often as it was marked."""
    return [
        (name, position)
        for name, spans in case.highlights.items()
        for start, end in spans
        for position in range(start, end)
    ]


def chroma_measure(kind: str) -> Callable[..., Score]:
    """``chroma_rec``, ``chroma_prec`` or ``chroma_iou``."""

    def measure(case: Case, *, at: Numeric | None = None, **options: Unpack[ListOptions]) -> Score:
        """Count text found once, but text retrieved and text marked as often as they occur."""
        results = all_ordered(case, **options)
        results = results if at is None else results[: rank_of(at)]
        marked = marks(case)
        if not marked:
            return None
        retrieved: Places = set().union(*(places(each) for each in results))
        relevant = len(gold(case) & retrieved)
        paid = sum(each.size for each in results)
        unused = sum(place not in retrieved for place in marked)
        return ratio(relevant, {"rec": len(marked), "prec": paid, "iou": paid + unused}[kind])

    return measure


def touches(case: Case, chunk: Result) -> bool:
    """Whether a chunk shares a character or a border with a gold span."""
    assert chunk.start is not None
    assert chunk.end is not None
    return any(
        max(chunk.start, start) <= min(chunk.end, end)
        for start, end in case.highlights.get(chunk.doc, ())
        if end > start
    )


def chroma_omega(case: Case, *, at: None = None) -> Score:
    """``chroma_omega``: intersection over union of all chunks that touch a gold span."""
    nothing_after(at)
    wanted = gold(case)
    if not wanted:
        return None
    union: Places = set().union(*(places(each) for each in chunks_of(case) if touches(case, each)))
    return ratio(len(wanted & union), len(wanted | union))
