"""Measures of whole documents (section 12), on topics written as arrays."""

import math
import random

import numpy as np
import pytest

from doxel.measures.chunks import classic
from doxel.measures.measure_table import parse_measure
from doxel.measures.text_views import DocumentRanking
from measures.arrays import F, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "AP, AP@100, nDCG, nDCG@10, P@1, R@100, RBP(p=0), RR")]


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

    def test_rank_biased_precision_weighs_ranks_by_the_chance_to_reach_them(self):
        # Moffat and Zobel 2008: (1 - p) (1 + p^2) for relevant documents at ranks 1 and 3
        first, second = classic.rank_biased_precision(self.VIEW, p=0.5, rel=1, cutoff=None)
        assert (first, second) == (0.5 * (1 + 0.25), 0)
        assert classic.rank_biased_precision(self.VIEW, p=0.5, rel=1, cutoff=2)[0] == 0.5
        assert classic.rank_biased_precision(self.VIEW, p=0, rel=1, cutoff=None).tolist() == [1, 0]

    def test_ndcg_equals_that_computed_by_hand(self):
        gained = 2 + 1 / math.log2(4)
        ideal = 2 + 1 / math.log2(3) + 1 / math.log2(4)
        assert classic.ndcg(self.VIEW, cutoff=10)[0] == pytest.approx(gained / ideal, rel=1e-6)

    def test_rel_is_the_lowest_relevant_grade(self):
        assert classic.average_precision(self.VIEW, rel=2, cutoff=None)[0] == 1
        assert classic.reciprocal_rank(DocumentRanking(rows([1, 2]), rows([])), rel=2, cutoff=None) == [0.5]

    def test_an_empty_ranking_scores_0(self):
        assert classic.ndcg(DocumentRanking(rows([]), rows([1])), cutoff=10).tolist() == [0]

    def test_fractional_grades_are_gains(self):
        view = DocumentRanking(rows([0.5, 2]), rows([1]))
        ideal = 2 + 1 / math.log2(3) + 0.5 / math.log2(4)
        assert classic.ndcg(view, cutoff=None)[0] == pytest.approx((0.5 + 2 / math.log2(3)) / ideal)
        assert classic.average_precision(view, rel=1, cutoff=None)[0] == exactly(F(1, 2) / 2)

    def test_only_topics_with_a_relevant_document_are_defined(self):
        view = DocumentRanking(grade=rows([0], [1], [0]), missed=rows([1], [0], [0]))
        assert np.array_equal(view.defined, [True, True, False])

    def test_only_topics_with_a_document_of_the_lowest_relevant_grade_are_defined(self):
        # measures.md, section 0: a topic without anything to find is undefined
        view = DocumentRanking(grade=rows([1], [2], [0]), missed=rows([2], [1], [1]))
        for name, expected in {"P(rel=2)@1": [0, 1], "R(rel=2)@1": [0, 1], "AP(rel=2)": [0, 1]}.items():
            (measure,) = parse_measure(name)
            scores = measure.compute(view, measure.resolve_parameters({}))
            assert scores[:2].tolist() == expected
            assert np.isnan(scores[2])


FIGURES = {
    "map": lambda view: classic.average_precision(view, rel=1, cutoff=None),
    "map_cut_5": lambda view: classic.average_precision(view, rel=1, cutoff=5),
    "ndcg": lambda view: classic.ndcg(view, cutoff=None),
    "ndcg_cut_10": lambda view: classic.ndcg(view, cutoff=10),
    "P_5": lambda view: classic.precision(view, rel=1, cutoff=5),
    "recall_100": lambda view: classic.recall(view, rel=1, cutoff=100),
    "recip_rank": lambda view: classic.reciprocal_rank(view, rel=1, cutoff=None),
}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("level", [1, 2])
def test_scores_equal_those_of_trec_eval_bit_for_bit(figure, level):
    """Relevant from grade ``level``: nDCG has no such grade, the others have it as ``rel``."""
    library = pytest.importorskip("pytrec_eval")
    rng = random.Random(level)
    for _ in range(200):
        grades = [rng.choice([0, 0, 1, 2, 3]) for _ in range(rng.randint(1, 60))]
        missed = [rng.choice([1, 1, 2, 4]) for _ in range(rng.randint(0, 5))]
        qrels = {f"r{rank}": grade for rank, grade in enumerate(grades) if grade}
        qrels |= {f"m{place}": grade for place, grade in enumerate(missed)}
        if not qrels:
            continue
        ranking = {f"r{rank}": float(-rank) for rank in range(len(grades))}
        evaluator = library.RelevanceEvaluator({"t": qrels}, {figure}, relevance_level=level)
        view = DocumentRanking(rows(grades), rows(missed))
        function = FIGURES[figure] if level == 1 or "ndcg" in figure else AT_LEVEL_2[figure]
        assert function(view)[0] == evaluator.evaluate({"t": ranking})["t"][figure]


AT_LEVEL_2 = {
    "map": lambda view: classic.average_precision(view, rel=2, cutoff=None),
    "map_cut_5": lambda view: classic.average_precision(view, rel=2, cutoff=5),
    "P_5": lambda view: classic.precision(view, rel=2, cutoff=5),
    "recall_100": lambda view: classic.recall(view, rel=2, cutoff=100),
    "recip_rank": lambda view: classic.reciprocal_rank(view, rel=2, cutoff=None),
}
