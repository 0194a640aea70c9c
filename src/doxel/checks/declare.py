"""What a check is: a code, how serious it is, what it means, how to mend it, and how it is found.

=========  ========================================================================================
severity   means
=========  ========================================================================================
error      scores would be wrong, or refused: mend it first
warning    scores can be computed, but something is probably not as it was meant
note       nothing is wrong; worth knowing when reading the scores
=========  ========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import polars as pl

from doxel.tables import Column, Table

__all__ = ["PLACES", "SEVERITIES", "Check", "Severity", "counted_in"]

Severity = Literal["error", "warning", "note"]
SEVERITIES: dict[Severity, str] = {
    "error": "scores would be wrong, or refused: mend it first",
    "warning": "scores can be computed, but something is probably not as it was meant",
    "note": "nothing is wrong; worth knowing when reading the scores",
}

PLACES = Table(
    "places of a finding",
    (
        Column("file", pl.String, "the file; null: the one that is being checked"),
        Column("line", pl.UInt32, "the line of the file; null where it has none"),
        Column("topic", pl.String, "the topic it is about"),
        Column("doc", pl.String, "the document it is about"),
        Column("message", pl.String, "what was found there", required=True),
    ),
)

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Check(Generic[Subject]):
    """One thing that may be wrong, declared once.

    ``find`` takes what is checked and returns the places where it is wrong, with columns of ``PLACES``;
    the first letter of ``code`` says what that is: a file (F), the collection (C), a topic file (T), a
    run (R) or the assessments (A).
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    mend: str
    find: Callable[[Subject], pl.DataFrame]


def counted_in(column: str, one: str, several: str) -> pl.Expr:
    """Return the numbers of a column with their noun, and whatever else must agree with them.

    >>> pl.DataFrame({"n": [1, 2]}).select(said=counted_in("n", "result", "results"))["said"].to_list()
    ['1 result', '2 results']
    """
    noun = pl.when(pl.col(column) == 1).then(pl.lit(one)).otherwise(pl.lit(several))
    return pl.format("{} {}", column, noun)
