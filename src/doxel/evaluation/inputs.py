"""What users hand to ``evaluate``: files, objects, or plain data, turned into runs and assessments.

Plain data are frames (polars or pandas), lists of dicts, or lists of tuples (topic, doc, start, end);
a mapping gives runs their names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.run import NOT_FOUND

__all__ = ["NamedFile", "as_assessments", "as_runs"]

_SPAN = ("topic", "doc", "start", "end")
_OTHER_NAMES = {"score": "rsv", "document": "doc", "doc_id": "doc", "query": "topic", "topic_id": "topic"}


@dataclass(frozen=True)
class NamedFile:
    """A file that holds a run, and the name that the user gives to it."""

    path: str | os.PathLike[str]
    name: str


def as_runs(runs: Any) -> Iterator[Run | NamedFile | os.PathLike[str] | str]:
    """Yield runs, or the files that hold them, from whatever a user has."""
    if isinstance(runs, Run | str | os.PathLike):
        yield runs
    elif isinstance(runs, Mapping):
        for name, data in runs.items():
            yield _named(data, str(name))
    elif _is_table(runs):
        yield _run(runs, "run")
    else:
        for number, one in enumerate(runs, 1):
            yield one if isinstance(one, Run | str | os.PathLike) else _run(one, f"run{number}")


def as_assessments(given: Any) -> Assessments:
    """Return assessments from a file, several files, an object or plain data."""
    if isinstance(given, Assessments):
        return given
    if isinstance(given, str | os.PathLike) or _is_list_of_paths(given):
        return read_assessments(given)
    frame = _frame(given, "assessments")
    if not frame.height:
        raise InputError("assessments", wanted="rows with a topic and a doc", found="none")
    _check_spans(frame, "assessments", lowest=0, whole=True)
    highlights = _rows_with(frame, "start", "path", "text")
    beps = _rows_with(frame, "bep")
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(frame.select("topic", "doc").unique(maintain_order=True)),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=BEPS.fit(beps.rename({"bep": "position"}) if beps.height else beps),
        format="jsonl",
    )


def _named(data: Any, name: str) -> Run | NamedFile:
    if isinstance(data, Run):
        return replace(data, id=name)
    return NamedFile(data, name) if isinstance(data, str | os.PathLike) else _run(data, name)


def _run(data: Any, name: str) -> Run:
    frame = _frame(data, f"run {name!r}")
    _check_spans(frame, f"run {name!r}", lowest=NOT_FOUND, whole=False)
    return Run(name, RESULTS.fit(frame))


def _rows_with(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the rows that have a value in one of some columns."""
    there = [pl.col(name).is_not_null() for name in columns if name in frame.columns]
    return frame.filter(pl.any_horizontal(there)) if there else frame.clear()


def _check_spans(frame: pl.DataFrame, what: str, *, lowest: int, whole: bool) -> None:
    """Refuse the first row whose span is none; ``whole`` where a start needs an end."""
    if "start" not in frame.columns and "end" not in frame.columns:
        return
    spans = frame.select(
        pl.col(name) if frame.schema.get(name, pl.Null) != pl.Null else pl.lit(None, pl.Int64).alias(name)
        for name in ("start", "end")
    )
    start, end = pl.col("start"), pl.col("end")
    try:
        wrong = spans.with_row_index("row", 1).filter(
            (start < lowest)
            | (end < start)
            | (start != start.round())
            | (end != end.round())
            | (start.is_null() & end.is_not_null())
            | (pl.lit(whole) & start.is_not_null() & end.is_null())
        )
    except pl.exceptions.PolarsError:
        found = ", ".join(f"{name} {spans[name].dtype}" for name in spans.columns)
        raise InputError(what, wanted="start and end as whole numbers", found=found) from None
    if wrong.height:
        row, first, last = wrong.row(0)
        raise InputError(
            f"{what}, row {row}",
            wanted=f"start and end as whole numbers, {lowest} <= start <= end",
            found=f"start {first}, end {last}",
        )


def _is_list_of_paths(given: Any) -> bool:
    return (
        isinstance(given, Sequence)
        and bool(given)
        and all(isinstance(one, str | os.PathLike) for one in given)
    )


def _is_table(data: Any) -> bool:
    """Tell one table from a list of tables: a frame, or rows as dicts or tuples."""
    if isinstance(data, pl.LazyFrame) or hasattr(data, "columns"):  # asking a lazy frame for columns costs
        return True
    return isinstance(data, Sequence) and (not data or isinstance(data[0], Mapping | tuple))


def _frame(data: Any, what: str) -> pl.DataFrame:
    """Return plain data as a frame with our names for its columns, topics and documents as text."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        frame = data
    elif hasattr(data, "to_dict") and hasattr(data, "columns"):  # a pandas frame, without importing pandas
        columns = {str(name): data[name].to_list() for name in data.columns}
        frame = pl.DataFrame(columns, strict=False).with_columns(pl.col(pl.Float64).fill_nan(None))
    else:
        frame = _from_rows(list(data), what)
    renamed = {
        old: new for old, new in _OTHER_NAMES.items() if old in frame.columns and new not in frame.columns
    }
    frame = frame.rename(renamed)
    missing = [name for name in ("topic", "doc") if name not in frame.columns]
    if missing:
        raise InputError(
            what, wanted="the columns topic and doc", found=", ".join(frame.columns) or "no rows"
        )
    return frame.with_columns(pl.col("topic", "doc").cast(pl.String))


def _from_rows(rows: Iterable[Any], what: str) -> pl.DataFrame:
    listed = list(rows)
    if not listed:
        return pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "start": pl.Int64, "end": pl.Int64})
    if all(isinstance(row, Mapping) for row in listed):
        return pl.DataFrame(listed, infer_schema_length=None)
    if all(isinstance(row, tuple | list) and len(row) == len(_SPAN) for row in listed):
        return pl.DataFrame(listed, schema=list(_SPAN), orient="row", infer_schema_length=None)
    raise InputError(
        what, wanted="rows as dicts, or as tuples (topic, doc, start, end)", found=repr(listed[0])
    )
