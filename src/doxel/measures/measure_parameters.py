"""The parameters of measures, each declared once, with its range, default and meaning."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from doxel.errors import MeasureError
from doxel.wording import quote_value

__all__ = [
    "ALPHA",
    "ARTICLE_CHARS",
    "BUDGETS",
    "CHARS",
    "CONSTRUCTION",
    "CUTOFF",
    "DEPENDS",
    "IDEAL_BASE",
    "LARGEST",
    "LIMIT",
    "PATHS",
    "QUANT",
    "TASK",
    "TIE",
    "TOKENS",
    "UNITS",
    "UNJUDGED",
    "UNLIMITED",
    "Choice",
    "Flag",
    "Kind",
    "Number",
    "Parameter",
    "Text",
    "check_budget",
    "check_ideal_base",
    "check_spending",
    "check_unit",
    "show_value",
]


class _Depends:
    """The default of a parameter that depends on the run and the assessments."""

    def __repr__(self) -> str:
        return "depends on run and assessments"


DEPENDS: Final = _Depends()


LARGEST: Final = 10**9
"""The largest number that is accepted: no ranking is that long, and powers of it are still numbers."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number between two bounds; ``whole``: only whole numbers, ``none``: None is allowed (no limit)."""

    low: float = float("-inf")
    high: float = float("inf")
    whole: bool = False
    none: bool = False
    above: bool = False  # the low bound itself is excluded
    part: bool = False  # 1 must be a multiple of the number

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        bounds = []
        if self.low != float("-inf"):
            bounds.append(f"{'above' if self.above else 'from'} {show_value(self.low)}")
        if self.high != float("inf"):
            bounds.append(f"to {show_value(self.high)}")
        part = " that divides 1" if self.part else ""
        return " ".join([noun, *bounds]) + part + (", or None" if self.none else "")

    def accept(self, value: Any) -> Any:
        """Return the value in its canonical form, or raise ValueError."""
        if value is None or value in {"None", "none"}:
            if self.none:
                return None
            raise ValueError
        if isinstance(value, bool):
            raise ValueError  # noqa: TRY004 -- the caller turns it into a message
        number = float(value)
        too_low = number <= self.low if self.above else number < self.low
        if too_low or number > self.high or not abs(number) <= LARGEST:  # false for NaN, too
            raise ValueError
        if self.whole and number != int(number):
            raise ValueError
        if self.part and abs(round(1 / number) * number - 1) > 1e-9:
            raise ValueError
        return int(number) if number == int(number) else number


@dataclass(frozen=True, slots=True)
class Choice:
    """One word out of a fixed list."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(show_value(value) for value in self.values)

    def accept(self, value: Any) -> str:
        """Return the word, or raise ValueError."""
        if value in self.values:
            return str(value)
        raise ValueError


@dataclass(frozen=True, slots=True)
class Flag:
    """True or False."""

    def __str__(self) -> str:
        return "True or False"

    def accept(self, value: Any) -> bool:
        """Return the boolean, or raise ValueError."""
        if isinstance(value, bool):
            return value
        if str(value).lower() in {"true", "false"}:
            return str(value).lower() == "true"
        raise ValueError


@dataclass(frozen=True, slots=True)
class Text:
    """Any text that can be part of a measure's name, such as a name that is looked up later."""

    def __str__(self) -> str:
        return "a text without double quotes"

    def accept(self, value: Any) -> str:
        """Return the text, or raise ValueError."""
        if not isinstance(value, str) or '"' in value:
            raise ValueError
        return value


