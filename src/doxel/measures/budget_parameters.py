"""Budgets: the parameters that limit the text that a measure reads, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doxel.errors import MeasureError
from doxel.measures.measure_parameters import Choice, Number, Parameter, Text

__all__ = [
    "ARTICLE_CHARS",
    "BUDGETS",
    "CHARS",
    "TOKENS",
    "UNITS",
    "check_budget",
    "check_spending",
    "check_unit",
]

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
