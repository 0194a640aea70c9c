"""Convert the chunks and texts of retrieval libraries to rows.

A chunk is a span (doc, start, end), a quoted text, or an object of a library.  Objects are recognised by
their attributes, without importing the library: LangChain documents (``page_content``, ``metadata`` with
``source`` and ``start_index``) and LlamaIndex nodes (``start_char_idx``, ``end_char_idx``, ``ref_doc_id``),
with or without a score.  The order of a list is its ranking.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.files import read_bytes
from doxel.files.contents import parse_json_lines
from doxel.spans import MAX_OFFSET
from doxel.wording import quote_value

__all__ = ["as_chunks", "is_by_topic", "list_chunk_rows"]

_SOURCES = ("doc", "doc_id", "source", "document", "file_path", "file_name")
_PLACE = ("doc", "start", "end")


def is_by_topic(data: Any) -> bool:
    """Return whether data map topics to lists of chunks: such chunks do not name a topic themselves."""
    if not isinstance(data, Mapping) or not data:
        return False
    lists = list(data.values())
    if not all(isinstance(chunks, Sequence) and not isinstance(chunks, str) for chunks in lists):
        return False
    first = next((chunks[0] for chunks in lists if len(chunks)), None)
    if isinstance(first, Mapping):
        return not {"topic", "topic_id", "query"} & set(first)
    return isinstance(first, str) or _is_chunk(first) or _is_span(first)


def list_chunk_rows(by_topic: Mapping[Any, Sequence[Any]], owner: str) -> list[dict[str, Any]]:
    """Return chunks listed by topic as rows; the rank is the position in the list."""
    return [
        {
            "topic": str(topic),
            **_convert_chunk(chunk, f"{owner}, topic {str(topic)!r}, chunk {place}"),
            "rank": place,
        }
        for topic, chunks in by_topic.items()
        for place, chunk in enumerate(chunks, 1)
    ]


def _is_span(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == len(_PLACE) and isinstance(value[0], str | int)


def _is_chunk(value: Any) -> bool:
    """Return whether a value is an object of a library, alone or in a pair with its score."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    return any(hasattr(value, name) for name in ("page_content", "start_char_idx", "node", "get_content"))


def _convert_chunk(chunk: Any, label: str) -> dict[str, Any]:
    if isinstance(chunk, str):
        return {"text": chunk}
    if isinstance(chunk, Mapping):
        return dict(chunk)
    if _is_span(chunk):
        return dict(zip(_PLACE, (str(chunk[0]), *chunk[1:]), strict=True))
    if _is_chunk(chunk):
        return _convert_object(chunk)
    raise InputError(
        label,
        wanted="a text, (doc, start, end), a dict, a LangChain document or a LlamaIndex node",
        found=quote_value(chunk, 80),
    )


def _convert_object(chunk: Any) -> dict[str, Any]:
    """Return the offsets, the text and the score of a library's object."""
    chunk, score = chunk if isinstance(chunk, tuple) else (chunk, getattr(chunk, "score", None))
    node = getattr(chunk, "node", chunk)
    metadata = getattr(node, "metadata", None) or {}
    text = getattr(node, "page_content", None)
    start, end = metadata.get("start_index"), None
    if text is None:
        text = node.get_content() if hasattr(node, "get_content") else getattr(node, "text", None)
        start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    elif start is not None and start >= 0:  # LangChain writes -1 if it did not find its own chunk
        end = start + len(text)
    doc = getattr(node, "ref_doc_id", None)
    doc = doc or next((metadata[name] for name in _SOURCES if metadata.get(name) is not None), None)
    has_span = start is not None and end is not None
    return {
        "doc": None if doc is None else str(doc),
        "start": start if has_span else None,
        "end": end if has_span else None,
        "text": text,
        "rsv": None if score is None else float(score),
    }


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
    label = f"chunk {number}" if file is None else "a chunk"
    chunk = _convert_chunk(row, label)
    doc, start, end = (
        chunk.get("doc"),
        _convert_integer(chunk.get("start")),
        _convert_integer(chunk.get("end")),
    )
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
