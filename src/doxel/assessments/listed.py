"""Documents as far as assessments list their elements: what can be known without a collection.

The XML assessments of 2002 to 2006 name elements by path, those of 2005 and 2006 with their sizes and
relevant sizes.  From these a text can be laid out that nobody wrote but that counts the same: every
element has its size, its children stand first in it, its own text comes last, and as much of that is
highlighted as its relevant size says beyond its children's.  Any measure of elements that counts
characters gives the same on it as on the documents themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from doxel.assessments.assessments import HIGHLIGHTS, Assessments
from doxel.assessments.resolve import NO_POSITION
from doxel.documents import Collection, Forest, trees
from doxel.documents.labels import labels_of
from doxel.documents.manifest import Manifest
from doxel.documents.paths import canonical_paths
from doxel.errors import CollectionError
from doxel.spans import Ints, runs_of, sums

__all__ = ["ListedDocuments", "lay_out_listed"]


@dataclass(frozen=True)
class _ListedForest(Forest):
    """Listed elements: paths have gaps between them, so they are found by name and not step by step."""

    listed: pl.Series

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it is not listed."""
        known = pl.DataFrame({"document": self.document, "path": self.listed}).with_row_index("row")
        wanted = pl.DataFrame({"document": document, "path": canonical_paths(paths)})
        found = wanted.join(known, on=["document", "path"], how="left", maintain_order="left")
        return found["row"].cast(pl.Int64).fill_null(-1).to_numpy()

    def path(self, row: int) -> str:
        """Return the path of one element."""
        return str(self.listed[row])

    def paths(self) -> pl.Series:
        """Return the paths of all elements."""
        return self.listed


class ListedDocuments(Collection):
    """Stands in for a collection: the listed elements of the judged documents, without their text."""

    def __init__(self, elements: pl.DataFrame, shape: _Shape) -> None:
        super().__init__(Path("the assessments"), Manifest(text_rule="listed sizes"))
        self._elements_table, self._shape = elements, shape
        self.has_sizes = bool((shape.size > 0).any())

    def __len__(self) -> int:
        return self.documents.height

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row a document: doc, elements, characters."""
        counts = np.diff(self._shape.first)
        roots = self._shape.first[:-1]
        ids = self._elements_table["doc"].unique(maintain_order=True)
        return pl.DataFrame(
            {
                "doc": ids,
                "source": ids,
                "elements": counts,
                "characters": self._document_sizes(roots),
                "breaks": np.zeros(len(counts), dtype=np.int64),
            }
        )

    def _document_sizes(self, roots: Ints) -> Ints:
        """Return the sizes of documents: where the root is not listed, of all that is."""
        tops = self._shape.parent < 0
        number = np.searchsorted(roots, np.flatnonzero(tops), side="right") - 1
        return sums(number, self._shape.size[tops], len(roots)).astype(np.int64)

    def forest(self, numbers: object) -> Forest:
        """Return the listed elements of some documents."""
        wanted = np.asarray(numbers, dtype=np.int64)
        shape = self._shape
        begin, count = shape.first[wanted], np.diff(shape.first)[wanted]
        rows = runs_of(begin, count)
        return _ListedForest(
            first=np.concatenate([[0], np.cumsum(count)]),
            descendants=shape.subtree_end[rows] - rows - 1,
            before=np.zeros(len(rows), dtype=np.int64),
            inside=shape.own[rows],
            label=shape.label[rows],
            labels=shape.labels,
            listed=self._elements_table["path"].gather(rows),
        )

    def elements_only(self, results: pl.DataFrame) -> pl.DataFrame:
        """Return a run's results without the spans of those that are no elements.

        The text laid out here is not the one in which they are positions.
        """
        lost = pl.col("element").is_null() & pl.col("start").is_not_null()
        return results.with_columns(
            *(pl.when(~lost).then(name).alias(name) for name in ("start", "end")),
            problem=pl.when(lost).then(pl.lit(NO_POSITION)).otherwise("problem"),
        )

    def text(self, number: int) -> str:
        """Raise: there is no text."""
        raise CollectionError(f"document {self.documents['doc'][number]!r}: its text needs a collection (-c)")

    def breaks(self, number: int) -> pl.DataFrame:
        """Return no breaks: there is no text."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "position": pl.UInt32})


