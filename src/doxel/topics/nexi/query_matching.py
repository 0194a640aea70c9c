"""Find the elements that match the structure of a query, strictly or vaguely.

A query with structure has a target (what to return) and a support (where to look; 004, section 2.2).
Each is either strict, and must be matched exactly, or vague, a hint that excludes nothing.

target strict
    The element's label path is one that the whole path of the query leads to: for
    ``//article[...]//sec[...]`` every sec inside an article.
target vague
    Any element can replace the target of the last path, if it is, or is inside, an element that the paths
    before lead to.
support strict
    The elements on the path satisfy their conditions, as far as structure and values decide: a condition
    with a path requires an element there (``about(.//p, ...)``: a p inside); a comparison must hold for
    the text of such an element or the value of an attribute; ``and`` and ``or`` have their usual meaning.
    Assessors decide what a text is about, so ``about(., ...)`` always holds.
support vague
    Conditions are ignored.

Both strict selects the same elements as XPath; both vague selects all elements.

Paths are followed for all nodes of a tree at once.  The same code works on label paths, of which a
collection has few, and on elements, of which it has many: a ``TreeShape`` is either of them, as arrays.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl

from doxel.documents import Collection, Forest, LabelPaths
from doxel.documents.tree_arrays import iterate_levels
from doxel.errors import InputError
from doxel.spans import Booleans, Ints
from doxel.topics.nexi.query_parser import NUMBER_PATTERN
from doxel.topics.nexi.query_tree import (
    About,
    And,
    Condition,
    Keywords,
    Or,
    PathStep,
    Query,
    QueryPath,
    ValueComparison,
)

__all__ = ["ElementShape", "TreeShape", "find_conforming_elements", "find_target_labels", "follow_path"]

_NUMBER_REGEX = re.compile(NUMBER_PATTERN)
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
}
Predicate = Callable[[str], bool]


def find_target_labels(query: Query | Keywords, labels: LabelPaths) -> Booleans:
    """Mark the label paths that are strictly on target.

    >>> from doxel.topics.nexi.query_parser import parse
    >>> labels = LabelPaths(np.array([-1, 0, 1]), ("article", "sec", "p"), (None,) * 3)
    >>> find_target_labels(parse("//article[about(., x)]//(sec|p)"), labels).tolist()
    [False, True, True]
    """
    if isinstance(query, Keywords):
        return np.ones(len(labels.name), dtype=bool)
    return follow_path(_LabelShape(labels), query.target)


def find_conforming_elements(
    query: Query | Keywords,
    collection: Collection,
    numbers: Ints,
    *,
    target: str = "strict",
    support: str = "strict",
) -> Booleans:
    """Mark the elements of ``collection.forest(numbers)`` that match a query."""
    forest = collection.forest(numbers)
    if isinstance(query, Keywords) or not len(forest) or (target == "vague" and support == "vague"):
        return np.ones(len(forest), dtype=bool)
    if support == "vague":
        on_target: Booleans = find_target_labels(query, forest.labels)[forest.label]
        return on_target
    conditions = _Conditions(collection, numbers, forest)
    *around, last = query.parts
    at: Booleans | None = None
    for part in around:
        at = follow_path(conditions.shape, part.path, at) & conditions.holds(part.condition)
    if target == "strict":
        return follow_path(conditions.shape, last.path, at) & conditions.holds(last.condition)
    within = conditions.everything if at is None else at | conditions.shape.below(at)
    return within & conditions.holds(last.condition)


@dataclass(frozen=True)
class _Conditions:
    """Evaluates conditions for all elements of the given documents."""

    collection: Collection
    numbers: Ints
    forest: Forest

    @cached_property
    def shape(self) -> ElementShape:
        return ElementShape(self.forest)

    @property
    def everything(self) -> Booleans:
        return np.ones(len(self.forest), dtype=bool)

    def holds(self, condition: Condition | None) -> Booleans:
        if condition is None:
            return self.everything
        if isinstance(condition, And | Or):
            join = np.logical_and if isinstance(condition, And) else np.logical_or
            result: Booleans = join.reduce([self.holds(part) for part in condition.parts])
            return result
        if isinstance(condition, About):
            return self._has(condition.path, None)
        return self._has(condition.path, _build_predicate(condition))

    def _has(self, path: QueryPath, predicate: Predicate | None) -> Booleans:
        """Mark the elements with something at the end of a path whose text satisfies the predicate."""
        if not path:
            return self.everything if predicate is None else self._mark_satisfying(self.everything, predicate)
        *before, last = path.steps
        if last.is_attribute:
            bearing = self._mark_bearing(last.local_names[0], predicate)
            containing = bearing if last.is_child else bearing | self.shape.above(bearing)
        else:
            matching = self.shape.mark_named(last)
            if predicate is not None:
                matching = self._mark_satisfying(matching, predicate)
            containing = self._mark_containing(matching, is_child=last.is_child)
        for step in reversed(before):
            follow_path(self.shape, QueryPath((step,)))  # refuses attributes, which contain nothing
            containing = self._mark_containing(
                self.shape.mark_named(step) & containing, is_child=step.is_child
            )
        return containing

    def _mark_containing(self, marked: Booleans, *, is_child: bool) -> Booleans:
        return self.shape.parents_of(marked) if is_child else self.shape.above(marked)

    def _mark_satisfying(self, candidates: Booleans, predicate: Predicate) -> Booleans:
        """Mark the candidates whose text satisfies the predicate; each document is read once."""
        satisfying = np.zeros(len(candidates), dtype=bool)
        current, text = -1, ""
        for row in np.flatnonzero(candidates).tolist():
            document = int(self.forest.document[row])
            if document != current:
                current, text = document, self.collection.text(int(self.numbers[document]))
            satisfying[row] = predicate(text[self.forest.start[row] : self.forest.end[row]])
        return satisfying

    def _mark_bearing(self, name: str, predicate: Predicate | None) -> Booleans:
        """Mark the elements with an attribute whose value satisfies the predicate."""
        bearing = np.zeros(len(self.forest), dtype=bool)
        rows = self.collection.attributes_named(name, self.numbers)
        if predicate is not None:
            rows = rows.filter(pl.Series([predicate(value) for value in rows["value"]], dtype=pl.Boolean))
        bearing[self.forest.first[rows["document"].to_numpy()] + rows["element"].to_numpy()] = True
        return bearing


def _build_predicate(comparison: ValueComparison) -> Predicate:
    """Return the test of a comparison: numeric if its value is a number, else of the text's words."""
    compare, value = _COMPARE[comparison.operator], comparison.value

    def satisfies(text: str) -> bool:
        content = " ".join(text.split())
        if isinstance(value, str):
            return bool(compare(content, value))
        return _NUMBER_REGEX.fullmatch(content) is not None and bool(compare(float(content), value))

    return satisfies


