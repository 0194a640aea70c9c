"""Generalised precision and recall on arrays."""

import pytest

from doxel.measures.inex.generalised_precision import art_f1, art_prec, art_rec, gp, gr, igp, magp
from doxel.measures.text_views import Articles, RetrievedArticles
from measures.arrays import F, each, exactly, rows
from measures.ideals import entry_points, gold

IDEAL_RUNS = [
    (
        "random",
        gold,
        "MAgP, MAgP(beta=0.25), gP@1, gP(pad=False)@100, gR@100, igP@0,0.5,1, art_prec, art_rec, art_f1",
    ),
    ("random", entry_points, "MAgP(score=bep), gP(score=bep)@1, gR(score=bep)@100"),
    ("perfect", gold, "MAgP(score=t2i), gP(score=t2i, T=1)@1, igP(score=t2i)@1"),
]

# scores 1/2, 0, 1/4 of articles that are relevant, not relevant, relevant; four are relevant in all
VIEW = Articles(
    score=rows([F(1, 2), 0, F(1, 4)], [1, 1, 1, 1]),
    relevant=rows([1, 0, 1], [1, 1, 1, 1]),
    length=each(3, 4),
    total=each(4, 4),
)


def first(scores):
    return scores.tolist()[0]


def test_gp_is_the_mean_score_of_the_first_articles():
    padded = [first(gp(VIEW, pad=True, cutoff=k)) for k in (1, 2, 3, 4, 6)]
    assert padded == exactly([F(1, 2), F(1, 4), F(1, 4), F(3, 16), F(1, 8)])
    repeated = [first(gp(VIEW, pad=False, cutoff=k)) for k in (1, 2, 3, 4, 6)]
    assert repeated == exactly([F(1, 2), F(1, 4), F(1, 4), F(1, 4), F(1, 4)])


def test_gr_is_the_share_of_the_relevant_articles():
    assert [first(gr(VIEW, cutoff=k)) for k in (1, 2, 3, 9)] == exactly([F(1, 4), F(1, 4), F(1, 2), F(1, 2)])


@pytest.mark.parametrize(
    ("recall", "value"),
    [(0, F(1, 2)), (0.25, F(1, 2)), (0.3, F(1, 4)), (0.5, F(1, 4)), (0.6, 0), (1, 0)],
)
def test_igp_is_the_best_precision_from_a_recall_on(recall, value):
    assert igp(VIEW, recall=recall).tolist() == exactly([value, 1])


def test_padding_has_no_precision():
    # at recall 0 a topic without results scores 0, however long the longest list is
    empty = Articles(rows([0, 0]), rows([0, 0]), each(0), each(2))
    assert igp(empty, recall=0).tolist() == [0]
    short = Articles(rows([0.25, 0]), rows([0, 0]), each(1), each(2))
    assert igp(short, recall=0).tolist() == [0.25]


def test_magp_is_the_mean_over_the_relevant_articles():
    assert magp(VIEW).tolist() == exactly([(F(1, 2) + F(1, 4)) / 4, 1])


def test_precision_recall_and_f1_count_articles():
    view = RetrievedArticles(relevant=rows([1, 0, 1], []), retrieved=each(3, 0), total=each(2, 5))
    assert art_prec(view).tolist() == exactly([F(2, 3), 0])
    assert art_rec(view).tolist() == [1, 0]
    assert art_f1(view).tolist() == exactly([F(4, 5), 0])
