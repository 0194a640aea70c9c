"""Element paths such as ``/article[1]/body[1]/p[2]``: parsing, and finding them in a forest.

Paths are absolute; a step is a local name and a position among the siblings with that name, [1] by
default.  Many paths are resolved at once, level by level, never element by element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.documents.forest import Forest
from doxel.documents.trees import DEEPEST, stable_order
from doxel.errors import InputError
from doxel.spans import Ints

__all__ = ["PATH_PATTERN", "ChildIndex", "canonical_paths", "parse_path"]

_STEP = r"/(?:[^/\[\]():\s]+:)?([^/\[\]():\s]+)(?:\[([1-9][0-9]{0,17})\])?"
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
    """Return paths with a position at every step and without namespace prefixes.

    >>> canonical_paths(pl.Series(["/article/x:p[2]", "/article[1]/b[1]"])).to_list()
    ['/article[1]/p[2]', '/article[1]/b[1]']
    """
    # most paths are canonical already, a run repeats most of its paths, and passages have none
    if paths.null_count() == len(paths) or not paths.unique().str.contains(r"[^\]](?:/|$)|:").any():
        return paths
    return paths.str.replace_all(r"/[^/\[\]():]+:", "/").str.replace_all(r"([^\]/])(/|$)", "${1}[1]${2}")


def _numbered(values: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the distinct values, and the index of each value among them."""
    distinct = values.unique(maintain_order=True)
    numbers = pl.DataFrame({"value": distinct}).with_row_index("number")
    rows = values.to_frame("value").join(
        numbers, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    return distinct, rows["number"].to_numpy().astype(np.int64)


@dataclass(frozen=True)
class ChildIndex:
    """Finds elements by path: all rows of a forest, sorted by label path and then by row.

    The children of an element with a given name are the elements of one label path (ignoring namespaces)
    among its descendants.  In this order they are neighbours, so neither parents nor depths are needed.
    """

    first: Ints  # copied from the forest: a reference to the forest would be a cycle and keep it in memory
    subtree_end: Ints
    names: tuple[str, ...]
    below: Ints
    group: Ints
    key: Ints

    @classmethod
    def of(cls, forest: Forest) -> ChildIndex:
        """Build the index of a forest.

        ``below`` is the lookup key of each label path: its parent and its name, as one number.
        """
        labels = forest.labels
        of_label = labels.path_ids
        above = np.where(labels.parent >= 0, of_label[labels.parent], -1)
        below = np.empty(of_label.max(initial=-1) + 1, dtype=np.int64)
        below[of_label] = (above + 1) * (len(labels.names) + 1) + labels.name_ids
        group = of_label[forest.label]
        row = stable_order(group)
        key = group[row] * (len(forest) + 1) + row
        return cls(forest.first, forest.subtree_end, labels.names, below, group, key)

    def _children(self, parent: Ints, group: Ints, position: Ints) -> Ints:
        """Return the row of each requested child, -1 if there is none."""
        first = group * (len(self.key) + 1)
        place = np.searchsorted(self.key, first + parent) + position - 1
        inside = np.minimum(place, len(self.key) - 1)
        key = self.key[inside]
        exists = (parent >= 0) & (place < len(self.key)) & (key < first + self.subtree_end[parent])
        return np.where(exists, key - first, -1)

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` is the number of each path's document in the forest, -1 for none.
        """
        row = np.full(len(paths), -1, dtype=np.int64)
        if not len(self.key) or not len(paths):
            return row
        distinct, which = _numbered(paths)
        groups, positions = self._steps(distinct)
        order = np.flatnonzero(document >= 0)
        # Neighbours in the index are looked up together: the index is larger than the caches.
        order = order[stable_order(document[order])]
        order = order[stable_order(groups.max(axis=0, initial=0)[which[order]])]
        path = which[order]
        matches = self.first[document[order]]
        matches[(self.group[matches] != groups[0][path]) | (positions[0][path] != 1)] = -1
        deeper = np.arange(len(order))
        for group, position in zip(groups[1:], positions[1:], strict=True):
            deeper = deeper[position[path[deeper]] > 0]
            deeper_path = path[deeper]
            matches[deeper] = self._children(matches[deeper], group[deeper_path], position[deeper_path])
        row[order] = matches
        return row

    def _steps(self, paths: pl.Series) -> tuple[Ints, Ints]:
        """Return groups and positions as arrays of depth x paths; position 0 is past a path's end.

        From the first step that no element of the forest has, the group is -1.
        """
        is_valid = paths.str.starts_with("/") & (paths.str.count_matches("/", literal=True) <= DEEPEST)
        split = paths.set(~is_valid.fill_null(value=False), "/").str.strip_prefix("/").str.split("/")
        size = split.list.len().to_numpy().astype(np.int64)
        steps = split.explode(empty_as_null=False, keep_nulls=False)
        distinct, which = _numbered(steps)
        names, numbers = self._parsed(distinct)
        column = np.repeat(np.arange(len(paths)), size)
        level = np.arange(len(column)) - np.repeat(np.cumsum(size) - size, size)
        name = np.full((int(size.max()), len(paths)), -1, dtype=np.int64)
        positions = np.zeros_like(name)
        name[level, column], positions[level, column] = names[which], numbers[which]
        return self._groups_of(name), positions

    def _parsed(self, steps: pl.Series) -> tuple[Ints, Ints]:
        """Return name and position of each step; the name is -1 for invalid steps and unknown names."""
        name_numbers = {name: number for number, name in enumerate(self.names)}
        matches = [_STEP_REGEX.fullmatch(f"/{step}") for step in steps]
        most = len(self.key) + 1  # larger than any number of siblings
        names = [-1 if step is None else name_numbers.get(step[1], -1) for step in matches]
        numbers = [most if step is None else min(int(step[2] or 1), most) for step in matches]
        return np.array(names, dtype=np.int64), np.array(numbers, dtype=np.int64)

    def _groups_of(self, names: Ints) -> Ints:
        """Return the label path at each step of the paths, level by level from the roots."""
        stride = len(self.names) + 1
        order = np.argsort(self.below)
        sorted_below = self.below[order]
        groups = np.full_like(names, -1)
        remaining = np.arange(names.shape[1])
        above = np.full(names.shape[1], -1, dtype=np.int64)
        for level, name in enumerate(names):
            key = (above + 1) * stride + name[remaining]
            place = np.minimum(np.searchsorted(sorted_below, key), len(order) - 1)
            is_known = (sorted_below[place] == key) & (name[remaining] >= 0)
            remaining, above = remaining[is_known], order[place[is_known]]
            groups[level, remaining] = above
        return groups
