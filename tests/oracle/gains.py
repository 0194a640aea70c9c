"""Section 5 of measures.md, first half: the gain of each result, and the ideal gains.

Readings
--------
- Reading: An excluded element gains nothing, seen, unseen or partly seen.  A kept element with q = 0 that
  is partly seen has the gain of the formula, which may be positive under graded scales ("gains are not
  capped by q(e)").
- Reading: "Excluded children's characters are own text": all characters of an excluded child are own text
  of the element, those of its kept descendants too.
- Reading: A child that was itself returned is a fully seen child, worth (1-alpha)q; the rule for repeats is
  about results.
- Reading: Passages gain nothing under quantisations other than spec, partly seen ones too.  Their formula
  for partly seen results applies for both values of ``partial``.
- Reading: Thorough with a written alpha > 0: the gains take it, the ideal vector and the missing
  normalisation stay.
- Reading: Two elements share a path if one contains the other in the tree; a result that shares a path with
  no ideal element has no room.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .bare_spans import bare_gains
from .curves import Gains
from .quantisation import Quantiser, quantiser
from .recall_bases import Target, full_base, ideal_base
from .rules import ONE, ZERO, ListOptions, Numeric, Seen, choose, fraction, ordered, ratio, remember, task_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .case_model import Case, Result
    from .trees import Element


class GainOptions(ListOptions, total=False):
    """Parameters of every measure of section 5."""

    task: str | None
    quant: str | None
    alpha: Numeric | None
    overlap: str
    partial: str
    cap: str
    construction: str
    tie: str
    paths: str
    exclude_tags: str | Collection[str] | None


@dataclass(frozen=True)
class Weighing:
    """How overlap is weighed in the gains."""

    quantiser: Quantiser
    alpha: Fraction
    partial: str

    def of_element(self, seen: Seen, doc: str, element: Element) -> Fraction:
        """rv of an element given the text seen so far (TOIS 2006 reading, ``partial="children"``)."""
        q = self.quantiser.element(doc, element)
        overlap = seen.overlap_of_element(doc, element)
        if overlap == 0:
            return q
        if overlap == 1:
            return (1 - self.alpha) * q
        children = [child for child in element.children if self.quantiser.keeps(child)]
        total = sum((self.of_element(seen, doc, child) * child.size for child in children), ZERO)
        total += self._own_text(seen, doc, element, children)
        return self.alpha * total / element.size + (1 - self.alpha) * q

    def _own_text(self, seen: Seen, doc: str, element: Element, children: Sequence[Element]) -> Fraction:
        """rv times size of the one more child: the characters in no kept child."""
        own = element.positions.difference(*(child.positions for child in children))
        unseen = own - seen.of(doc)
        if self.quantiser.name == "spec":
            return Fraction(len(unseen & seen.case.relevant(doc)))
        return self.quantiser.element(doc, element) * len(unseen)

    def of_passage(self, seen: Seen, passage: Result) -> Fraction:
        """Return the gain of a result that is not an element (section 0, passages)."""
        q = self.quantiser.result(passage)
        overlap = seen.overlap(passage)
        if overlap == 0 or self.quantiser.name != "spec":
            return q
        if overlap == 1:
            return (1 - self.alpha) * q
        new = (passage.positions - seen.of(passage.doc)) & seen.case.relevant(passage.doc)
        return self.alpha * ratio(len(new), passage.size) + (1 - self.alpha) * q


def raw_gains(weighing: Weighing, results: Sequence[Result]) -> list[Fraction]:
    """xG before normalisation, at every rank."""
    case = weighing.quantiser.case
    seen = Seen(case)
    gains: list[Fraction] = []
    for i, result in enumerate(results):
        element = case.element(result)
        if seen.again(result) or not result.resolved:
            gain = ZERO
        elif element is None:
            gain = weighing.of_passage(seen, result)
        elif not weighing.quantiser.keeps(element):
            gain = ZERO
        elif weighing.partial == "retrieved" and 0 < seen.overlap(result) < 1:
            inside = [
                gains[j] * each.size
                for j, each in enumerate(results[:i])
                if _inside(case, each, element, result)
            ]
            share = sum(inside, ZERO) / element.size
            gain = weighing.alpha * share + (1 - weighing.alpha) * weighing.quantiser.result(result)
        else:
            gain = weighing.of_element(seen, result.doc, element)
        gains.append(gain)
        seen.add(result)
    return gains


def _inside(case: Case, earlier: Result, element: Element, result: Result) -> bool:
    """Return whether an earlier result is inside an element: below it in the tree, or a passage within it."""
    if earlier.doc != result.doc:
        return False
    other = case.element(earlier)
    if other is not None:
        return other.is_within(element)
    return bool(earlier.positions) and earlier.positions <= element.positions


def normalised_gains(
    case: Case, results: Sequence[Result], gains: Sequence[Fraction], ideal: Sequence[Target]
) -> list[Fraction]:
    """xG_norm: no ideal element is credited with more than its q (004 Eq. 13, as pinned)."""
    rooms = [target.q for target in ideal]
    bounded = []
    for result, raw in zip(results, gains, strict=True):
        related = [i for i, target in enumerate(ideal) if _shares_path(case, result, target)]
        gain = min(raw, sum((rooms[i] for i in related), ZERO))
        bounded.append(gain)
        for i in related:  # in document order, as the base is
            paid = min(gain, rooms[i])
            rooms[i] -= paid
            gain -= paid
    return bounded


def _shares_path(case: Case, result: Result, target: Target) -> bool:
    """Return whether a result is on one path with an ideal element, or is a passage that touches it."""
    if result.doc != target.doc:
        return False
    element = case.element(result)
    if element is not None:
        return element.on_one_path(target.element)
    return bool(result.positions & target.element.positions)


@remember
def gain_vectors(
    case: Case,
    *,
    task: str | None = None,
    quant: str | None = None,
    alpha: Numeric | None = None,
    overlap: str = "on",
    partial: str = "children",
    cap: str = "auto",
    construction: str = "path",
    tie: str = "ancestor",
    paths: str = "leaf",
    exclude_tags: str | Collection[str] | None = None,
    **options: Unpack[ListOptions],
) -> Gains:
    """The gains of the run and of the ideal list."""
    choose("overlap", overlap, "on", "off")
    choose("partial", partial, "children", "retrieved")
    choose("cap", cap, "auto", "on", "off")
    if case.bare:
        return bare_gains(case, **options)
    focused = task_of(case, task) != "thorough"
    weight = fraction(alpha) if alpha is not None else ONE if focused else ZERO
    if focused and overlap == "off":
        weight = ZERO  # plain q
    q = quantiser(case, quant, exclude_tags)
    ideal = ideal_base(q, construction, tie, paths) if focused else full_base(q)
    results = ordered(case, **options)
    gains = raw_gains(Weighing(q, weight, partial), results)
    if focused and (weight > 0 if cap == "auto" else cap == "on"):
        gains = normalised_gains(case, results, gains, ideal)
    return Gains(gains, sorted((target.q for target in ideal), reverse=True), focused)
