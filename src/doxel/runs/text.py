"""Runs in columns: ``topic Q0 doc rank rsv run-id``, and the columns that each year added.

=======  =====================================================  ==================
columns  after the six                                          format
=======  =====================================================  ==================
6        nothing: whole documents                               ``trec``
7        a path: an element                                     ``paths``
7        an offset: an entry point                              ``bep``
8        two paths: a range of elements, or a passage           ``paths``
8        an offset and a length                                 ``fol``
=======  =====================================================  ==================

ASCII white space separates columns; the second column is ignored.  Regular files are read in bulk.  A
bulk reader turns a short line into nulls and has no line numbers, so a file with any irregularity goes to
a line reader, whose errors name the line.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import polars as pl

from doxel.errors import InputError
from doxel.files.compression import looks_compressed
from doxel.files.contents import split_lines
from doxel.runs.fields import NOT_IN_BULK, RANK, RSV, WORD, Field, are_sound, one_run_id, typed
from doxel.runs.run import Run
from doxel.runs.writing import check_numbers, check_values, check_words, completed, require
from doxel.wording import pluralise

__all__ = ["Shape", "first_fields", "is_offset"]

_LONGEST_FIRST_LINE = 65_536
_FIELD = re.compile(r"[^ \t\r\x0b\x0c]+")
_OFFSET = re.compile(rb"[+-]?[0-9]+|[Xx]")
_BLANKS = bytes.maketrans(b"\t\x0b\x0c", b"   ")

_LEADING = {"topic": WORD, "q0": WORD, "doc": WORD, "rank": RANK, "rsv": RSV, "run": WORD}


@dataclass(frozen=True)
class Shape:
    """The columns of one format: the six common fields, then the ``trailing`` ones, by column name."""

    format: str
    trailing: dict[str, Field]
    words: str = ""

    @property
    def fields(self) -> dict[str, Field]:
        """All fields of a line."""
        return {**_LEADING, **self.trailing}

    def read(self, data: bytes, name: str) -> tuple[str, pl.DataFrame]:
        """Return the id of the run, and its fields as columns, with ``line``."""
        fields = first_fields(data)
        content = None
        # otherwise the bulk reader might create columns without limit, or decompress the data a second time
        if len(fields) == len(self.fields) and not looks_compressed(data):
            plain = _plain(data)
            content = self._read_in_bulk(plain, fields[5]) or self._read_words(plain, name)
        return content or self._read_line_by_line(data, name)

    def _scan(self, data: bytes, schema: dict[str, type[pl.DataType]]) -> pl.LazyFrame:
        """Scan the fields and number the lines in the same pass."""
        return pl.scan_csv(
            data,
            has_header=False,
            separator=" ",
            quote_char=None,
            schema=schema,
            row_index_name="line",
            row_index_offset=1,
        )

    def _read_in_bulk(self, data: bytes, first_id: bytes) -> tuple[str, pl.DataFrame] | None:
        """Read a regular file whose numeric fields all hold numbers, or return None."""
        schema = {column: field.dtype for column, field in self.fields.items()}
        run_id = first_id.decode("utf-8", "replace")
        is_irregular = pl.any_horizontal(pl.all().is_null()) | (pl.col("run") != run_id)
        columns = self._scan(data, schema).select(pl.exclude("q0", "run"), is_irregular=is_irregular)
        try:
            table = columns.collect()
        except NOT_IN_BULK:
            return None
        if table["is_irregular"].any() or not are_sound(table, {**self.trailing, "rsv": RSV}):
            return None
        return run_id, table.drop("is_irregular")

    def _read_words(self, data: bytes, name: str) -> tuple[str, pl.DataFrame] | None:
        """Read and check a file with the right number of fields in every line, or return None."""
        try:
            table = self._scan(data, dict.fromkeys(self.fields, pl.String)).collect()
        except NOT_IN_BULK:
            return None
        words = table.select(self.fields.keys())
        table = table.filter(~words.select(pl.all_horizontal(pl.all().is_null())).to_series())
        if not table.height or any(column.null_count() for column in table):
            return None
        return self._checked(table, name)

    def _checked(self, table: pl.DataFrame, name: str) -> tuple[str, pl.DataFrame]:
        table = typed(table, self.fields, name)
        return one_run_id(table, name), table.drop("q0", "run")

    def _read_line_by_line(self, data: bytes, name: str) -> tuple[str, pl.DataFrame]:
        lines = split_lines(data, name)
        rows = [_FIELD.findall(text) for _, text in lines]
        width = len(self.fields)
        for (line, _), row in zip(lines, rows, strict=True):
            if len(row) != width:
                width_text = pluralise(len(row), "column")
                raise InputError("a result", file=name, line=line, wanted=self.wanted, found=width_text)
        if not rows:
            raise InputError("empty file", file=name, wanted=self.wanted, found="no results")
        columns = dict(zip(self.fields, zip(*rows, strict=True), strict=True))
        table = pl.DataFrame(
            {**columns, "line": [line for line, _ in lines]},
            schema={**dict.fromkeys(columns, pl.String), "line": pl.UInt32},
        )
        return self._checked(table, name)

    @property
    def wanted(self) -> str:
        """The columns of a line, in words."""
        return f"{len(self.fields)} columns: topic Q0 doc rank rsv run-id {self.words}".rstrip()

    def write(self, run: Run, results: pl.DataFrame) -> bytes:
        """Write results as lines of these columns."""
        require(run, results, self.trailing, format_name=self.format, wanted=self.words)
        check_words(run, results, format_name=self.format)
        check_numbers(run, results, format_name=self.format)
        for column, field in self.trailing.items():
            values = results[column].cast(pl.String)
            check_values(run, values, field.pattern, format_name=self.format, wanted=field.wanted)
        stream = io.BytesIO()
        completed(run, results).select(
            "topic",
            pl.lit("Q0").alias("q0"),
            "doc",
            "rank",
            "rsv",
            pl.lit(run.id).alias("run"),
            *self.trailing,
        ).write_csv(stream, include_header=False, separator=" ", quote_style="never")
        return stream.getvalue()


def _plain(data: bytes) -> bytes:
    """Return the data with single-byte separators that the bulk reader understands: blanks and line feeds."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if any(blank in data for blank in (b"\t", b"\x0b", b"\x0c")):
        data = data.translate(_BLANKS)
    return data.rstrip() if data[-2:].isspace() else data  # stripping one line end would copy all the data


def first_fields(head: bytes) -> list[bytes]:
    r"""Return the fields of the first non-blank line; none if it is not a line of columns.

    >>> first_fields(b"\n2009001 Q0 851 1 0.9 run 1205 3431\n")[6:]
    [b'1205', b'3431']
    """
    start = head[:_LONGEST_FIRST_LINE].removeprefix(b"\xef\xbb\xbf").lstrip()
    line, end, _ = start.partition(b"\n")
    is_cut = not end and len(head) >= _LONGEST_FIRST_LINE
    return [] if is_cut or line.startswith((b"<", b"{", b"[")) else line.split()


def is_offset(field: bytes) -> bool:
    """Check whether a field is an offset and not a path.

    >>> is_offset(b"1205"), is_offset(b"X"), is_offset(b"/article[1]")
    (True, True, False)
    """
    return _OFFSET.fullmatch(field) is not None
