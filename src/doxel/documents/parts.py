"""A part: an immutable folder of Parquet files with the documents of one batch.

======================  =================================================================
documents.parquet       source (path below the source folder), hash of the source bytes,
                        text rule, hash of the text, number of elements, characters, attributes, breaks
elements.parquet        descendants, before, inside, label: see :mod:`doxel.documents.forest`
labels.parquet          label paths of this part: parent, name, namespace
attributes.parquet      element, name, value
breaks.parquet          element, position: text interrupted by a comment or instruction
texts.parquet           one text per document, in row groups of about one megabyte
======================  =================================================================

The rows of all files are in the order of the documents; the counts give the first row of each document.
Element numbers in attributes and breaks count from the start of the part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents.columns import Columns
from doxel.documents.identity import digest, document_key, document_name
from doxel.spans import Ints

__all__ = ["SCHEMAS", "DocumentRow", "PartSummary", "write_part"]

SCHEMAS: Mapping[str, Mapping[str, type[pl.DataType]]] = {
    "documents": {
        **dict.fromkeys(("source", "source_hash", "rule", "text_hash"), pl.String),
        **dict.fromkeys(("elements", "characters", "attributes", "breaks"), pl.UInt32),
    },
    "elements": dict.fromkeys(("descendants", "before", "inside", "label"), pl.UInt32),
    "labels": {"parent": pl.Int32, "name": pl.String, "namespace": pl.String},
    "attributes": {"element": pl.UInt32, "name": pl.String, "value": pl.String},
    "breaks": {"element": pl.UInt32, "position": pl.UInt32},
    "texts": {"text": pl.String},
}
"""The columns of each table."""

_ROW_GROUP_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document's source, hash, text and text rule: everything except its elements."""

    source: str
    source_hash: str
    text: bytes
    rule: str


@dataclass(frozen=True)
class PartSummary:
    """A part's entry in the manifest: name, counts and fingerprint."""

    name: str
    documents: int
    elements: int
    characters: int
    fingerprint: str


def write_part(folder: Path, rows: Sequence[DocumentRow], columns: Columns) -> PartSummary:
    """Write the files of a part into a new folder and return its summary."""
    folder.mkdir()
    texts = pl.DataFrame({"text": pl.Series([row.text for row in rows], dtype=pl.Binary).cast(pl.String)})
    documents = _documents(rows, columns, texts["text"])
    tables = {
        "documents": documents,
        "elements": pl.DataFrame({name: pl.Series(values) for name, values in columns.elements.items()}),
        "labels": pl.DataFrame(columns.labels, schema=SCHEMAS["labels"]),
        "attributes": pl.DataFrame(columns.attributes, schema=SCHEMAS["attributes"]),
        "breaks": pl.DataFrame(columns.breaks, schema=SCHEMAS["breaks"]),
        "texts": texts,
    }
    mean_size = max(1, sum(len(row.text) for row in rows) // len(rows))
    for name, table in tables.items():
        table.cast(pl.Schema(SCHEMAS[name])).write_parquet(
            folder / f"{name}.parquet",
            compression="zstd",
            compression_level=1,
            statistics=False,
            row_group_size=max(1, _ROW_GROUP_BYTES // mean_size) if name == "texts" else None,
        )
    return PartSummary(
        name=folder.name,
        documents=len(rows),
        elements=sum(columns.element_counts),
        characters=int(documents["characters"].sum()),
        fingerprint=_fingerprint(documents),
    )


def _documents(rows: Sequence[DocumentRow], columns: Columns, texts: pl.Series) -> pl.DataFrame:
    first = np.concatenate([[0], np.cumsum(columns.element_counts)]).astype(np.int64)
    return pl.DataFrame(
        {
            "source": [row.source for row in rows],
            "source_hash": [row.source_hash for row in rows],
            "rule": [row.rule for row in rows],
            "text_hash": [digest(row.text) for row in rows],
            "elements": columns.element_counts,
            "characters": texts.str.len_chars(),
            "attributes": _per_document(columns.attributes["element"], first),
            "breaks": _per_document(columns.breaks["element"], first),
        }
    )


def _per_document(elements: npt.ArrayLike, first: Ints) -> Ints:
    """Return the number of rows per document, given the element of each row."""
    return np.diff(np.searchsorted(np.asarray(elements), first))


def _fingerprint(documents: pl.DataFrame) -> str:
    """Return a sum of document hashes, independent of their order and their division into parts."""
    total = 0
    for source, text_hash in zip(documents["source"], documents["text_hash"], strict=True):
        name = document_name(document_key(source))
        total += int.from_bytes(hashlib.sha256(f"{name}\0{text_hash}".encode()).digest()[:16], "big")
    return f"{total % (1 << 128):032x}"
