"""Helpers that describe the trees of documents, and check properties of documents of every kind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import doxel
from documents.commands import write_files
from doxel.documents import Document

__all__ = ["check_document", "ingested", "sectioned", "shape", "slices"]


@contextmanager
def ingested(files: Mapping[str, str | bytes]) -> Iterator[doxel.Collection]:
    """Ingest files into a temporary collection; all of them must be readable."""
    with tempfile.TemporaryDirectory() as name:
        report = doxel.ingest(write_files(Path(name, "sources"), files), Path(name, "c"))
        assert not report.refused, report.refused
        yield doxel.read_collection(Path(name, "c"))


def shape(document: Document, row: int = 0) -> Any:
    """Return an element as its tag, or as its tag and the shapes of its children."""
    children = [shape(document, child) for child in document.children(row)]
    tag = document.path(row).rpartition("/")[2].partition("[")[0]
    return (tag, children) if children else tag


def slices(document: Document, tag: str) -> list[str]:
    """Return the texts of all elements with a tag, in document order."""
    table = document.elements.filter(document.elements["tag"] == tag)
    return [document.text[start:end] for start, end in table.select("start", "end").iter_rows()]


def check_document(document: Document) -> None:
    """Check the properties of documents of every kind."""
    table, text = document.elements, document.text
    starts, ends, parents, paths = (table[column].to_list() for column in ("start", "end", "parent", "path"))
    assert (starts[0], ends[0]) == (0, len(text))
    before: dict[int, int] = {}  # the end of each element's last child so far
    for row, (start, end, parent) in enumerate(zip(starts, ends, parents, strict=True)):
        assert start <= end
        if parent >= 0:
            assert before.get(parent, starts[parent]) <= start
            assert end <= ends[parent]
            before[parent] = end
        assert document.path(row) == paths[row]
        assert document.text_of(row) == text[start:end]
    rows = document.forest.find(np.zeros(len(paths), dtype=np.int64), table["path"])
    assert rows.tolist() == list(range(len(paths)))
    assert document.find(paths[-1]) == len(paths) - 1


def sectioned(blocks: list[Any]) -> list[Any]:
    """Group shapes of blocks into sections, slowly: each ends at the next heading of its level or above."""
    result: list[Any] = []
    at = 0
    while at < len(blocks):
        level = _level(blocks[at])
        stop = at + 1
        if level:
            while stop < len(blocks) and (_level(blocks[stop]) or 9) > level:
                stop += 1
            result.append(("section", [blocks[at], *sectioned(blocks[at + 1 : stop])]))
        else:
            result.append(blocks[at])
        at = stop
    return result


def _level(block: Any) -> int:
    return int(block[1]) if isinstance(block, str) and len(block) == 2 and block[1].isdigit() else 0
