"""Adapters for the results, or the gold, of many questions: frames, datasets, dicts by question, rows.

They return frames with the column names of their source; ``column_shapes`` renames the columns.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from doxel.adapters.adapter_declaration import TableAdapter
from doxel.adapters.chunk_objects import flatten_mapping
from doxel.adapters.column_names import COLUMN_NAMES, normalise_name, select_columns
from doxel.adapters.question_results import is_chroma_result, list_chroma_results
from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = ["TABLE_ADAPTERS", "WANTED", "build_frame"]

WANTED = "rows as dicts, or as tuples (topic, doc, start, end); a frame; or results by question"
_SPAN = ("topic", "doc", "start", "end")
_SAMPLE_LISTS = ("retrieved_contexts", "reference_contexts")


def build_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a frame; ids of mixed types become strings."""
    if not rows:
        return _build_empty()
    columns: dict[str, list[Any]] = {name: [] for row in rows for name in row}
    for row in rows:
        for name, values in columns.items():
            values.append(row.get(name))
    return _build_from_columns(columns)


def _build_from_columns(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame([_build_series(name, values) for name, values in columns.items()])


def _build_series(name: str, values: Sequence[Any]) -> pl.Series:
    is_id = normalise_name(name) in {*COLUMN_NAMES["topic"], *COLUMN_NAMES["doc"]}
    if is_id and not any(isinstance(value, Mapping | list) for value in values):
        if all(type(value) is str for value in values):
            return pl.Series(name, values, dtype=pl.String)
        return pl.Series(name, list(map(_convert_id, values)), dtype=pl.String)
    if any(isinstance(value, str) for value in values):
        values = [None if _is_nan(value) else value for value in values]
    try:
        return pl.Series(name, values)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, values, strict=False)


def _is_nan(value: Any) -> bool:
    """Return whether a value is the one with which pandas marks a missing text or number."""
    return isinstance(value, float) and math.isnan(value)


def _convert_id(value: Any) -> str | None:
    if value is None or _is_nan(value):
        return None
    if (
        isinstance(value, float) and value.is_integer()
    ):  # pandas turns whole numbers beside missing ones to floats
        return str(int(value))
    return str(value)


def _is_pandas(data: Any) -> bool:
    return hasattr(data, "to_dict") and hasattr(data, "columns")


def _convert_pandas(data: Any) -> pl.DataFrame:
    frame = _build_from_columns({str(name): data[name].to_list() for name in data.columns})
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _is_dataset(data: Any) -> bool:
    return hasattr(data, "column_names") and hasattr(data, "features") and hasattr(data, "to_dict")


def _is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or (
        hasattr(data, "column_names") and hasattr(data, "to_pydict")
    )


def _convert_arrow(data: Any) -> pl.DataFrame:
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(data)
        # single columns have the interface too; that of pandas needs pyarrow
        except (pl.exceptions.PolarsError, ImportError) as error:
            raise InputError("rows", wanted=WANTED, found=quote_value(str(error))) from None
    return _build_from_columns(data.to_pydict())


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_nested(data: Any) -> bool:
    """Return whether data map questions to mappings from documents to numbers."""
    if not isinstance(data, Mapping) or not data:
        return False
    values = list(data.values())
    return (
        all(isinstance(value, Mapping) for value in values)
        and any(values)
        and all(_is_number(number) for value in values for number in value.values())
    )


_FEW_STEPS = 6  # a few scores may rise by chance


def _convert_nested(data: Mapping[Any, Mapping[Any, Any]], gold: bool) -> pl.DataFrame:
    """Return the numbers of documents by question.

    The order of a mapping is not a ranking.  A few scores that happen to rise are therefore put into the
    order of their ranking; many are left as they are, because they may be distances mistaken for scores.
    """
    try:
        rows = [(str(topic), str(doc), float(n)) for topic, docs in data.items() for doc, n in docs.items()]
    except OverflowError as error:
        raise InputError(
            "a score or grade", wanted="a number within the range of floats", found=str(error)
        ) from None
    if not gold and len(rows) - len(data) < _FEW_STEPS:
        topics = {topic: place for place, topic in enumerate(map(str, data))}
        rows.sort(key=lambda row: (topics[row[0]], -row[2]))
    schema = {"topic": pl.String, "doc": pl.String, "grade" if gold else "rsv": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _is_ranx(data: Any) -> bool:
    return hasattr(data, "to_dict") and any(hasattr(data, name) for name in ("run", "qrels"))


def _convert_chroma(data: Mapping[str, Any]) -> pl.DataFrame:
    lists = list_chroma_results(data)
    topics = next(
        (data[name] for name in ("topics", "query_ids", "questions") if data.get(name) is not None), None
    )
    if topics is not None and len(topics) != len(lists):
        raise InputError(
            "results of Chroma", wanted=f"one topic for each of {len(lists)} queries", found=f"{len(topics)}"
        )
    ids = [str(number) for number in range(1, len(lists) + 1)] if topics is None else list(map(str, topics))
    rows = [
        {"topic": topic, **flatten_mapping(row), "rank": rank}
        for topic, results in zip(ids, lists, strict=True)
        for rank, row in enumerate(results, 1)
    ]
    return build_frame(rows)


def _has_no_topics(data: Any) -> bool:
    return not any(data.get(name) is not None for name in ("topics", "query_ids", "questions"))


def _build_empty() -> pl.DataFrame:
    return pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "start": pl.Int64, "end": pl.Int64})


