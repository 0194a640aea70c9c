"""What elements are about: words and phrases, important ones and unwanted ones, as one score.

========  =====================================================================================
word      its BM25
phrase    the BM25 of its words, and that of the phrase wherever it stands as it is written
``+``     counts double
``-``     is taken off
========  =====================================================================================

A word that the engine takes apart, such as bisphenol-A, is a phrase.  Stop words count where there is
nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from doxel.search.engine import Words
from doxel.search.index import SearchIndex
from doxel.spans import Floats
from doxel.topics.nexi.tree import Term

__all__ = ["Asked", "attribute_content", "content"]

_SIGNS = {"": 1.0, "+": 2.0, "-": -1.0}
_K1 = 1.2  # of BM25, for the values of attributes, which the engine does not hold


@dataclass(frozen=True)
class Asked:
    """The words and phrases of terms, with their weights.

    ``only_stop_words`` is whether stop words had to serve.
    """

    weights: dict[tuple[str, ...], float]
    only_stop_words: bool

    @classmethod
    def of(cls, terms: Iterable[Term], words: Words) -> Asked:
        """Return what terms ask for."""
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
            kept = [one for one in term.words if stop_words or not words.is_stop_word(one)]
            taken = words.of(" ".join(term.words))
            singles = [one for word in kept for one in words.of(word)]
            if len(taken) > 1 and singles:
                weights[tuple(taken)] += _SIGNS[term.sign]
            # parts of what is unwanted are not unwanted: -"near miss" says nothing against near
            if len(taken) == 1 or term.sign != "-":
                for one in singles:
                    weights[(one,)] += _SIGNS[term.sign]
        return {asked: weight for asked, weight in weights.items() if weight}


def content(index: SearchIndex, asked: Asked) -> Floats:
    """Return for each element how much it is about what is asked for, 0 at least."""
    score = np.zeros(len(index.forest))
    for words, weight in asked.weights.items():
        rows, found = index.hits(words)
        score[rows] += weight * found
    return np.maximum(score, 0.0)


def attribute_content(index: SearchIndex, name: str, asked: Asked) -> Floats:
    """Return for each element how much the values of an attribute of it are about what is asked for."""
    score = np.zeros(len(index.forest))
    found = index.collection.attributes_named(name, index.numbers)
    rows = index.forest.first[found["document"].to_numpy()] + found["element"].to_numpy()
    worth = {words: weight * index.weight(words) for words, weight in asked.weights.items()}
    for row, value in zip(rows.tolist(), found["value"], strict=True):
        held = index.words.of(value)
        for words, weight in worth.items():
            times = sum(
                tuple(held[place : place + len(words)]) == words
                for place in range(len(held) - len(words) + 1)
            )
            score[row] += weight * times / (times + _K1)
    return np.maximum(score, 0.0)
