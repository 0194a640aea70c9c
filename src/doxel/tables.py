"""Tables with declared columns: name, type and meaning of each column of a data frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = ["Column", "Table"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type, its meaning, and whether it is required."""

    name: str
    dtype: pl.DataType | type[pl.DataType]
    about: str
    required: bool = False


@dataclass(frozen=True)
class Table:
    """A declared set of columns, in order.

    >>> table = Table(
    ...     "pairs", (Column("a", pl.String, "first", required=True), Column("b", pl.Int64, "second"))
    ... )
    >>> table.fit(pl.DataFrame({"a": ["x"]})).to_dicts()
    [{'a': 'x', 'b': None}]
    >>> table.fit(pl.DataFrame({"b": [1]}))
    Traceback (most recent call last):
    doxel.errors.InputError: pairs: wanted the column 'a', found only b
    """

    name: str
    columns: tuple[Column, ...]

    @property
    def schema(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        """The type of each column, by name."""
        return {column.name: column.dtype for column in self.columns}

    def empty(self) -> pl.DataFrame:
        """Return the table without rows."""
        return pl.DataFrame(schema=self.schema)

    def from_rows(self, rows: Iterable[dict[str, object]]) -> pl.DataFrame:
        """Return the table with these rows; values missing from a row are null."""
        try:
            return pl.DataFrame(list(rows), schema=self.schema, orient="row")
        except UnicodeEncodeError as error:  # such as a file name that is not UTF-8
            found = quote_value(error.object)
            raise InputError(self.name, wanted="texts without surrogate characters", found=found) from None

    def fit(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame with exactly the declared columns: missing ones are null, others are dropped."""
        if list(frame.schema.items()) == list(self.schema.items()):
            return frame
        for column in self.columns:
            if column.required and column.name not in frame.columns:
                names = ", ".join(frame.columns) or "no columns"
                raise InputError(self.name, wanted=f"the column {column.name!r}", found=f"only {names}")
        try:
            return frame.select(
                pl.col(column.name).cast(column.dtype)
                if column.name in frame.columns
                else pl.lit(None, dtype=column.dtype).alias(column.name)
                for column in self.columns
            )
        except pl.exceptions.PolarsError as error:
            raise InputError(self.name, wanted="values of the declared types", found=str(error)) from None
