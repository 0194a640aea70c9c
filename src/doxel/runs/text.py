"""Runs in columns: ``topic Q0 doc rank rsv run-id`` and what each year put after it.

=======  =====================================================  ==================
columns  after the six                                          format
=======  =====================================================  ==================
6        nothing: whole documents                               ``trec``
7        a path: an element                                     ``paths``
7        an offset: an entry point                              ``bep``
8        two paths: a range of elements                         ``paths``
8        an offset and a length                                 ``fol``
=======  =====================================================  ==================

Regular files are read in bulk.  A bulk reader turns a short line into nulls and knows no line
numbers, so whatever is not perfectly regular goes to a line reader that names the line.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from doxel.errors import InputError
from doxel.files import decode
from doxel.runs.run import RESULTS, Run

__all__ = ["read_text_run", "text_format"]

_LEADING = {
    "topic": pl.String,
    "q0": pl.String,
    "doc": pl.String,
    "rank": pl.Int64,
    "rsv": pl.Float64,
    "run": pl.String,
}
_TRAILING: dict[str, dict[str, type[pl.DataType]]] = {
    "trec": {},
    "paths": {"path": pl.String},
    "ranges": {"path": pl.String, "path_end": pl.String},
    "bep": {"start": pl.Int64},
    "fol": {"start": pl.Int64, "length": pl.Int64},
}
_SHAPES = {
    "trec": "6 columns: topic Q0 doc rank rsv run-id",
    "paths": "7 columns: topic Q0 doc rank rsv run-id path",
    "ranges": "8 columns: topic Q0 doc rank rsv run-id path path",
    "bep": "7 columns: topic Q0 doc rank rsv run-id offset",
    "fol": "8 columns: topic Q0 doc rank rsv run-id offset length",
}
_IRREGULAR = (b"\t", b"\x0b", b"\x0c", b"\r", b"\xef\xbb\xbf")


def text_format(first_line: str) -> str | None:
    """Return the shape of a line of a run in columns, or None if it is no such line.

    >>> text_format("2009001 Q0 851 1 0.9 run 1205 3431")
    'fol'
    """
    fields = first_line.split()
    if len(fields) == 6:
        return "trec"
    if len(fields) not in {7, 8}:
        return None
    is_path = fields[6].startswith("/")
    return {7: "paths" if is_path else "bep", 8: "ranges" if is_path else "fol"}[len(fields)]


def read_text_run(data: bytes, name: str, *, fol_end: bool = False) -> Run:
    """Read a run in columns; ``fol_end``: the last column is an end, not a length."""
    first = next((line for line in data.split(b"\n", 3) if line.strip()), b"")
    shape = text_format(first.decode("utf-8-sig", "replace"))
    if shape is None:
        raise InputError(
            "not a run", file=name, line=1, wanted="6 to 8 columns", found=f"{len(first.split())} columns"
        )
    table = _read_in_bulk(data, shape)
    if table is None:
        table = _read_line_by_line(data, name, shape)
    run_id = str(table["run"][0])
    if "length" in table.columns:
        end = pl.col("length") if fol_end else pl.col("start") + pl.col("length")
        table = table.with_columns(end=pl.when(pl.col("start") < 0).then(-1).otherwise(end))
    return Run(run_id, RESULTS.fit(table), file=name)


def _read_in_bulk(data: bytes, shape: str) -> pl.DataFrame | None:
    """Read a regular file, or return None: the caller then finds out what is wrong, and where."""
    if any(mark in data for mark in _IRREGULAR):
        return None
    schema = {**_LEADING, **_TRAILING[shape]}
    try:
        table = pl.read_csv(data, has_header=False, separator=" ", quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    irregular = any(count for count in table.null_count().row(0)) or table["rsv"].is_nan().any()
    if irregular or ("length" in table.columns and (table["length"].min() or 0) < 0):
        return None
    return table.with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32))


def _read_line_by_line(data: bytes, name: str, shape: str) -> pl.DataFrame:
    reader = _LineReader(name, shape)
    text = decode(data, name)
    rows = [reader.row(number, fields) for number, line in enumerate(text.splitlines(), 1) if (fields := line.split())]
    schema = {**_LEADING, **_TRAILING[shape], "line": pl.UInt32}
    return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True)
class _LineReader:
    """Reads one line at a time, and says exactly what is wrong with it."""

    name: str
    shape: str

    def row(self, line: int, fields: list[str]) -> tuple[object, ...]:
        columns = {**_LEADING, **_TRAILING[self.shape]}
        if len(fields) != len(columns) or text_format(" ".join(fields)) != self.shape:
            found = f"{len(fields)} columns" if len(fields) != len(columns) else repr(" ".join(fields[6:]))
            raise InputError("a result", file=self.name, line=line, wanted=_SHAPES[self.shape], found=found)
        return (*(self._value(*pair, line) for pair in zip(columns.items(), fields, strict=True)), line)

    def _value(self, column: tuple[str, object], field: str, line: int) -> object:
        name, dtype = column
        if dtype is pl.String:
            return field
        if name == "start" and field == "X":
            return -1
        try:
            value = float(field) if dtype is pl.Float64 else int(field)
        except ValueError:
            value = float("nan")
        if value != value or (name == "length" and value < 0):  # noqa: PLR0124 -- NaN
            wanted = {"rsv": "a number", "rank": "a whole number"}.get(name, "a number of characters, 0 or more")
            raise InputError(f"the {name} of a result", file=self.name, line=line, wanted=wanted, found=repr(field))
        return value