def _is_columns(data: Any) -> bool:
    """Return whether data map column names to lists of the same length."""
    if not isinstance(data, Mapping) or not data or is_chroma_result(data):
        return False
    if not all(isinstance(values, list | tuple) or hasattr(values, "tolist") for values in data.values()):
        return False
    columns = select_columns(data)
    has_results = "doc" in columns or "text" in columns or any(name in data for name in _SAMPLE_LISTS)
    return "topic" in columns and has_results and len({len(values) for values in data.values()}) == 1


def _is_sample(value: Any) -> bool:
    return hasattr(value, "user_input") and any(hasattr(value, name) for name in _SAMPLE_LISTS)


def _list_samples(data: Any) -> list[Any]:
    samples = getattr(data, "samples", data)
    return list(samples) if isinstance(samples, list | tuple) else []


def _convert_samples(data: Any) -> pl.DataFrame:
    names = ("user_input", *_SAMPLE_LISTS)
    return build_frame([{name: getattr(row, name, None) for name in names} for row in _list_samples(data)])


def _is_rows(data: Any) -> bool:
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Sequence):
        return False
    return not data or isinstance(data[0], Mapping | tuple)


def _convert_rows(rows: Sequence[Any]) -> pl.DataFrame:
    if all(hasattr(row, "_fields") for row in rows):
        return build_frame([row._asdict() for row in rows])
    if all(isinstance(row, Mapping) for row in rows):
        return build_frame([flatten_mapping(row) for row in rows])
    if all(isinstance(row, tuple | list) and len(row) == len(_SPAN) for row in rows):
        with contextlib.suppress(TypeError, pl.exceptions.PolarsError):  # ids of mixed types
            return pl.DataFrame(rows, schema=list(_SPAN), orient="row", infer_schema_length=None)
        columns = zip(_SPAN, zip(*rows, strict=True), strict=True)
        return _build_from_columns({name: list(values) for name, values in columns})
    raise InputError(
        "rows",
        wanted=WANTED,
        found=quote_value(_find_odd_row(rows)),
    )


def _find_odd_row(rows: Iterable[Any]) -> Any:
    """Return the first row that is not like the first one, or the first."""
    rows = list(rows)
    return next((row for row in rows if type(row) is not type(rows[0])), rows[0])


TABLE_ADAPTERS: tuple[TableAdapter, ...] = (
    TableAdapter(
        name="polars frames",
        shape="a `DataFrame` or `LazyFrame` of polars",
        recognises=lambda data: isinstance(data, pl.DataFrame | pl.LazyFrame),
        convert=lambda data, _: data.collect() if isinstance(data, pl.LazyFrame) else data,
    ),
    TableAdapter(
        name="pandas frames",
        shape="`columns` and `to_dict`, as in PyTerrier's frames",
        recognises=_is_pandas,
        convert=lambda data, _: _convert_pandas(data),
    ),
    TableAdapter(
        name="Hugging Face datasets",
        shape="`column_names`, `features` and `to_dict`",
        recognises=_is_dataset,
        convert=lambda data, _: _build_from_columns(data.to_dict()),
    ),
    TableAdapter(
        name="Arrow tables",
        shape="the Arrow stream interface, `__arrow_c_stream__`: pyarrow, DuckDB and others",
        recognises=_is_arrow,
        convert=lambda data, _: _convert_arrow(data),
    ),
    TableAdapter(
        name="ranx runs and qrels",
        shape="`to_dict`, and `run` or `qrels`",
        recognises=_is_ranx,
        convert=lambda data, gold: _convert_nested(data.to_dict(), gold),
    ),
    TableAdapter(
        name="dicts of pytrec_eval",
        shape="`{question: {document: number}}`: scores in a run, grades in gold",
        recognises=_is_nested,
        convert=_convert_nested,
    ),
    TableAdapter(
        name="Chroma results",
        shape="a dict with `ids`, `documents`, `metadatas` and `distances`, each with one list per query; "
        "`topics`, if added, are the ids of the questions, else these are in the order of the gold",
        recognises=is_chroma_result,
        convert=lambda data, _: _convert_chroma(data),
        positions=_has_no_topics,
    ),
    TableAdapter(
        name="dicts of columns",
        shape="a mapping from column names to lists of the same length",
        recognises=_is_columns,
        convert=lambda data, _: _build_from_columns(
            {str(name): list(values) for name, values in data.items()}
        ),
    ),
    TableAdapter(
        name="ragas samples",
        shape="objects with `user_input` and `retrieved_contexts` or `reference_contexts`, in a list or "
        "in `samples`",
        recognises=lambda data: bool(samples := _list_samples(data)) and all(map(_is_sample, samples)),
        convert=lambda data, _: _convert_samples(data),
    ),
    TableAdapter(
        name="rows",
        shape="a list of dicts, of named tuples (ir_measures, ir_datasets), or of tuples "
        "(topic, doc, start, end)",
        recognises=_is_rows,
        convert=lambda data, _: _convert_rows(data),
    ),
)
"""The adapters of whole tables, in the order of recognition."""
