"""Section 0 of measures.md: the rules common to all measures.

Order, limit, repeats, overlap, tied levels, 0/0.  The tolerance of section 0 is not needed: everything here
is an exact fraction, and a "reaches" is a plain >=.

Readings
--------
- Reading: A column (rank, rsv) is used if every result of the topic has it; a rank that is the same for all
  of two or more results is not, if every result has an rsv.  Without a usable column the file order counts;
  ``order="score"`` without rsv is the file order too.
- Reading: Levels are looked up in the list after the cut.  ``order="score"`` ignores ranks, so
  ``ties="rank"`` then finds no ties; ``ties="rank"`` without ranks finds none either.  The default of
  ``ties`` has no name in measures.md and is called "rsv" here.
- Reading: ``article_chars`` adds up the sizes of the results of a document as returned, overlap and repeats
  included; the result that crosses loses its end, and everything after the last allowed character is
  dropped, empty and unresolved results too.  Validity (overlap, interleaving) is checked after it.
- Reading: ``limit`` of the article measures cuts where the first article past the limit would start.
- Reading: Two results overlap if they share a character.  Only ``overlap(i)`` and section 9 use the rule for
  empty elements.
- Reading: An empty passage has overlap 0, and so has an unresolved result.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import wraps
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypedDict, TypeVar, Unpack

from .trees import runs as words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .case_model import Case, Result, Span
    from .trees import Element

    Tokens: TypeAlias = Callable[[str], Sequence[Span]]

Numeric: TypeAlias = Fraction | int | float | str
Score: TypeAlias = Fraction | float | None
"""A score; None where the topic is undefined (NaN), ``inf`` only from ``read``."""

LIMIT = 1500
ZERO = Fraction(0)
ONE = Fraction(1)


P = ParamSpec("P")
R = TypeVar("R")


def remember(function: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function returned beside its first argument: measures ask the same of a case many times."""

    @wraps(function)
    def remembered(*arguments: P.args, **options: P.kwargs) -> R:
        cache = vars(arguments[0]).setdefault("_remembered", {})
        key = (function, repr(arguments[1:]), repr(sorted(options.items())))
        if key not in cache:
            cache[key] = function(*arguments, **options)
        value: R = cache[key]
        return value

    return remembered


class Refused(ValueError):  # noqa: N818 - it is the outcome that measures.md calls by this word
    """A measure rejects this run: there is no score, and the message is the reason."""


class ListOptions(TypedDict, total=False):
    """Parameters of every measure."""

    order: str
    limit: int | None


class Spending(TypedDict, total=False):
    """Parameters of section 15."""

    chars: int | None
    budget: int | None
    unit: str
    fit: str
    charge: str
    tokens: Tokens


class CutOptions(ListOptions, total=False):
    """Parameters of the measures whose list is cut in each document."""

    article_chars: int | None


class BudgetOptions(CutOptions, Spending, total=False):
    """Parameters of the measures that count characters."""


