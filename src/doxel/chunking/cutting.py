"""All chunks of a collection: its documents, cut one by one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from doxel.chunking.chunkers import Chunker
from doxel.chunking.splitters import headings
from doxel.documents import Collection
from doxel.spans import Ints

__all__ = ["CHUNKS", "cut", "with_texts"]

CHUNKS = {"doc": pl.String, "start": pl.Int64, "end": pl.Int64}

# elements that begin a section, in the vocabularies that documents are written in
_SECTIONS = frozenset({"section", "sec", "ss1", "ss2", "ss3", "div", "chapter", "sect1", "sect2", "sect3"})


def cut(collection: Collection, chunkers: Iterable[Chunker]) -> list[pl.DataFrame]:
    """Return the chunks that each chunker makes of all documents: doc, start, end.

    Every text is read once, whatever the number of chunkers.
    """
    listed = list(chunkers)
    found: list[list[pl.DataFrame]] = [[pl.DataFrame(schema=CHUNKS)] for _ in listed]
    for number, doc in enumerate(collection.documents["doc"]):
        text = collection.text(number)
        sections = _section_starts(collection, number, text)
        for chunker, pieces in zip(listed, found, strict=True):
            start, end = chunker.cut(text, sections, doc)
            pieces.append(
                pl.DataFrame(
                    {"doc": pl.repeat(doc, len(start), eager=True), "start": start, "end": end}, schema=CHUNKS
                )
            )
    return [pl.concat(pieces) for pieces in found]


def with_texts(collection: Collection, chunks: pl.DataFrame) -> pl.DataFrame:
    """Return chunks with their texts: doc, start, end, text."""
    texts: list[str] = []
    for (doc,), part in chunks.group_by("doc", maintain_order=True):
        text = collection.text(collection.number(str(doc)))
        texts += [text[start:end] for start, end in part.select("start", "end").iter_rows()]
    return chunks.with_columns(text=pl.Series(texts, dtype=pl.String))


def _section_starts(collection: Collection, number: int, text: str) -> Ints:
    """Return where the sections of a document begin: by its elements, or else by headings in its text."""
    forest = collection.forest([number])
    names = np.array([name in _SECTIONS for name in forest.labels.name], dtype=bool)
    marked = names[forest.label] if len(names) else np.zeros(0, dtype=bool)
    return np.unique(forest.start[marked]) if marked.any() else headings(text)
