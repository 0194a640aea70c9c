"""Measures of whole documents (section 12), on topics written as arrays."""

import math
import sys

import numpy as np
import pytest

from doxel.errors import InputError, MissingExtraError
from doxel.measures.chunks import classic
from doxel.measures.text_views import DocumentRanking
from measures.arrays import F, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "AP, AP@100, nDCG, nDCG@10, P@1, R@100, RR")]


class TestWholeDocuments:
    # grades 2, 0, 1 at ranks 1 to 3, and one relevant document not retrieved; topic 2 has only zeros
    VIEW = DocumentRanking(grade=rows([2, 0, 1], [0, 0, 0]), missed=rows([1], [1]))

    def test_measures_equal_those_computed_by_hand(self):
        first, second = classic.average_precision(self.VIEW, rel=1, cutoff=None)
        assert first == exactly((1 + F(2, 3)) / 3)
        assert second == 0
        assert classic.precision(self.VIEW, rel=1, cutoff=2)[0] == 0.5
        assert classic.precision(self.VIEW, rel=1, cutoff=5)[0] == exactly(F(2, 5))
        assert classic.recall(self.VIEW, rel=1, cutoff=3)[0] == exactly(F(2, 3))
        assert classic.reciprocal_rank(self.VIEW, rel=1, cutoff=None).tolist() == [1, 0]

    def test_ndcg_equals_that_computed_by_hand(self):
        gained = 2 + 1 / math.log2(4)
        ideal = 2 + 1 / math.log2(3) + 1 / math.log2(4)
        assert classic.ndcg(self.VIEW, cutoff=10)[0] == pytest.approx(gained / ideal, rel=1e-6)

    def test_rel_is_the_lowest_relevant_grade(self):
        assert classic.average_precision(self.VIEW, rel=2, cutoff=None)[0] == 1
        assert classic.reciprocal_rank(DocumentRanking(rows([1, 2]), rows([])), rel=2, cutoff=None) == [0.5]

    def test_an_empty_ranking_scores_0(self):
        assert classic.ndcg(DocumentRanking(rows([]), rows([1])), cutoff=10).tolist() == [0]

    def test_fractional_grades_are_rejected(self):
        with pytest.raises(InputError, match="wanted whole numbers"):
            classic.ndcg(DocumentRanking(rows([0.5]), rows([])), cutoff=10)

    def test_without_the_library_the_error_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "ir_measures", None)
        with pytest.raises(MissingExtraError, match=r'pip install "doxel\[classic\]"'):
            classic.ndcg(self.VIEW, cutoff=10)

    def test_only_topics_with_a_relevant_document_are_defined(self):
        view = DocumentRanking(grade=rows([0], [1], [0]), missed=rows([1], [0], [0]))
        assert np.array_equal(view.defined, [True, True, False])
