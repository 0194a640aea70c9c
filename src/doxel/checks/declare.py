"""The declaration of a check: its code, severity, meaning, remedy, and the function that finds it.

=========  ========================================================================================
severity   means
=========  ========================================================================================
error      scores would be wrong or the run would be rejected; fix this first
warning    scores can be computed, but something is probably not as intended
note       nothing is wrong, but it is worth knowing when reading the scores
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
    "error": "scores would be wrong or the run would be rejected; fix this first",
    "warning": "scores can be computed, but something is probably not as intended",
    "note": "nothing is wrong, but it is worth knowing when reading the scores",
}

PLACES = Table(
    "places of a finding",
    (
        Column("file", pl.String, "the file; null for the file that is being checked"),
        Column("line", pl.UInt32, "the line of the file; null if it has no lines"),
        Column("topic", pl.String, "the topic concerned"),
        Column("doc", pl.String, "the document concerned"),
        Column("message", pl.String, "the finding at this place", required=True),
    ),
)

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Check(Generic[Subject]):
    """The declaration of one kind of finding.

    ``find`` takes the subject and returns the places of the findings, with columns of ``PLACES``.  The
    first letter of ``code`` stands for the subject: a file (F), the collection (C), a topic file (T), a
    run (R) or the assessments (A).
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    mend: str
    find: Callable[[Subject], pl.DataFrame]


def counted_in(column: str, one: str, several: str) -> pl.Expr:
    """Return an expression for the numbers of a column, each followed by the singular or plural.

    >>> pl.DataFrame({"n": [1, 2]}).select(text=counted_in("n", "result", "results"))["text"].to_list()
    ['1 result', '2 results']
    """
    noun = pl.when(pl.col(column) == 1).then(pl.lit(one)).otherwise(pl.lit(several))
    return pl.format("{} {}", column, noun)
