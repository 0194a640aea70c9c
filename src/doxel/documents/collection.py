"""A collection on disk, read lazily: only the documents that are asked for are touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import summary
from doxel.documents.document import Document
from doxel.documents.forest import Forest
from doxel.documents.identity import document_keys, document_names
from doxel.documents.labels import Labels
from doxel.documents.manifest import Manifest, read_manifest
from doxel.documents.references import References
from doxel.documents.stored import StoredParts
from doxel.errors import CollectionError
from doxel.spans import Ints
from doxel.wording import counted

__all__ = ["Collection", "read_collection"]


def read_collection(folder: str | Path) -> Collection:
    """Open a collection that ``doxel ingest`` made."""
    path = Path(folder)
    return Collection(path, read_manifest(path))


_STRETCH = 200_000  # characters of texts that are read together: to unpack one takes nearly as long
_SHARED_ELEMENTS = 4_000_000  # about half a gigabyte when everything is derived


@lru_cache(maxsize=2)
def _reopen(folder: Path) -> Collection:
    """Open a collection in a process that was sent it: once, however often it is sent."""
    return read_collection(folder)


class Collection:
    """Documents with their text and elements.

    ``collection["id"]`` is a document; iterating gives the ids; ``collection.documents`` is a table.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._parts = StoredParts(folder, manifest.parts)
        self._shared: tuple[Forest, Ints] | None = None

    def __repr__(self) -> str:
        return f"<Collection {str(self.folder)!r}: {counted(len(self), 'document')}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self.folder.absolute(),)

    def __len__(self) -> int:
        return sum(part.documents for part in self.manifest.parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents["doc"])

    def __contains__(self, reference: object) -> bool:
        return isinstance(reference, str) and self.number(reference) >= 0

    def __getitem__(self, reference: str) -> Document:
        number = self.number(reference)
        if number < 0:
            raise CollectionError(
                f"{self.folder}: no document {reference!r}{self._references.hint(reference)}"
            )
        row = self.documents.row(number, named=True)
        return Document(id=row["doc"], source=row["source"], number=number, collection=self)

    @property
    def fingerprint(self) -> str:
        """A hash of all names and texts, independent of order and of how they were divided."""
        return self.manifest.fingerprint

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row a document: doc (its id), source, elements, characters, hashes, where its rows are."""
        if not self.manifest.parts:
            raise CollectionError(f"{self.folder}: the collection is empty: its ingestion did not get far")
        table = self._parts.documents()
        first = {
            f"first_{one}": pl.col(many).cast(pl.Int64).cum_sum().over("part") - pl.col(many)
            for one, many in (("element", "elements"), ("attribute", "attributes"), ("break", "breaks"))
        }
        table = table.with_columns(**first, row=pl.int_range(pl.len(), dtype=pl.UInt32).over("part"))
        keys = document_keys(table["source"])
        names = document_names(keys)
        by_name = self.manifest.ids == "name" or (
            self.manifest.ids is None and names.n_unique() == len(names)
        )
        return table.insert_column(0, (names if by_name else keys).alias("doc"))

    def stored(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Return columns of all documents part by part, for those who need not hold all of them at once."""
        return self._parts.each("documents", *columns)

    @cached_property
    def _references(self) -> References:
        return References(self.documents)

    def number(self, reference: str) -> int:
        """Return the row of a document in ``documents``, by id or path suffix; -1 if there is none."""
        return int(self.numbers(pl.Series([reference]))[0])

    def numbers(self, references: pl.Series) -> Ints:
        """Return the rows of many documents, -1 where a reference names none or several."""
        return self._references.find(references)

    def forest(self, numbers: Sequence[int] | Ints) -> Forest:
        """Return the elements of some documents, in the order given."""
        wanted = np.asarray(numbers, dtype=np.int64)
        where = self.documents.select("part", "first_element", "elements")[wanted]
        part, begin, count = (where[column].to_numpy().astype(np.int64) for column in where.columns)
        first = np.concatenate([[0], np.cumsum(count)])
        columns = {
            name: np.empty(int(first[-1]), dtype=np.int32)
            for name in ("descendants", "before", "inside", "label")
        }
        for number, source, target in _stretches(part, begin, count):
            for name, values in self._parts.elements(number).items():
                found = values[source]
                columns[name][target] = self._parts.label_map(number)[found] if name == "label" else found
        return Forest(first, **columns, labels=self._parts.labels())

    def shared_forest(self, numbers: Ints) -> tuple[Forest, Ints]:
        """Return a forest that holds some documents, and where each document of the collection stands in it.

        Run after run names much the same documents, so what was laid out for one is kept for the next,
        together with what that one adds, as long as it stays within bounds.  A document that is not in
        the forest stands at -1.
        """
        wanted, shared = np.unique(numbers), self._shared
        if shared is None or (shared[1][wanted] < 0).any():
            known = np.zeros(0, dtype=np.int64) if shared is None else np.flatnonzero(shared[1] >= 0)
            shared = self._shared = None  # free before the next one is laid out
            together = np.union1d(known, wanted)
            elements = int(self.documents["elements"].gather(together).cast(pl.Int64).sum())
            kept = together if elements <= _SHARED_ELEMENTS else wanted
            place = np.full(len(self), -1, dtype=np.int64)
            place[kept] = np.arange(len(kept))
            shared = self._shared = (self.forest(kept), place)
        return shared

    def text(self, number: int) -> str:
        """Return the text of a document; those of its neighbours are then at hand as well."""
        number = range(len(self))[number]
        first, texts = self._stretch_of_texts(int(self._stretches_of_texts[number]))
        return str(texts[number - first])

    @cached_property
    def _stretches_of_texts(self) -> Ints:
        """A number for each document, the same for those of a part whose texts are read together."""
        size = pl.col("characters").cast(pl.Int64)
        stretch = (size.cum_sum().over("part") - size) // _STRETCH
        return self.documents.select(pl.struct("part", stretch).rle_id())["part"].to_numpy().astype(np.int64)

    @lru_cache(maxsize=2)  # noqa: B019 -- a collection lives as long as its process
    def _stretch_of_texts(self, stretch: int) -> tuple[int, pl.Series]:
        """Return the number of the first document of a stretch, and the texts of all of them."""
        first, end = np.searchsorted(self._stretches_of_texts, [stretch, stretch + 1]).tolist()
        part, row = self.documents.select("part", "row").row(first)
        return first, self._parts.table(part, "texts", row, end - first)["text"]

    def attributes(self, number: int) -> pl.DataFrame:
        """Return the attributes of a document: element (its row in the document), name, value."""
        return self._rows_of(number, "attributes", "first_attribute", "attributes")

    def attributes_named(self, name: str, numbers: Ints) -> pl.DataFrame:
        """Return all attributes of a local name in some documents: document, element, value.

        ``document`` is the place in ``numbers``, which names each document once; ``element`` the row in
        the document.
        """
        where = self.documents.select("part", "first_element", "elements")[numbers]
        where = where.with_row_index("document").sort("part", "first_element")
        frames = [pl.DataFrame(schema={"document": pl.Int64, "element": pl.Int64, "value": pl.String})]
        for (part,), documents in where.group_by("part", maintain_order=True):
            every = self._parts.table(int(str(part)), "attributes")
            found = every.filter(pl.col("name").str.replace(r"^\{.*\}", "") == name)
            element = found["element"].cast(pl.Int64).to_numpy()
            first, count = (
                documents[one].to_numpy().astype(np.int64) for one in ("first_element", "elements")
            )
            place = np.searchsorted(first, element, side="right") - 1
            inside = (place >= 0) & (element < (first + count)[place])
            place = place[inside]
            frames.append(
                pl.DataFrame(
                    {
                        "document": documents["document"].cast(pl.Int64).gather(place),
                        "element": element[inside] - first[place],
                        "value": found["value"].filter(pl.Series(inside, dtype=pl.Boolean)),
                    }
                )
            )
        return pl.concat(frames)

    def breaks(self, number: int) -> pl.DataFrame:
        """Return where comments and instructions interrupt a document's text: element, position."""
        return self._rows_of(number, "breaks", "first_break", "breaks")

    def _rows_of(self, number: int, table: str, first: str, count: str) -> pl.DataFrame:
        where = self.documents.row(number, named=True)
        rows = self._parts.table(where["part"], table, where[first], where[count])
        return rows.with_columns(pl.col("element").cast(pl.Int64) - where["first_element"])

    def all_labels(self) -> Labels:
        """Return the label paths of the whole collection: its incoming structural summary."""
        return self._parts.all_labels()

    def tags(self) -> set[str]:
        """Return the names of all elements, without laying out their label paths."""
        return {name for labels in self._parts.each("labels", "name") for name in labels["name"].unique()}

    def label_counts(self) -> Ints:
        """Return how many elements have each of the label paths of ``all_labels``."""
        return summary.label_counts(self._parts)

    def label_relatives(self) -> Ints:
        """Return for each label path how many elements its elements are, contain or lie in, in all."""
        return summary.label_relatives(self._parts)

    def summary(self, *, by_tag: bool = False) -> pl.DataFrame:
        """Return the structural summary: group, elements, relatives, steady (its probability)."""
        return summary.summary(self._parts, by_tag=by_tag)

    def weighting_matrix(self, *, by_tag: bool = False) -> Ints:
        """Return W of the summary, in its order: ordered pairs that are the same or contain one another.

        For small summaries: the matrix has a row and a column for every group.
        """
        return summary.weighting_matrix(self._parts, by_tag=by_tag)


def _stretches(part: Ints, begin: Ints, count: Ints) -> Iterator[tuple[int, slice, slice]]:
    """Return the parts, rows of a part and rows of a forest of documents that stand together in both.

    They come part by part, however the documents are mixed, so that each part is read once.
    """
    ends = begin + count
    apart = (part[1:] != part[:-1]) | (begin[1:] != ends[:-1])
    opens = np.flatnonzero(np.append(True, apart)[: len(part)])
    closes = np.append(opens[1:], len(part)) - 1
    opens, closes = (rows[np.argsort(part[opens], kind="stable")] for rows in (opens, closes))
    to = np.cumsum(count)
    return zip(
        part[opens].tolist(),
        map(slice, begin[opens].tolist(), ends[closes].tolist()),
        map(slice, (to - count)[opens].tolist(), to[closes].tolist()),
        strict=True,
    )
