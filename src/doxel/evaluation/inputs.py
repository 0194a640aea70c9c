"""What users hand to ``evaluate``: files, objects, or plain data, turned into runs and assessments.

Plain data are frames (polars or pandas), lists of dicts, lists of tuples (topic, doc, start, end), or
mappings from topics to lists of chunks (see ``chunk_inputs``); any other mapping gives runs their names.
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
from doxel.documents.quotes import find_anywhere
from doxel.errors import InputError
from doxel.evaluation.chunk_inputs import chunk_rows, is_by_topic
from doxel.runs import RESULTS, Run
from doxel.runs.run import NOT_FOUND
from doxel.wording import counted, shown

__all__ = ["ChangedRun", "Given", "NamedFile", "as_assessments", "as_runs"]

_SPAN = ("topic", "doc", "start", "end")
_NOWHERE = "(no document)"
_OTHER_NAMES = {"score": "rsv", "document": "doc", "doc_id": "doc", "query": "topic", "topic_id": "topic"}


@dataclass(frozen=True)
class NamedFile:
    """A file that holds a run, and the name that the user gives to it."""

    path: str | os.PathLike[str]
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ChangedRun:
    """A run that is changed as soon as it is read, by whoever reads it."""

    given: Given
    change: Callable[[Run], Run]

    def __str__(self) -> str:
        return str(self.given)


Given = Run | NamedFile | ChangedRun | str | os.PathLike[str]
_GIVEN = (Run, NamedFile, ChangedRun, str, os.PathLike)


def as_runs(runs: Any, documents: Collection | None = None) -> Iterator[Given]:
    """Yield runs, or the files that hold them, from whatever a user has.

    Texts that name no document are looked for in all ``documents``.
    """
    if isinstance(runs, _GIVEN):
        yield runs
    elif _is_table(runs):
        yield _run(runs, "run", documents)
    elif isinstance(runs, Mapping):
        for name, data in runs.items():
            yield _named(data, str(name), documents)
    elif isinstance(runs, Iterable):
        for number, one in enumerate(runs, 1):
            yield one if isinstance(one, _GIVEN) else _run(one, f"run{number}", documents)
    else:
        raise InputError("runs", wanted="files, runs or plain data, one or several", found=shown(runs))


def as_assessments(given: Any, documents: Collection | None = None) -> Assessments:
    """Return assessments from a file, several files, an object or plain data.

    Texts that name no document are looked for in all ``documents``.
    """
    if isinstance(given, Assessments):
        return given
    if isinstance(given, str | os.PathLike) or _is_list_of_paths(given):
        return read_assessments(given)
    frame, notes = _placed(_frame(given, "assessments"), documents, "assessments")
    if not frame.height:
        raise InputError("assessments", wanted="rows with a topic and a doc", found="none")
    _check_spans(frame, "assessments", lowest=0, whole=True)
    _check_whole(frame, "bep", "assessments", lowest=0)
    highlights = _rows_with(frame, "start", "path", "text")
    beps = _rows_with(frame, "bep")
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(frame.select("topic", "doc").unique(maintain_order=True)),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=BEPS.fit(beps.rename({"bep": "position"}) if beps.height else beps),
        format="jsonl",
        notes=notes,
    )


def _named(data: Any, name: str, documents: Collection | None) -> Run | NamedFile:
    if isinstance(data, Run):
        return replace(data, id=name)
    return NamedFile(data, name) if isinstance(data, str | os.PathLike) else _run(data, name, documents)


def _run(data: Any, name: str, documents: Collection | None) -> Run:
    frame, notes = _placed(_frame(data, f"run {name!r}"), documents, f"run {name!r}")
    _check_spans(frame, f"run {name!r}", lowest=NOT_FOUND, whole=False)
    _check_whole(frame, "rank", f"run {name!r}")
    results = RESULTS.fit(frame)
    if documents is not None and (wrong := _contradictions(results, documents)):
        said = counted(
            wrong,
            "chunk has another text than stands at its place",
            "chunks have another text than stands at their place",
        )
        notes = (*notes, f"{said}, which counts")
    return Run(name, results, notes=notes)


def _contradictions(results: pl.DataFrame, documents: Collection) -> int:
    """Return how many results come with a text and a place at which another text stands.

    Libraries cut what they have cleaned, and then count positions of that.  White space does not matter.
    """
    both = results.drop_nulls(["start", "end", "text"]).filter(pl.col("start") >= 0)
    wrong = 0
    for (doc,), part in both.group_by("doc", maintain_order=True):
        number = documents.number(str(doc))
        text = documents.text(number) if number >= 0 else ""
        for start, end, said in part.select("start", "end", "text").iter_rows() if number >= 0 else ():
            wrong += text[start:end].split() != said.split()
    return wrong


def _placed(
    frame: pl.DataFrame, documents: Collection | None, what: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return rows that all name a document: texts without one are looked for, and what was not found is said.

    What stands in no document, or in several, belongs to a document that there is not.
    """
    homeless = frame["doc"].is_null()
    if not homeless.any():
        return frame, ()
    texts = frame["text"].filter(homeless) if "text" in frame.columns else pl.Series([None])
    if documents is None or texts.null_count():
        raise InputError(
            what,
            wanted="a doc in every row, or texts and collection={id: text} to find them in",
            found=counted(int(homeless.sum()), "row without a doc", "rows without a doc")
            + ("" if texts.null_count() else ", no collection"),
        )
    distinct = texts.unique(maintain_order=True)
    found = find_anywhere(documents, distinct.to_list())
    table = pl.DataFrame(
        {
            "text": distinct,
            "found_doc": [
                _NOWHERE if one.problem else documents.documents["doc"][number] for number, one in found
            ],
            "found_start": pl.Series([one.start for _, one in found], dtype=pl.Int64),
            "found_end": pl.Series([one.end for _, one in found], dtype=pl.Int64),
            "why": pl.Series([one.problem for _, one in found], dtype=pl.String),
        }
    )
    joined = frame.join(table, on="text", how="left", maintain_order="left")
    lost = joined.filter(homeless)["why"].drop_nulls().value_counts(sort=True).rows()
    placed = joined.with_columns(
        doc=pl.coalesce("doc", "found_doc"), **{name: _filled(joined, name) for name in ("start", "end")}
    )
    notes = tuple(
        f"{counted(count, 'text belongs', 'texts belong')} to no document: {why}" for why, count in lost
    )
    return placed.drop("found_doc", "found_start", "found_end", "why"), notes


