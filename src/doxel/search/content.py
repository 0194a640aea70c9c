"""Score the content of elements: words and phrases, important and unwanted ones, as one number.

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

from doxel.search.engine import Words
from doxel.search.index import SearchIndex
from doxel.spans import Floats
from doxel.topics.nexi.query_tree import Term

__all__ = ["Asked", "attribute_content", "content"]

_SIGNS = {"": 1.0, "+": 2.0, "-": -1.0}
_K1 = 1.2  # the constant of BM25, for values of attributes, which are not in the engine's index


@dataclass(frozen=True)
class Asked:
    """The words and phrases of terms, with their weights.

    ``only_stop_words``: the terms have no other words.
    """

    weights: dict[tuple[str, ...], float]
    only_stop_words: bool

    @classmethod
    def of(cls, terms: Iterable[Term], words: Words) -> Asked:
        """Return the words and phrases of terms."""
        terms = tuple(terms)
        weights = cls._weights(terms, words, stop_words=False)
        if any(weight > 0 for weight in weights.values()):
            return cls(weights, only_stop_words=False)
        weights = cls._weights(terms, words, stop_words=True)
        return cls(weights, only_stop_words=any(weight > 0 for weight in weights.values()))

    @staticmethod
    def _weights(terms: tuple[Term, ...], words: Words, *, stop_words: bool) -> dict[tuple[str, ...], float]:
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


def content(index: SearchIndex, terms: Asked) -> Floats:
    """Return the content score of each element for the words and phrases of a query, at least 0."""
    score = np.zeros(len(index.forest))
    for words, weight in terms.weights.items():
        rows, hit_scores = index.hits(words)
        score[rows] += weight * hit_scores
    return np.maximum(score, 0.0)


def attribute_content(index: SearchIndex, name: str, terms: Asked) -> Floats:
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