Kind = Number | Choice | Flag | Text


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a measure or view; it may need another one that is not None."""

    name: str
    kind: Kind
    about: str
    default: Any = None
    needs: str = ""

    def accept(self, value: Any, *, owner: str) -> Any:
        """Return a value in its canonical form, or raise an error with the wanted and the found value.

        >>> Parameter("alpha", Number(0, 1), "weight").accept(2, owner="nxCG")
        Traceback (most recent call last):
        doxel.errors.MeasureError: nxCG: alpha: wanted a number from 0 to 1, found 2
        """
        try:
            return self.kind.accept(value)
        except (ValueError, TypeError, OverflowError):
            value_and_hint = f"{show_value(value)}{_suggest_value(self.kind, value)}"
            raise MeasureError(f"{owner}: {self.name}: wanted {self.kind}, found {value_and_hint}") from None


def _suggest_value(kind: Kind, value: Any) -> str:
    """Return a hint to append to the message about a rejected value, or an empty string."""
    if isinstance(kind, Choice):
        matches = difflib.get_close_matches(str(value), kind.values, 1)
        return f"; did you mean {show_value(matches[0])}?" if matches else ""
    is_too_large = isinstance(kind, Number) and kind.high > LARGEST
    if is_too_large and isinstance(value, int | float) and value > LARGEST:
        return f"; the largest is {LARGEST}"
    return ""


def show_value(value: Any) -> str:
    """Format a value as in a measure's name: the shortest number, text in double quotes.

    >>> show_value(0.10), show_value(5.0), show_value("focused"), show_value(None)
    ('0.1', '5', '"focused"', 'None')
    """
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value) if isinstance(value, float | bool) or value is None else quote_value(value)


CUTOFF: Final = Parameter("cutoff", Number(1, whole=True), "number of results that count")
"""The parameter after the ``@`` of most measures."""


UNJUDGED: Final = Parameter(
    "unjudged",
    Choice(("nonrelevant", "remove")),
    "results in documents that were not judged for the topic: count them as not relevant, or remove them "
    "before all cuts",
    "nonrelevant",
)
"""The parameter of every measure with a limit, except those that count unjudged text."""

LIMIT = Parameter(
    "limit", Number(1, whole=True, none=True), "results per topic that count; None for all", 1500
)
UNLIMITED = replace(LIMIT, default=None)
"""The limit of measures that INEX did not have: by default all results count."""
TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context", "fetch-and-browse")
TASK = Parameter("task", Choice(TASKS), "the retrieval task; default: the task of the run", DEPENDS)
ALPHA = Parameter(
    "alpha",
    Number(0, 1),
    "share of the value already seen that is subtracted: 1 all, 0 nothing; default: 1, in Thorough 0",
    DEPENDS,
)
QUANT = Parameter("quant", Text(), "the quantisation; default: gen of the assessments' scale", DEPENDS)
CONSTRUCTION = Parameter(
    "construction",
    Choice(("path", "greedy", "best-sum", "leaves")),
    "how the ideal recall base is constructed",
    "path",
)
TIE = Parameter(
    "tie",
    Choice(("ancestor", "descendant")),
    "which of two elements on a path with the same gain is ideal",
    "ancestor",
)
PATHS = Parameter(
    "paths",
    Choice(("leaf", "any")),
    "where a relevant path ends: at a relevant element without another one inside, or at any relevant "
    'element (construction "path" only)',
    "leaf",
)
IDEAL_BASE = (CONSTRUCTION, TIE, PATHS)

CHARS = Parameter("chars", Number(1, whole=True, none=True), "characters per topic that count", None)
ARTICLE_CHARS = Parameter(
    "article_chars", Number(1, whole=True, none=True), "characters per article that count", None
)
TOKENS = Parameter(
    "tokens", Text(), 'the tokeniser: "words" between white space, or a tokeniser by name', "words"
)
UNITS = ("chars", "words", "tokens")
_SPENDING = (
    Parameter("budget", Number(1, whole=True, none=True), "units of text per topic that count", None),
    Parameter(
        "unit",
        Choice(UNITS),
        "what the budget counts: characters, words between white space, or the tokens of tokens=",
        "chars",
        needs="budget",
    ),
    Parameter(
        "fit",
        Choice(("cut", "whole", "skip")),
        'a result that exceeds the budget: "cut" shortens it, "whole" ends the list before it, "skip" '
        "leaves it out",
        "cut",
        needs="budget",
    ),
    Parameter(
        "charge",
        Choice(("all", "new")),
        'the units that are paid: "all" of a result, or "new" ones that no earlier result contains',
        "all",
        needs="budget",
    ),
)
BUDGETS = (CHARS, ARTICLE_CHARS, *_SPENDING)
"""The parameters of all measures over text that take a budget."""


def check_ideal_base(parameters: Mapping[str, Any]) -> None:
    """Raise an error for ``paths="any"`` with a construction that does not follow paths.

    >>> check_ideal_base({"paths": "any", "construction": "greedy"})
    Traceback (most recent call last):
    doxel.errors.MeasureError: paths="any" needs construction="path", found construction="greedy"
    """
    construction = parameters.get("construction")
    if parameters.get("paths") == "any" and construction != "path":
        raise MeasureError(f'paths="any" needs construction="path", found construction="{construction}"')


def check_budget(parameters: Mapping[str, Any]) -> None:
    """Raise an error for chars and budget together.

    >>> check_budget({"chars": 500, "budget": 1000})
    Traceback (most recent call last):
    doxel.errors.MeasureError: chars=500 and budget=1000: wanted one of them
    """
    chars, budget = parameters.get("chars"), parameters.get("budget")
    if chars is not None and budget is not None:
        raise MeasureError(f"chars={chars} and budget={budget}: wanted one of them")


def check_spending(parameters: Mapping[str, Any]) -> None:
    """Raise an error for chars and budget together, and for a tokeniser that counts nothing.

    >>> check_spending({"tokens": "mine", "budget": 100, "unit": "words"})
    Traceback (most recent call last):
    doxel.errors.MeasureError: tokens="mine" needs unit="tokens"
    """
    check_budget(parameters)
    check_unit(parameters)


def check_unit(parameters: Mapping[str, Any]) -> None:
    """Raise an error for a tokeniser that counts nothing."""
    is_named = parameters.get("tokens", TOKENS.default) != TOKENS.default
    if is_named and parameters.get("unit") != "tokens":
        raise MeasureError(f'tokens="{parameters["tokens"]}" needs unit="tokens"')
