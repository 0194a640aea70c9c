"""Find the reason for which the tool rejects a run, with the line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from doxel.evaluation.inex_eval.results import Results
from doxel.runs import Run

__all__ = ["misshapen", "rejection"]


def misshapen(run: Run) -> str | None:
    """Describe the first malformed result: the tool needs eight fields and no negative length."""
    no_span = pl.col("start").is_null() | pl.col("end").is_null()
    negative = (pl.col("start") >= 0) & (pl.col("end") < pl.col("start"))
    bad = run.results.with_row_index("result").filter(no_span | negative).head(1)
    if not bad.height:
        return None
    row = bad.row(0, named=True)
    location = _where(row["line"], row["result"])
    if row["start"] is None or row["end"] is None:
        return f"{location}: wanted 8 fields, with offset and length, found another format"
    return f"{location}: wanted a length of 0 or more, found {row['end'] - row['start']}"


def rejection(run: Run, results: Results, *, task: str) -> str | None:
    """Return the reason why a task does not accept the results of a run, or None."""
    faults = [(place, sentence) for check, sentence in _CHECKS[task] if (place := check(results)) is not None]
    if not faults:
        return None
    place, sentence = min(faults)
    number = int(results.number[place])
    row = run.results.row(number, named=True)
    return f"{_where(row['line'], number)}: {sentence.format(**row)}"


def _where(line: int | None, number: int) -> str:
    return f"result {number + 1}" if line is None else f"line {line}"


def _overlapping(results: Results) -> int | None:
    """Return the first result that overlaps an earlier one of its article."""
    short = results.resolved & (results.new.sizes(len(results)) < results.size)
    return _first(np.flatnonzero(short).tolist())


def _interleaved(results: Results) -> int | None:
    """Return the first result that returns to an article after another one."""
    first = np.flatnonzero(np.diff(results.article, prepend=-1))
    is_return = np.ones(len(first), dtype=np.bool_)
    is_return[np.unique(results.article[first], return_index=True)[1]] = False
    return _first(first[is_return].tolist())


def _second(results: Results) -> int | None:
    """Return the first result from the same article as the result before it."""
    return _first(np.flatnonzero(np.diff(results.article, prepend=-1) == 0).tolist())


def _first(places: list[int]) -> int | None:
    return min(places, default=None)


_OVERLAP = (_overlapping, "topic {topic}: overlaps an earlier result of document {doc}")
_INTERLEAVED = (_interleaved, "topic {topic}: returns to document {doc} after another document")
_SECOND = (
    _second,
    "topic {topic}: second result of document {doc}, but only one entry point per document is allowed",
)

_CHECKS: dict[str, list[tuple[Callable[[Results], int | None], str]]] = {
    "focused": [_OVERLAP],
    "thorough": [],
    "relevant-in-context": [_INTERLEAVED, _OVERLAP],
    "best-in-context": [_INTERLEAVED, _SECOND],
}
