"""Chunks and texts as users of retrieval libraries have them, turned into rows.

A chunk is a span (doc, start, end), a quoted text, or an object of a library, told by its attributes and
without importing the library: LangChain's documents (``page_content``, ``metadata`` with ``source`` and
``start_index``), LlamaIndex's nodes (``start_char_idx``, ``end_char_idx``, ``ref_doc_id``), bare or with a
score.  The order of a list is its ranking.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from doxel.documents import Collection, read_collection
from doxel.documents.texts import Texts
from doxel.errors import InputError
from doxel.files import read_bytes
from doxel.files.lines import json_lines
from doxel.spans import FURTHEST
from doxel.wording import shown

__all__ = ["as_chunks", "as_collection", "chunk_rows", "is_by_topic"]

_SOURCES = ("doc", "doc_id", "source", "document", "file_path", "file_name")
_PLACE = ("doc", "start", "end")


def as_collection(given: Any) -> Collection | None:
    """Return a collection from a folder, from texts by id, or as it is."""
    if isinstance(given, str | os.PathLike):
        return read_collection(Path(given))
    if isinstance(given, Mapping):
        return Texts(given)
    if given is None or isinstance(given, Collection):
        return given
    raise InputError(
        "a collection", wanted="a Collection, its folder, or texts by id", found=type(given).__name__
    )


def is_by_topic(data: Any) -> bool:
    """Tell a mapping from topics to lists of chunks from any other: its chunks do not name a topic."""
    if not isinstance(data, Mapping) or not data:
        return False
    lists = list(data.values())
    if not all(isinstance(one, Sequence) and not isinstance(one, str) for one in lists):
        return False
    first = next((one[0] for one in lists if len(one)), None)
    if isinstance(first, Mapping):
        return not {"topic", "topic_id", "query"} & set(first)
    return isinstance(first, str) or _is_chunk(first) or _is_span(first)


def chunk_rows(by_topic: Mapping[Any, Sequence[Any]], what: str) -> list[dict[str, Any]]:
    """Return chunks listed by topic as rows; ranks are places in the lists."""
    return [
        {"topic": str(topic), **_row(chunk, f"{what}, topic {str(topic)!r}, chunk {place}"), "rank": place}
        for topic, chunks in by_topic.items()
        for place, chunk in enumerate(chunks, 1)
    ]


def _is_span(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == len(_PLACE) and isinstance(value[0], str | int)


def _is_chunk(value: Any) -> bool:
    """Tell whether something is an object of a library, perhaps beside its score."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    return any(hasattr(value, name) for name in ("page_content", "start_char_idx", "node", "get_content"))


def _row(chunk: Any, what: str) -> dict[str, Any]:
    if isinstance(chunk, str):
        return {"text": chunk}
    if isinstance(chunk, Mapping):
        return dict(chunk)
    if _is_span(chunk):
        return dict(zip(_PLACE, (str(chunk[0]), *chunk[1:]), strict=True))
    if _is_chunk(chunk):
        return _from_object(chunk)
    raise InputError(
        what,
        wanted="a text, (doc, start, end), a dict, a LangChain document or a LlamaIndex node",
        found=shown(chunk, 80),
    )


def _from_object(chunk: Any) -> dict[str, Any]:
    """Return what an object of a library says of its place, its text and its score."""
    chunk, score = chunk if isinstance(chunk, tuple) else (chunk, getattr(chunk, "score", None))
    node = getattr(chunk, "node", chunk)
    metadata = getattr(node, "metadata", None) or {}
    text = getattr(node, "page_content", None)
    start, end = metadata.get("start_index"), None
    if text is None:
        text = node.get_content() if hasattr(node, "get_content") else getattr(node, "text", None)
        start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    elif start is not None and start >= 0:  # LangChain writes -1 where it did not find its own chunk
        end = start + len(text)
    doc = getattr(node, "ref_doc_id", None)
    doc = doc or next((metadata[name] for name in _SOURCES if metadata.get(name) is not None), None)
    placed = start is not None and end is not None
    return {
        "doc": None if doc is None else str(doc),
        "start": start if placed else None,
        "end": end if placed else None,
        "text": text,
        "rsv": None if score is None else float(score),
    }


def as_chunks(given: Any, collection: Collection | None) -> pl.DataFrame:
    """Return all chunks of a chunking, document by document in the order given: doc, start, end."""
    file = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    rows = enumerate(_rows(given), 1) if file is None else json_lines(read_bytes(file), file)
    frame = pl.DataFrame(
        [(*_place(row, number, file), number) for number, row in rows],
        schema={"doc": pl.String, "start": pl.Int64, "end": pl.Int64, "line": pl.Int64},
        orient="row",
    )
    if collection is not None:
        return _known(frame, collection, file)
    first = pl.col("line").min().over("doc")
    return frame.sort(first, "start", "end", maintain_order=True).drop("line")


def _rows(given: Any) -> Iterable[Any]:
    """Return plain data row by row."""
    if isinstance(given, pl.LazyFrame):
        return given.collect().to_dicts()
    if isinstance(given, pl.DataFrame):
        return given.to_dicts()
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a pandas frame, without importing pandas
        records: Iterable[Any] = given.to_dict("records")
        return records
    if isinstance(given, Iterable):
        return given
    raise InputError(
        "chunks", wanted="a file of JSON lines, or plain data with doc, start and end", found=shown(given)
    )


def _place(row: Any, number: int, file: str | None) -> tuple[str, int, int]:
    """Return a chunk as document, start and end; ``number`` is its line in a file, or its place in a list."""
    what = f"chunk {number}" if file is None else "a chunk"
    found = _row(row, what)
    doc, start, end = found.get("doc"), _whole(found.get("start")), _whole(found.get("end"))
    if doc is None or start is None or end is None or not 0 <= start <= end <= FURTHEST:
        raise InputError(
            what,
            file=file,
            line=None if file is None else number,
            wanted="doc, start and end, 0 <= start <= end",
            found=shown(row, 80),
        )
    return str(doc), start, end


def _whole(value: Any) -> int | None:
    """Return a whole number, of Python or of NumPy; None for anything else."""
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    return operator.index(value) if is_whole else None


def _known(frame: pl.DataFrame, collection: Collection, file: str | None) -> pl.DataFrame:
    """Return chunks with the collection's ids, in its order; a chunk of no document of it is refused."""
    distinct = frame["doc"].unique(maintain_order=True)
    numbers = collection.numbers(distinct)
    if (numbers < 0).any():
        lost = distinct.filter(pl.Series(numbers < 0))[0]
        number = frame.filter(pl.col("doc") == lost)["line"][0]
        what, line = (f"chunk {number}", None) if file is None else ("a chunk", number)
        wanted = "a document of the collection"
        raise InputError(what, file=file, line=line, wanted=wanted, found=shown(lost))
    ids = pl.DataFrame(
        {"doc": distinct, "id": collection.documents["doc"].gather(numbers), "number": numbers}
    )
    named = frame.join(ids, on="doc", how="left", maintain_order="left")
    return named.sort("number", "start", "end", maintain_order=True).select(
        pl.col("id").alias("doc"), "start", "end"
    )
