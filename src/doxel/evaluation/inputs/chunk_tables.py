"""Convert all chunks of a chunking, as plain data or objects of a library, to spans.

A chunk is a span (doc, start, end), a dict, or an object that the adapters of chunks recognise.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.files import read_bytes
from doxel.files.contents import parse_json_lines
from doxel.spans import MAX_OFFSET
from doxel.wording import quote_value

__all__ = ["as_chunks"]


def as_chunks(source: Any, collection: Collection | None) -> pl.DataFrame:
    """Return all chunks of a chunking as doc, start and end, document by document."""
    file = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    rows = enumerate(_list_rows(source), 1) if file is None else parse_json_lines(read_bytes(file), file)
    frame = pl.DataFrame(
        [(*_check_span(row, number, file), number) for number, row in rows],
        schema={"doc": pl.String, "start": pl.Int64, "end": pl.Int64, "line": pl.Int64},
        orient="row",
    )
    if collection is not None:
        return _match_documents(frame, collection, file)
    first = pl.col("line").min().over("doc")
    return frame.sort(first, "start", "end", maintain_order=True).drop("line")


def _list_rows(source: Any) -> Iterable[Any]:
    """Return plain data as rows."""
    if isinstance(source, pl.LazyFrame):
        return source.collect().to_dicts()
    if isinstance(source, pl.DataFrame):
        return source.to_dicts()
    if hasattr(source, "to_dict") and hasattr(source, "columns"):  # a pandas frame, without importing pandas
        records: Iterable[Any] = source.to_dict("records")
        return records
    if isinstance(source, Iterable):
        return source
    raise InputError(
        "chunks",
        wanted="a file of JSON lines, or plain data with doc, start and end",
        found=quote_value(source),
    )


def _check_span(row: Any, number: int, file: str | None) -> tuple[str, int, int]:
    """Return a chunk as document, start and end; ``number`` is its line in a file or its index in a list."""
    from doxel.adapters.adapter_table import adapt_chunk  # few evaluations have chunks

    label = f"chunk {number}" if file is None else "a chunk"
    chunk = adapt_chunk(row, label)
    doc = next(iter(chunk["names"]), None)
    start, end = (_convert_integer(chunk.get(name)) for name in ("start", "end"))
    if doc is None or start is None or end is None or not 0 <= start <= end <= MAX_OFFSET:
        raise InputError(
            label,
            file=file,
            line=None if file is None else number,
            wanted="doc, start and end, 0 <= start <= end",
            found=quote_value(row, 80),
        )
    return str(doc), start, end


def _convert_integer(value: Any) -> int | None:
    """Return a whole number of Python or NumPy; None for anything else."""
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    return operator.index(value) if is_whole else None


def _match_documents(frame: pl.DataFrame, collection: Collection, file: str | None) -> pl.DataFrame:
    """Return chunks with the collection's ids, in its order; raise an error for an unknown document."""
    distinct = frame["doc"].unique(maintain_order=True)
    numbers = collection.numbers(distinct)
    if (numbers < 0).any():
        unknown = distinct.filter(pl.Series(numbers < 0))[0]
        number = frame.filter(pl.col("doc") == unknown)["line"][0]
        label, line = (f"chunk {number}", None) if file is None else ("a chunk", number)
        wanted = "a document of the collection"
        raise InputError(label, file=file, line=line, wanted=wanted, found=quote_value(unknown))
    ids = pl.DataFrame(
        {"doc": distinct, "id": collection.documents["doc"].gather(numbers), "number": numbers}
    )
    named = frame.join(ids, on="doc", how="left", maintain_order="left")
    return named.sort("number", "start", "end", maintain_order=True).select(
        pl.col("id").alias("doc"), "start", "end"
    )
