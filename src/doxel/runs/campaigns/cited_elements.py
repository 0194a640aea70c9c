"""Parts of documents that a submission cites by a campaign's own ids: turns of a conversation, sentences.

The formats whose results are elements share these functions: rows of results from lists of ids, and the
objects of a file for a run that has not changed since it was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from doxel.files.json_records import JsonFile, load_records
from doxel.runs.run import NOT_FOUND_OFFSET, RESULTS, Run

__all__ = ["encode_objects", "list_cited_elements", "restore_objects"]

_PLACE = ("topic", "doc", "path", "start")


def list_cited_elements(
    topic: str, doc: str, ids: Iterable[str], build_path: Callable[[str], str | None], line: int | None
) -> list[dict[str, Any]]:
    """Return the results of a topic, in the order of the ids; an id without a path is not found."""
    rows = []
    for rank, name in enumerate(ids, 1):
        path = build_path(name)
        lost = {} if path else {"start": NOT_FOUND_OFFSET, "end": NOT_FOUND_OFFSET}
        rows.append({"topic": topic, "doc": doc, "rank": rank, "path": path, **lost, "line": line})
    return rows


def restore_objects(
    run: Run, format_name: str, list_results: Callable[[JsonFile, list[dict[str, Any]]], list[dict[str, Any]]]
) -> tuple[list[dict[str, Any]], bool]:
    """Return the objects of the file that a run was read from, and whether they still give its results."""
    objects = load_records(run.about.get(format_name, ""))
    if not objects:
        return [], False
    file = JsonFile(json.dumps(objects).encode(), run.file or run.id, wanted="objects")
    original = RESULTS.from_rows(list_results(file, file.content))
    return objects, original.select(_PLACE).equals(run.results.select(_PLACE))


def encode_objects(content: Any) -> bytes:
    """Return the content of a file for submission."""
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"
