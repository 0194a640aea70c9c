"""Cut all documents of a collection into chunks."""

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

# elements that start a section, in the usual vocabularies of documents
_SECTIONS = frozenset({"section", "sec", "ss1", "ss2", "ss3", "div", "chapter", "sect1", "sect2", "sect3"})


def cut(collection: Collection, chunkers: Iterable[Chunker]) -> list[pl.DataFrame]:
    """Cut all documents with each chunker; return one table per chunker: doc, start, end.

    Every text is read once, whatever the number of chunkers.
    """
    chunkers = list(chunkers)
    tables: list[list[pl.DataFrame]] = [[pl.DataFrame(schema=CHUNKS)] for _ in chunkers]
    for number, doc in enumerate(collection.documents["doc"]):
        text = collection.text(number)
        sections = _section_starts(collection, number, text)
        for chunker, pieces in zip(chunkers, tables, strict=True):
            start, end = chunker.cut(text, sections, doc)
            pieces.append(
                pl.DataFrame(
                    {"doc": pl.repeat(doc, len(start), eager=True), "start": start, "end": end}, schema=CHUNKS
                )
            )
    return [pl.concat(pieces) for pieces in tables]


def with_texts(collection: Collection, chunks: pl.DataFrame) -> pl.DataFrame:
    """Add the texts of chunks: doc, start, end, text."""
    texts: list[str] = []
    for (doc,), part in chunks.group_by("doc", maintain_order=True):
        text = collection.text(collection.number(str(doc)))
        texts += [text[start:end] for start, end in part.select("start", "end").iter_rows()]
    return chunks.with_columns(text=pl.Series(texts, dtype=pl.String))


def _section_starts(collection: Collection, number: int, text: str) -> Ints:
    """Return the offsets of a document's sections: of its elements or, if none, of headings in its text."""
    forest = collection.forest([number])
    is_section_label = np.array([name in _SECTIONS for name in forest.labels.name], dtype=bool)
    is_section = is_section_label[forest.label] if len(is_section_label) else np.zeros(0, dtype=bool)
    return np.unique(forest.start[is_section]) if is_section.any() else headings(text)
