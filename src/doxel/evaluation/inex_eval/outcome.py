"""What the evaluator found: the rows the tool would print, or why it would reject the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

__all__ = ["Outcome", "Row"]


class Row(NamedTuple):
    """One figure; counts are integers, everything else is a double."""

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
        Why the tool rejects the run, with the line; None if it does not.  A rejected run has no rows.
    per_topic, overall
        The rows of the topics, topic by topic, and those over all topics (topic ``all``).
    warnings
        What of the run was not scored, and why.
    """

    run: str
    rejected: str | None = None
    per_topic: tuple[Row, ...] = ()
    overall: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows: those of the topics, then those over all."""
        return self.per_topic + self.overall

    def scores(self) -> pl.DataFrame:
        """Return the rows as a frame: topic, measure, score."""
        schema = {"topic": pl.String, "measure": pl.String, "score": pl.Float64}
        columns = zip(*((row.topic, row.measure, float(row.value)) for row in self.rows), strict=True)
        return pl.DataFrame(dict(zip(schema, columns, strict=False)) or None, schema=schema)
