"""Section 6 of measures.md: user models, P(j ~> x), the chance to reach target x from the result at rank j.

``identity``, ``bep_distance``, ``inex2003``, sums of the near-miss models ``parent``, ``child`` and
``sibling``, or any function ``f(case, result, doc, element)``; such a
function may carry its ideal list as an attribute ``ideal``, a function from a case to a list of results.

Readings
--------
- Reading: identity: only an element reaches a target, itself; a passage reaches none.
- Reading: on bare spans the targets are the gold spans, merged where they overlap, each worth 1; the models
  of identity and near misses reach a span only from a passage with the same borders.
- Reading: inex2003 needs the scale of 2002.  Whether one element is inside another is the tree's matter.  A
  passage is inside an element when it is wholly inside; else the element may be inside the passage; a
  passage that crosses an element is the "otherwise" case with d = 0.
- Reading: "An empty element" is one without words; so is a passage without words.
- Reading: inex2003's ideal list are its targets by falling weight, then document order.  An excluded
  element is not a target.
- Reading: ``A`` has no default in measures.md and must be given.  ``L`` is the mean size of the documents
  of the case.
- Reading: An unresolved result reaches nothing.
- Reading: In Best in Context the limit counts articles, so a second result of a document that comes before
  the limit-th new document is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias, Unpack

from .bare_spans import gold_units
from .case_model import Case, Result
from .quantisation import excluded_tags, quantiser
from .recall_bases import Target, full_base, ideal_base
from .rules import (
    ONE,
    ZERO,
    ListOptions,
    Numeric,
    Refused,
    choose,
    fraction,
    levels,
    ordered,
    ordered_articles,
    remember,
    repeated,
    task_of,
)
from .trees import Element

Number: TypeAlias = Fraction | float
Model: TypeAlias = str | Callable[[Case, Result, str, Element], Number]

WEIGHTS_2003 = {(3, "E"): ONE, (2, "E"): Fraction(1, 2), (1, "E"): Fraction(1, 4)}


@dataclass(frozen=True)
class Setting:
    """A run as a user model sees it: weights of the targets, P(j ~> x) row by row, tied levels.

    ``ideal`` are the rows of the ideal list; None when the model has none.
    """

    weights: Sequence[Fraction]
    rows: Sequence[Sequence[Number]]
    sizes: Sequence[int]
    ideal: Sequence[Sequence[Number]] | None


class ModelOptions(ListOptions, total=False):
    """Parameters of GR, EPRUM and PRUM."""

    model: Model
    task: str | None
    base: str | None
    quant: str | None
    construction: str
    tie: str
    paths: str
    p: Numeric
    exponents: str
    exclude_tags: str | Collection[str] | None
    A: Numeric | None
    L: Numeric | None
    ties: str


def unit_rows(weights: Sequence[Fraction]) -> list[list[Number]]:
    """The ideal list of a model whose entries reach one target each, surely: the best targets first."""
    best = sorted(range(len(weights)), key=lambda x: -weights[x])
    return [[Fraction(x == target) for x in range(len(weights))] for target in best]


@remember
def setting(
    case: Case,
    *,
    model: Model = "identity",
    task: str | None = None,
    base: str | None = None,
    quant: str | None = None,
    construction: str = "path",
    tie: str = "ancestor",
    paths: str = "leaf",
    p: Numeric = Fraction(1, 2),
    exponents: str = "printed",
    exclude_tags: str | Collection[str] | None = None,
    A: Numeric | None = None,  # noqa: N803 - the parameters' names in measures.md
    L: Numeric | None = None,  # noqa: N803
    ties: str = "rsv",
    **options: Unpack[ListOptions],
) -> Setting:
    """See a case through a user model."""
    results = ordered_articles(case, **options) if model == "bep_distance" else ordered(case, **options)
    sizes = levels(results, order=options.get("order", "rank"), ties=ties)
    if model == "bep_distance":
        one_per_document(results)
        near = nearness(case, A, L)
        names = list(case.beps)
        near_rows = [[near(each, name) for name in names] for each in results]
        return Setting([ONE] * len(names), near_rows, sizes, unit_rows([ONE] * len(names)))
    if case.bare:
        return _bare_setting(case, results, sizes)
    targets, reach, ideal_list = _elements(
        case, model, excluded_tags(exclude_tags), fraction(p), exponents=exponents
    )
    if targets is None:
        if base is None:
            base = "full" if model == "identity" and task_of(case, task) == "thorough" else "ideal"
        choose("base", base, "full", "ideal")
        q = quantiser(case, quant, exclude_tags)
        targets = ideal_base(q, construction, tie, paths) if base == "ideal" else full_base(q)
    rows = [
        [ZERO if old or not each.resolved else reach(case, each, x.doc, x.element) for x in targets]
        for each, old in zip(results, repeated(case, results), strict=True)
    ]
    weights = [x.q for x in targets]
    if model == "identity":
        return Setting(weights, rows, sizes, unit_rows(weights))
    if ideal_list is None:
        return Setting(weights, rows, sizes, None)
    ideal = [[reach(case, each, x.doc, x.element) for x in targets] for each in ideal_list]
    return Setting(weights, rows, sizes, ideal)


def _bare_setting(case: Case, results: Sequence[Result], sizes: Sequence[int]) -> Setting:
    """See chunks without elements: only a chunk that is a gold span reaches it."""
    spans = [(doc, min(unit), max(unit) + 1) for doc, unit in gold_units(case)]
    again = repeated(case, results)
    rows = [
        [Fraction(not old and (each.doc, each.start, each.end) == span) for span in spans]
        for each, old in zip(results, again, strict=True)
    ]
    return Setting([ONE] * len(spans), rows, sizes, unit_rows([ONE] * len(spans)))


def _elements(
    case: Case, model: Model, excluded: frozenset[str], p: Fraction, *, exponents: str
) -> tuple[list[Target] | None, Callable[[Case, Result, str, Element], Number], list[Result] | None]:
    """The targets where the model names its own, its probabilities, and its ideal list where it has one."""
    if not isinstance(model, str):
        supplied: Callable[[Case], list[Result]] | None = getattr(model, "ideal", None)
        return None, model, None if supplied is None else supplied(case)
    choose("exponents", exponents, "printed", "words")
    if model == "identity":
        return None, identity, None
    if model != "inex2003":
        return None, near_misses(model, p), None
    targets = targets_2003(case, excluded)
    best = sorted(targets, key=lambda x: -x.q)
    reach = partial(inex2003, exponents=exponents)
    return targets, reach, [Result(x.doc, x.element.start, x.element.end, x.element.path) for x in best]


def identity(case: Case, result: Result, doc: str, element: Element) -> Number:
    """The classical user sees the results in the list and nothing else."""
    return Fraction(result.doc == doc and case.element(result) is element)


def one_per_document(results: Sequence[Result]) -> None:
    """Refuse a second result of a document (Best in Context)."""
    if len({each.doc for each in results}) < len(results):
        raise Refused("a document has a second entry point")


def nearness(case: Case, A: Numeric | None, L: Numeric | None) -> Callable[[Result, str], Fraction]:  # noqa: N803
    """s(x,b) = A*L/(A*L + d) of Best in Context 2006, 0 outside the document of the BEP."""
    if A is None:
        raise ValueError("bep_distance needs A")
    if L is None and not case.documents:
        raise ValueError("bep_distance needs L or a collection")
    length = (
        Fraction(sum(each.size for each in case.documents), len(case.documents)) if L is None else fraction(L)
    )
    scale = fraction(A) * length

    def near(result: Result, name: str) -> Fraction:
        """The chance to find the entry point of a document from a result."""
        if result.start is None or result.doc != name:
            return ZERO
        distance = abs(result.start - case.beps[name])
        return ONE if distance == 0 else scale / (scale + distance)

    return near


def targets_2003(case: Case, excluded: frozenset[str]) -> list[Target]:
    """Elements with w > 0: 1, .5, .25 for 3E, 2E, 1E, and 0 below an element assessed 1E-3E (003 sec 3.4)."""
    choose("scale of the model inex2003", case.scale, "2002")
    grades = case.grades or {}
    targets = []
    for doc, element in case.elements():
        weight = WEIGHTS_2003.get(grades.get((doc, element.path)), ZERO)  # type: ignore[arg-type]
        covered = any(grades.get((doc, above.path)) in WEIGHTS_2003 for above in element.ancestors())
        if weight and not covered and element.tag not in excluded:
            targets.append(Target(doc, element, weight))
    return targets


def near_misses(written: str, p: Fraction) -> Callable[[Case, Result, str, Element], Number]:
    """A sum such as parent(.5)+child(.2): 1 to itself, to a relative the largest of its probabilities."""
    chances: dict[str, list[Fraction]] = {}
    for part in written.replace(" ", "").split("+"):
        name, _, rest = part.partition("(")
        choose("model", name, "parent", "child", "sibling")
        chances.setdefault(name, []).append(Fraction(rest.removesuffix(")")) if rest else p)

    def reach(case: Case, result: Result, doc: str, target: Element) -> Number:
        element = case.element(result)
        if element is None or result.doc != doc:
            return ZERO
        if element is target:
            return ONE
        relatives = {
            "parent": element.parent is target,
            "child": target.parent is element,
            "sibling": element.parent is not None and element.parent is target.parent,
        }
        return max((chance for name in chances if relatives[name] for chance in chances[name]), default=ZERO)

    return reach


EXPONENTS = {"printed": (7 / 8, 3 / 4, 1 / 2), "words": (1 / 2, 3 / 4, 7 / 8)}
"""Of exact coverage, of nearly fitting coverage, of any other."""


def inex2003(case: Case, result: Result, doc: str, target: Element, *, exponents: str = "printed") -> Number:
    """P(e' -> e) of 003 section 3.4, with the exponents as printed or as the words suggest."""
    exact, near, rest = EXPONENTS[exponents]
    document = case.document(doc)
    if document is None or result.doc != doc or result.start is None or result.end is None:
        return ZERO
    element = case.element(result)
    if element is target:
        return ONE
    own, other = document.words_from(result.start, result.end), document.words_from(target.start, target.end)
    if own == 0 or other == 0:
        return ZERO
    grade = None if element is None else (case.grades or {}).get((doc, element.path))
    coverage = grade[1] if isinstance(grade, tuple) else None
    if element.is_within(target) if element is not None else result.positions <= target.positions:
        return _power(own, other, {"E": exact, "S": near}.get(str(coverage), rest))
    if target.is_within(element) if element is not None else target.positions <= result.positions:
        return _power(other, own, {"E": exact, "L": near}.get(str(coverage), rest))
    first, last = sorted([(result.start, result.end), (target.start, target.end)])
    return Fraction(1, 2 + document.words_from(first[1], last[0]))


def _power(part: int, whole: int, exponent: float) -> Number:
    """(part/whole)^a, exact where it is 1."""
    return ONE if part == whole else float((part / whole) ** exponent)
