"""Parts of a collection: immutable folders of Parquet files, each with the documents of one batch.

======================  =================================================================
documents.parquet       source (path below the source folder), hash of the source bytes,
                        text rule, hash of the text, number of elements, characters, attributes, breaks
elements.parquet        descendants, before, inside, label: see :mod:`doxel.documents.element_forest`
labels.parquet          label paths of this part: parent, name, namespace
attributes.parquet      element, name, value
breaks.parquet          element, position: text interrupted by a comment or instruction
texts.parquet           one text per document, in row groups of about one megabyte
======================  =================================================================

The rows of all files are in the order of the documents; the counts give the first row of each document.
Element numbers in attributes and breaks count from the start of the part.

Tables are checked when they are read, so that a table of another part is detected.  The checks are cheap:
columns, numbers of rows (compared with the manifest), and whether the numbers in a table are within
range.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents.document_names import compute_digest, derive_document_key, derive_document_name
from doxel.documents.element_forest import LabelPaths, LabelTable
from doxel.documents.parsing.node_columns import PartColumns
from doxel.errors import CollectionError
from doxel.spans import Ints

__all__ = ["DocumentRow", "PartSummary", "StoredParts", "write_part"]

_SCHEMAS: Mapping[str, Mapping[str, type[pl.DataType]]] = {
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
    """A document's source, hash, text, text rule and size: everything except its elements."""

    source: str
    source_hash: str
    text: bytes
    rule: str
    source_bytes: int


@dataclass(frozen=True)
class PartSummary:
    """A part's entry in the manifest: name, counts and fingerprint.

    ``source_bytes`` is the size of its source documents; None in collections that doxel 1.0 made.
    """

    name: str
    documents: int
    elements: int
    characters: int
    fingerprint: str
    source_bytes: int | None = None