class _Shape:
    """The listed elements of all documents in document order, as far as paths tell it."""

    def __init__(self, elements: pl.DataFrame) -> None:
        keys = elements["key"]
        self.first = np.append(
            np.flatnonzero((elements["doc"] != elements["doc"].shift()).fill_null(value=True).to_numpy()),
            elements.height,
        )
        # what begins with a path and a slash comes before the path and the next character, 0
        self.subtree_end = np.asarray(keys.search_sorted(keys + "0"), dtype=np.int64)
        self.parent = trees.parents(trees.depths(self.subtree_end))
        declared = elements["size"].fill_null(0).to_numpy()
        self.size, self.own = _sizes(declared, self.parent, self.subtree_end)
        self.labels, self.label = labels_of(elements["path"])


def _sizes(declared: Ints, parent: Ints, subtree_end: Ints) -> tuple[Ints, Ints]:
    """Return sizes that hold the children's, and what is left for each element's own text."""
    size = declared.copy()
    inner = np.zeros_like(size)
    for rows in reversed(list(trees.levels(trees.depths(subtree_end)))):
        size[rows] = np.maximum(size[rows], inner[rows])
        below = rows[parent[rows] >= 0]
        np.add.at(inner, parent[below], size[below])
    return size, size - inner


def lay_out_listed(assessments: Assessments) -> tuple[Assessments, ListedDocuments]:
    """Return assessments whose highlights lie in a laid-out text, and the documents that hold it."""
    listed = assessments.elements.with_columns(path=canonical_paths(assessments.elements["path"]))
    padded = (
        pl.col("path")
        .str.replace_all(r"\[(\d+)\]", "[000000000$1]")
        .str.replace_all(r"\[0*(\d{9})\]", "[$1]")
    )
    keyed = listed.with_columns(key=pl.concat_str([pl.col("doc"), padded], separator="\x00"))
    elements = keyed.group_by("doc", "path", "key").agg(pl.col("size").max()).sort("key")
    shape = _Shape(elements)
    documents = ListedDocuments(elements, shape)
    numbered = elements.select("doc", "path", row=pl.int_range(pl.len(), dtype=pl.Int64))
    rows = keyed.join(numbered, on=["doc", "path"], how="left", maintain_order="left")
    ends = documents.forest(np.arange(len(documents))).end
    # where reading should start is no matter of sizes: in this text the place would be another
    beps = assessments.beps.with_columns(position=pl.lit(None, pl.Int64), path=pl.lit(None, pl.String))
    found = replace(assessments, elements=listed, highlights=_highlights(rows, shape, ends), beps=beps)
    return found, documents


def _highlights(rows: pl.DataFrame, shape: _Shape, ends: Ints) -> pl.DataFrame:
    """Return spans that give every listed element its relevant size."""
    declared = pl.col("rsize").fill_null((pl.col("share") * pl.col("size")).round().cast(pl.Int64))
    rows = rows.with_columns(relevant=declared).filter(pl.col("relevant") > 0)
    topic, number = rows["topic"].rle_id().to_numpy(), rows["row"].to_numpy()
    width = len(shape.size)
    order = np.argsort(topic * width + number)
    key, relevant = (topic * width + number)[order], rows["relevant"].to_numpy()[order]
    above = shape.parent[key % width]
    place = np.searchsorted(key, key - key % width + above)
    inside = np.zeros(len(key), dtype=np.int64)
    has_parent = (above >= 0) & (place < len(key))
    np.add.at(inside, place[has_parent], relevant[has_parent])
    row = key % width
    own = np.clip(relevant - inside, 0, shape.own[row])
    end = ends[row]
    frame = (
        rows[order]
        .select("topic", "doc")
        .with_columns(start=pl.Series(end - shape.own[row]), end=pl.Series(end - shape.own[row] + own))
    )
    return HIGHLIGHTS.fit(frame.filter(pl.col("end") > pl.col("start")))
