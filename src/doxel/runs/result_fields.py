"""The fields of a line in files of columns: types, valid patterns, descriptions for errors, bulk reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from doxel.documents.element_paths import PATH_PATTERN, PLACE_PATTERN
from doxel.errors import InputError
from doxel.runs.run import NOT_FOUND_OFFSET
from doxel.wording import pluralise, quote_value

__all__ = [
    "ID_FIELD",
    "LARGEST_NUMBER",
    "LENGTH",
    "NOT_IN_BULK",
    "OFFSET",
    "PATH",
    "PLACE",
    "RANK",
    "RSV",
    "Field",
    "are_valid_fields",
    "find_run_id",
    "normalise_separators",
    "parse_columns",
    "parse_fields",
    "scan_columns",
]

NOT_IN_BULK = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
"""The errors of bulk readers on an irregular file: the line reader then finds the faulty line."""

LARGEST_NUMBER = 10**18
"""The bound below which all numbers stay: sums of larger ones would overflow."""


@dataclass(frozen=True)
class Field:
    """One field: its name in errors, its type, and its valid values, as a pattern and in words."""

    what: str
    dtype: type[pl.DataType]
    pattern: str
    wanted: str


ID_FIELD = Field("id", pl.String, r"\S", "a word")
RANK = Field("rank", pl.Int64, r"^[+-]?[0-9]{1,18}$", "a whole number")
RSV = Field(
    "rsv",
    pl.Float64,
    r"^(?i:[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity))$",
    "a number",
)
OFFSET = Field("offset", pl.Int64, r"^(?:\+?[0-9]{1,18}|-1|[Xx])$", "a number of characters, 0 or more, or X")
LENGTH = Field("length", pl.Int64, r"^\+?[0-9]{1,18}$", "a number of characters, 0 or more")
PATH = Field("path", pl.String, PATH_PATTERN, "steps such as /article[1]/p[2], positions from 1")
PLACE = Field(
    "path", pl.String, PLACE_PATTERN, "a path such as /article[1]/p[2] or /article[1]/p[2]/text()[1].17"
)


_BLANKS = bytes.maketrans(b"\t\x0b\x0c", b"   ")


def normalise_separators(data: bytes) -> bytes:
    """Return the data with single-byte separators that the bulk reader understands: blanks and line feeds."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if any(blank in data for blank in (b"\t", b"\x0b", b"\x0c")):
        data = data.translate(_BLANKS)
    return data.rstrip() if data[-2:].isspace() else data  # stripping one line end would copy all the data


def scan_columns(data: bytes, schema: Mapping[str, type[pl.DataType]]) -> pl.LazyFrame:
    """Scan columns with one blank between them, and number the lines in the same pass.

    Collecting may raise ``NOT_IN_BULK``; a missing field is null.
    """
    return pl.scan_csv(
        data,
        has_header=False,
        separator=" ",
        quote_char=None,
        schema=dict(schema),
        row_index_name="line",
        row_index_offset=1,
    )


def find_run_id(table: pl.DataFrame, name: str) -> str:
    """Return the id of the run, or "" if no row has one; a second id is an error with its ``line``."""
    rows_with_id = table.filter(pl.col("run").is_not_null())
    if not rows_with_id.height:
        return ""
    first = str(rows_with_id["run"][0])
    other_rows = rows_with_id.filter(pl.col("run") != first).head(1)
    if other_rows.height:
        raise InputError(
            "a second run-id",
            file=name,
            line=other_rows["line"].item(),
            wanted=f"one run per file, {quote_value(first)} as in line {rows_with_id['line'][0]}",
            found=quote_value(other_rows["run"].item()),
        )
    return first


def are_valid_fields(table: pl.DataFrame, fields: Mapping[str, Field]) -> bool:
    """Check whether ``parse_fields`` would accept all values that a bulk reader returned.

    A null is a missing field: the caller decides whether it may be missing.
    """
    is_invalid = pl.lit(value=False)
    for column, field in fields.items():
        if field is RSV:
            is_invalid |= pl.col(column).is_nan().any()
        elif field is OFFSET:
            is_invalid |= ~pl.col(column).is_between(NOT_FOUND_OFFSET, LARGEST_NUMBER, closed="left").all()
        elif field is LENGTH:
            is_valid_length = pl.col(column).is_between(0, LARGEST_NUMBER, closed="left")
            is_invalid |= ~(is_valid_length | (pl.col("start") == NOT_FOUND_OFFSET)).all()
    if table.select(is_invalid.first()).item():
        return False
    return all(
        table[column].str.contains(field.pattern).all()
        for column, field in fields.items()
        if field in (PATH, PLACE)
    )


def parse_columns(
    lines: Sequence[tuple[int, str]],
    fields: Mapping[str, Field],
    name: str,
    *,
    wanted: str,
    split: Callable[[str], list[str]] = str.split,
) -> pl.DataFrame:
    """Turn numbered lines of columns into a table of values with ``line``, after checking each line.

    A file without lines is an error.  ``split`` returns the fields of a line.
    """
    if not lines:
        raise InputError("empty file", file=name, wanted=wanted, found="no results")
    rows = [split(text) for _, text in lines]
    for (line, _), row in zip(lines, rows, strict=True):
        if len(row) != len(fields):
            found = pluralise(len(row), "column")
            raise InputError("a result", file=name, line=line, wanted=wanted, found=found)
    columns = dict(zip(fields, zip(*rows, strict=True), strict=True))
    table = pl.DataFrame(
        {**columns, "line": [line for line, _ in lines]},
        schema={**dict.fromkeys(columns, pl.String), "line": pl.UInt32},
    )
    return parse_fields(table, fields, name)


def parse_fields(table: pl.DataFrame, fields: Mapping[str, Field], name: str) -> pl.DataFrame:
    """Turn columns of strings into values; the first invalid value is an error with its ``line``.

    An offset of X becomes -1, and the length beside it, which has no meaning, becomes 0.
    """
    is_lost = pl.lit(value=False)
    if "start" in fields:
        table = table.with_columns(pl.col("start").str.replace("^[Xx]$", str(NOT_FOUND_OFFSET)))
        is_lost = (pl.col("start") == str(NOT_FOUND_OFFSET)).fill_null(value=False)
    if "length" in fields:
        has_length = pl.col("length").is_not_null()
        table = table.with_columns(length=pl.when(is_lost & has_length).then(pl.lit("0")).otherwise("length"))
    valid = {
        column: pl.col(column).str.contains(field.pattern).fill_null(value=True)
        for column, field in fields.items()
    }
    invalid = table.filter(~pl.all_horizontal(valid.values())).head(1)
    for column, field in fields.items():
        if invalid.height and not invalid.select(valid[column]).item():
            raise InputError(
                f"the {field.what} of a result",
                file=name,
                line=invalid["line"].item(),
                wanted=field.wanted,
                found=quote_value(invalid[column].item()),
            )
    return table.cast({column: field.dtype for column, field in fields.items()})
