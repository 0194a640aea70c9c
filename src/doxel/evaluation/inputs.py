"""What users hand to ``evaluate``: files, objects, or plain data, turned into runs and assessments.

Plain data are frames (polars or pandas), lists of dicts, or lists of tuples (topic, doc, start, end);
a mapping gives runs their names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError
from doxel.runs import RESULTS, Run

__all__ = ["as_assessments", "as_runs"]

_SPAN = ("topic", "doc", "start", "end")
_OTHER_NAMES = {"score": "rsv", "document": "doc", "doc_id": "doc", "query": "topic", "topic_id": "topic"}


def as_runs(runs: Any) -> Iterator[Run | os.PathLike[str] | str]:
    """Yield runs, or the files that hold them, from whatever a user has."""
    if isinstance(runs, Run | str | os.PathLike):
        yield runs
    elif isinstance(runs, Mapping):
        for name, data in runs.items():
            yield _run(data, str(name))
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
    highlights = frame.filter(pl.col("start").is_not_null()) if "start" in frame.columns else frame.clear()
    beps = frame.filter(pl.col("bep").is_not_null()) if "bep" in frame.columns else frame.clear()
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(frame.select("topic", "doc").unique(maintain_order=True)),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=BEPS.fit(beps.rename({"bep": "position"}) if beps.height else beps),
        format="jsonl",
    )


def _run(data: Any, name: str) -> Run:
    if isinstance(data, Run | str | os.PathLike):
        raise InputError(f"run {name!r}", wanted="plain data under a name", found=type(data).__name__)
    return Run(name, RESULTS.fit(_frame(data, f"run {name!r}")))


def _is_list_of_paths(given: Any) -> bool:
    return (
        isinstance(given, Sequence)
        and bool(given)
        and all(isinstance(one, str | os.PathLike) for one in given)
    )


def _is_table(data: Any) -> bool:
    """Tell one table from a list of tables: a frame, or rows as dicts or tuples."""
    if hasattr(data, "columns"):
        return True
    return isinstance(data, Sequence) and (not data or isinstance(data[0], Mapping | tuple))


def _frame(data: Any, what: str) -> pl.DataFrame:
    """Return plain data as a frame with our names for its columns, topics and documents as text."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        frame = data
    elif hasattr(data, "to_dict") and hasattr(data, "columns"):  # a pandas frame, without importing pandas
        frame = pl.DataFrame({str(name): data[name].to_list() for name in data.columns})
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
