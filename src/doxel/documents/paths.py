"""Element paths such as ``/article[1]/body[1]/p[2]``: parsed, and found in a forest.

Paths are absolute; a step is a local name and a position among the siblings of that name, [1] where
none is written.  Many paths are resolved at once, level by level, never element by element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.documents.forest import Forest
from doxel.documents.trees import Ints
from doxel.errors import InputError

__all__ = ["PATH_PATTERN", "ChildIndex", "parse_path"]

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


@dataclass(frozen=True)
class ChildIndex:
    """Finds the children of any element by name and position: the forest sorted by parent and name."""

    forest: Forest
    key: Ints
    row: Ints

    @classmethod
    def of(cls, forest: Forest) -> ChildIndex:
        """Build the index of a forest."""
        names = max(1, len(forest.labels.names))
        key = forest.parent * names + forest.name
        row = np.argsort(key, kind="stable")
        return cls(forest, key[row], row)

    def child(self, parent: Ints, name: Ints, position: Ints) -> Ints:
        """Return the row of each wanted child, -1 where there is none."""
        names = max(1, len(self.forest.labels.names))
        wanted = parent * names + name
        place = np.searchsorted(self.key, wanted) + position - 1
        inside = np.minimum(place, len(self.key) - 1)
        there = (parent >= 0) & (name >= 0) & (place < len(self.key)) & (self.key[inside] == wanted)
        return np.where(there, self.row[inside], -1)

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` holds for each path the number of its document in the forest, -1 for none.
        """
        forest = self.forest
        if not len(forest) or not len(paths):
            return np.full(len(paths), -1, dtype=np.int64)
        distinct = paths.unique(maintain_order=True)
        which = paths.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64).to_numpy()
        names, positions = self._steps(distinct)
        root = forest.first[np.maximum(document, 0)]
        matches = (forest.name[root] == names[0, which]) & (positions[0, which] == 1) & (document >= 0)
        row = np.where(matches, root, -1)
        for name, position in zip(names[1:], positions[1:], strict=True):
            deeper = position[which] > 0
            row[deeper] = self.child(row[deeper], name[which][deeper], position[which][deeper])
        return row

    def _steps(self, paths: pl.Series) -> tuple[Ints, Ints]:
        """Return names and positions as arrays of depth x paths; position 0 is past a path's end."""
        numbers = {name: number for number, name in enumerate(self.forest.labels.names)}
        parsed = [_STEP_REGEX.findall(path) for path in paths]
        depth = max(1, *map(len, parsed))
        names = np.full((depth, len(parsed)), -1, dtype=np.int64)
        positions = np.zeros((depth, len(parsed)), dtype=np.int64)
        for column, steps in enumerate(parsed):
            for level, (name, position) in enumerate(steps):
                names[level, column] = numbers.get(name, -1)
                positions[level, column] = int(position or 1)
        return names, positions
