"""Which elements conform to the structure of a query, strictly or vaguely.

A query with structure says what to return, its target, and where to look, its support (004, section 2.2).
Each is a strict criterion, which must be matched exactly, or a vague one, a hint that nothing has to
follow.  What is vague excludes nothing.

target strict
    The label path of the element is one that the whole path of the query leads to: for
    ``//article[...]//sec[...]`` every sec inside an article.
target vague
    Any element will do in the place of the last path: itself, or whatever lies in (or is) an element
    that the paths before lead to.
support strict
    The elements on the way satisfy their conditions as far as structure and values tell: where a
    condition has a path, something must be there (``about(.//p, ...)``: a p inside); comparisons must
    hold for the text of an element, or the value of an attribute, that is there; ``and`` and ``or`` mean
    what they say.  What a text is about is for assessors to say, so ``about(., ...)`` always holds.
support vague
    Conditions are no conditions.

So both strict is what XPath would select; both vague is everything.
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
    """Tell which label paths are strictly on target.

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
    """Tell which elements of some documents conform to a query.

    The elements are those of ``collection.forest(numbers)``, in that order.
    """
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
    """Tells for all elements of some documents whether they satisfy conditions."""

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
            together: Booleans = join.reduce([self.holds(part) for part in condition.parts])
            return together
        if isinstance(condition, About):
            return self._has(condition.path, None)
        return self._has(condition.path, _predicate(condition))

    def _has(self, path: Path, predicate: Predicate | None) -> Booleans:
        """Tell which elements have something at the end of a path, such that its text satisfies something."""
        if not path:
            return self.everything if predicate is None else self._satisfying(self.everything, predicate)
        *before, last = path.steps
        if last.is_attribute:
            bearing = self._bearing(last.local_names[0], predicate)
            held = bearing if last.is_child else bearing | self.shape.above(bearing)
        else:
            found = self.shape.named(last)
            if predicate is not None:
                found = self._satisfying(found, predicate)
            held = self._around(found, is_child=last.is_child)
        for step in reversed(before):
            arrive(self.shape, Path((step,)))  # refuses attributes, which hold nothing
            held = self._around(self.shape.named(step) & held, is_child=step.is_child)
        return held

    def _around(self, found: Booleans, *, is_child: bool) -> Booleans:
        return self.shape.parents_of(found) if is_child else self.shape.above(found)

    def _satisfying(self, candidates: Booleans, predicate: Predicate) -> Booleans:
        """Tell which candidates have a text that satisfies something; each document is read once."""
        satisfying = np.zeros(len(candidates), dtype=bool)
        opened, text = -1, ""
        for row in np.flatnonzero(candidates).tolist():
            document = int(self.forest.document[row])
            if document != opened:
                opened, text = document, self.collection.text(int(self.numbers[document]))
            satisfying[row] = predicate(text[self.forest.start[row] : self.forest.end[row]])
        return satisfying

    def _bearing(self, name: str, predicate: Predicate | None) -> Booleans:
        """Tell which elements have an attribute, such that its value satisfies something."""
        bearing = np.zeros(len(self.forest), dtype=bool)
        found = self.collection.attributes_named(name, self.numbers)
        if predicate is not None:
            found = found.filter(pl.Series([predicate(value) for value in found["value"]], dtype=pl.Boolean))
        bearing[self.forest.first[found["document"].to_numpy()] + found["element"].to_numpy()] = True
        return bearing


def _predicate(comparison: Comparison) -> Predicate:
    """Return what a text must satisfy: as a number if it is compared with one, else word by word."""
    compare, value = _COMPARE[comparison.operator], comparison.value

    def satisfies(text: str) -> bool:
        content = " ".join(text.split())
        if isinstance(value, str):
            return bool(compare(content, value))
        return _NUMBER.fullmatch(content) is not None and bool(compare(float(content), value))

    return satisfies
