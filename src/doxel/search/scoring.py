"""Score the elements for a query: by its words, and by its structure, strict or vague.

about
    The score of the words in an element (see :mod:`doxel.search.content`); with a path, the best score of
    the elements that the path selects in it.
comparison
    1 if it holds.
and, or
    The sum, times the share of parts that hold; the maximum.
//article[...]//sec[...]
    The score of the sec, plus half the score of the best article around it.  The elements of a last path
    without a condition, ``//article[...]//sec``, are scored with all words of the query.

:mod:`doxel.topics.nexi.query_matching` decides which elements may be returned.  With strict support, conditions
must hold as well: every part of an ``and`` must have a score, or one part of an ``or``.  Vague structure
still affects the score: an element on target scores higher, and so does a path that is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.search.content import Asked, attribute_content, content
from doxel.search.index import SearchIndex
from doxel.spans import Booleans, Floats
from doxel.topics.nexi.query_matching import find_conforming_elements, follow_path
from doxel.topics.nexi.query_tree import (
    About,
    And,
    Condition,
    Keywords,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)
from doxel.topics.query_structure import Structure

__all__ = ["names_target", "score_query", "terms_of"]

_AROUND = 0.5  # the weight of an ancestor's score
_HINT = 0.5  # the weight of an element's own score if the vague path of an about is not followed
_ON_TARGET = 1.5  # the weight of an element on a vague target


def names_target(query: Query | Keywords) -> bool:
    """Check whether a query names the elements to return."""
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
    """Return a score for each element of the index, 0 for elements that do not match the query."""
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
        *ancestors, last = query.parts
        reached: Booleans | None = None
        inherited = np.zeros(len(self.index.forest))
        for part in ancestors:
            score, holds = self.condition(part.condition)
            reached = follow_path(self.index.shape, part.path, reached)
            reached = reached & holds if self._strict else reached
            inherited = self.index.best_around(np.where(reached, score + _AROUND * inherited, 0.0))
        own, holds = self._last(query, last)
        is_allowed = self._allowed(last, reached) & (holds if self._strict else own + inherited > 0)
        if last.condition is not None:
            is_allowed &= own > 0
        scores = np.where(is_allowed, own + _AROUND * inherited, 0.0)
        if self.structure.target == "vague":
            on_target = follow_path(self.index.shape, query.target)
            scores = np.where(on_target, _ON_TARGET * scores, scores)
        return scores

    def _last(self, query: Query, last: QueryPart) -> tuple[Floats, Booleans]:
        if last.condition is not None:
            return self.condition(last.condition)
        all_rows = np.ones(len(self.index.forest), dtype=bool)
        return content(self.index, Asked.of(terms_of(query), self.index.words)), all_rows

    def _allowed(self, last: QueryPart, reached: Booleans | None) -> Booleans:
        """Mark the elements that may be returned, apart from their own condition."""
        if self.structure.target == "strict":
            return follow_path(self.index.shape, last.path, reached)
        if reached is None or not self._strict:
            return np.ones(len(self.index.forest), dtype=bool)
        return reached | self.index.shape.below(reached)

    def condition(self, condition: Condition | None) -> tuple[Floats, Booleans]:
        """Return the score of each element for a condition, and whether the condition holds."""
        if isinstance(condition, And | Or):
            scores, holds = zip(*map(self.condition, condition.parts), strict=True)
            if isinstance(condition, And):
                return np.sum(scores, axis=0) * np.mean(holds, axis=0), np.logical_and.reduce(holds)
            return np.max(scores, axis=0), np.logical_or.reduce(holds)
        if isinstance(condition, ValueComparison):
            compared = self.comparison(condition)
            return compared.astype(np.float64), compared
        if isinstance(condition, About):
            score = self.about(condition)
            return score, score > 0
        return np.zeros(len(self.index.forest)), np.ones(len(self.index.forest), dtype=bool)

    def about(self, about: About) -> Floats:
        terms = Asked.of(about.terms, self.index.words)
        steps = about.path.steps
        if steps and steps[-1].is_attribute:
            scores = attribute_content(self.index, steps[-1].local_names[0], terms)
            if not steps[-1].is_child:
                scores = np.maximum(scores, self.index.best_inside(scores))
            return self._brought_up(scores, steps[:-1])
        own = content(self.index, terms)
        scores = self._brought_up(own, steps)
        return scores if self._strict or not steps else np.maximum(scores, _HINT * own)

    def _brought_up(self, scores: Floats, steps: tuple[PathStep, ...]) -> Floats:
        """Return for each element the best score of the elements that the steps select from it."""
        for step in reversed(steps):
            follow_path(
                self.index.shape, QueryPath((step,))
            )  # raises an error for attributes, which have no content
            step_scores = np.where(self.index.shape.named(step), scores, 0.0)
            scores = (
                self.index.best_child(step_scores) if step.is_child else self.index.best_inside(step_scores)
            )
        return scores

    def comparison(self, comparison: ValueComparison) -> Booleans:
        """Mark the elements for which a comparison holds."""
        steps = comparison.path.steps
        if isinstance(comparison.value, str) or (steps and steps[-1].is_attribute):
            query = Query((QueryPart(QueryPath((PathStep(),)), comparison),))
            return find_conforming_elements(query, self.index.collection, self.index.numbers)
        values = pl.Series(self.index.values)
        compared = {
            "<": values < comparison.value,
            "<=": values <= comparison.value,
            "=": values == comparison.value,
            ">": values > comparison.value,
            ">=": values >= comparison.value,
        }[comparison.operator]
        holds = (compared & values.is_not_nan()).to_numpy().astype(np.float64)
        return self._brought_up(holds, steps) > 0
