"""Convert the arguments of ``evaluate``, files, objects or plain data, to runs and assessments.

Plain data are frames (polars or pandas), lists of dicts, lists of tuples (topic, doc, start, end), or
mappings from topics to lists of chunks (see ``chunk_tables``).  In any other mapping, the keys are the
names of runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.inputs.chunk_tables import is_by_topic, list_chunk_rows
from doxel.runs import RESULTS, Run
from doxel.runs.run import NOT_FOUND_OFFSET
from doxel.wording import pluralise, quote_value

__all__ = ["ChangedRun", "NamedFile", "RunSource", "as_assessments", "as_runs", "read_source"]

_SPAN = ("topic", "doc", "start", "end")
_NOWHERE = "(no document)"
_OTHER_NAMES = {"score": "rsv", "document": "doc", "doc_id": "doc", "query": "topic", "topic_id": "topic"}


@dataclass(frozen=True)
class NamedFile:
    """A run file with a name chosen by the user."""

    path: str | os.PathLike[str]
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ChangedRun:
    """A run with a change that is applied as soon as the run is read, in whichever process reads it."""

    given: RunSource
    change: Callable[[Run], Run]

    def __str__(self) -> str:
        return str(self.given)


RunSource = Run | NamedFile | ChangedRun | str | os.PathLike[str]
_RUN_SOURCES = (Run, NamedFile, ChangedRun, str, os.PathLike)


def as_runs(runs: Any, documents: Collection | None = None) -> Iterator[RunSource]:
    """Yield runs, or the files that contain them, from any supported input.

    Texts without a document id are searched in all ``documents``.
    """
    if isinstance(runs, _RUN_SOURCES):
        yield runs
    elif _is_table(runs):
        yield _convert_run(runs, "run", documents)
    elif isinstance(runs, Mapping):
        for name, data in runs.items():
            yield _convert_named(data, str(name), documents)
    elif isinstance(runs, Iterable):
        for number, run in enumerate(runs, 1):
            yield run if isinstance(run, _RUN_SOURCES) else _convert_run(run, f"run{number}", documents)
    else:
        raise InputError("runs", wanted="files, runs or plain data, one or several", found=quote_value(runs))


def read_source(source: RunSource, read: Callable[[str | os.PathLike[str]], Run]) -> Run:
    """Return a run; ``read`` reads it if the source is a file."""
    if isinstance(source, Run):
        return source
    if isinstance(source, NamedFile):
        return replace(read_source(source.path, read), id=source.name)
    if isinstance(source, ChangedRun):
        return source.change(read_source(source.given, read))
    return read(source)


def as_assessments(source: Any, documents: Collection | None = None) -> Assessments:
    """Return assessments from one or several files, an object or plain data.

    Texts without a document id are searched in all ``documents``.
    """
    if isinstance(source, Assessments):
        return source
    if isinstance(source, str | os.PathLike) or _is_list_of_paths(source):
        return read_assessments(source)
    frame = _name_missing_documents(_convert_frame(source, "assessments"), documents, "assessments")
    if not frame.height:
        raise InputError("assessments", wanted="rows with a topic and a doc", found="none")
    _check_spans(frame, "assessments", lowest=0, whole=True)
    _check_whole(frame, "bep", "assessments", lowest=0)
    highlights = _filter_rows_with(frame, "start", "path", "text")
    beps = _filter_rows_with(frame, "bep")
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(frame.select("topic", "doc").unique(maintain_order=True)),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=BEPS.fit(beps.rename({"bep": "position"}) if beps.height else beps),
        format="jsonl",
    )


def _convert_named(data: Any, name: str, documents: Collection | None) -> Run | NamedFile:
    if isinstance(data, Run):
        return replace(data, id=name)
    return (
        NamedFile(data, name) if isinstance(data, str | os.PathLike) else _convert_run(data, name, documents)
    )


def _convert_run(data: Any, name: str, documents: Collection | None) -> Run:
    frame = _name_missing_documents(_convert_frame(data, f"run {name!r}"), documents, f"run {name!r}")
    _check_spans(frame, f"run {name!r}", lowest=NOT_FOUND_OFFSET, whole=False)
    _check_whole(frame, "rank", f"run {name!r}")
    return Run(name, RESULTS.fit(frame))


def _name_missing_documents(frame: pl.DataFrame, documents: Collection | None, owner: str) -> pl.DataFrame:
    """Assign texts without a document id to a document that does not exist: they are searched in all."""
    lacks_doc = frame["doc"].is_null()
    if not lacks_doc.any():
        return frame
    texts = frame["text"].filter(lacks_doc) if "text" in frame.columns else pl.Series([None])
    if documents is None or texts.null_count():
        raise InputError(
            owner,
            wanted="a doc in every row, or collection={id: text} in which to search the texts",
            found=pluralise(int(lacks_doc.sum()), "row without a doc", "rows without a doc")
            + ("" if texts.null_count() else ", no collection"),
        )
    return frame.with_columns(doc=pl.col("doc").fill_null(_NOWHERE))


def _filter_rows_with(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the rows that have a value in at least one of the columns."""
    has_value = [pl.col(name).is_not_null() for name in columns if name in frame.columns]
    return frame.filter(pl.any_horizontal(has_value)) if has_value else frame.clear()


