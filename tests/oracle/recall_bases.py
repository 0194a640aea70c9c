"""Section 2 of measures.md: the full and the ideal recall base.

Readings
--------
- Reading: "Overlap" of two elements is by the tree: one contains the other.  That differs from shared
  characters only for empty elements with a grade.
- Reading: greedy: among the highest q the tie rule prefers the element nearer the root (or deeper), then
  document order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .rules import ZERO, choose

if TYPE_CHECKING:
    from fractions import Fraction

    from .quantisation import Quantiser
    from .trees import Element


@dataclass(frozen=True)
class Target:
    """One element of a recall base."""

    doc: str
    element: Element
    q: Fraction


def full_base(quantiser: Quantiser) -> list[Target]:
    """Every element with q > 0, in document order."""
    every = [Target(doc, each, quantiser.element(doc, each)) for doc, each in quantiser.case.elements()]
    return [target for target in every if target.q > 0]


def ideal_base(
    quantiser: Quantiser, construction: str = "path", tie: str = "ancestor", paths: str = "leaf"
) -> list[Target]:
    """The base without overlap, in document order."""
    choose("paths", paths, "leaf", "any")
    if paths == "any":
        choose('construction with paths="any"', construction, "path")
    choose("construction", construction, "path", "greedy", "best-sum", "leaves")
    choose("tie", tie, "ancestor", "descendant")
    full = full_base(quantiser)
    selection: list[Element] = []
    for document in quantiser.case.documents:
        relevant = [target for target in full if target.doc == document.id]
        if construction == "best-sum":
            if document.root is not None:
                selection += _best_sum(quantiser, document.id, document.root, tie)[1]
        elif construction == "leaves":
            selection += [target.element for target in leaves(relevant)]
        elif construction == "greedy":
            selection += _greedy(relevant, tie)
        else:
            selection += _path(relevant, leaves(relevant) if paths == "leaf" else relevant, tie)
    return [target for target in full if any(target.element is each for each in selection)]


def leaves(relevant: list[Target]) -> list[Target]:
    """Relevant elements that contain no further relevant element: where the relevant paths end."""
    return [
        target
        for target in relevant
        if not any(other.element.is_within(target.element) for other in relevant if other is not target)
    ]


def _path(relevant: list[Target], ends: list[Target], tie: str) -> list[Element]:
    """The official construction: the best of each relevant path; of two that overlap the shorter path."""
    best = []
    for end in ends:
        # from the root to the end: the first maximum is the highest in the tree, the last one the deepest
        on_path = sorted(
            (target for target in relevant if end.element.is_within(target.element)),
            key=lambda target: target.element.depth,
        )
        if tie == "descendant":
            on_path.reverse()
        best.append(max(on_path, key=lambda target: target.q).element)
    return [each for each in best if not any(above in best for above in each.ancestors())]


def _greedy(relevant: list[Target], tie: str) -> list[Element]:
    """Take the element with the highest q, drop all that overlap it, repeat."""
    sign = 1 if tie == "ancestor" else -1
    left = sorted(relevant, key=lambda target: (-target.q, sign * target.element.depth))
    selection = []
    while left:
        first = left[0].element
        selection.append(first)
        left = [target for target in left if not target.element.on_one_path(first)]
    return selection


def _best_sum(quantiser: Quantiser, doc: str, element: Element, tie: str) -> tuple[Fraction, list[Element]]:
    """The disjoint set at or below an element with the largest sum of q."""
    below = [_best_sum(quantiser, doc, child, tie) for child in element.children]
    total = sum((value for value, _ in below), ZERO)
    own = quantiser.element(doc, element)
    if own > total or (own == total and own > 0 and tie == "ancestor"):
        return own, [element]
    return total, [each for _, selection in below for each in selection]
