"""Adapters for one retrieved chunk: objects of retrieval libraries, dicts, spans and texts.

The metadata of a chunk may name its document in several ways: an id, a file name, a path, an id that the
library generated.  All of them are collected; ``name_matching`` selects the one that is known.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from doxel.adapters.adapter_declaration import ChunkAdapter, ForeignRow
from doxel.adapters.column_names import NESTED_NAMES, list_usable_names, normalise_name, select_columns

__all__ = ["CHUNK_ADAPTERS", "convert_mapping", "flatten_mapping", "is_span"]

# Loaders count pages from 0 or from 1, and offsets within a page or not, so their pages locate nothing.
_PAGE_NAMES = dict.fromkeys(("page", "page_label"), "loaded_page")
_SINGLE = ("topic", "start", "end", "length", "text", "rank", "rsv", "distance", "grade")


def flatten_mapping(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row with the entries of the mappings inside it; its own entries win.

    >>> flatten_mapping({"page_content": "All is well.", "metadata": {"source": "report"}})
    {'page_content': 'All is well.', 'source': 'report'}
    """
    entries: dict[str, Any] = {}
    nested: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and normalise_name(name) in NESTED_NAMES:
            nested.update((_PAGE_NAMES.get(str(key), str(key)), entry) for key, entry in value.items())
        else:
            entries[str(name)] = value
    return {**entries, **{key: entry for key, entry in nested.items() if entries.get(key) is None}}


def convert_mapping(row: Mapping[Any, Any]) -> ForeignRow:
    """Return a row with doxel's names; entries with other names are kept."""
    flat = flatten_mapping(row)
    columns = select_columns(list_usable_names(flat))
    used_names = {name for names in columns.values() for name in names}
    result = {name: value for name, value in flat.items() if name not in used_names}
    for column in _SINGLE:
        values = [flat[name] for name in columns.get(column, ()) if not _is_missing(flat[name])]
        if values:
            result[column] = values[0]
    result["names"] = _list_names(flat[name] for name in columns.get("doc", ()))
    return result


def _list_names(values: Iterable[Any]) -> list[str]:
    """Return distinct names as strings; other values are left out."""
    names = [
        str(value) for value in values if not _is_missing(value) and not isinstance(value, Mapping | list)
    ]
    return list(dict.fromkeys(name for name in names if name))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _read_metadata(metadata: Any) -> ForeignRow:
    return convert_mapping({"metadata": metadata}) if isinstance(metadata, Mapping) else {"names": []}


def _build_row(text: Any, start: Any, end: Any, names: Iterable[Any], score: Any) -> ForeignRow:
    """Return the row of a chunk; the end follows from start and text, and a start below 0 is dropped."""
    is_placed = isinstance(start, numbers.Real) and not _is_missing(start) and float(start) >= 0
    if is_placed and _is_missing(end) and isinstance(text, str):
        end = start + len(text)
    has_span = is_placed and not _is_missing(end)
    return {
        "names": _list_names(names),
        "start": start if has_span else None,
        "end": end if has_span else None,
        "text": text if isinstance(text, str) else None,
        "rsv": None if score is None else float(score),
    }


def _convert_langchain(document: Any, score: Any = None) -> ForeignRow:
    metadata = _read_metadata(getattr(document, "metadata", None))
    names = [*metadata["names"], getattr(document, "id", None)]
    # LangChain writes a start_index of -1 if it did not find its own chunk
    row = _build_row(document.page_content, metadata.get("start"), metadata.get("end"), names, score)
    return row | _select_page(metadata)


def _select_page(metadata: ForeignRow) -> ForeignRow:
    page = metadata.get("loaded_page")
    return {} if _is_missing(page) else {"loaded_page": str(page)}


def _is_scored_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "page_content")


