"""Read JSON lines in bulk, if every line is regular.

The bulk reader has no line numbers and infers types.  Its result is therefore used only if nothing is
ambiguous: no blank lines, only keys of a run, and only values of a type that their key allows.  Any other
file goes to the reader that checks each line.
"""

from __future__ import annotations

import io

import numpy as np
import polars as pl

from doxel.runs.fields import LARGEST, NOT_IN_BULK

__all__ = ["read_bulk"]

_Types = set[type[pl.DataType]]
_ID: _Types = {pl.String, pl.Int64}
_WHOLE: _Types = {pl.Int64}
_NUMBER: _Types = {pl.Int64, pl.Float64}
_TEXT: _Types = {pl.String}
_TYPES: dict[str, tuple[_Types, type[pl.DataType]]] = {
    "topic": (_ID, pl.String),
    "doc": (_ID, pl.String),
    "run": (_ID, pl.String),
    "rank": (_WHOLE, pl.Int64),
    "score": (_NUMBER, pl.Float64),
    "rsv": (_NUMBER, pl.Float64),
    "start": (_WHOLE, pl.Int64),
    "end": (_WHOLE, pl.Int64),
    "path": (_TEXT, pl.String),
    "path_end": (_TEXT, pl.String),
    "text": (_TEXT, pl.String),
}
# the two readers may treat these differently: halves of surrogate pairs, and special numbers
_DOUBTFUL = (b"\\u", b"\r", b"\xef\xbb\xbf", b"NaN", b"Infinity")


def read_bulk(data: bytes) -> pl.DataFrame | None:
    """Return the objects of all lines as a table of all keys of a run and ``line``; None if irregular.

    >>> read_bulk(b'{"topic": 7, "doc": "a", "start": 0, "end": 5}').select("topic", "end", "line").row(0)
    ('7', 5, 1)
    >>> read_bulk(b'{"topic": 7, "doc": "a", "start": 0.5}') is None
    True
    """
    if any(mark in data for mark in _DOUBTFUL):
        return None
    try:
        table = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except NOT_IN_BULK:
        return None
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if table.height != lines or not _is_sound(table) or not _ids_are_alike(table, data):
        return None
    columns = {
        name: _column(table[name], dtype) if name in table.columns else pl.lit(None, dtype=dtype).alias(name)
        for name, (_, dtype) in _TYPES.items()
    }
    line = pl.Series("line", np.arange(1, lines + 1), dtype=pl.UInt32)
    return table.select(*columns.values(), line)


def _is_sound(table: pl.DataFrame) -> bool:
    """Check whether all keys are known, and all values have a valid type and size."""
    for name, dtype in table.schema.items():
        types = _TYPES.get(name)
        if types is None or (dtype != pl.Null and dtype not in types[0]):
            return False
        if (
            dtype == pl.Int64
            and not table.select(pl.col(name).is_between(-LARGEST, LARGEST, "none").all()).item()
        ):
            return False
    return True


def _ids_are_alike(table: pl.DataFrame, data: bytes) -> bool:
    """Check whether a column of id strings has only strings in the file: a number would become a string."""
    return all(
        data.count(f'"{name}":"'.encode()) + data.count(f'"{name}": "'.encode()) == column.len()
        for name, (types, _) in _TYPES.items()
        if types is _ID and name in table.columns
        for column in [table[name].drop_nulls()]
        if column.dtype == pl.String
    )


def _column(values: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    values = values.cast(dtype)
    return values.str.strip_chars() if values.name in {"topic", "doc", "run"} else values