class TreeShape(Protocol):
    """Nodes of trees: their parents, their names, and the descendants of marked nodes."""

    @property
    def parent(self) -> Ints:
        """The parent of each node, -1 for a root."""

    def mark_named(self, step: PathStep) -> Booleans:
        """Mark the nodes with a name that a step allows."""

    def below(self, marked: Booleans) -> Booleans:
        """Mark the nodes with a proper ancestor among the marked nodes."""


def _find_allowed(labels: LabelPaths, step: PathStep) -> Booleans:
    """Mark the names of labels that a step allows, ignoring namespaces."""
    if not step.names:
        return np.ones(len(labels.names), dtype=bool)
    return np.isin(np.array(labels.names, dtype=object), np.array(step.local_names, dtype=object))


@dataclass(frozen=True)
class _LabelShape:
    """Label paths as a tree."""

    labels: LabelPaths

    @property
    def parent(self) -> Ints:
        """The parent of each label path, -1 for a root."""
        return self.labels.parent

    def mark_named(self, step: PathStep) -> Booleans:
        """Mark the label paths that end in a name that a step allows."""
        if not len(self.parent):
            return np.zeros(0, dtype=bool)
        is_allowed: Booleans = _find_allowed(self.labels, step)[self.labels.name_ids]
        return is_allowed

    @cached_property
    def _levels(self) -> list[Ints]:
        depth, above = np.ones(len(self.parent), dtype=np.int64), self.parent
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return list(iterate_levels(depth))

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

    def mark_named(self, step: PathStep) -> Booleans:
        """Mark the elements with a name that a step allows."""
        if not len(self.forest):
            return np.zeros(0, dtype=bool)
        is_allowed: Booleans = _find_allowed(self.forest.labels, step)[self.forest.name]
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


def follow_path(shape: TreeShape, path: QueryPath, begin: Booleans | None = None) -> Booleans:
    """Mark the nodes that a path leads to, from marked nodes or from above the roots.

    >>> labels = LabelPaths(np.array([-1, 0, 1, 0]), ("a", "b", "b", "c"), (None,) * 4)
    >>> follow_path(_LabelShape(labels), QueryPath((PathStep(("a",)), PathStep(("b",))))).tolist()
    [False, True, True, False]
    """
    at = begin
    for step in path.steps:
        if step.is_attribute:
            raise InputError(
                "a path through an attribute",
                wanted="elements; an attribute can only be the last step in a condition",
            )
        at = shape.mark_named(step) & _find_reachable(shape, step, at)
    return np.ones(len(shape.parent), dtype=bool) if at is None else at


def _find_reachable(shape: TreeShape, step: PathStep, at: Booleans | None) -> Booleans:
    if not step.is_child:
        return np.ones(len(shape.parent), dtype=bool) if at is None else shape.below(at)
    if at is None:
        return shape.parent < 0
    return (shape.parent >= 0) & at[shape.parent]
