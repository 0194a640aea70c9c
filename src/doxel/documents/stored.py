"""The tables of a collection on disk: read part by part and checked; only a few are kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import polars as pl

from doxel.documents.labels import Labels, LabelTable
from doxel.documents.parts import PartSummary
from doxel.documents.soundness import check_documents, check_elements, check_labels, check_table
from doxel.errors import CollectionError
from doxel.spans import Ints

__all__ = ["StoredParts"]

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
        check_table(frame, table, path, rows=rows, columns=columns)
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
            check_documents(table, self._parts, self._folder)
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
        check_elements(stored, len(self.label_map(part)), self._path(part, "elements"))
        return stored

    def label_map(self, part: int) -> Ints:
        """Return the collection's label for each label of a part."""

        def read() -> pl.DataFrame:
            labels = self.table(part, "labels")
            check_labels(labels, self._path(part, "labels"))
            return labels

        return self._labels.map(part, read)

    def labels(self) -> Labels:
        """Return the label paths of the parts read so far."""
        return self._labels.labels()

    def all_labels(self) -> Labels:
        """Return the label paths of all parts."""
        for part in range(len(self)):
            self.label_map(part)
        return self.labels()
