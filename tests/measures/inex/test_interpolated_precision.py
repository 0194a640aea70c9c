"""Interpolated precision on arrays: topic 1 of the worked qrels (section 8)."""

import numpy as np
import pytest

from doxel.measures.inex.interpolated_precision import ip, maip
from doxel.measures.text_views import ReadText
from measures.arrays import F, each, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "iP@0,0.01,1, iP(task=thorough)@1, MAiP")]

# (tool) A 100+200, C 0+100, B 0+400 against 450 relevant characters: found 100, 0, 300; read 200, 100, 400
SIZE, FOUND = rows([200, 100, 400]), rows([100, 0, 300])
VIEW = ReadText(SIZE, FOUND, SIZE, FOUND, each(450))


@pytest.mark.parametrize(
    ("recall", "precision"),
    [
        (0, F(4, 7)),  # best anywhere: 1/2, 1/3, 4/7
        (F(1, 100), F(4, 7)),
        (F(22, 100), F(4, 7)),  # 100/450 = .222
        (F(88, 100), F(4, 7)),  # 400/450 = .888...
        (F(89, 100), 0),
        (1, 0),
    ],
)
def test_ip_is_the_best_precision_from_a_recall_on(recall, precision):
    assert ip(VIEW, recall=float(recall)).tolist() == exactly([precision])


def test_maip_is_the_mean_over_101_points():
    assert maip(VIEW).tolist() == exactly([F(89, 101) * F(4, 7)])  # (tool)


def test_precision_falls_with_irrelevant_text():
    view = ReadText(rows([10, 10]), rows([10, 5]), rows([10, 10]), rows([10, 5]), each(20))
    assert ip(view, recall=0.5).tolist() == [1]
    assert ip(view, recall=0.51).tolist() == [0.75]
    assert maip(view).tolist() == exactly([(51 + 25 * F(3, 4)) / 101])


def test_a_recall_level_missed_only_by_rounding_is_reached():
    # 29/100 of 300 is 87; found in three parts that sum to 87
    sizes = np.array([[29.0, 29.0, 29.0]])
    assert ip(ReadText(sizes, sizes, sizes, sizes, each(300)), recall=0.29).tolist() == [1]


def test_only_new_text_counts():
    view = ReadText(rows([9, 9]), rows([9, 9]), rows([2, 4]), rows([1, 1]), each(4))
    assert ip(view, recall=0).tolist() == [0.5]
    assert ip(view, recall=0.5).tolist() == exactly([F(1, 3)])
