"""What checking found: groups of equal findings, and a summary of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from doxel.checks.declare import PLACES, SEVERITIES, Check, Severity
from doxel.wording import counted

__all__ = ["MOST_PLACES", "Group", "Report", "RunSummary", "group_findings"]

MOST_PLACES = 1000
"""How many places of one group are kept; all are counted."""


@dataclass(frozen=True)
class Group:
    """All findings of one check in one file: how many, and the first places."""

    check: Check[Any]
    file: str | None
    count: int
    places: pl.DataFrame


@dataclass(frozen=True)
class RunSummary:
    """One run that was checked.

    ``overlap`` is the share of results that overlap another of their topic, as the measure ``overlap``
    has it: the mean over topics, over whole lists.  It is None where the extent of a result is not
    known without a collection.
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
    """Everything that was found, most serious first.

    ``notes`` are sentences about what could not be checked, and why.
    """

    groups: tuple[Group, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        said = ", ".join(counted(self.count(one), one) for one in SEVERITIES)
        return f"<Report: {said} in {counted(len(self.runs), 'run')}>"

    def count(self, severity: Severity) -> int:
        """Return how many findings are of a severity, those without a place kept included."""
        return sum(group.count for group in self.groups if group.check.severity == severity)

    @property
    def has_errors(self) -> bool:
        """Whether anything must be mended before scoring."""
        return any(group.check.severity == "error" for group in self.groups)

    @property
    def codes(self) -> list[str]:
        """The codes of all findings, each once, in alphabetical order."""
        return sorted({group.check.code for group in self.groups})

    @property
    def findings(self) -> pl.DataFrame:
        """All places that were kept, one a row: code, severity, and the columns of ``PLACES``."""
        frames = [
            group.places.select(
                pl.lit(group.check.code).alias("code"),
                pl.lit(group.check.severity).alias("severity"),
                *PLACES.schema,
            )
            for group in self.groups
        ]
        empty = pl.DataFrame(schema={"code": pl.String, "severity": pl.String, **PLACES.schema})
        return pl.concat([empty, *frames])


def group_findings(check: Check[Any], places: pl.DataFrame, *, file: str | None) -> list[Group]:
    """Return findings as groups, one a file; ``file`` is that of places that name none."""
    if not places.height:
        return []
    fitted = PLACES.fit(places).with_columns(pl.coalesce("file", pl.lit(file, dtype=pl.String)))
    return [
        Group(check, some["file"][0], some.height, some.sort("line", nulls_last=True).head(MOST_PLACES))
        for some in fitted.partition_by("file", maintain_order=True)
    ]