def _convert_llama_index(chunk: Any) -> ForeignRow:
    node = getattr(chunk, "node", chunk)
    text = node.get_content() if hasattr(node, "get_content") else getattr(node, "text", None)
    metadata = _read_metadata(getattr(node, "metadata", None))
    source = getattr(node, "source_node", None)
    names = [
        getattr(node, "ref_doc_id", None),
        *metadata["names"],
        *_read_metadata(getattr(source, "metadata", None))["names"],
        getattr(node, "node_id", None),
    ]
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return _build_row(text, start, end, names, getattr(chunk, "score", None)) | _select_page(metadata)


def _is_llama_index(value: Any) -> bool:
    node = getattr(value, "node", value)
    return hasattr(node, "get_content") or hasattr(node, "start_char_idx")


def _convert_haystack(document: Any) -> ForeignRow:
    meta = _read_metadata(document.meta)
    names = [*meta["names"], getattr(document, "id", None)]
    score = getattr(document, "score", None)
    return _build_row(document.content, meta.get("start"), meta.get("end"), names, score)


def _convert_point(point: Any) -> ForeignRow:
    payload = _read_metadata(point.payload)
    names = [*payload["names"], point.id]
    return _build_row(payload.get("text"), payload.get("start"), payload.get("end"), names, point.score)


def _convert_chunk_object(chunk: Any) -> ForeignRow:
    names = [getattr(chunk, name, None) for name in ("doc", "doc_id", "document_id", "source")]
    return _build_row(chunk.text, chunk.start_index, chunk.end_index, names, getattr(chunk, "score", None))


def is_span(value: Any) -> bool:
    """Return whether a value is a document with start and end."""
    return (
        isinstance(value, tuple | list)
        and len(value) == 3
        and not hasattr(value, "_fields")
        and isinstance(value[0], str | int)
        and not isinstance(value[1], str)
    )


def _convert_span(span: Any) -> ForeignRow:
    return {"names": [str(span[0])], "start": span[1], "end": span[2]}


CHUNK_ADAPTERS: tuple[ChunkAdapter, ...] = (
    ChunkAdapter(
        name="texts",
        shape="a string",
        recognises=lambda value: isinstance(value, str),
        convert=lambda text: {"names": [], "text": text},
    ),
    ChunkAdapter(
        name="dicts",
        shape="a mapping with the column names below, also inside `metadata`, `meta`, `payload` or `_source`",
        recognises=lambda value: isinstance(value, Mapping),
        convert=convert_mapping,
    ),
    ChunkAdapter(name="spans", shape="(document, start, end)", recognises=is_span, convert=_convert_span),
    ChunkAdapter(
        name="LangChain documents",
        shape="`page_content` and `metadata` with `source` and `start_index`",
        recognises=lambda value: hasattr(value, "page_content"),
        convert=_convert_langchain,
    ),
    ChunkAdapter(
        name="LangChain documents with scores",
        shape="a pair (document, score); the order of the list counts, whatever the scores",
        recognises=_is_scored_pair,
        convert=lambda pair: _convert_langchain(*pair),
    ),
    ChunkAdapter(
        name="LlamaIndex nodes",
        shape="`get_content()`, `start_char_idx`, `end_char_idx`, `ref_doc_id`, `metadata`; or `node` with "
        "`score`",
        recognises=_is_llama_index,
        convert=_convert_llama_index,
    ),
    ChunkAdapter(
        name="Haystack documents",
        shape="`content`, `score` and `meta` with `file_path`, `source_id` and `split_idx_start`",
        recognises=lambda value: hasattr(value, "content") and hasattr(value, "meta"),
        convert=_convert_haystack,
    ),
    ChunkAdapter(
        name="Qdrant points",
        shape="`id`, `score` and `payload`, a mapping",
        recognises=lambda value: (
            isinstance(getattr(value, "payload", None), Mapping) and hasattr(value, "score")
        ),
        convert=_convert_point,
    ),
    ChunkAdapter(
        name="chunks with offsets",
        shape="`text`, `start_index` and `end_index`, as chonkie makes them",
        recognises=lambda value: hasattr(value, "start_index") and hasattr(value, "text"),
        convert=_convert_chunk_object,
    ),
)
"""The adapters of single results, in the order of recognition."""
