"""The structural summary of a collection: its elements grouped by label path or by tag.

Two elements are relatives if they are the same or one contains the other.  A reader who keeps moving from
relative to relative is, in the long run, in a group with the probability given by its share of all
relatives: the steady state (002).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.documents import tree_arrays
from doxel.documents.parts import StoredParts
from doxel.spans import Ints

__all__ = [
    "LINK_TAGS",
    "compute_weighting_matrix",
    "count_label_paths",
    "count_links",
    "count_relatives",
    "summarise_structure",
]

# The link elements of Wikipedia collections; the filtered assessments of 2006 leave them out (004).
LINK_TAGS = (
    "collectionlink",
    "wikipedialink",
    "wikipedia-link",
    "unknownlink",
    "outsidelink",
    "weblink",
    "languagelink",
    "imagelink",
    "redirectlink",
    "link",
)


def count_label_paths(parts: StoredParts) -> Ints:
    """Return the number of elements of each label path."""
    counts = np.zeros(len(parts.all_labels().name), dtype=np.int64)
    for part in range(len(parts)):
        part_counts = np.bincount(parts.elements(part)["label"])
        np.add.at(counts, parts.label_map(part)[: len(part_counts)], part_counts)
    return counts


def count_links(parts: StoredParts) -> dict[str, int]:
    """Return the number of links by tag, the most frequent first.

    A link is an element with one of ``LINK_TAGS``, or with an attribute ``href`` of any namespace (XLink).
    """
    labels = parts.all_labels()
    counts = np.zeros(len(labels.names), dtype=np.int64)
    has_link_tag = np.array([name in LINK_TAGS for name in labels.names], dtype=bool)
    for part in range(len(parts)):
        tag = labels.name_ids[parts.label_map(part)[parts.elements(part)["label"]]]
        is_link = has_link_tag[tag]
        attributes = parts.table(part, "attributes", columns=("element", "name"))
        targets = attributes.filter(pl.col("name").str.replace(r"^\{.*\}", "") == "href")
        is_link[targets["element"].to_numpy()] = True
        counts += np.bincount(tag[is_link], minlength=len(counts))
    order = np.argsort(-counts, kind="stable")
    return {labels.names[number]: int(counts[number]) for number in order if counts[number]}


def count_relatives(parts: StoredParts) -> Ints:
    """Return the total number of relatives of each label path's elements."""
    counts = np.zeros(len(parts.all_labels().name), dtype=np.int64)
    for part in range(len(parts)):
        columns = parts.elements(part)
        relatives = (
            tree_arrays.compute_depths(_compute_subtree_end(columns["descendants"])) + columns["descendants"]
        )
        np.add.at(counts, parts.label_map(part)[columns["label"]], relatives)
    return counts


def summarise_structure(parts: StoredParts, *, by_tag: bool) -> pl.DataFrame:
    """Return the groups, largest first: group, elements, relatives, steady (its probability)."""
    labels = parts.all_labels()
    table = pl.DataFrame(
        {
            "group": labels.name if by_tag else labels.paths,
            "elements": count_label_paths(parts),
            "relatives": count_relatives(parts),
        }
    )
    groups = table.group_by("group", maintain_order=True).sum()
    return groups.with_columns(steady=pl.col("relatives") / pl.col("relatives").sum()).sort(
        "elements", descending=True, maintain_order=True
    )


def compute_weighting_matrix(parts: StoredParts, *, by_tag: bool) -> Ints:
    """Return the matrix W of the summary, in its order: the pairs of relatives of any two groups."""
    order = {group: number for number, group in enumerate(summarise_structure(parts, by_tag=by_tag)["group"])}
    labels = parts.all_labels()
    number = np.array([order[group] for group in (labels.name if by_tag else labels.paths)])
    matrix = np.zeros((len(order), len(order)), dtype=np.int64)
    for part in range(len(parts)):
        columns = parts.elements(part)
        group = number[parts.label_map(part)[columns["label"]]]
        np.add.at(matrix, (group, group), 1)
        parent = tree_arrays.compute_parents(
            tree_arrays.compute_depths(_compute_subtree_end(columns["descendants"]))
        )
        above = parent.copy()
        while (above >= 0).any():
            rows = np.flatnonzero(above >= 0)
            np.add.at(matrix, (group[rows], group[above[rows]]), 1)
            np.add.at(matrix, (group[above[rows]], group[rows]), 1)
            above[rows] = parent[above[rows]]
    return matrix


def _compute_subtree_end(descendants: Ints) -> Ints:
    return np.arange(1, len(descendants) + 1) + descendants
