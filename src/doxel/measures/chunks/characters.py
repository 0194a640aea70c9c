r"""Characters of the first k results: ``char_rec``, ``char_prec``, ``char_iou``, ``char_f1``.

G is the relevant text of a topic and C the text of its first k results (without @: of all results), both
as sets of characters, independent of how the text was cut:

.. math:: rec = |G \cap C| / |G|, \quad prec = |G \cap C| / |C|, \quad iou = |G \cap C| / |G \cup C|

Rewards: results that together cover the relevant text and little else.  Text in overlapping results counts
once, so a sliding window is neither penalised nor rewarded twice.  With repeats="charged" the
denominators count every character as often as it was retrieved, which is its cost in a context window.

When it misleads: the order within the first k results does not matter, and one long relevant passage can
weigh more than ten short ones.  A run that returns whole documents looks perfect in char_rec alone.

Neighbours: iP and MAiP follow the ranking; span_rec counts passages instead of characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from doxel.measures.declaration import BOUND, Measure, Properties, Quantity, Scores, declare
from doxel.measures.measure_parameters import CUTOFF, Choice, Parameter
from doxel.measures.rank_arithmetic import Matrix, at_rank, compute_f_beta, divide
from doxel.measures.text_views import ReadText

__all__ = [
    "CHARACTER_SUMS",
    "MEASURES",
    "REPEATS",
    "char_f1",
    "char_iou",
    "char_prec",
    "char_rec",
    "explain_charges",
    "find_text_kinds",
]


def char_rec(view: ReadText, *, repeats: str, cutoff: int | None) -> Scores:
    """Share of the relevant characters that the first results show."""
    del repeats  # repeated text does not change the relevant text found
    return divide(at_rank(view.found, cutoff), view.total)


def char_prec(view: ReadText, *, repeats: str, cutoff: int | None) -> Scores:
    """Share of the characters of the first results that are relevant."""
    relevant = at_rank(view.found, cutoff)
    return divide(relevant, _count_read(view, repeats, cutoff))


def char_iou(view: ReadText, *, repeats: str, cutoff: int | None) -> Scores:
    """Relevant characters found, as a share of all characters that were read or are relevant."""
    relevant = at_rank(view.found, cutoff)
    return divide(relevant, _count_read(view, repeats, cutoff) + view.total - relevant)


def char_f1(view: ReadText, *, repeats: str, cutoff: int | None) -> Scores:
    """Harmonic mean of char_prec and char_rec."""
    precision = char_prec(view, repeats=repeats, cutoff=cutoff)
    return compute_f_beta(precision, char_rec(view, repeats=repeats, cutoff=cutoff))


def _count_read(view: ReadText, repeats: str = "once", cutoff: int | None = None) -> Scores:
    return at_rank(view.paid if repeats == "charged" else view.read, cutoff)


def _list_found(view: ReadText, cutoff: int | None = None) -> Matrix:
    return view.new_relevant[:, :cutoff]


def _count_joined(view: ReadText, repeats: str = "once", cutoff: int | None = None) -> Scores:
    return _count_read(view, repeats, cutoff) + view.total - at_rank(view.found, cutoff)


_FOUND = Quantity("new relevant", "new relevant text of each result up to the cutoff", _list_found)
CHARACTER_SUMS: dict[str, dict[str, Quantity]] = {
    "rec": {"terms": _FOUND, "divisor": Quantity("|G|", "the relevant text", lambda view: view.total)},
    "prec": {"terms": _FOUND, "divisor": Quantity("|C|", "the text read", _count_read)},
    "iou": {
        "terms": _FOUND,
        "divisor": Quantity("|G u C|", "the text that is relevant or was read", _count_joined),
    },
    "f1": {
        "terms": Quantity(
            "2 x new relevant",
            "twice the new relevant text of each result up to the cutoff",
            lambda view, cutoff: 2 * _list_found(view, cutoff),
        ),
        "divisor": Quantity(
            "|G| + |C|",
            "the relevant text and the text read",
            lambda view, repeats, cutoff: view.total + _count_read(view, repeats, cutoff),
        ),
    },
}
"""Terms and divisor of recall, precision, intersection over union and F1; F1 is 2 |G n C| / (|G| + |C|)."""


REPEATS = Parameter(
    "repeats", Choice(("once", "charged")), "count each character once, or each time it was retrieved", "once"
)
_PROPERTIES = Properties(faithful="y", near_misses="y", ideality="y", graded="y", thorough="y", focused="y")


def find_text_kinds(name: str) -> tuple[str, ...]:
    """Return the kinds of a measure of text by the ending of its name."""
    return ("text", "recall") if name.endswith("_rec") else ("text",)


def explain_charges(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the law that charging for repeated text breaks, with the reason, if it is charged."""
    if parameters["repeats"] == "once":
        return {}
    return {"overlapping": "text that is retrieved twice is charged twice"}


def _declare(name: str, function: Callable[..., Scores], summary: str) -> Measure:
    return declare(
        name,
        function,
        view=ReadText,
        own=(REPEATS,),
        at=CUTOFF,
        at_optional=True,
        defaults={"limit": None},
        summary=summary,
        reference="Allan et al., HARD track (TREC 2004), for passages; INEX 2010 for the whole list",
        years="2010",
        properties=_PROPERTIES,
        kinds=find_text_kinds(name),
        breaks=explain_charges,
        residual=BOUND,
        **CHARACTER_SUMS[name.removeprefix("char_")],
    )


MEASURES = (
    _declare("char_rec", char_rec, "share of the relevant characters that were retrieved"),
    _declare("char_prec", char_prec, "share of the retrieved characters that are relevant"),
    _declare(
        "char_iou", char_iou, "characters relevant and retrieved, as a share of those relevant or retrieved"
    ),
    _declare("char_f1", char_f1, "harmonic mean of char_prec and char_rec"),
)
