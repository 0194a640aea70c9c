"""Element paths such as ``/article[1]/body[1]/p[2]``: parsed, and found in a forest.

Paths are absolute; a step is a local name and a position among the siblings of that name, [1] where
none is written.  Many paths are resolved at once, level by level, never element by element.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.documents.forest import Forest
from doxel.documents.trees import Ints
from doxel.errors import InputError

__all__ = ["PATH_PATTERN", "ChildIndex", "canonical_paths", "parse_path"]

_STEP = r"/(?:[^/\[\]():\s]+:)?([^/\[\]():\s]+)(?:\[([1-9][0-9]*)\])?"
PATH_PATTERN = rf"^(?:{_STEP})+$".replace("([^", "(?:[^").replace("([1-9]", "(?:[1-9]")
_STEP_REGEX = re.compile(_STEP)
_PATH_REGEX = re.compile(PATH_PATTERN)


def parse_path(path: str) -> list[tuple[str, int]]:
    """Return the steps of a path as names and positions.

    >>> parse_path("/article[1]/x:p[12]/b")
    [('article', 1), ('p', 12), ('b', 1)]
    >>> parse_path("/article[0]")
    Traceback (most recent call last):
    doxel.errors.InputError: element path: wanted steps such as /article[1]/p[2], positions from 1, \
found '/article[0]'
    """
    if not _PATH_REGEX.match(path):
        raise InputError(
            "element path", wanted="steps such as /article[1]/p[2], positions from 1", found=repr(path)
        )
    return [(name, int(position or 1)) for name, position in _STEP_REGEX.findall(path)]


def canonical_paths(paths: pl.Series) -> pl.Series:
    """Return paths with a position at every step and without prefixes of namespaces.

    >>> canonical_paths(pl.Series(["/article/x:p[2]", "/article[1]/b[1]"])).to_list()
    ['/article[1]/p[2]', '/article[1]/b[1]']
    """
    if not paths.str.contains(r"[^\]](?:/|$)|:").any():
        return paths
    return paths.str.replace_all(r"/[^/\[\]():]+:", "/").str.replace_all(r"([^\]/])(/|$)", "${1}[1]${2}")


def _skeletons(paths: pl.Series) -> pl.Series:
    """Return the label path of each path: names alone."""
    bare = paths.str.replace_all(r"\[[1-9][0-9]*\]", "")
    return (
        bare.str.replace_all(r"/[^/\[\]():]+:", "/") if bare.str.contains(":", literal=True).any() else bare
    )


@dataclass(frozen=True)
class ChildIndex:
    """Finds elements by path: all rows of a forest, sorted by label path and then by place.

    The children of an element that have a certain name are all the elements of one label path, names
    without namespaces, that stand among its descendants.  So they are a run of neighbours here, and
    neither parents nor depths need be known.
    """

    forest: Forest
    groups: Mapping[str, int]
    above: Ints
    group: Ints
    key: Ints

    @classmethod
    def of(cls, forest: Forest) -> ChildIndex:
        """Build the index of a forest."""
        labels = forest.labels
        groups = {path: number for number, path in enumerate(dict.fromkeys(labels.paths))}
        of_label = np.array([groups[path] for path in labels.paths], dtype=np.int64)
        above = np.full(len(groups), -1, dtype=np.int64)
        below = labels.parent >= 0
        above[of_label[below]] = of_label[labels.parent[below]]
        group = of_label[forest.label]
        narrow = group.astype(np.uint16) if len(groups) < 1 << 16 else group  # 16 bits sort by radix
        row = np.argsort(narrow, kind="stable")
        return cls(forest, groups, above, group, group[row] * (len(forest) + 1) + row)

    def _children(self, parent: Ints, group: Ints, position: Ints) -> Ints:
        """Return the row of each wanted child, -1 where there is none."""
        first = group * (len(self.forest) + 1)
        place = np.searchsorted(self.key, first + parent) + position - 1
        inside = np.minimum(place, len(self.key) - 1)
        found = self.key[inside]
        there = (parent >= 0) & (place < len(self.key)) & (found < first + self.forest.subtree_end[parent])
        return np.where(there, found - first, -1)

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` holds for each path the number of its document in the forest, -1 for none.
        """
        forest = self.forest
        row = np.full(len(paths), -1, dtype=np.int64)
        if not len(forest) or not len(paths):
            return row
        distinct = paths.unique(maintain_order=True)
        which = paths.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64).to_numpy()
        groups, positions = self._steps(distinct)
        # Neighbours in the forest are looked up one after the other: the index is larger than caches.
        order = np.argsort(document)
        order = order[np.searchsorted(document[order], 0) :]
        here, path = document[order], which[order]
        found = forest.first[here]
        found[(self.group[found] != groups[0][path]) | (positions[0][path] != 1)] = -1
        for group, position in zip(groups[1:], positions[1:], strict=True):
            deeper = np.flatnonzero(position[path])
            wanted = path[deeper]
            found[deeper] = self._children(found[deeper], group[wanted], position[wanted])
        row[order] = found
        return row

    def _steps(self, paths: pl.Series) -> tuple[Ints, Ints]:
        """Return groups and positions as arrays of depth x paths; position 0 is past a path's end.

        The group of the first step is -1 where no element of the forest has such a path.
        """
        groups = self._chains(_skeletons(paths))
        depth = len(groups)
        steps = canonical_paths(paths).str.extract_all(r"[0-9]+\]")
        size = np.minimum(steps.list.len().fill_null(0).to_numpy(), depth).astype(np.int64)
        numbers = steps.list.head(depth).explode(empty_as_null=False, keep_nulls=False)
        numbers = numbers.str.strip_suffix("]").cast(pl.Int64, strict=False)
        level = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        most = len(self.forest) + 1  # no element has so many siblings
        positions = np.zeros((depth, len(paths)), dtype=np.int64)
        positions[level, np.repeat(np.arange(len(paths)), size)] = (
            numbers.fill_null(most).clip(0, most).to_numpy()
        )
        return groups, positions

    def _chains(self, skeletons: pl.Series) -> Ints:
        """Return for each label path its group and those above it, roots first; -1 past its end."""
        group = np.array([self.groups.get(skeleton, -1) for skeleton in skeletons], dtype=np.int64)
        upwards = [group]
        while (upwards[-1] >= 0).any():
            upwards.append(np.where(upwards[-1] >= 0, self.above[upwards[-1]], -1))
        chains = np.array(upwards)
        depth = (chains >= 0).sum(axis=0)
        level = np.arange(len(chains))[:, None]
        downwards = np.take_along_axis(chains, np.maximum(depth - 1 - level, 0), axis=0)
        return np.where(level < depth, downwards, -1)