def _check_spans(frame: pl.DataFrame, owner: str, *, lowest: int, whole: bool) -> None:
    """Raise an error for the first row with an invalid span; ``whole`` requires an end for each start."""
    if "start" not in frame.columns and "end" not in frame.columns:
        return
    spans = frame.select(
        pl.col(name) if frame.schema.get(name, pl.Null) != pl.Null else pl.lit(None, pl.Int64).alias(name)
        for name in ("start", "end")
    )
    start, end = pl.col("start"), pl.col("end")
    try:
        invalid = spans.with_row_index("row", 1).filter(
            (start < lowest)
            | (end < start)
            | (start != start.round())
            | (end != end.round())
            | (start.is_null() & end.is_not_null())
            | (pl.lit(whole) & start.is_not_null() & end.is_null())
        )
    except pl.exceptions.PolarsError:
        types = ", ".join(f"{name} {spans[name].dtype}" for name in spans.columns)
        raise InputError(owner, wanted="start and end as whole numbers", found=types) from None
    if invalid.height:
        row, first, last = invalid.row(0)
        raise InputError(
            f"{owner}, row {row}",
            wanted=f"start and end as whole numbers, {lowest} <= start <= end",
            found=f"start {first}, end {last}",
        )


def _check_whole(frame: pl.DataFrame, column: str, owner: str, *, lowest: int | None = None) -> None:
    """Raise an error for the first row in which an optional column is not a whole number."""
    if frame.schema.get(column, pl.Null) == pl.Null:
        return
    wanted = f"{column} as a whole number" + ("" if lowest is None else f", {lowest} or more")
    value = pl.col(column)
    is_whole = value.is_finite() & (value == value.round())
    try:
        valid = is_whole if lowest is None else is_whole & (value >= lowest)
        invalid = frame.with_row_index("row", 1).filter(~valid)
    except pl.exceptions.PolarsError:
        raise InputError(owner, wanted=wanted, found=f"{column} {frame[column].dtype}") from None
    if invalid.height:
        raise InputError(f"{owner}, row {invalid['row'][0]}", wanted=wanted, found=f"{invalid[column][0]}")


def _is_list_of_paths(source: Any) -> bool:
    return (
        isinstance(source, Sequence)
        and bool(source)
        and all(isinstance(item, str | os.PathLike) for item in source)
    )


def _is_table(data: Any) -> bool:
    """Return whether data are one table, a frame or rows as dicts or tuples, not a list of tables."""
    # LazyFrame comes first: reading its columns is slow
    if isinstance(data, pl.LazyFrame) or hasattr(data, "columns"):
        return True
    if isinstance(data, Mapping):
        return is_by_topic(data)
    return isinstance(data, Sequence) and (not data or isinstance(data[0], Mapping | tuple))


def _convert_frame(data: Any, owner: str) -> pl.DataFrame:
    """Return plain data as a frame with doxel's column names, and topics and documents as strings."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        frame = data
    elif hasattr(data, "to_dict") and hasattr(data, "columns"):  # a pandas frame, without importing pandas
        columns = {str(name): data[name].to_list() for name in data.columns}
        frame = pl.DataFrame(columns, strict=False).with_columns(pl.col(pl.Float64).fill_nan(None))
    else:
        frame = _convert_rows(list_chunk_rows(data, owner) if isinstance(data, Mapping) else data, owner)
    renamed = {
        old: new for old, new in _OTHER_NAMES.items() if old in frame.columns and new not in frame.columns
    }
    frame = frame.rename(renamed)
    if "text" in frame.columns and "doc" not in frame.columns:
        frame = frame.with_columns(doc=pl.lit(None, dtype=pl.String))
    missing = [name for name in ("topic", "doc") if name not in frame.columns]
    if missing:
        raise InputError(
            owner, wanted="the columns topic and doc", found=", ".join(frame.columns) or "no rows"
        )
    if frame["topic"].null_count():
        row = frame.with_row_index("row", 1).filter(pl.col("topic").is_null())["row"][0]
        raise InputError(f"{owner}, row {row}", wanted="a topic", found="none")
    return frame.with_columns(pl.col("topic", "doc").cast(pl.String))


def _convert_rows(rows: Any, owner: str) -> pl.DataFrame:
    wanted = "rows as dicts, or as tuples (topic, doc, start, end)"
    if not isinstance(rows, Iterable):
        raise InputError(owner, wanted=wanted, found=quote_value(rows))
    row_list = list(rows)
    if not row_list:
        return pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "start": pl.Int64, "end": pl.Int64})
    if all(isinstance(row, Mapping) for row in row_list):
        return pl.DataFrame(row_list, infer_schema_length=None)
    if all(isinstance(row, tuple | list) and len(row) == len(_SPAN) for row in row_list):
        return pl.DataFrame(row_list, schema=list(_SPAN), orient="row", infer_schema_length=None)
    raise InputError(owner, wanted=wanted, found=quote_value(row_list[0]))
