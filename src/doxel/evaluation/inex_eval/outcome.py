"""The result of the evaluator: the rows that the tool prints, or the reason for rejecting the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

__all__ = ["Outcome", "Row"]


class Row(NamedTuple):
    """One figure; counts are integers, all other figures are doubles."""

    topic: str
    measure: str
    value: int | float


@dataclass(frozen=True)
class Outcome:
    """The figures of one run, in the tool's order, under doxel's names.

    Attributes
    ----------
    run
        The run's id.
    rejected
        The reason for rejecting the run, with the line; None if accepted.  A rejected run has no rows.
    per_topic, overall
        The rows of single topics, and the rows over all topics (topic ``all``).
    warnings
        The results that were not scored, with the reason.
    """

    run: str
    rejected: str | None = None
    per_topic: tuple[Row, ...] = ()
    overall: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows: single topics first, then the rows over all topics."""
        return self.per_topic + self.overall

    def scores(self) -> pl.DataFrame:
        """Return the rows as a frame: topic, measure, score."""
        schema = {"topic": pl.String, "measure": pl.String, "score": pl.Float64}
        columns = zip(*((row.topic, row.measure, float(row.value)) for row in self.rows), strict=True)
        return pl.DataFrame(dict(zip(schema, columns, strict=False)) or None, schema=schema)
