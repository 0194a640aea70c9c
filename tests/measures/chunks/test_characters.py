"""Characters of the first results (section 12), on one topic written as arrays."""

import pytest

from doxel.measures.chunks.characters import char_f1, char_iou, char_prec, char_rec
from doxel.measures.text_views import ReadText
from measures.arrays import F, each, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [
    ("random", gold, "char_rec, char_prec, char_prec@1, char_prec(repeats=charged), char_iou, char_f1@100")
]

# (exact) G = [100,200), list [50,150) [100,200) [300,400)
VIEW = ReadText(
    size=rows([100, 100, 100]),
    relevant=rows([50, 100, 0]),
    new_size=rows([100, 50, 100]),
    new_relevant=rows([50, 50, 0]),
    total=each(100),
)
ONCE = {
    char_rec: [F(1, 2), 1, 1],
    char_prec: [F(1, 2), F(2, 3), F(2, 5)],
    char_iou: [F(1, 3), F(2, 3), F(2, 5)],
    char_f1: [F(1, 2), F(4, 5), F(4, 7)],
}
CHARGED = {
    char_rec: [F(1, 2), 1, 1],
    char_prec: [F(1, 2), F(1, 2), F(1, 3)],
    char_iou: [F(1, 3), F(1, 2), F(1, 3)],
    char_f1: [F(1, 2), F(2, 3), F(1, 2)],
}


@pytest.mark.parametrize(("repeats", "table"), [("once", ONCE), ("charged", CHARGED)])
@pytest.mark.parametrize("measure", ONCE)
def test_scores_at_each_rank_equal_those_computed_by_hand(measure, repeats, table):
    at_ranks = [measure(VIEW, repeats=repeats, cutoff=rank).item() for rank in (1, 2, 3, 4, None)]
    assert at_ranks == exactly([*table[measure], table[measure][-1], table[measure][-1]])


def test_an_empty_list_scores_0():
    empty = ReadText(*(rows([]) for _ in range(4)), each(10))
    for measure in ONCE:
        assert measure(empty, repeats="once", cutoff=3).tolist() == [0]
