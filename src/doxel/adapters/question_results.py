"""Adapters for the answer to one question: a list of results, in the form that a library returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from doxel.adapters.adapter_declaration import ForeignRow, ListAdapter

__all__ = ["LIST_ADAPTERS", "is_chroma_result", "list_chroma_results"]

_WRAPPINGS = ("documents", "source_documents", "context", "results", "hits", "nodes", "points")


def is_chroma_result(value: Any) -> bool:
    """Return whether a value is the answer of a Chroma collection: a dict with lists of lists."""
    return (
        isinstance(value, Mapping)
        and isinstance(ids := value.get("ids"), list | tuple)
        and ("documents" in value or "metadatas" in value or "distances" in value)
        and all(isinstance(row, list | tuple) for row in ids)
    )


def list_chroma_results(result: Mapping[str, Any]) -> list[list[ForeignRow]]:
    """Return the results of each query; distances become scores, the nearest first as Chroma lists them."""
    lists = []
    for number, ids in enumerate(result["ids"]):
        columns = {
            name: values[number]
            for name in ("documents", "metadatas", "distances")
            if (values := result.get(name)) is not None and len(values) > number
        }
        lists.append(
            [
                {
                    "id": identifier,
                    "metadata": _pick(columns, "metadatas", place) or {},
                    "text": _pick(columns, "documents", place),
                    "distance": _pick(columns, "distances", place),
                }
                for place, identifier in enumerate(ids)
            ]
        )
    return lists


def _pick(columns: Mapping[str, Sequence[Any] | None], name: str, place: int) -> Any:
    values = columns.get(name)
    return None if values is None else values[place]


def _is_single_chroma_result(value: Any) -> bool:
    return is_chroma_result(value) and len(value["ids"]) == 1


def _find_wrapping(value: Any) -> str | None:
    if not isinstance(value, Mapping) or is_chroma_result(value):
        return None
    return next((name for name in _WRAPPINGS if isinstance(value.get(name), list | tuple)), None)


def _has_hits(value: Any) -> bool:
    hits = value.get("hits") if isinstance(value, Mapping) else None
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


LIST_ADAPTERS: tuple[ListAdapter, ...] = (
    ListAdapter(
        name="lists",
        shape="a list or another sequence of results",
        recognises=lambda value: isinstance(value, Sequence) and not isinstance(value, str | bytes),
        convert=list,
    ),
    ListAdapter(
        name="iterators",
        shape="a generator or another iterator over results",
        recognises=lambda value: isinstance(value, Iterator),
        convert=list,
    ),
    ListAdapter(
        name="Chroma results of one query",
        shape="a dict with `ids`, `documents`, `metadatas` and `distances`, each a list with one list",
        recognises=_is_single_chroma_result,
        convert=lambda value: list_chroma_results(value)[0],
    ),
    ListAdapter(
        name="LlamaIndex responses",
        shape="an object with `source_nodes`",
        recognises=lambda value: isinstance(getattr(value, "source_nodes", None), list),
        convert=lambda value: value.source_nodes,
    ),
    ListAdapter(
        name="Qdrant responses",
        shape="an object with `points`",
        recognises=lambda value: isinstance(getattr(value, "points", None), list),
        convert=lambda value: value.points,
    ),
    ListAdapter(
        name="Elasticsearch responses",
        shape="a dict with `hits`, in which `hits` is a list",
        recognises=_has_hits,
        convert=lambda value: value["hits"]["hits"],
    ),
    ListAdapter(
        name="pipeline outputs",
        shape="a dict in which `documents`, `source_documents`, `context`, `results`, `hits`, `nodes` or "
        "`points` is a list, as Haystack components and LangChain chains return it",
        recognises=lambda value: _find_wrapping(value) is not None,
        convert=lambda value: value[_find_wrapping(value)],
    ),
)
"""The adapters of the results of one question, in the order of recognition."""
