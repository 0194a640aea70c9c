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

The manifest has a checksum of every file.  Opening a collection compares sizes and footers.  A table is read
as a whole, and compared with its checksum before it is parsed; only texts are read in stretches, and each
text is compared with its hash in the table of documents.  Parts written by doxel 1.x have no
checksums; only their columns, row counts, ranges of numbers and hashes of texts are checked.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents.document_names import compute_digest, derive_document_key, derive_document_name
from doxel.documents.element_forest import LabelPaths, LabelTable
from doxel.errors import CollectionError
from doxel.files import explain_os_error
from doxel.files.checksums import FileChecksum, compute_checksum, find_damage, find_damaged_end
from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.documents.parsing.node_columns import PartColumns

__all__ = ["PART_TABLES", "DocumentRow", "PartSummary", "StoredParts", "compute_fingerprint", "write_part"]

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

PART_TABLES = tuple(_SCHEMAS)
"""The tables of a part; each is a file."""

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
    """A part's entry in the manifest: name, counts, fingerprint and the checksums of its files.

    ``source_bytes`` is the size of its source documents; None in collections that doxel 1.0 made.
    ``files`` has the checksum of each table; it is empty in collections that doxel 1.x made.
    """

    name: str
    documents: int
    elements: int
    characters: int
    fingerprint: str
    source_bytes: int | None = None
    files: Mapping[str, FileChecksum] = field(default_factory=dict)


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
        fingerprint=compute_fingerprint(documents["source"], documents["text_hash"]),
        source_bytes=sum(row.source_bytes for row in rows),
        files={name: compute_checksum(folder / f"{name}.parquet") for name in tables},
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


def compute_fingerprint(sources: Iterable[str], text_hashes: Iterable[str]) -> str:
    """Return a sum of document hashes, independent of their order and their division into parts."""
    total = 0
    for source, text_hash in zip(sources, text_hashes, strict=True):
        name = derive_document_name(derive_document_key(source))
        total += int.from_bytes(hashlib.sha256(f"{name}\0{text_hash}".encode()).digest()[:16], "big")
    return f"{total % (1 << 128):032x}"


_CHANGED = "changed since it was written, the collection is damaged"


def _build_damage_error(path: Path, wanted: object, found: object) -> CollectionError:
    return CollectionError(f"{path}: {_CHANGED}: wanted {wanted}, found {found}")


def check_part_table(
    frame: pl.DataFrame, table: str, path: Path, *, rows: int | None, columns: Sequence[str] = ()
) -> None:
    """Raise CollectionError if a table has unexpected columns or an unexpected number of rows."""
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
        manifest_counts = (part.documents, part.elements, part.characters)
        if counts.get(number) != manifest_counts:
            path = folder / part.name / "documents.parquet"
            describe = "{:,} documents with {:,} elements and {:,} characters".format
            raise _build_damage_error(
                path, describe(*manifest_counts), describe(*counts.get(number, (0, 0, 0)))
            )


def check_part_labels(frame: pl.DataFrame, path: Path) -> None:
    """Raise CollectionError if label paths do not come after their parents, level by level."""
    parent = frame["parent"].to_numpy()
    if frame["parent"].null_count() or frame["name"].null_count():
        raise _build_damage_error(path, "a parent and a name for each label path", "none")
    if ((parent < -1) | (parent >= np.arange(len(parent)))).any() or (np.diff(parent) < 0).any():
        raise _build_damage_error(path, "label paths after their parents", "another order")


def check_part_elements(columns: Mapping[str, Ints], labels: int, path: Path) -> None:
    """Raise CollectionError if elements extend beyond the part or have a label that it does not contain."""
    count = len(columns["label"])
    if count and int(columns["label"].max()) >= labels:
        raise _build_damage_error(path, f"one of {labels:,} labels", f"{columns['label'].max():,}")
    if (np.arange(1, count + 1) + columns["descendants"] > count).any():
        raise _build_damage_error(path, f"descendants within the {count:,} elements of the part", "more")


_UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@contextlib.contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Raise CollectionError if a file cannot be read or parsed."""
    try:
        yield
    except _UNREADABLE as error:
        raise _build_reading_error(path, error) from error


def _build_reading_error(path: str | Path, error: BaseException) -> CollectionError:
    reason = explain_os_error(error) if isinstance(error, OSError) else str(error)
    return CollectionError(f"{path}: cannot be read, the collection is damaged: {reason}")


def _refuse_damage(path: str | Path, damage: str | None) -> None:
    if damage is not None:
        raise CollectionError(f"{path}: {_CHANGED}: {damage}")


class StoredParts:
    """The parts of a collection, numbered from 0 in the order of the manifest."""

    def __init__(self, folder: Path, parts: tuple[PartSummary, ...]) -> None:
        self._folder = folder
        self._parts = parts
        self._labels = LabelTable()

    def __len__(self) -> int:
        return len(self._parts)

    def check_files(self) -> None:
        """Raise CollectionError if the size or the footer of a file differs from its checksum."""
        for summary in self._parts:
            for table, checksum in summary.files.items():
                # a string, because thousands of path objects take longer than reading the files
                path = f"{self._folder}/{summary.name}/{table}.parquet"
                try:
                    damage = find_damaged_end(path, checksum)
                except OSError as error:
                    raise _build_reading_error(path, error) from error
                _refuse_damage(path, damage)

    def table(self, part: int, table: str, columns: Sequence[str] = ()) -> pl.DataFrame:
        """Return a table of a part, or some of its columns."""
        path = self.path(part, table)
        with _explain_damage(path):
            scan = pl.scan_parquet(self._read(part, table))
            frame = (scan.select(columns) if columns else scan).collect()
        rows = getattr(self._parts[part], table, None)
        check_part_table(frame, table, path, rows=rows, columns=columns)
        return frame

    def _read(self, part: int, table: str) -> bytes:
        """Return the content of a file, after comparing it with its checksum."""
        path, checksum = self.path(part, table), self._parts[part].files.get(table)
        data = path.read_bytes()
        if checksum is not None:
            _refuse_damage(path, find_damage(data, checksum))
        return data

    @lru_cache(maxsize=8)  # noqa: B019 -- a collection lives as long as its process
    def _read_whole_table(self, part: int, table: str) -> pl.DataFrame:
        return self.table(part, table)

    def rows(self, part: int, table: str, first: int, count: int) -> pl.DataFrame:
        """Return some rows of a table; the table is kept for the next call."""
        frame = self._read_whole_table(part, table).slice(first, count)
        check_part_table(frame, table, self.path(part, table), rows=count)
        return frame

    def texts(self, part: int, first: int, hashes: Sequence[str]) -> pl.Series:
        """Return consecutive texts, after comparing them with their hashes."""
        path = self.path(part, "texts")
        with _explain_damage(path):
            frame = pl.scan_parquet(path).slice(first, len(hashes)).collect()
        check_part_table(frame, "texts", path, rows=len(hashes))
        texts = frame["text"].cast(pl.Binary).to_list()
        for row, (text, text_hash) in enumerate(zip(texts, hashes, strict=True), first):
            digest = "no text" if text is None else compute_digest(text)
            if digest != text_hash:
                raise _build_damage_error(path, f"the hash {text_hash} of text {row + 1:,}", digest)
        return frame["text"]

    def path(self, part: int, table: str) -> Path:
        """Return the path of a file."""
        return self._folder / self._parts[part].name / f"{table}.parquet"

    def iterate_table(self, table: str, *columns: str) -> Iterator[pl.DataFrame]:
        """Yield a table part by part, to save memory."""
        for part in range(len(self)):
            yield self.table(part, table, columns=columns)

    def documents(self) -> pl.DataFrame:
        """Return the documents of all parts, with the number of their part."""
        files = [self.path(part, "documents") for part in range(len(self))]
        try:  # all at once, which is several times faster than one by one
            for part in range(len(self)):
                self._read(part, "documents")
            rows = pl.scan_parquet(files, include_file_paths="part").collect()
        except _UNREADABLE:
            rows = pl.DataFrame()
        if rows.height == sum(part.documents for part in self._parts):
            table = rows.with_columns(pl.col("part").rle_id().cast(pl.UInt32))
            check_part_documents(table, self._parts, self._folder)
            return table
        frames = [
            table.with_columns(part=pl.lit(number, dtype=pl.UInt32))
            for number, table in enumerate(self.iterate_table("documents"))
        ]  # one by one, so that the error names the file
        return pl.concat(frames)

    @lru_cache(maxsize=4)  # noqa: B019 -- a collection lives as long as its process
    def elements(self, part: int) -> dict[str, Ints]:
        """Return the columns of the elements of a part; their labels are those of the part."""
        frame = self.table(part, "elements")
        columns = {column: frame[column].to_numpy() for column in frame.columns}
        check_part_elements(columns, len(self.label_map(part)), self.path(part, "elements"))
        return columns

    def label_map(self, part: int) -> Ints:
        """Return the collection's label for each label of a part."""

        def read() -> pl.DataFrame:
            labels = self.table(part, "labels")
            check_part_labels(labels, self.path(part, "labels"))
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
