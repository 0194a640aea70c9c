"""JSON lines read in one go, where every line is what it should be.

A bulk reader gives no line numbers, and guesses types.  It is therefore believed only where there is nothing
to guess: no blank lines, only keys of a run, and columns whose values all have a type that their key may
have.  Anything else goes to the reader that looks at every line.
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
# what two readers may understand differently: halves of characters, and spellings of numbers
_DOUBTFUL = (b"\\u", b"\r", b"\xef\xbb\xbf", b"NaN", b"Infinity")


def read_bulk(data: bytes) -> pl.DataFrame | None:
    """Return the objects of all lines as a table with every key of a run and ``line``, None where in doubt.

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
        name: _column(table[name], wanted)
        if name in table.columns
        else pl.lit(None, dtype=wanted).alias(name)
        for name, (_, wanted) in _TYPES.items()
    }
    line = pl.Series("line", np.arange(1, lines + 1), dtype=pl.UInt32)
    return table.select(*columns.values(), line)


def _is_sound(table: pl.DataFrame) -> bool:
    """Tell whether all keys are known, and all values of types and sizes that they may have."""
    for name, dtype in table.schema.items():
        known = _TYPES.get(name)
        if known is None or (dtype != pl.Null and dtype not in known[0]):
            return False
        if (
            dtype == pl.Int64
            and not table.select(pl.col(name).is_between(-LARGEST, LARGEST, "none").all()).item()
        ):
            return False
    return True


def _ids_are_alike(table: pl.DataFrame, data: bytes) -> bool:
    """Tell whether ids that came as strings all were strings: a number among them would have become one."""
    return all(
        data.count(f'"{name}":"'.encode()) + data.count(f'"{name}": "'.encode()) == column.len()
        for name, (types, _) in _TYPES.items()
        if types is _ID and name in table.columns
        for column in [table[name].drop_nulls()]
        if column.dtype == pl.String
    )


def _column(values: pl.Series, wanted: type[pl.DataType]) -> pl.Series:
    values = values.cast(wanted)
    return values.str.strip_chars() if values.name in {"topic", "doc", "run"} else values