def _filled(joined: pl.DataFrame, name: str) -> pl.Expr:
    """Return the places that were found, where a row had no document and they were."""
    found = pl.when(pl.col("doc").is_null() & pl.col("why").is_null()).then(pl.col(f"found_{name}"))
    return pl.coalesce(found, name) if name in joined.columns else found


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


def _check_whole(frame: pl.DataFrame, column: str, what: str, *, lowest: int | None = None) -> None:
    """Refuse the first row in which a column, if it is there, holds anything but a whole number."""
    if frame.schema.get(column, pl.Null) == pl.Null:
        return
    wanted = f"{column} as a whole number" + ("" if lowest is None else f", {lowest} or more")
    value = pl.col(column)
    is_whole = value.is_finite() & (value == value.round())
    try:
        valid = is_whole if lowest is None else is_whole & (value >= lowest)
        wrong = frame.with_row_index("row", 1).filter(~valid)
    except pl.exceptions.PolarsError:
        raise InputError(what, wanted=wanted, found=f"{column} {frame[column].dtype}") from None
    if wrong.height:
        raise InputError(f"{what}, row {wrong['row'][0]}", wanted=wanted, found=f"{wrong[column][0]}")


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
    if isinstance(data, Mapping):
        return is_by_topic(data)
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
        frame = _from_rows(chunk_rows(data, what) if isinstance(data, Mapping) else data, what)
    renamed = {
        old: new for old, new in _OTHER_NAMES.items() if old in frame.columns and new not in frame.columns
    }
    frame = frame.rename(renamed)
    if "text" in frame.columns and "doc" not in frame.columns:
        frame = frame.with_columns(doc=pl.lit(None, dtype=pl.String))
    missing = [name for name in ("topic", "doc") if name not in frame.columns]
    if missing:
        raise InputError(
            what, wanted="the columns topic and doc", found=", ".join(frame.columns) or "no rows"
        )
    if frame["topic"].null_count():
        row = frame.with_row_index("row", 1).filter(pl.col("topic").is_null())["row"][0]
        raise InputError(f"{what}, row {row}", wanted="a topic", found="none")
    return frame.with_columns(pl.col("topic", "doc").cast(pl.String))


def _from_rows(rows: Any, what: str) -> pl.DataFrame:
    wanted = "rows as dicts, or as tuples (topic, doc, start, end)"
    if not isinstance(rows, Iterable):
        raise InputError(what, wanted=wanted, found=shown(rows))
    listed = list(rows)
    if not listed:
        return pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "start": pl.Int64, "end": pl.Int64})
    if all(isinstance(row, Mapping) for row in listed):
        return pl.DataFrame(listed, infer_schema_length=None)
    if all(isinstance(row, tuple | list) and len(row) == len(_SPAN) for row in listed):
        return pl.DataFrame(listed, schema=list(_SPAN), orient="row", infer_schema_length=None)
    raise InputError(what, wanted=wanted, found=shown(listed[0]))
