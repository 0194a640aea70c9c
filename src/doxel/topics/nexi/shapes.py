"""Walking down paths and looking up into containers, for all nodes of a tree at once.

The same walk goes over label paths, of which a collection has few, and over elements, of which it has
many: a shape is either, as arrays.
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
    """Nodes of trees: their parents (-1 for a root), their names, and what lies below marked ones."""

    @property
    def parent(self) -> Ints:
        """The parent of each node, -1 for a root."""

    def named(self, step: Step) -> Booleans:
        """Tell which nodes have a name that a step allows."""

    def below(self, marked: Booleans) -> Booleans:
        """Tell which nodes have a proper ancestor among the marked."""


def _allowed(labels: Labels, step: Step) -> Booleans:
    """Tell which of the names of some labels a step allows; namespaces do not matter."""
    if not step.names:
        return np.ones(len(labels.names), dtype=bool)
    return np.isin(np.array(labels.names, dtype=object), np.array(step.local_names, dtype=object))


@dataclass(frozen=True)
class LabelShape:
    """Label paths as a tree."""

    labels: Labels

    @property
    def parent(self) -> Ints:
        """The label path above each."""
        return self.labels.parent

    def named(self, step: Step) -> Booleans:
        """Tell which label paths end in a name that a step allows."""
        if not len(self.parent):
            return np.zeros(0, dtype=bool)
        found: Booleans = _allowed(self.labels, step)[self.labels.name_ids]
        return found

    @cached_property
    def _levels(self) -> list[Ints]:
        depth, above = np.ones(len(self.parent), dtype=np.int64), self.parent
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return list(levels(depth))

    def below(self, marked: Booleans) -> Booleans:
        """Tell which label paths lie below a marked one."""
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
        """Tell which elements have a name that a step allows."""
        if not len(self.forest):
            return np.zeros(0, dtype=bool)
        found: Booleans = _allowed(self.forest.labels, step)[self.forest.name]
        return found

    def below(self, marked: Booleans) -> Booleans:
        """Tell which elements lie in a marked one."""
        return self.forest.tree.below(marked)

    def above(self, marked: Booleans) -> Booleans:
        """Tell which elements hold a marked one."""
        return self.forest.tree.above(marked)

    def parents_of(self, marked: Booleans) -> Booleans:
        """Tell which elements have a marked child."""
        found = np.zeros(len(marked), dtype=bool)
        above = self.parent[marked]
        found[above[above >= 0]] = True
        return found


def arrive(shape: Shape, path: Path, begin: Booleans | None = None) -> Booleans:
    """Tell which nodes a path leads to, from marked nodes, or from outside the roots.

    >>> labels = Labels(np.array([-1, 0, 1, 0]), ("a", "b", "b", "c"), (None,) * 4)
    >>> arrive(LabelShape(labels), Path((Step(("a",)), Step(("b",))))).tolist()
    [False, True, True, False]
    """
    at = begin
    for step in path.steps:
        if step.is_attribute:
            raise InputError(
                "a path through an attribute",
                wanted="elements: an attribute can only be the last step of a condition",
            )
        at = shape.named(step) & _reachable(shape, step, at)
    return np.ones(len(shape.parent), dtype=bool) if at is None else at


def _reachable(shape: Shape, step: Step, at: Booleans | None) -> Booleans:
    if not step.is_child:
        return np.ones(len(shape.parent), dtype=bool) if at is None else shape.below(at)
    if at is None:
        return shape.parent < 0
    return (shape.parent >= 0) & at[shape.parent]