def fraction(value: Numeric) -> Fraction:
    """Return the exact value that was meant: a float means its shortest decimal.

    >>> fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def ratio(part: Fraction | int, whole: Fraction | int) -> Fraction:
    """Part over whole, and 0 where the whole is 0 (section 0, 0/0)."""
    return ZERO if whole == 0 else Fraction(part) / Fraction(whole)


def harmonic(precision: Fraction, recall: Fraction) -> Fraction:
    """F: the harmonic mean, 0 when both are 0 (section 0, 0/0)."""
    return ratio(2 * precision * recall, precision + recall)


def recall_points(step: Numeric = Fraction(1, 100)) -> list[Fraction]:
    """The points step, 2 step, ... 1; they are k/100 by default (section 0, tolerance)."""
    width = fraction(step)
    return [k * width for k in range(1, int(1 / width) + 1)]


def rank_of(at: Numeric | None, lowest: int = 1) -> int:
    """Return the number after @ as a rank."""
    if at is None or fraction(at).denominator != 1 or fraction(at) < lowest:
        raise ValueError(f"a rank from {lowest} on is needed after @, found {at!r}")
    return int(fraction(at))


def recall_of(at: Numeric | None, *, zero: bool = False) -> Fraction:
    """Return the number after @ as a recall point in (0, 1], or in [0, 1] if ``zero`` is allowed."""
    if at is None or not 0 <= fraction(at) <= 1 or (fraction(at) == 0 and not zero):
        raise ValueError(f"a recall point is needed after @, found {at!r}")
    return fraction(at)


def nothing_after(at: Numeric | None) -> None:
    """Reject an @ after a measure that takes no cutoff."""
    if at is not None:
        raise ValueError(f"this measure takes no cutoff (@), found {at!r}")


def choose(name: str, value: str, *allowed: str) -> None:
    """Reject a parameter value that measures.md does not define."""
    if value not in allowed:
        raise ValueError(f"{name} is one of {', '.join(allowed)}, found {value!r}")


def sort(results: Sequence[Result], order: str = "rank") -> list[Result]:
    """The results in rank order; Python's sort keeps file order among equals (section 0, order)."""
    choose("order", order, "rank", "score", "file")
    if order == "rank" and is_constant(results):
        results = [replace(each, rank=None) for each in results]
    ranks = [each.rank for each in results if each.rank is not None]
    scores = [each.rsv for each in results if each.rsv is not None]
    if order == "rank" and len(ranks) == len(results):
        keys: list[Fraction] = [Fraction(rank) for rank in ranks]
    elif order != "file" and len(scores) == len(results):
        keys = [-Fraction(score) for score in scores]
    else:
        return list(results)
    return [each for _, each in sorted(zip(keys, results, strict=True), key=lambda pair: pair[0])]


def is_constant(results: Sequence[Result]) -> bool:
    """Return whether the ranks are ignored: one rank for two or more results, all with an rsv."""
    scored = all(each.rsv is not None for each in results)
    return scored and len(results) > 1 and None is not results[0].rank and len({x.rank for x in results}) == 1


def ordered(
    case: Case,
    *,
    order: str = "rank",
    limit: int | None = LIMIT,
    article_chars: int | None = None,
    **spending: Unpack[Spending],
) -> list[Result]:
    """Return the list that a measure scores: sorted, cut at the limit, in the documents, at the budget."""
    results = cut_articles(sort(case.results, order)[:limit], article_chars)
    return spend(case, results, **spending)


def all_ordered(case: Case, **options: Unpack[BudgetOptions]) -> list[Result]:
    """Return the list that a measure without a default limit scores (section 0, limit)."""
    options.setdefault("limit", None)
    return ordered(case, **options)


def ordered_articles(
    case: Case,
    *,
    order: str = "rank",
    limit: int | None = LIMIT,
    article_chars: int | None = None,
) -> list[Result]:
    """Return the list that a measure over articles scores: the limit counts articles (section 0, limit)."""
    selection: list[Result] = []
    names: set[str] = set()
    for result in sort(case.results, order):
        names.add(result.doc)
        if limit is not None and len(names) > limit:
            break
        selection.append(result)
    return cut_articles(selection, article_chars)


def cut_articles(results: Sequence[Result], most: int | None) -> list[Result]:
    """Cut the list after so many characters of each document."""
    if most is None:
        return list(results)
    selection: list[Result] = []
    spent: dict[str, int] = {}
    for result in results:
        room = most - spent.get(result.doc, 0)
        if room <= 0:
            continue
        if result.start is not None and result.size > room:
            result = replace(result, end=result.start + room)  # noqa: PLW2901
        spent[result.doc] = spent.get(result.doc, 0) + result.size
        selection.append(result)
    return selection


def spend(
    case: Case,
    results: Sequence[Result],
    *,
    chars: int | None = None,
    budget: int | None = None,
    unit: str = "chars",
    fit: str = "cut",
    charge: str = "all",
    tokens: Tokens = words,
) -> list[Result]:
    """Section 15: take results in order until the budget is spent."""
    choose("unit", unit, "chars", "words", "tokens")
    choose("fit", fit, "cut", "whole", "skip")
    choose("charge", charge, "all", "new")
    if chars is not None and budget is not None:
        raise ValueError("chars and budget exclude each other")
    amount = chars if budget is None else budget
    if amount is None:
        return list(results)
    taken: list[Result] = []
    spent = 0
    for result in results:
        if spent >= amount:
            break
        paid = [
            start
            for start in unit_starts(case, result, unit, tokens)
            if charge == "all"
            or not any(start in other.positions for other in taken if other.doc == result.doc)
        ]
        if spent + len(paid) <= amount:
            taken.append(result)
            spent += len(paid)
        elif fit == "cut":
            taken.append(replace(result, end=paid[amount - spent]))
            break
        elif fit == "whole":
            break
    return taken


