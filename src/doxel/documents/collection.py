"""Collections of documents: on disk, read lazily, or given as strings.

Of a collection on disk only the requested documents are loaded.  ``TextCollection`` has texts without a
folder and without elements.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.arguments import check_arguments, check_methods
from doxel.documents import structural_summary
from doxel.documents.document import Document
from doxel.documents.document_names import (
    DocumentReferences,
    compute_digest,
    derive_document_keys,
    derive_document_names,
)
from doxel.documents.element_forest import Forest, LabelPaths
from doxel.documents.manifest import Manifest, read_manifest
from doxel.documents.parts import StoredParts, compute_fingerprint
from doxel.errors import CollectionError, InputError
from doxel.spans import Ints
from doxel.wording import pluralise

__all__ = ["Collection", "TextCollection", "as_collection", "read_collection"]


@check_arguments
def read_collection(folder: str | Path) -> Collection:
    """Open a collection that ``doxel ingest`` made."""
    path = Path(folder)
    collection = Collection(path, read_manifest(path))
    collection.check_files()
    return collection


_STRETCH = 200_000  # characters of texts read together, because reading a single text takes nearly as long
_SHARED_ELEMENTS = 4_000_000  # about half a gigabyte once all columns are computed


@lru_cache(maxsize=2)
def _reopen(folder: Path) -> Collection:
    """Open an unpickled collection; a process opens it once, however often it receives it.

    The process that pickled it has checked its files.
    """
    return Collection(folder, read_manifest(folder))


@check_methods
class Collection:
    """Documents with their text and elements.

    ``collection["id"]`` is a document; iterating gives the ids; ``collection.documents`` is a table.
    """

    has_texts = True  # whether the text of every document can be read

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._parts = StoredParts(folder, manifest.parts)
        self._shared: tuple[Forest, Ints] | None = None

    def __repr__(self) -> str:
        return f"<Collection {str(self.folder)!r}: {pluralise(len(self), 'document')}>"

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
        """A hash of all names and texts, independent of their order and their division into parts."""
        return self.manifest.fingerprint

    def fingerprint_documents(self, numbers: Ints) -> str:
        """Return a hash of the names and texts of some documents."""
        documents = self.documents[numbers]
        return compute_fingerprint(documents["source"], documents["text_hash"])

    def check_files(self) -> None:
        """Raise CollectionError if the size or the footer of a file changed since it was written."""
        self._parts.check_files()

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: doc (its id), source, elements, characters, hashes, rows in its part."""
        if not self.manifest.parts:
            raise CollectionError(
                f"{self.folder}: the collection is empty: its ingestion was interrupted before the first part"
            )
        table = self._parts.documents()
        first = {
            f"first_{row}": pl.col(count).cast(pl.Int64).cum_sum().over("part") - pl.col(count)
            for row, count in (("element", "elements"), ("attribute", "attributes"), ("break", "breaks"))
        }
        table = table.with_columns(**first, row=pl.int_range(pl.len(), dtype=pl.UInt32).over("part"))
        keys = derive_document_keys(table["source"])
        names = derive_document_names(keys)
        by_name = self.manifest.ids == "name" or (
            self.manifest.ids is None and names.n_unique() == len(names)
        )
        return table.insert_column(0, (names if by_name else keys).alias("doc"))

    def stored(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Yield columns of all documents part by part, to save memory."""
        return self._parts.iterate_table("documents", *columns)

    @cached_property
    def _references(self) -> DocumentReferences:
        return DocumentReferences(self.documents)

    def number(self, reference: str) -> int:
        """Return the row of a document in ``documents``, by id or path suffix; -1 if there is none."""
        return int(self.numbers(pl.Series([reference]))[0])

    def numbers(self, references: pl.Series) -> Ints:
        """Return the rows of many documents, -1 where a reference names none or several."""
        return self._references.find(references)

    def _check_range(self, numbers: int | Ints) -> None:
        """Raise an error for numbers outside the collection; negative ones count from its end."""
        size = len(self)
        lowest, highest = np.min(numbers, initial=0), np.max(numbers, initial=-1)
        if lowest < -size or highest >= size:
            number = int(lowest if lowest < -size else highest)
            raise CollectionError(
                f"{self.folder}: {pluralise(size, 'document')}, none with number {number:,}"
            )

    def forest(self, numbers: Sequence[int] | Ints) -> Forest:
        """Return the elements of the documents with these numbers, in this order."""
        document_numbers, shared = np.asarray(numbers, dtype=np.int64), self._shared
        self._check_range(document_numbers)
        if shared is not None and (shared[1][document_numbers] >= 0).all():
            return shared[0].take(shared[1][document_numbers])
        places = self.documents.select("part", "first_element", "elements")[document_numbers]
        part, begin, count = (places[column].to_numpy().astype(np.int64) for column in places.columns)
        first = np.concatenate([[0], np.cumsum(count)])
        columns = {
            name: np.empty(int(first[-1]), dtype=np.int32)
            for name in ("descendants", "before", "inside", "label")
        }
        for number, source, target in _find_stretches(part, begin, count):
            for name, values in self._parts.elements(number).items():
                part_values = values[source]
                columns[name][target] = (
                    self._parts.label_map(number)[part_values] if name == "label" else part_values
                )
        return Forest(first, **columns, labels=self._parts.labels())

    def shared_forest(self, numbers: Ints) -> tuple[Forest, Ints]:
        """Return a forest that contains the given documents, and each document's index in it (-1: absent).

        Most documents of a run are also those of the next, so the forest is kept and extended for each
        run, up to a limit on its size.
        """
        self._check_range(numbers)
        is_requested = np.zeros(len(self), dtype=bool)
        is_requested[np.asarray(numbers, dtype=np.int64)] = True
        requested_rows, shared = np.flatnonzero(is_requested), self._shared
        if shared is None or (shared[1][requested_rows] < 0).any():
            present = np.zeros(0, dtype=np.int64) if shared is None else np.flatnonzero(shared[1] >= 0)
            shared = self._shared = None  # free the memory before the next forest is built
            union = np.union1d(present, requested_rows)
            elements = int(self.documents["elements"].gather(union).cast(pl.Int64).sum())
            members = union if elements <= _SHARED_ELEMENTS else requested_rows
            index = np.full(len(self), -1, dtype=np.int64)
            index[members] = np.arange(len(members))
            shared = self._shared = (self.forest(members), index)
        return shared

    def text(self, number: int) -> str:
        """Return the text of a document; the texts of its neighbours are cached as well."""
        self._check_range(number)
        number = range(len(self))[number]
        first, texts = self._stretch_of_texts(int(self._stretches_of_texts[number]))
        return str(texts[number - first])

    @cached_property
    def _stretches_of_texts(self) -> Ints:
        """A number per document; documents of a part whose texts are read together share it."""
        size = pl.col("characters").cast(pl.Int64)
        stretch = (size.cum_sum().over("part") - size) // _STRETCH
        return self.documents.select(pl.struct("part", stretch).rle_id())["part"].to_numpy().astype(np.int64)

    @lru_cache(maxsize=2)  # noqa: B019 -- a collection lives as long as its process
    def _stretch_of_texts(self, stretch: int) -> tuple[int, pl.Series]:
        """Return the number of the first document of a stretch, and the texts of all its documents."""
        first, end = np.searchsorted(self._stretches_of_texts, [stretch, stretch + 1]).tolist()
        part, row = self.documents.select("part", "row").row(first)
        return first, self._parts.texts(part, row, self.documents["text_hash"][first:end].to_list())

    def attributes(self, number: int) -> pl.DataFrame:
        """Return the attributes of a document: element (its row in the document), name, value."""
        return self._rows_of(number, "attributes", "first_attribute", "attributes")

    def attributes_named(self, name: str, numbers: Ints) -> pl.DataFrame:
        """Return all attributes with a local name in the given documents: document, element, value.

        ``document`` is the index in ``numbers``, which names each document once; ``element`` is the row in
        the document.
        """
        self._check_range(np.asarray(numbers, dtype=np.int64))
        rows = self.documents.select("part", "first_element", "elements")[numbers]
        rows = rows.with_row_index("document").sort("part", "first_element")
        frames = [pl.DataFrame(schema={"document": pl.Int64, "element": pl.Int64, "value": pl.String})]
        for (part,), documents in rows.group_by("part", maintain_order=True):
            attributes = self._parts.table(int(str(part)), "attributes")
            matches = attributes.filter(pl.col("name").str.replace(r"^\{.*\}", "") == name)
            element = matches["element"].cast(pl.Int64).to_numpy()
            first, count = (
                documents[column].to_numpy().astype(np.int64) for column in ("first_element", "elements")
            )
            place = np.searchsorted(first, element, side="right") - 1
            inside = (place >= 0) & (element < (first + count)[place])
            place = place[inside]
            frames.append(
                pl.DataFrame(
                    {
                        "document": documents["document"].cast(pl.Int64).gather(place),
                        "element": element[inside] - first[place],
                        "value": matches["value"].filter(pl.Series(inside, dtype=pl.Boolean)),
                    }
                )
            )
        return pl.concat(frames)

    def breaks(self, number: int) -> pl.DataFrame:
        """Return the positions of comments and processing instructions: element, position."""
        return self._rows_of(number, "breaks", "first_break", "breaks")

    def _rows_of(self, number: int, table: str, first: str, count: str) -> pl.DataFrame:
        self._check_range(number)
        document = self.documents.row(number, named=True)
        rows = self._parts.rows(document["part"], table, document[first], document[count])
        return rows.with_columns(pl.col("element").cast(pl.Int64) - document["first_element"])

    def all_labels(self) -> LabelPaths:
        """Return the label paths of the whole collection: its incoming structural summary."""
        return self._parts.all_labels()

    def tags(self) -> set[str]:
        """Return the names of all elements, without merging the label paths of all parts."""
        return {
            name for labels in self._parts.iterate_table("labels", "name") for name in labels["name"].unique()
        }

    def label_counts(self) -> Ints:
        """Return how many elements have each of the label paths of ``all_labels``."""
        return structural_summary.count_label_paths(self._parts)

    def label_relatives(self) -> Ints:
        """Return for each label path how many relatives (same, containing or contained) its elements have."""
        return structural_summary.count_relatives(self._parts)

    def link_counts(self) -> dict[str, int]:
        """Return the number of links by tag: Wikipedia's link elements, and elements with an ``href``."""
        return structural_summary.count_links(self._parts)

    def summary(self, *, by_tag: bool = False) -> pl.DataFrame:
        """Return the structural summary: group, elements, relatives, steady (its probability)."""
        return structural_summary.summarise_structure(self._parts, by_tag=by_tag)

    def weighting_matrix(self, *, by_tag: bool = False) -> Ints:
        """Return the matrix W of the summary, in its order: ordered pairs of relatives of any two groups.

        Suitable for small summaries: the matrix has one row and one column per group.
        """
        return structural_summary.compute_weighting_matrix(self._parts, by_tag=by_tag)


def _find_stretches(part: Ints, begin: Ints, count: Ints) -> Iterator[tuple[int, slice, slice]]:
    """Return stretches of documents that are consecutive both in a part and in a forest.

    A stretch is a part, its rows in the part and its rows in the forest.  Stretches are sorted by part, so
    that each part is read once.
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


class TextCollection(Collection):
    """A collection of texts given by their ids.

    >>> texts = TextCollection({"report": "All is well."})
    >>> texts.text(texts.number("report"))[7:11]
    'well'
    """

    def __init__(self, texts: Mapping[Any, str]) -> None:
        super().__init__(Path("the given texts"), Manifest(text_rule="as given"))
        for name, text in texts.items():
            if not isinstance(text, str):
                raise InputError(
                    f"the document {str(name)!r}", wanted="its text as a string", found=type(text).__name__
                )
        self._texts = {str(name): text for name, text in texts.items()}
        if len(self._texts) < len(texts):
            raise InputError("documents", wanted="ids that differ as strings", found="the same id twice")

    def __len__(self) -> int:
        return len(self._texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return TextCollection, (self._texts,)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: doc, source, elements, characters."""
        ids = pl.Series(list(self._texts), dtype=pl.String)
        return pl.DataFrame(
            {
                "doc": ids,
                "source": ids,
                "elements": np.zeros(len(ids), dtype=np.int64),
                "breaks": np.zeros(len(ids), dtype=np.int64),
                "characters": pl.Series(map(len, self._texts.values()), dtype=pl.Int64),
            }
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all names and texts, independent of their order."""
        return self.fingerprint_documents(np.arange(len(self)))

    def fingerprint_documents(self, numbers: Ints) -> str:
        """Return a hash of the names and texts of some documents."""
        texts = (self.text(int(number)) for number in numbers)
        hashes = (compute_digest(text.encode("utf-8", "surrogatepass")) for text in texts)
        return compute_fingerprint(self.documents["source"][numbers], hashes)

    def text(self, number: int) -> str:
        """Return the text of a document."""
        return self._texts[self.documents["doc"][number]]

    def forest(self, numbers: object) -> Forest:
        """Return a forest without elements for the given documents."""
        nothing = np.zeros(0, dtype=np.int64)
        first = np.zeros(len(np.asarray(numbers)) + 1, dtype=np.int64)
        labels = LabelPaths(nothing, (), ())
        return Forest(
            first, descendants=nothing, before=nothing, inside=nothing, label=nothing, labels=labels
        )

    def attributes(self, number: int) -> pl.DataFrame:
        """Return an empty table: there are no elements."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "name": pl.String, "value": pl.String})

    def breaks(self, number: int) -> pl.DataFrame:
        """Return an empty table: a plain text has no breaks."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "position": pl.UInt32})


def as_collection(source: Any) -> Collection | None:
    """Return a collection from a folder or from texts by id; return a ``Collection`` unchanged."""
    if isinstance(source, str | os.PathLike):
        return read_collection(Path(source))
    if isinstance(source, Mapping):
        return TextCollection(source)
    if source is None or isinstance(source, Collection):
        return source
    raise InputError(
        "a collection",
        wanted="a Collection, its folder, or a mapping from ids to texts",
        found=type(source).__name__,
    )
