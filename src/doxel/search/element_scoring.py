"""Score the elements for a query: by its words, and by its structure, strict or vague.

about
    The score of the words in an element (see below); with a path, the best score of
    the elements that the path selects in it.
comparison
    1 if it holds.
and, or
    The sum, times the share of parts that hold; the maximum.
//article[...]//sec[...]
    The score of the sec, plus half the score of the best article around it.  The elements of a last path
    without a condition, ``//article[...]//sec``, are scored with all words of the query.

:mod:`doxel.topics.nexi.query_matching` decides which elements may be returned.  With strict support,
conditions must hold as well: every part of an ``and`` must have a score, or one part of an ``or``.  Vague
structure still affects the score: an element on target scores higher, and so does a path that is
followed.

The words of an element are scored as follows:

========  =====================================================================================
word      its BM25
phrase    the BM25 of its words, and that of the phrase where it occurs literally
``+``     counts double
``-``     is subtracted
========  =====================================================================================

A word that the engine splits, such as bisphenol-A, is a phrase.  Stop words count only if there are no
other words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.search.search_engine import WordStemmer
from doxel.search.search_index import SearchIndex
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

__all__ = ["QueryTerms", "collect_terms", "names_target", "score_query"]

_AROUND = 0.5  # the weight of an ancestor's score
_HINT = 0.5  # the weight of an element's own score if the vague path of an about is not followed
_ON_TARGET = 1.5  # the weight of an element on a vague target


def names_target(query: Query | Keywords) -> bool:
    """Check whether a query names the elements to return."""
    return isinstance(query, Query) and bool(query.parts[-1].path.steps[-1].names)


def collect_terms(query: Query | Keywords) -> tuple[Term, ...]:
    """Return all terms of a query, in order."""
    if isinstance(query, Keywords):
        return query.terms
    return tuple(term for part in query.parts for term in _collect_condition_terms(part.condition))


def _collect_condition_terms(condition: Condition | None) -> tuple[Term, ...]:
    if isinstance(condition, And | Or):
        return tuple(term for part in condition.parts for term in _collect_condition_terms(part))
    return condition.terms if isinstance(condition, About) else ()


def score_query(index: SearchIndex, query: Query | Keywords, structure: Structure) -> Floats:
    """Return a score for each element of the index, 0 for elements that do not match the query."""
    if isinstance(query, Keywords):
        return score_content(index, QueryTerms.of(query.terms, index.words))
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
        own_scores, holds = self._last(query, last)
        is_allowed = self._mark_allowed(last, reached) & (
            holds if self._strict else own_scores + inherited > 0
        )
        if last.condition is not None:
            is_allowed &= own_scores > 0
        scores = np.where(is_allowed, own_scores + _AROUND * inherited, 0.0)
        if self.structure.target == "vague":
            on_target = follow_path(self.index.shape, query.target)
            scores = np.where(on_target, _ON_TARGET * scores, scores)
        return scores

    def _last(self, query: Query, last: QueryPart) -> tuple[Floats, Booleans]:
        if last.condition is not None:
            return self.condition(last.condition)
        all_rows = np.ones(len(self.index.forest), dtype=bool)
        return score_content(self.index, QueryTerms.of(collect_terms(query), self.index.words)), all_rows

    def _mark_allowed(self, last: QueryPart, reached: Booleans | None) -> Booleans:
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
        terms = QueryTerms.of(about.terms, self.index.words)
        steps = about.path.steps
        if steps and steps[-1].is_attribute:
            scores = score_attribute(self.index, steps[-1].local_names[0], terms)
            if not steps[-1].is_child:
                scores = np.maximum(scores, self.index.best_inside(scores))
            return self._bring_up(scores, steps[:-1])
        own_scores = score_content(self.index, terms)
        scores = self._bring_up(own_scores, steps)
        return scores if self._strict or not steps else np.maximum(scores, _HINT * own_scores)

    def _bring_up(self, scores: Floats, steps: tuple[PathStep, ...]) -> Floats:
        """Return for each element the best score of the elements that the steps select from it."""
        for step in reversed(steps):
            follow_path(
                self.index.shape, QueryPath((step,))
            )  # raises an error for attributes, which have no content
            step_scores = np.where(self.index.shape.mark_named(step), scores, 0.0)
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
        return self._bring_up(holds, steps) > 0


_SIGNS = {"": 1.0, "+": 2.0, "-": -1.0}
_K1 = 1.2  # the constant of BM25, for values of attributes, which are not in the engine's index


@dataclass(frozen=True)
class QueryTerms:
    """The words and phrases of terms, with their weights.

    ``only_stop_words``: the terms have no other words.
    """

    weights: dict[tuple[str, ...], float]
    only_stop_words: bool

    @classmethod
    def of(cls, terms: Iterable[Term], words: WordStemmer) -> QueryTerms:
        """Return the words and phrases of terms."""
        terms = tuple(terms)
        weights = cls._weights(terms, words, stop_words=False)
        if any(weight > 0 for weight in weights.values()):
            return cls(weights, only_stop_words=False)
        weights = cls._weights(terms, words, stop_words=True)
        return cls(weights, only_stop_words=any(weight > 0 for weight in weights.values()))

    @staticmethod
    def _weights(
        terms: tuple[Term, ...], words: WordStemmer, *, stop_words: bool
    ) -> dict[tuple[str, ...], float]:
        weights: defaultdict[tuple[str, ...], float] = defaultdict(float)
        for term in terms:
            content_words = [word for word in term.words if stop_words or not words.is_stop_word(word)]
            phrase = words.of(" ".join(term.words))
            single_words = [part for word in content_words for part in words.of(word)]
            if len(phrase) > 1 and single_words:
                weights[tuple(phrase)] += _SIGNS[term.sign]
            # the words of an unwanted phrase are not unwanted: -"near miss" does not exclude near
            if len(phrase) == 1 or term.sign != "-":
                for word in single_words:
                    weights[(word,)] += _SIGNS[term.sign]
        return {phrase: weight for phrase, weight in weights.items() if weight}


def score_content(index: SearchIndex, terms: QueryTerms) -> Floats:
    """Return the content score of each element for the words and phrases of a query, at least 0."""
    score = np.zeros(len(index.forest))
    for words, weight in terms.weights.items():
        rows, hit_scores = index.hits(words)
        score[rows] += weight * hit_scores
    return np.maximum(score, 0.0)


def score_attribute(index: SearchIndex, name: str, terms: QueryTerms) -> Floats:
    """Return the score of each element by the values of its attribute ``name``, at least 0."""
    score = np.zeros(len(index.forest))
    attributes = index.collection.attributes_named(name, index.numbers)
    rows = index.forest.first[attributes["document"].to_numpy()] + attributes["element"].to_numpy()
    weights = {words: weight * index.weight(words) for words, weight in terms.weights.items()}
    for row, value in zip(rows.tolist(), attributes["value"], strict=True):
        value_words = index.words.of(value)
        for words, weight in weights.items():
            count = sum(
                tuple(value_words[first : first + len(words)]) == words
                for first in range(len(value_words) - len(words) + 1)
            )
            score[row] += weight * count / (count + _K1)
    return np.maximum(score, 0.0)