def unit_starts(case: Case, result: Result, unit: str, tokens: Tokens) -> list[int]:
    """Where the units of a result begin, in order."""
    if unit == "chars":
        return sorted(result.positions)
    document = case.document(result.doc)
    if document is None:
        return []
    spans = (words if unit == "words" else tokens)(document.known_text())
    return [start for start, _ in spans if start in result.positions]


def levels(results: Sequence[Result], *, order: str = "rank", ties: str = "rsv") -> list[int]:
    """The sizes of the tied levels of an ordered list (section 0, order)."""
    choose("ties", ties, "rsv", "rank")
    scores = [each.rsv for each in results if each.rsv is not None]
    ranks = [each.rank for each in results if each.rank is not None]
    falling = all(earlier >= later for earlier, later in pairwise(scores))
    if order != "file" and ties == "rsv" and len(scores) == len(results) and falling:
        return [len(list(group)) for _, group in groupby(scores)]
    if order == "rank" and len(ranks) == len(results):
        return [len(list(group)) for _, group in groupby(ranks)]
    return [1] * len(results)


def in_levels(values: Sequence[Fraction], sizes: Sequence[int]) -> list[list[Fraction]]:
    """Cut a list into its levels."""
    cut: list[list[Fraction]] = []
    start = 0
    for size in sizes:
        cut.append(list(values[start : start + size]))
        start += size
    return cut


def articles(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """The documents in order of first appearance, each with its results in rank order."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.doc, []).append(result)
    return list(groups.items())


def share_text(result: Result, other: Result) -> bool:
    """Return whether two results overlap, that is, have at least one character in common."""
    return result.doc == other.doc and bool(result.positions & other.positions)


def refuse_overlap(results: Sequence[Result]) -> None:
    """Refuse a list in which two results overlap (section 8)."""
    for i, result in enumerate(results):
        for earlier in results[:i]:
            if share_text(result, earlier):
                raise Refused(f"two results overlap in document {result.doc}")


@dataclass
class Seen:
    """What the earlier results of a list have shown."""

    case: Case
    characters: dict[str, set[int]] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    keys: set[tuple[str, str | int | None, int | None]] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Take in one more result."""
        self.keys.add(result.key)
        self.characters.setdefault(result.doc, set()).update(result.positions)
        element = self.case.element(result)
        if element is not None:
            self.elements.append(element)

    def again(self, result: Result) -> bool:
        """Whether this result is a repeat."""
        return result.key in self.keys

    def of(self, name: str) -> set[int]:
        """The seen characters of a document."""
        return self.characters.get(name, set())

    def overlap(self, result: Result) -> Fraction:
        """overlap(i) of section 0 for the next result."""
        element = self.case.element(result)
        if element is not None:
            return self.overlap_of_element(result.doc, element)
        return ratio(len(result.positions & self.of(result.doc)), result.size)

    def overlap_of_element(self, name: str, element: Element) -> Fraction:
        """overlap(i) of section 0 for any element, returned or not."""
        if element.size == 0:
            # no text to share: seen exactly when an ancestor was returned (section 0, empty elements)
            above = list(element.ancestors())
            return ONE if any(each in above for each in self.elements) else ZERO
        return Fraction(len(element.positions & self.of(name)), element.size)


def repeated(case: Case, results: Sequence[Result]) -> list[bool]:
    """Which results are repeats of an earlier one."""
    seen = Seen(case)
    flags = []
    for result in results:
        flags.append(seen.again(result))
        seen.add(result)
    return flags


def task_of(case: Case, task: str | None) -> str:
    """Return the task of the measure, else that of the run, else focused."""
    return task or case.task or "focused"
