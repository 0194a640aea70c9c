"""Statistics of generated collections, the same as those that describe the real ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import etree

from benchmarks.generator.collection import Profile, SourceDocument, grammar_of, structures
from benchmarks.generator.trees import Trees

__all__ = ["SourceStatistics", "StructureStatistics", "of_sources", "of_structures"]


@dataclass(frozen=True)
class StructureStatistics:
    """Counts that need no text; ``documents`` is a whole number of batches."""

    documents: int
    elements: int
    depth: float
    labels: int
    tags: int


@dataclass(frozen=True)
class SourceStatistics:
    """Statistics of the documents themselves, read back with lxml."""

    documents: int
    distinct: int  # documents with a text of their own
    size: int
    compressed: float  # share of the size that zlib leaves, level 6, each document by itself
    elements: int
    depth: float
    empty: int
    links: int
    mixed: int


def of_structures(profile: Profile, count: int, *, seed: int = 1) -> StructureStatistics:
    """Count elements and label paths of a collection without setting its text: quick at any size."""
    grammar = grammar_of(profile, seed)
    numbers: dict[int, int] = {}
    tags: set[int] = set()
    documents = elements = depths = 0
    for trees in structures(profile, count, seed=seed):
        is_element = grammar.is_element[trees.tag]
        documents += len(trees.first)
        elements += int(is_element.sum())
        depths += int(trees.depth[is_element].sum())
        tags.update(np.unique(trees.tag[is_element]).tolist())
        _number_labels(trees, len(grammar.tags), numbers)
    labels = sum(bool(grammar.is_element[key % len(grammar.tags)]) for key in numbers)
    return StructureStatistics(documents, elements, depths / elements, labels, len(tags))


def _number_labels(trees: Trees, tags: int, numbers: dict[int, int]) -> None:
    """Number the label paths of a batch: a label is a tag below a parent label."""
    label = np.full(len(trees.tag), -1, dtype=np.int64)
    for depth in range(1, int(trees.depth.max()) + 1):
        rows = np.flatnonzero(trees.depth == depth)
        above = np.where(trees.parent[rows] < 0, -1, label[trees.parent[rows]])
        keys, which = np.unique((above + 1) * tags + trees.tag[rows], return_inverse=True)
        label_numbers = [numbers.setdefault(key, len(numbers)) for key in keys.tolist()]
        label[rows] = np.array(label_numbers, dtype=np.int64)[which]


def of_sources(documents: Iterable[SourceDocument]) -> SourceStatistics:
    """Read documents back and count."""
    totals: dict[str, int] = dict.fromkeys(
        ("documents", "size", "compressed", "elements", "depths", "empty", "links", "mixed"), 0
    )
    texts: set[int] = set()
    for document in documents:
        root: Any = etree.fromstring(document.data)
        texts.add(hash("".join(root.itertext())))
        totals["documents"] += 1
        totals["size"] += len(document.data)
        totals["compressed"] += len(zlib.compress(document.data, 6))
        for node in root.iter(etree.Element):
            totals["elements"] += 1
            totals["depths"] += sum(1 for _ in node.iterancestors()) + 1
            totals["empty"] += not len(node) and not node.text
            totals["links"] += node.tag.endswith("link") or node.tag == "ref"
            totals["mixed"] += bool(len(node)) and _has_own_words(node)
    return SourceStatistics(
        documents=totals["documents"],
        distinct=len(texts),
        size=totals["size"],
        compressed=totals["compressed"] / totals["size"],
        elements=totals["elements"],
        depth=totals["depths"] / totals["elements"],
        empty=totals["empty"],
        links=totals["links"],
        mixed=totals["mixed"],
    )


def _has_own_words(node: Any) -> bool:
    return bool((node.text or "").strip()) or any((child.tail or "").strip() for child in node)
