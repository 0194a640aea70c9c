"""Effort-precision on arrays (section 5)."""

import numpy as np
import pytest

from doxel.measures.gain_views import ArticleGains, BrowseGains, GainVectors
from doxel.measures.inex.effort_precision import browse_maep, ep, fetch_maep, imaep, maep
from measures.arrays import F, each, exactly, rows
from measures.ideals import base, each_ideal_base, roots

IDEAL_RUNS = [
    *each_ideal_base(
        lambda options: (
            f"ep({options})@0.01,0.37,1, MAep({options}), MAep(ideal_curve=step, {options}), "
            f"iMAep({options}), iMAep(run_curve=points, {options}), "
            f"iMAep(ideal_curve=step, run_curve=step, {options})"
        )
    ),
    ("random", base(), "browse_MAep"),
    ("random", roots, "fetch_MAep"),
]

# tree A, run S2 p1 (non-relevant) A, Thorough
VIEW = GainVectors(
    gains=rows([F(3, 4), 1, 0, F(13, 20)]),
    ideal=rows([1, 1, F(3, 4), F(13, 20), F(1, 2), F(1, 2)]),
    divisor=each(6),
)


@pytest.mark.parametrize(("curve", "value"), [("linear", F(271, 720)), ("step", F(11, 24))])
def test_maep_is_the_mean_over_ranks_with_gain(curve, value):
    assert maep(VIEW, ideal_curve=curve).item() == exactly(value)  # (exact)


@pytest.mark.parametrize(
    ("recall", "value"),
    [(0.1, F(3, 4)), (0.2, F(88, 113)), (0.3, F(132, 157)), (0.5, F(221, 360)), (0.6, 0)],
)
def test_ep_at_a_gain_recall_equals_the_worked_numbers(recall, value):
    assert ep(VIEW, ideal_curve="linear", run_curve="linear", recall=recall).item() == exactly(
        value
    )  # (exact)


@pytest.mark.parametrize(
    ("ideal_curve", "run_curve", "value", "digits"),
    [
        ("linear", "linear", 0.4000126941, 10),
        ("linear", "step", 0.28431, 5),
        ("step", "step", 0.4625, 14),
        ("linear", "points", 0.41988, 5),
    ],
)
def test_imaep_is_the_mean_over_recall_points(ideal_curve, run_curve, value, digits):
    score = imaep(VIEW, ideal_curve=ideal_curve, run_curve=run_curve).item()  # (exact)
    assert round(score, digits) == value


@pytest.mark.parametrize(
    ("gains", "value"), [([F(1, 2), F(1, 4), 1], F(37, 72)), ([F(3, 4), 0, 1, 0], F(17, 24))]
)
def test_maep_of_focused_runs_equals_the_worked_numbers(gains, value):
    # (exact) ideal 1, 3/4; the divisor is max(n, ranks with gain)
    ranks = sum(gain > 0 for gain in gains)
    view = GainVectors(rows(gains), rows([1, F(3, 4)]), each(max(2, ranks)))
    assert maep(view, ideal_curve="linear").item() == exactly(value)


def test_gain_beyond_the_ideal_counts_as_the_length_of_the_ideal_list():
    view = GainVectors(rows([2, 3]), rows([1, 1]), each(2))
    assert maep(view, ideal_curve="linear").item() == exactly((2 + F(2, 2)) / 2)
    assert ep(view, ideal_curve="linear", run_curve="step", recall=1.0).item() == 2


def test_points_are_interpolated_between_ranks_with_gain():
    # ep 1/2 at gain 1 (rank 2), 2/3 at gain 2 (rank 3): constant before, a straight line between
    view = GainVectors(rows([0, 1, 1]), rows([1, 1]), each(2))
    at = {
        x: ep(view, ideal_curve="linear", run_curve="points", recall=x).item() for x in (0.1, 0.5, 0.75, 1.0)
    }
    assert list(at.values()) == exactly([F(1, 2), F(1, 2), F(7, 12), F(2, 3)])


def test_the_runs_curve_is_interpolated_or_stepped():
    view = GainVectors(rows([0, 1, 1]), rows([1, 1]), each(2))
    # half the gain of the first element: the ideal needs 1/2 ranks, the run 3/2 or, in whole ranks, 2
    assert ep(view, ideal_curve="linear", run_curve="linear", recall=0.25).item() == exactly(F(1, 3))
    assert ep(view, ideal_curve="linear", run_curve="step", recall=0.25).item() == exactly(F(1, 4))
    assert ep(view, ideal_curve="step", run_curve="step", recall=0.25).item() == exactly(F(1, 2))


def test_a_rounding_error_is_not_a_rank_with_gain():
    view = GainVectors(np.array([[0.5, 1e-17, 0.5]]), rows([0.5, 0.5]), each(2))
    assert maep(view, ideal_curve="linear").item() == exactly((1 + F(2, 3)) / 2)


def test_a_run_without_gain_scores_0():
    for gains in ([], [0, 0]):
        view = GainVectors(rows(gains), rows([1]), each(1))
        assert maep(view, ideal_curve="linear").item() == 0
        assert imaep(view, ideal_curve="linear", run_curve="linear").item() == 0


def test_fetch_maep_and_browse_maep_equal_those_computed_by_hand():
    assert fetch_maep(ArticleGains(rows([0, F(13, 20)]), rows([F(13, 20)]), each(1))).item() == exactly(
        F(1, 2)
    )
    inside = GainVectors(rows([1, 1], [0, 1], [0, 0]), rows([1, 1], [1, 0], [1, 1]), each(2, 1, 2))
    # topic 0 has the first article, topic 1 none, topic 2 the two others, of which one was not retrieved
    view = BrowseGains(inside, np.array([0, 2, 2]), 3, rank=np.array([[2, 3], [1, 2], [0, 0]]))
    assert browse_maep(view).tolist() == exactly([1, 0, F(1, 4)])
    assert view.defined.tolist() == [True, False, True]
