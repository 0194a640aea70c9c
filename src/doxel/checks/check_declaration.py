"""The declaration of a check, and the report of its findings.

A check has a code, a severity, a meaning, a remedy, and the function that finds it.  A report contains
groups of findings and a summary of each run.

=========  ========================================================================================
severity   means
=========  ========================================================================================
error      scores would be wrong or the run would be rejected; fix this first
warning    scores can be computed, but something is probably not as intended
note       nothing is wrong, but it is worth knowing when reading the scores
=========  ========================================================================================

The effect of a check is the effect of its findings on scores.

=========  ========================================================================================
effect     means
=========  ========================================================================================
refuse     no score would be right: the run is not scored
guess      the score rests on a guess: a warning beside the score; --no-guessing refuses the run
none       scores are right; some findings are notes beside the score
=========  ========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import polars as pl

from doxel.tables import Column, Table
from doxel.wording import pluralise

__all__ = [
    "EFFECTS",
    "MOST_PLACES",
    "SEVERITIES",
    "Check",
    "Effect",
    "FindingGroup",
    "Report",
    "RunSummary",
    "group_findings",
    "pluralise_column",
]

_Severity = Literal["error", "warning", "note"]
SEVERITIES: dict[_Severity, str] = {
    "error": "scores would be wrong or the run would be rejected; fix this first",
    "warning": "scores can be computed, but something is probably not as intended",
    "note": "nothing is wrong, but it is worth knowing when reading the scores",
}

Effect = Literal["refuse", "guess", "none"]
EFFECTS: dict[Effect, str] = {
    "refuse": "no score would be right: the run, or the measure that forbids it, is not scored",
    "guess": "the score rests on a guess, and a warning is beside it; --no-guessing refuses the run",
    "none": "scores are right",
}

_PLACES = Table(
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


def _find_only_in_scores(_subject: object) -> pl.DataFrame:
    """Find nothing, because the evaluation itself reports the finding."""
    return _PLACES.empty()


@dataclass(frozen=True)
class Check(Generic[Subject]):
    """The declaration of one kind of finding.

    ``find`` takes the subject and returns the places of the findings, with columns of ``_PLACES``.  The
    first letter of ``code`` gives the subject: a file (F), the collection (C), a topic file (T), a
    run (R), the assessments (A) or the scores (S).
    """

    code: str
    severity: _Severity
    title: str
    explanation: str
    mend: str
    find: Callable[[Subject], pl.DataFrame] = _find_only_in_scores
    effect: Effect = "none"


def pluralise_column(column: str, singular: str, plural: str) -> pl.Expr:
    """Return an expression for the numbers of a column, each followed by the singular or plural.

    >>> pl.DataFrame({"n": [1, 2]}).select(text=pluralise_column("n", "result", "results"))["text"].to_list()
    ['1 result', '2 results']
    """
    noun = pl.when(pl.col(column) == 1).then(pl.lit(singular)).otherwise(pl.lit(plural))
    return pl.format("{} {}", column, noun)


MOST_PLACES = 1000
"""The number of places kept per group; all places are counted."""


@dataclass(frozen=True)
class FindingGroup:
    """All findings of one check in one file: their number and the first places."""

    check: Check[Any]
    file: str | None
    count: int
    places: pl.DataFrame


@dataclass(frozen=True)
class RunSummary:
    """The summary of one checked run.

    ``overlap`` is the measure ``overlap`` over whole lists: the share of results that overlap another
    result of their topic, averaged over topics.  It is None if results have no offsets and there is no
    collection.
    """

    id: str
    file: str | None
    format: str | None
    task: str | None
    topics: int
    results: int
    overlap: float | None


@dataclass(frozen=True)
class Report:
    """All findings, the most serious first.

    ``notes`` are sentences about things that could not be checked, with the reason.
    """

    groups: tuple[FindingGroup, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(pluralise(self.count(severity), severity) for severity in SEVERITIES)
        return f"<Report: {counts} in {pluralise(len(self.runs), 'run')}>"

    def count(self, severity: _Severity) -> int:
        """Return the number of findings of a severity, including those whose places were not kept."""
        return sum(group.count for group in self.groups if group.check.severity == severity)

    @property
    def has_errors(self) -> bool:
        """Whether anything must be fixed before scoring."""
        return any(group.check.severity == "error" for group in self.groups)

    @property
    def codes(self) -> list[str]:
        """The codes of all findings, each once, in alphabetical order."""
        return sorted({group.check.code for group in self.groups})

    @property
    def findings(self) -> pl.DataFrame:
        """All places that were kept, one per row: code, severity, and the columns of ``_PLACES``."""
        frames = [
            group.places.select(
                pl.lit(group.check.code).alias("code"),
                pl.lit(group.check.severity).alias("severity"),
                *_PLACES.schema,
            )
            for group in self.groups
        ]
        empty = pl.DataFrame(schema={"code": pl.String, "severity": pl.String, **_PLACES.schema})
        return pl.concat([empty, *frames])


def group_findings(check: Check[Any], places: pl.DataFrame, *, file: str | None) -> list[FindingGroup]:
    """Group findings by file; ``file`` is the file of places that do not name one."""
    if not places.height:
        return []
    fitted = _PLACES.fit(places).with_columns(pl.coalesce("file", pl.lit(file, dtype=pl.String)))
    return [
        FindingGroup(
            check, rows["file"][0], rows.height, rows.sort("line", nulls_last=True).head(MOST_PLACES)
        )
        for rows in fitted.partition_by("file", maintain_order=True)
    ]
