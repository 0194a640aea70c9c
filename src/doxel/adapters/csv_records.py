"""Tables in CSV or TSV files: one record per row, under the names of the header.

The first line names the columns, as people name them (:mod:`doxel.adapters.column_names`); there must be one
for the topic, and one for the document or the text.  Commas, semicolons or tabs separate the cells.  An empty
cell is a missing value.  Offsets, ranks, scores and grades become numbers; topics and documents stay texts,
so that ``007`` keeps its zeros.  A cell that should be a number and is not stays a text, which the readers of
runs and gold report with its line.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from typing import Any

from doxel.adapters.column_names import GOLD_COLUMN_NAMES, normalise_name, select_columns
from doxel.errors import InputError
from doxel.files.contents import decode_utf8, refuse_long_lines
from doxel.wording import pluralise, quote_value

__all__ = ["CSV_TABLE", "is_csv_table", "read_csv_records"]

CSV_TABLE = rb"[^\n]*[\t,;]"
"""The beginning of a table: a separator in its first line."""

_SEPARATORS = ("\t", ",", ";")
_LONGEST_HEADER = 10_000
_WHOLE_COLUMNS = ("start", "end", "length", "rank")
_WHOLE_NAMES = {"page", "bep"}
_NUMBER_COLUMNS = ("rsv", "distance")
_TRUTHS = {"true": 1.0, "false": 0.0}
_WHOLE = re.compile(r"([+-]?[0-9]+)(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WANTED = (
    "names of columns in the first line: one for the topic (topic, question, query_id ...) and "
    "one for the text or the document (text, content, doc, source ...)"
)


def is_csv_table(head: bytes) -> bool:
    r"""Return whether a file starts with the header of a table of results or gold.

    A header with a topic but no document or text counts too: the reader then names the missing column.

    >>> is_csv_table(b"question,source,content\nWhy?,a.txt,Because.\n"), is_csv_table(b"1 Q0 a 1 0.5 run\n")
    (True, False)
    """
    header = _get_header(head[: _LONGEST_HEADER + 1].decode("utf-8-sig", "replace"))
    return _find_separator(header) is not None or _names_topics(header)


def read_csv_records(data: bytes, name: str) -> list[tuple[int, dict[str, Any]]]:
    r"""Return the rows of a table as records, each with the line on which it starts.

    >>> read_csv_records(b"qid;source;score\n007;a.txt;0.5\n", "run.csv")
    [(2, {'qid': '007', 'source': 'a.txt', 'score': 0.5})]
    """
    refuse_long_lines(data, name)
    text = decode_utf8(data, name)
    separator = _find_separator(_get_header(text))
    if separator is None:
        found = quote_value(_get_header(text)) if text.strip() else "an empty file"
        raise InputError("a table", file=name, line=1, wanted=_WANTED, found=found)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        found = str(error)
        raise InputError("a table", file=name, line=line, wanted="rows of cells", found=found) from None
    (_, header), *body = rows
    names = [cell.strip() for cell in header]
    _check_rows(names, body, name)
    parsers = _choose_parsers(names, [cells for _, cells in body])
    return [
        (line, {key: parse(cell) for key, parse, cell in zip(names, parsers, cells, strict=True) if key})
        for line, cells in body
    ]


def _get_header(text: str) -> str:
    return text.lstrip("\r\n").partition("\n")[0].rstrip("\r")


def _find_separator(header: str) -> str | None:
    """Return the character between the names of columns, or None if they do not name results or gold."""
    for separator, names in _split_header(header):
        columns = select_columns(names)
        if "topic" in columns and columns.keys() & {"doc", "text"}:
            return separator
    return None


def _names_topics(header: str) -> bool:
    """Return whether a line has the name of a column of topics, and no number."""
    return any(
        "topic" in select_columns(names) and not any(_NUMBER.fullmatch(name.strip()) for name in names)
        for _, names in _split_header(header)
    )


def _split_header(header: str) -> Iterator[tuple[str, list[str]]]:
    """Return each separator that splits the line into several names, and the names."""
    if len(header) > _LONGEST_HEADER:
        return
    for separator in _SEPARATORS:
        try:
            names = next(csv.reader([header], delimiter=separator, strict=True), [])
        except csv.Error:
            continue
        if len(names) > 1:
            yield separator, names


def _check_rows(names: list[str], rows: list[tuple[int, list[str]]], name: str) -> None:
    """Reject a column that is named twice, and the first row with another number of cells."""
    twice = next((key for key in names if key and names.count(key) > 1), None)
    if twice is not None:
        found = f"{quote_value(twice)} twice"
        raise InputError("a table", file=name, line=1, wanted="each column once", found=found)
    if not rows:
        raise InputError("empty file", file=name, wanted="rows below the header", found="none")
    for line, cells in rows:
        if len(cells) != len(names):
            wanted, found = f"{len(names)} cells, as in the header", pluralise(len(cells), "cell")
            raise InputError("a row", file=name, line=line, wanted=wanted, found=found)


def _choose_parsers(names: list[str], rows: list[list[str]]) -> list[Any]:
    """Return for each column the function from a cell to its value."""
    columns = select_columns(names, GOLD_COLUMN_NAMES)
    integers = {name for column in _WHOLE_COLUMNS for name in columns.get(column, ())}
    numbers = {name for column in _NUMBER_COLUMNS for name in columns.get(column, ())}
    texts = {name for name in columns.get("text", ()) if normalise_name(name) != "text"}
    parsers: list[Any] = []
    for column, name in enumerate(names):
        if name in integers or normalise_name(name) in _WHOLE_NAMES:
            parsers.append(_parse_whole)
        elif name in columns.get("grade", ()):
            parsers.append(_parse_grade)
        elif name in numbers or (name in texts and _are_numbers(row[column] for row in rows)):
            parsers.append(_parse_number)  # a column of numbers is not one of texts: chunk 3, passage 12
        else:
            parsers.append(_parse_text)
    return parsers


def _are_numbers(cells: Any) -> bool:
    return all(_NUMBER.fullmatch(cell.strip()) for cell in cells if cell.strip())


def _parse_text(cell: str) -> str | None:
    return cell if cell.strip() else None


def _parse_whole(cell: str) -> int | str | None:
    match = _WHOLE.fullmatch(cell.strip())
    return int(match[1]) if match and len(match[1]) < 20 else _parse_text(cell)


def _parse_grade(cell: str) -> float | str | None:
    return _TRUTHS.get(cell.strip().lower(), _parse_number(cell))


def _parse_number(cell: str) -> float | str | None:
    if not _NUMBER.fullmatch(cell.strip()):
        return _parse_text(cell)
    number = float(cell)
    return number if math.isfinite(number) else cell
