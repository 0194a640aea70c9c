r"""Chroma's figures, for comparison only: ``chroma_rec``, ``chroma_prec``, ``chroma_iou``, ``chroma_omega``.

The formulas of the project chunking_evaluation with their defects, so that its figures can be reproduced
and compared with doxel's.  G is the union of the gold spans g, C the union of the first k results c:

.. math:: rec = \frac{|G \cap C|}{\sum |g|}, \quad prec = \frac{|G \cap C|}{\sum |c|}, \quad
          iou = \frac{|G \cap C|}{\sum |c| + \sum |g \setminus C|}

omega is the intersection over union of all chunks of the chunking that share a character or only a border
with a gold span; that project calls it precision.

Rewards: the same as char_rec, char_prec and char_iou, as long as neither chunks nor gold spans overlap.

When it misleads: with 50 % overlap a perfect retrieval has an iou of 2/3, because the numerator counts a
character once and the denominator as often as it was retrieved.  Overlapping gold spans keep recall below
1.  In omega, a chunk that only touches a gold span counts as containing it.  If nothing was retrieved,
older versions of that project fail with a division by zero; here, as in newer versions, the score is 0.

Neighbours: char_rec, char_prec, char_iou and omega_iou do not have these defects.  char_prec and char_iou
with repeats="charged" also charge for repeated text, and their names show it.
"""

from __future__ import annotations

from collections.abc import Callable

from doxel.measures.chunks.characters import CHARACTER_SUMS, char_iou, find_text_kinds
from doxel.measures.declaration import Measure, Properties, Quantity, Scores, View, declare
from doxel.measures.measure_parameters import CUTOFF, Parameter
from doxel.measures.rank_arithmetic import at_rank, divide
from doxel.measures.text_views import AdjacentChunks, MarkedText

__all__ = ["MEASURES", "chroma_iou", "chroma_omega", "chroma_prec", "chroma_rec"]


def chroma_rec(view: MarkedText, *, cutoff: int | None) -> Scores:
    """Recall against the summed sizes of the gold spans, in which overlapping text counts several times."""
    return divide(_count_relevant(view, cutoff), view.marked)


def chroma_prec(view: MarkedText, *, cutoff: int | None) -> Scores:
    """Relevant text counted once, divided by all text counted as often as it was retrieved."""
    return divide(_count_relevant(view, cutoff), _count_retrieved(view, cutoff))


def chroma_iou(view: MarkedText, *, cutoff: int | None) -> Scores:
    """Relevant text counted once, divided by text counted as often as it was retrieved or marked."""
    return divide(_count_relevant(view, cutoff), _count_joined(view, cutoff))


def chroma_omega(view: AdjacentChunks) -> Scores:
    """Intersection over union of all chunks that touch a gold span."""
    return char_iou(view, repeats="once", cutoff=None)


def _count_relevant(view: MarkedText, cutoff: int | None) -> Scores:
    return at_rank(view.new_relevant.cumsum(axis=1), cutoff)


def _count_retrieved(view: MarkedText, cutoff: int | None) -> Scores:
    return at_rank(view.size.cumsum(axis=1), cutoff)


def _count_joined(view: MarkedText, cutoff: int | None) -> Scores:
    unused = view.marked - at_rank(view.new_marked.cumsum(axis=1), cutoff)
    return _count_retrieved(view, cutoff) + unused


_DIVISORS = {
    "chroma_rec": Quantity("sum |g|", "the summed sizes of the gold spans", lambda view: view.marked),
    "chroma_prec": Quantity("sum |c|", "the summed sizes of the results", _count_retrieved),
    "chroma_iou": Quantity("sum |c| + sum |g \\ C|", "all that was retrieved or is missing", _count_joined),
}


_CHARGES = "the numerator counts repeated text once, the denominator as often as it was retrieved"
_BREAKS = {
    "chroma_rec": {
        "perfect": "overlapping gold counts several times in the denominator, once in the numerator"
    },
    "chroma_prec": {"overlapping": _CHARGES},
    "chroma_iou": {"overlapping": _CHARGES},
    "chroma_omega": {},
}


def _declare_sum(name: str) -> dict[str, Quantity]:
    if name not in _DIVISORS:
        return CHARACTER_SUMS["iou"]
    return {**CHARACTER_SUMS["iou"], "divisor": _DIVISORS[name]}


def _declare(
    name: str,
    function: Callable[..., Scores],
    summary: str,
    at: Parameter | None = CUTOFF,
    view: type[View] = MarkedText,
) -> Measure:
    return declare(
        name,
        function,
        view=view,
        at=at,
        at_optional=True,
        summary=summary,
        reference="github.com/brandonstarxel/chunking_evaluation (2024), unchanged",
        properties=Properties(faithful="n", near_misses="y", overlap="-", thorough="i", focused="i"),
        kinds=() if at is None else find_text_kinds(name),
        breaks=_BREAKS[name],
        **_declare_sum(name),
    )


MEASURES = (
    _declare("chroma_rec", chroma_rec, "Chroma's recall, which overlapping gold spans keep below 1"),
    _declare("chroma_prec", chroma_prec, "Chroma's precision, which charges for repeated text"),
    _declare("chroma_iou", chroma_iou, "Chroma's IoU, which overlapping chunks keep below 1"),
    _declare(
        "chroma_omega",
        chroma_omega,
        "Chroma's precision of all chunks that touch a gold span: an IoU",
        None,
        AdjacentChunks,
    ),
)