def write_part(folder: Path, rows: Sequence[DocumentRow], columns: PartColumns) -> PartSummary:
    """Write the files of a part into a new folder and return its summary."""
    folder.mkdir()
    texts = pl.DataFrame({"text": pl.Series([row.text for row in rows], dtype=pl.Binary).cast(pl.String)})
    documents = _build_documents_table(rows, columns, texts["text"])
    tables = {
        "documents": documents,
        "elements": pl.DataFrame({name: pl.Series(values) for name, values in columns.elements.items()}),
        "labels": pl.DataFrame(columns.labels, schema=_SCHEMAS["labels"]),
        "attributes": pl.DataFrame(columns.attributes, schema=_SCHEMAS["attributes"]),
        "breaks": pl.DataFrame(columns.breaks, schema=_SCHEMAS["breaks"]),
        "texts": texts,
    }
    mean_size = max(1, sum(len(row.text) for row in rows) // len(rows))
    for name, table in tables.items():
        table.cast(pl.Schema(_SCHEMAS[name])).write_parquet(
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
        fingerprint=_compute_fingerprint(documents),
        source_bytes=sum(row.source_bytes for row in rows),
    )


def _build_documents_table(
    rows: Sequence[DocumentRow], columns: PartColumns, texts: pl.Series
) -> pl.DataFrame:
    first = np.concatenate([[0], np.cumsum(columns.element_counts)]).astype(np.int64)
    return pl.DataFrame(
        {
            "source": [row.source for row in rows],
            "source_hash": [row.source_hash for row in rows],
            "rule": [row.rule for row in rows],
            "text_hash": [compute_digest(row.text) for row in rows],
            "elements": columns.element_counts,
            "characters": texts.str.len_chars(),
            "attributes": _count_per_document(columns.attributes["element"], first),
            "breaks": _count_per_document(columns.breaks["element"], first),
        }
    )


def _count_per_document(elements: npt.ArrayLike, first: Ints) -> Ints:
    """Return the number of rows per document, given the element of each row."""
    return np.diff(np.searchsorted(np.asarray(elements), first))


def _compute_fingerprint(documents: pl.DataFrame) -> str:
    """Return a sum of document hashes, independent of their order and their division into parts."""
    total = 0
    for source, text_hash in zip(documents["source"], documents["text_hash"], strict=True):
        name = derive_document_name(derive_document_key(source))
        total += int.from_bytes(hashlib.sha256(f"{name}\0{text_hash}".encode()).digest()[:16], "big")
    return f"{total % (1 << 128):032x}"


def _build_damage_error(path: Path, wanted: object, found: object) -> CollectionError:
    return CollectionError(
        f"{path}: changed since it was written, the collection is damaged: wanted {wanted}, found {found}"
    )


def check_part_table(
    frame: pl.DataFrame, table: str, path: Path, *, rows: int | None, columns: Sequence[str] = ()
) -> None:
    """Raise CollectionError if a table has other columns or another number of rows than it should."""
    full_schema = _SCHEMAS[table]
    schema = {name: full_schema[name] for name in columns or full_schema}
    if dict(frame.schema) != schema:
        raise _build_damage_error(
            path, f"the columns {', '.join(schema)}", ", ".join(frame.columns) or "none"
        )
    if rows is not None and frame.height != rows:
        raise _build_damage_error(path, f"{rows:,} rows", f"{frame.height:,}")


def check_part_documents(table: pl.DataFrame, parts: Sequence[PartSummary], folder: Path) -> None:
    """Raise CollectionError if the documents do not add up to the manifest's counts for their parts."""
    sums = table.group_by("part", maintain_order=True).agg(
        pl.len(), pl.col("elements", "characters").cast(pl.Int64).sum()
    )
    counts = dict(zip(sums["part"], sums.select(pl.exclude("part")).iter_rows(), strict=True))
    for number, part in enumerate(parts):
        listed = (part.documents, part.elements, part.characters)
        if counts.get(number) != listed:
            path = folder / part.name / "documents.parquet"
            describe = "{:,} documents with {:,} elements and {:,} characters".format
            raise _build_damage_error(path, describe(*listed), describe(*counts.get(number, (0, 0, 0))))


def check_part_labels(frame: pl.DataFrame, path: Path) -> None:
    """Raise CollectionError if label paths do not come after their parents, level by level."""
    parent = frame["parent"].to_numpy()
    if frame["parent"].null_count() or frame["name"].null_count():
        raise _build_damage_error(path, "a parent and a name for each label path", "none")
    if ((parent < -1) | (parent >= np.arange(len(parent)))).any() or (np.diff(parent) < 0).any():
        raise _build_damage_error(path, "label paths after their parents", "another order")


def check_part_elements(stored: Mapping[str, Ints], labels: int, path: Path) -> None:
    """Raise CollectionError if elements extend beyond the part or have a label that it does not contain."""
    count = len(stored["label"])
    if count and int(stored["label"].max()) >= labels:
        raise _build_damage_error(path, f"one of {labels:,} labels", f"{stored['label'].max():,}")
    if (np.arange(1, count + 1) + stored["descendants"] > count).any():
        raise _build_damage_error(path, f"descendants within the {count:,} elements of the part", "more")


_UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


class StoredParts:
    """The parts of a collection, numbered from 0 in the order of the manifest."""

    def __init__(self, folder: Path, parts: tuple[PartSummary, ...]) -> None:
        self._folder = folder
        self._parts = parts
        self._labels = LabelTable()

    def __len__(self) -> int:
        return len(self._parts)

    def table(
        self, part: int, table: str, first: int = 0, count: int | None = None, columns: Sequence[str] = ()
    ) -> pl.DataFrame:
        """Return a table of a part, or a selection of its rows or columns."""
        path = self._path(part, table)
        try:
            stored = pl.scan_parquet(path).slice(first, count)
            frame = (stored.select(columns) if columns else stored).collect()
        except _UNREADABLE as error:
            raise CollectionError(f"{path}: cannot be read, the collection is damaged: {error}") from error
        rows = getattr(self._parts[part], table, None) if count is None else count
        check_part_table(frame, table, path, rows=rows, columns=columns)
        return frame

    def _path(self, part: int, table: str) -> Path:
        return self._folder / self._parts[part].name / f"{table}.parquet"

    def each(self, table: str, *columns: str) -> Iterator[pl.DataFrame]:
        """Yield a table part by part, to save memory."""
        for part in range(len(self)):
            yield self.table(part, table, columns=columns)

    def documents(self) -> pl.DataFrame:
        """Return the documents of all parts, with the number of their part."""
        files = [self._path(part, "documents") for part in range(len(self))]
        try:  # all at once, which is several times faster than one by one
            rows = pl.scan_parquet(files, include_file_paths="part").collect()
        except _UNREADABLE:
            rows = pl.DataFrame()
        if rows.height == sum(part.documents for part in self._parts):
            table = rows.with_columns(pl.col("part").rle_id().cast(pl.UInt32))
            check_part_documents(table, self._parts, self._folder)
            return table
        frames = [
            table.with_columns(part=pl.lit(number, dtype=pl.UInt32))
            for number, table in enumerate(self.each("documents"))
        ]  # one by one, so that the error names the file
        return pl.concat(frames)

    @lru_cache(maxsize=4)  # noqa: B019 -- a collection lives as long as its process
    def elements(self, part: int) -> dict[str, Ints]:
        """Return the columns of the elements of a part; their labels are those of the part."""
        frame = self.table(part, "elements")
        stored = {column: frame[column].to_numpy() for column in frame.columns}
        check_part_elements(stored, len(self.label_map(part)), self._path(part, "elements"))
        return stored

    def label_map(self, part: int) -> Ints:
        """Return the collection's label for each label of a part."""

        def read() -> pl.DataFrame:
            labels = self.table(part, "labels")
            check_part_labels(labels, self._path(part, "labels"))
            return labels

        return self._labels.map(part, read)

    def labels(self) -> LabelPaths:
        """Return the label paths of the parts read so far."""
        return self._labels.labels()

    def all_labels(self) -> LabelPaths:
        """Return the label paths of all parts."""
        for part in range(len(self)):
            self.label_map(part)
        return self.labels()
