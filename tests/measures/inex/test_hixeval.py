"""HiXEval on arrays: tree A, alpha 1, run p4 S2 p1 (section 7)."""

import pytest

from doxel.measures.inex.hixeval import hixeval_f, hixeval_p, hixeval_r
from doxel.measures.text_views import ValuedText
from measures.arrays import F, each, exactly, rows
from measures.ideals import gold, highlighted_elements

IDEAL_RUNS = [
    ("random", gold, "HiXEval_P@1,100, HiXEval_R@100, HiXEval_F@100"),
    ("random", highlighted_elements, "HiXEval_R(task=thorough)@100"),
]

VIEW = ValuedText(value=rows([150, 300, 200], [0]), size=rows([300, 600, 200], [0]), total=each(650, 10))
PRECISION = [F(1, 2), F(1, 2), F(13, 22)]
RECALL = [F(3, 13), F(9, 13), 1]


@pytest.mark.parametrize("rank", [1, 2, 3, 50])
def test_precision_recall_and_f_at_each_rank_equal_the_worked_numbers(rank):
    precision, recall = PRECISION[min(rank, 3) - 1], RECALL[min(rank, 3) - 1]
    assert hixeval_p(VIEW, cutoff=rank).tolist() == exactly([precision, 0])
    assert hixeval_r(VIEW, cutoff=rank).tolist() == exactly([recall, 0])
    assert hixeval_f(VIEW, cutoff=rank).tolist() == exactly(
        [2 * precision * recall / (precision + recall), 0]
    )


def test_the_explanation_shows_precision_and_recall_at_each_rank():
    columns = {quantity.symbol: quantity.compute(VIEW, {}) for quantity in ValuedText.quantities}
    assert columns["P(k)"][0].tolist() == exactly(PRECISION)
    assert columns["R(k)"][0].tolist() == exactly(RECALL)
