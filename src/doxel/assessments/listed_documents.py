"""Documents reconstructed from the elements that assessments list, for use without a collection.

The XML assessments of 2002 to 2006 list elements by path, those of 2005 and 2006 with their sizes and
relevant sizes.  From these a virtual text is built with the same counts: every element has its size, its
children come first, and its own text comes last.  The highlighted part of its own text is its relevant
size minus that of its children.  A measure of elements that counts characters has the same value on the
virtual text as on the documents themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import NO_POSITION
from doxel.assessments.assessments import HIGHLIGHTS, Assessments
from doxel.documents import Collection, Forest, tree_arrays
from doxel.documents.element_forest import parse_label_paths
from doxel.documents.element_paths import canonicalise_paths
from doxel.documents.manifest import Manifest
from doxel.errors import CollectionError
from doxel.runs.result_spans import OUTSIDE
from doxel.spans import Ints, concatenate_ranges, sum_by_group

__all__ = ["ListedDocuments", "lay_out_listed"]


@dataclass(frozen=True)
class _ListedForest(Forest):
    """Listed elements: their paths have gaps, so an element is found by its whole path, not step by step."""

    listed: pl.Series

    def locate(self, document: Ints, paths: pl.Series) -> tuple[Ints, bool]:
        """Return the row of each path in its document, -1 if it is not listed."""
        elements = pl.DataFrame({"document": self.document, "path": self.listed}).with_row_index("row")
        targets = pl.DataFrame({"document": document, "path": canonicalise_paths(paths)})
        matches = targets.join(elements, on=["document", "path"], how="left", maintain_order="left")
        return matches["row"].cast(pl.Int64).fill_null(-1).to_numpy(), False

    def path(self, row: int) -> str:
        """Return the path of one element."""
        return str(self.listed[row])

    def paths(self) -> pl.Series:
        """Return the paths of all elements."""
        return self.listed


class ListedDocuments(Collection):
    """A substitute for a collection: the listed elements of the judged documents, without their text."""

    has_texts = False

    def __init__(self, elements: pl.DataFrame, shape: _ListedTree) -> None:
        super().__init__(Path("the assessments"), Manifest(text_rule="listed sizes"))
        self._elements_table, self._shape = elements, shape
        self.has_sizes = bool((shape.size > 0).any())

    def __len__(self) -> int:
        return self.documents.height

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: doc, elements, characters."""
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
        """Return the sizes of documents: of the root or, if it is not listed, of the outermost elements."""
        tops = self._shape.parent < 0
        number = np.searchsorted(roots, np.flatnonzero(tops), side="right") - 1
        return sum_by_group(number, self._shape.size[tops], len(roots)).astype(np.int64)

    def forest(self, numbers: object) -> Forest:
        """Return the listed elements of some documents."""
        documents = np.asarray(numbers, dtype=np.int64)
        shape = self._shape
        first, count = shape.first[documents], np.diff(shape.first)[documents]
        rows = concatenate_ranges(first, count)
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
        """Return a run's results, without spans for results that are not elements.

        Their offsets refer to the real text, not to the virtual one.
        """
        is_span = pl.col("start").is_not_null() | (pl.col("problem") == OUTSIDE)
        is_lost = pl.col("element").is_null() & is_span.fill_null(value=False)
        return results.with_columns(
            *(pl.when(~is_lost).then(name).alias(name) for name in ("start", "end")),
            problem=pl.when(is_lost).then(pl.lit(NO_POSITION)).otherwise("problem"),
        )

    def text(self, number: int) -> str:
        """Raise an error, because there is no text."""
        raise CollectionError(f"document {self.documents['doc'][number]!r}: its text needs a collection (-c)")

    def breaks(self, number: int) -> pl.DataFrame:
        """Return an empty table, because there is no text."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "position": pl.UInt32})


class _ListedTree:
    """The listed elements of all documents, in the order of their paths."""

    def __init__(self, elements: pl.DataFrame) -> None:
        keys = elements["key"]
        self.first = np.append(
            np.flatnonzero((elements["doc"] != elements["doc"].shift()).fill_null(value=True).to_numpy()),
            elements.height,
        )
        # descendants start with the path and "/", and so sort before the path and "0", the next character
        self.subtree_end = np.asarray(keys.search_sorted(keys + "0"), dtype=np.int64)
        self.parent = tree_arrays.compute_parents(tree_arrays.compute_depths(self.subtree_end))
        sizes = elements["size"].fill_null(0).to_numpy()
        self.size, self.own = _complete_sizes(sizes, self.parent, self.subtree_end)
        self.labels, self.label = parse_label_paths(elements["path"])


def _complete_sizes(sizes: Ints, parent: Ints, subtree_end: Ints) -> tuple[Ints, Ints]:
    """Return sizes of at least the sum of the children's, and the size of each element's own text."""
    size = sizes.copy()
    inner = np.zeros_like(size)
    for rows in reversed(list(tree_arrays.iterate_levels(tree_arrays.compute_depths(subtree_end)))):
        size[rows] = np.maximum(size[rows], inner[rows])
        below = rows[parent[rows] >= 0]
        np.add.at(inner, parent[below], size[below])
    return size, size - inner


def lay_out_listed(assessments: Assessments) -> tuple[Assessments, ListedDocuments]:
    """Return assessments with highlights in a virtual text, and the documents of that text."""
    all_elements = assessments.elements.with_columns(path=canonicalise_paths(assessments.elements["path"]))
    padded = (
        pl.col("path")
        .str.replace_all(r"\[(\d+)\]", "[000000000$1]")
        .str.replace_all(r"\[0*(\d{9})\]", "[$1]")
    )
    keyed = all_elements.with_columns(key=pl.concat_str([pl.col("doc"), padded], separator="\x00"))
    elements = keyed.group_by("doc", "path", "key").agg(pl.col("size").max()).sort("key")
    shape = _ListedTree(elements)
    documents = ListedDocuments(elements, shape)
    numbered = elements.select("doc", "path", row=pl.int_range(pl.len(), dtype=pl.Int64))
    rows = keyed.join(numbered, on=["doc", "path"], how="left", maintain_order="left")
    ends = documents.forest(np.arange(len(documents))).end
    # sizes do not determine where reading should start, so the virtual text has no best entry points
    beps = assessments.beps.with_columns(position=pl.lit(None, pl.Int64), path=pl.lit(None, pl.String))
    highlights = _build_highlights(rows, shape, ends)
    return replace(assessments, elements=all_elements, highlights=highlights, beps=beps), documents


def _build_highlights(rows: pl.DataFrame, shape: _ListedTree, ends: Ints) -> pl.DataFrame:
    """Return spans that give every listed element its relevant size."""
    relevant_size = pl.col("rsize").fill_null((pl.col("share") * pl.col("size")).round().cast(pl.Int64))
    rows = rows.with_columns(relevant=relevant_size).filter(pl.col("relevant") > 0)
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
    own_relevant = np.clip(relevant - inside, 0, shape.own[row])
    end = ends[row]
    frame = (
        rows[order]
        .select("topic", "doc")
        .with_columns(
            start=pl.Series(end - shape.own[row]), end=pl.Series(end - shape.own[row] + own_relevant)
        )
    )
    return HIGHLIGHTS.fit(frame.filter(pl.col("end") > pl.col("start")))
