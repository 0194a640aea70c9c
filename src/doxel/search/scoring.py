"""How well elements answer a query: its words, and its structure taken strictly or vaguely.

about
    What an element is about, by its words (see :mod:`doxel.search.content`); with a path, the best of
    what the path finds in it.
comparison
    1 where it holds.
and, or
    The sum, times the share of parts that hold; the best.
//article[...]//sec[...]
    What the sec scores, and half of what the best article around it does.  A last path without a
    condition, ``//article[...]//sec``, asks its elements for all words of the query.

Which elements may be returned is what :mod:`doxel.topics.nexi.matching` says.  Under a strict support a
condition must moreover hold: of an ``and`` each part must score, of an ``or`` one.  What is vague counts
nonetheless: an element on target more than another, a path followed more than one that is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.search.content import Asked, attribute_content, content
from doxel.search.index import SearchIndex
from doxel.spans import Booleans, Floats
from doxel.topics.nexi.matching import conforming
from doxel.topics.nexi.shapes import arrive
from doxel.topics.nexi.tree import (
    About,
    And,
    Comparison,
    Condition,
    Keywords,
    Or,
    Part,
    Path,
    Query,
    Step,
    Term,
)
from doxel.topics.structure import Structure

__all__ = ["names_target", "score_query", "terms_of"]

_AROUND = 0.5  # what an element around counts
_HINT = 0.5  # what an element counts where the path of an about is not followed, but only a hint
_ON_TARGET = 1.5  # what an element counts that is on a vague target


def names_target(query: Query | Keywords) -> bool:
    """Tell whether a query names the elements to return."""
    return isinstance(query, Query) and bool(query.parts[-1].path.steps[-1].names)


def terms_of(query: Query | Keywords) -> tuple[Term, ...]:
    """Return all terms of a query, in order."""
    if isinstance(query, Keywords):
        return query.terms
    return tuple(term for part in query.parts for term in _terms(part.condition))


def _terms(condition: Condition | None) -> tuple[Term, ...]:
    if isinstance(condition, And | Or):
        return tuple(term for part in condition.parts for term in _terms(part))
    return condition.terms if isinstance(condition, About) else ()


def score_query(index: SearchIndex, query: Query | Keywords, structure: Structure) -> Floats:
    """Return a score for each element of the index; 0 for those that do not answer the query."""
    if isinstance(query, Keywords):
        return content(index, Asked.of(query.terms, index.words))
    return _Scorer(index, structure).query(query)


@dataclass(frozen=True)
class _Scorer:
    index: SearchIndex
    structure: Structure

    @property
    def _strict(self) -> bool:
        return self.structure.support == "strict"

    def query(self, query: Query) -> Floats:
        *around, last = query.parts
        at: Booleans | None = None
        passed = np.zeros(len(self.index.forest))
        for part in around:
            score, holds = self.condition(part.condition)
            at = arrive(self.index.shape, part.path, at)
            at = at & holds if self._strict else at
            passed = self.index.best_around(np.where(at, score + _AROUND * passed, 0.0))
        own, holds = self._last(query, last)
        allowed = self._allowed(last, at) & (holds if self._strict else own + passed > 0)
        if last.condition is not None:
            allowed &= own > 0
        scores = np.where(allowed, own + _AROUND * passed, 0.0)
        if self.structure.target == "vague":
            on_target = arrive(self.index.shape, query.target)
            scores = np.where(on_target, _ON_TARGET * scores, scores)
        return scores

    def _last(self, query: Query, last: Part) -> tuple[Floats, Booleans]:
        if last.condition is not None:
            return self.condition(last.condition)
        everything = np.ones(len(self.index.forest), dtype=bool)
        return content(self.index, Asked.of(terms_of(query), self.index.words)), everything

    def _allowed(self, last: Part, at: Booleans | None) -> Booleans:
        """Tell which elements may be returned, their own condition apart."""
        if self.structure.target == "strict":
            return arrive(self.index.shape, last.path, at)
        if at is None or not self._strict:
            return np.ones(len(self.index.forest), dtype=bool)
        return at | self.index.shape.below(at)

    def condition(self, condition: Condition | None) -> tuple[Floats, Booleans]:
        """Return how far each element satisfies a condition, and whether it does."""
        if isinstance(condition, And | Or):
            scores, holds = zip(*map(self.condition, condition.parts), strict=True)
            if isinstance(condition, And):
                return np.sum(scores, axis=0) * np.mean(holds, axis=0), np.logical_and.reduce(holds)
            return np.max(scores, axis=0), np.logical_or.reduce(holds)
        if isinstance(condition, Comparison):
            compared = self.comparison(condition)
            return compared.astype(np.float64), compared
        if isinstance(condition, About):
            score = self.about(condition)
            return score, score > 0
        return np.zeros(len(self.index.forest)), np.ones(len(self.index.forest), dtype=bool)

    def about(self, about: About) -> Floats:
        asked = Asked.of(about.terms, self.index.words)
        steps = about.path.steps
        if steps and steps[-1].is_attribute:
            borne = attribute_content(self.index, steps[-1].local_names[0], asked)
            if not steps[-1].is_child:
                borne = np.maximum(borne, self.index.best_inside(borne))
            return self._brought_up(borne, steps[:-1])
        own = content(self.index, asked)
        found = self._brought_up(own, steps)
        return found if self._strict or not steps else np.maximum(found, _HINT * own)

    def _brought_up(self, scores: Floats, steps: tuple[Step, ...]) -> Floats:
        """Return for each element the best score of what steps from it lead to."""
        for step in reversed(steps):
            arrive(self.index.shape, Path((step,)))  # refuses attributes, which hold nothing
            named = np.where(self.index.shape.named(step), scores, 0.0)
            scores = self.index.best_child(named) if step.is_child else self.index.best_inside(named)
        return scores

    def comparison(self, comparison: Comparison) -> Booleans:
        """Tell for which elements a comparison holds."""
        steps = comparison.path.steps
        if isinstance(comparison.value, str) or (steps and steps[-1].is_attribute):
            asked = Query((Part(Path((Step(),)), comparison),))
            return conforming(asked, self.index.collection, self.index.numbers)
        values = pl.Series(self.index.values)
        compared = {
            "<": values < comparison.value,
            "<=": values <= comparison.value,
            "=": values == comparison.value,
            ">": values > comparison.value,
            ">=": values >= comparison.value,
        }[comparison.operator]
        holding = (compared & values.is_not_nan()).to_numpy().astype(np.float64)
        return self._brought_up(holding, steps) > 0
