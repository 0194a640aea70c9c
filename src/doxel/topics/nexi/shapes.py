"""Follow paths down a tree, and find ancestors, for all nodes at once.

The same code works on label paths, of which a collection has few, and on elements, of which it has many: a
shape is either of them, as arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from doxel.documents import Forest, Labels
from doxel.documents.trees import levels
from doxel.errors import InputError
from doxel.spans import Booleans, Ints
from doxel.topics.nexi.tree import Path, Step

__all__ = ["ElementShape", "LabelShape", "Shape", "arrive"]


class Shape(Protocol):
    """Nodes of trees: their parents, their names, and the descendants of marked nodes."""

    @property
    def parent(self) -> Ints:
        """The parent of each node, -1 for a root."""

    def named(self, step: Step) -> Booleans:
        """Mark the nodes with a name that a step allows."""

    def below(self, marked: Booleans) -> Booleans:
        """Mark the nodes with a proper ancestor among the marked nodes."""


def _allowed(labels: Labels, step: Step) -> Booleans:
    """Mark the names of labels that a step allows, ignoring namespaces."""
    if not step.names:
        return np.ones(len(labels.names), dtype=bool)
    return np.isin(np.array(labels.names, dtype=object), np.array(step.local_names, dtype=object))


@dataclass(frozen=True)
class LabelShape:
    """Label paths as a tree."""

    labels: Labels

    @property
    def parent(self) -> Ints:
        """The parent of each label path, -1 for a root."""
        return self.labels.parent

    def named(self, step: Step) -> Booleans:
        """Mark the label paths that end in a name that a step allows."""
        if not len(self.parent):
            return np.zeros(0, dtype=bool)
        is_allowed: Booleans = _allowed(self.labels, step)[self.labels.name_ids]
        return is_allowed

    @cached_property
    def _levels(self) -> list[Ints]:
        depth, above = np.ones(len(self.parent), dtype=np.int64), self.parent
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return list(levels(depth))

    def below(self, marked: Booleans) -> Booleans:
        """Mark the label paths below a marked one."""
        inside = np.zeros(len(marked), dtype=bool)
        for rows in self._levels[1:]:
            above = self.parent[rows]
            inside[rows] = marked[above] | inside[above]
        return inside


@dataclass(frozen=True)
class ElementShape:
    """Elements as trees."""

    forest: Forest

    @property
    def parent(self) -> Ints:
        """The parent of each element."""
        return self.forest.parent

    def named(self, step: Step) -> Booleans:
        """Mark the elements with a name that a step allows."""
        if not len(self.forest):
            return np.zeros(0, dtype=bool)
        is_allowed: Booleans = _allowed(self.forest.labels, step)[self.forest.name]
        return is_allowed

    def below(self, marked: Booleans) -> Booleans:
        """Mark the elements inside a marked one."""
        return self.forest.tree.below(marked)

    def above(self, marked: Booleans) -> Booleans:
        """Mark the elements that contain a marked one."""
        return self.forest.tree.above(marked)

    def parents_of(self, marked: Booleans) -> Booleans:
        """Mark the elements with a marked child."""
        is_parent = np.zeros(len(marked), dtype=bool)
        above = self.parent[marked]
        is_parent[above[above >= 0]] = True
        return is_parent


def arrive(shape: Shape, path: Path, begin: Booleans | None = None) -> Booleans:
    """Mark the nodes that a path leads to, from marked nodes or from above the roots.

    >>> labels = Labels(np.array([-1, 0, 1, 0]), ("a", "b", "b", "c"), (None,) * 4)
    >>> arrive(LabelShape(labels), Path((Step(("a",)), Step(("b",))))).tolist()
    [False, True, True, False]
    """
    at = begin
    for step in path.steps:
        if step.is_attribute:
            raise InputError(
                "a path through an attribute",
                wanted="elements; an attribute can only be the last step in a condition",
            )
        at = shape.named(step) & _reachable(shape, step, at)
    return np.ones(len(shape.parent), dtype=bool) if at is None else at


def _reachable(shape: Shape, step: Step, at: Booleans | None) -> Booleans:
    if not step.is_child:
        return np.ones(len(shape.parent), dtype=bool) if at is None else shape.below(at)
    if at is None:
        return shape.parent < 0
    return (shape.parent >= 0) & at[shape.parent]
