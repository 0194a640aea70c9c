"""Find the elements that match the structure of a query, strictly or vaguely.

A query with structure has a target (what to return) and a support (where to look; 004, section 2.2).  Each
is either strict, and must be matched exactly, or vague, a hint that excludes nothing.

target strict
    The element's label path is one that the whole path of the query leads to: for
    ``//article[...]//sec[...]`` every sec inside an article.
target vague
    Any element can replace the target of the last path, if it is, or is inside, an element that the paths
    before lead to.
support strict
    The elements on the path satisfy their conditions, as far as structure and values decide: a condition
    with a path requires an element there (``about(.//p, ...)``: a p inside); a comparison must hold for the
    text of such an element or the value of an attribute; ``and`` and ``or`` have their usual meaning.
    Assessors decide what a text is about, so ``about(., ...)`` always holds.
support vague
    Conditions are ignored.

Both strict selects the same elements as XPath; both vague selects all elements.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection, Forest, Labels
from doxel.spans import Booleans, Ints
from doxel.topics.nexi.shapes import ElementShape, LabelShape, arrive
from doxel.topics.nexi.tokens import NUMBER
from doxel.topics.nexi.tree import About, And, Comparison, Condition, Keywords, Or, Path, Query

__all__ = ["conforming", "target_labels"]

_NUMBER = re.compile(NUMBER)
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
}
Predicate = Callable[[str], bool]


def target_labels(query: Query | Keywords, labels: Labels) -> Booleans:
    """Mark the label paths that are strictly on target.

    >>> from doxel.topics.nexi.parser import parse
    >>> labels = Labels(np.array([-1, 0, 1]), ("article", "sec", "p"), (None,) * 3)
    >>> target_labels(parse("//article[about(., x)]//(sec|p)"), labels).tolist()
    [False, True, True]
    """
    if isinstance(query, Keywords):
        return np.ones(len(labels.name), dtype=bool)
    return arrive(LabelShape(labels), query.target)


def conforming(
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
        on_target: Booleans = target_labels(query, forest.labels)[forest.label]
        return on_target
    conditions = _Conditions(collection, numbers, forest)
    *around, last = query.parts
    at: Booleans | None = None
    for part in around:
        at = arrive(conditions.shape, part.path, at) & conditions.holds(part.condition)
    if target == "strict":
        return arrive(conditions.shape, last.path, at) & conditions.holds(last.condition)
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
            joined: Booleans = join.reduce([self.holds(part) for part in condition.parts])
            return joined
        if isinstance(condition, About):
            return self._has(condition.path, None)
        return self._has(condition.path, _predicate(condition))

    def _has(self, path: Path, predicate: Predicate | None) -> Booleans:
        """Mark the elements with something at the end of a path whose text satisfies the predicate."""
        if not path:
            return self.everything if predicate is None else self._satisfying(self.everything, predicate)
        *before, last = path.steps
        if last.is_attribute:
            bearing = self._bearing(last.local_names[0], predicate)
            containing = bearing if last.is_child else bearing | self.shape.above(bearing)
        else:
            matching = self.shape.named(last)
            if predicate is not None:
                matching = self._satisfying(matching, predicate)
            containing = self._around(matching, is_child=last.is_child)
        for step in reversed(before):
            arrive(self.shape, Path((step,)))  # refuses attributes, which contain nothing
            containing = self._around(self.shape.named(step) & containing, is_child=step.is_child)
        return containing

    def _around(self, marked: Booleans, *, is_child: bool) -> Booleans:
        return self.shape.parents_of(marked) if is_child else self.shape.above(marked)

    def _satisfying(self, candidates: Booleans, predicate: Predicate) -> Booleans:
        """Mark the candidates whose text satisfies the predicate; each document is read once."""
        satisfying = np.zeros(len(candidates), dtype=bool)
        current, text = -1, ""
        for row in np.flatnonzero(candidates).tolist():
            document = int(self.forest.document[row])
            if document != current:
                current, text = document, self.collection.text(int(self.numbers[document]))
            satisfying[row] = predicate(text[self.forest.start[row] : self.forest.end[row]])
        return satisfying

    def _bearing(self, name: str, predicate: Predicate | None) -> Booleans:
        """Mark the elements with an attribute whose value satisfies the predicate."""
        bearing = np.zeros(len(self.forest), dtype=bool)
        rows = self.collection.attributes_named(name, self.numbers)
        if predicate is not None:
            rows = rows.filter(pl.Series([predicate(value) for value in rows["value"]], dtype=pl.Boolean))
        bearing[self.forest.first[rows["document"].to_numpy()] + rows["element"].to_numpy()] = True
        return bearing


def _predicate(comparison: Comparison) -> Predicate:
    """Return the test of a comparison: numeric if its value is a number, else of the text's words."""
    compare, value = _COMPARE[comparison.operator], comparison.value

    def satisfies(text: str) -> bool:
        content = " ".join(text.split())
        if isinstance(value, str):
            return bool(compare(content, value))
        return _NUMBER.fullmatch(content) is not None and bool(compare(float(content), value))

    return satisfies
