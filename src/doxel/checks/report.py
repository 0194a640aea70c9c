"""The report of a check: groups of findings, and a summary of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from doxel.checks.declare import PLACES, SEVERITIES, Check, Severity
from doxel.wording import pluralise

__all__ = ["MOST_PLACES", "Group", "Report", "RunSummary", "group_findings"]

MOST_PLACES = 1000
"""The number of places kept per group; all places are counted."""


@dataclass(frozen=True)
class Group:
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

    groups: tuple[Group, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(pluralise(self.count(severity), severity) for severity in SEVERITIES)
        return f"<Report: {counts} in {pluralise(len(self.runs), 'run')}>"

    def count(self, severity: Severity) -> int:
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
        """All places that were kept, one per row: code, severity, and the columns of ``PLACES``."""
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
    """Group findings by file; ``file`` is the file of places that do not name one."""
    if not places.height:
        return []
    fitted = PLACES.fit(places).with_columns(pl.coalesce("file", pl.lit(file, dtype=pl.String)))
    return [
        Group(check, rows["file"][0], rows.height, rows.sort("line", nulls_last=True).head(MOST_PLACES))
        for rows in fitted.partition_by("file", maintain_order=True)
    ]
