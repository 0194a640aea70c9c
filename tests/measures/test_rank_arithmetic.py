"""The arithmetic that all families share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.measures.rank_arithmetic import (
    RECALL_POINTS,
    TOLERANCE,
    at_rank,
    average_points,
    build_recall_points,
    compute_f_beta,
    divide,
    find_first_reaching,
    find_point,
    mark_gains,
    take_best_from,
)
from measures.arrays import F, each, exactly, rows

tenths = st.lists(st.integers(0, 10).map(lambda n: n / 10), min_size=1, max_size=8)


def test_division_by_zero_gives_0_or_the_chosen_value():
    assert divide(each(1, 0, 3), each(2, 0, 0)).tolist() == [0.5, 0.0, 0.0]
    assert divide(each(1), each(0), otherwise=-1.0).tolist() == [-1.0]


def test_division_broadcasts_one_row_over_many():
    assert divide(rows([1, 2], [3, 4]), each(2, 4)).tolist() == [[0.5, 0.5], [1.5, 1.0]]
    assert divide(each(1), rows([2], [4])).tolist() == [[0.5], [0.25]]


@pytest.mark.parametrize(("rank", "value"), [(1, 1), (2, 3), (3, 6), (4, 6), (100, 6), (None, 6)])
def test_cumulated_values_stay_constant_past_the_end(rank, value):
    assert at_rank(rows([1, 3, 6]), rank).tolist() == [value]


def test_an_empty_list_cumulates_to_0():
    assert at_rank(np.zeros((2, 0)), 5).tolist() == [0, 0]
    assert at_rank(np.zeros((2, 0)), None).tolist() == [0, 0]


def test_a_value_is_reached_at_the_first_column_that_is_at_least_as_large():
    cumulated = rows([1, 1, 3, 3], [0, 2, 2, 4])
    wanted = rows([1, 1.5, 3], [0, 4, 5])
    assert find_first_reaching(cumulated, wanted, each(4, 4)).tolist() == [[0, 2, 2], [0, 3, 4]]


def test_a_value_is_reached_within_a_tolerance_relative_to_the_total():
    # ten times 0.1 is not quite 1 in doubles (section 0, tolerance)
    cumulated = rows([0.1] * 10).cumsum(axis=1)
    assert cumulated[0, -1] < 1
    assert find_first_reaching(cumulated, rows([1]), each(1)).tolist() == [[9]]
    total = 1e9
    missing = np.array([[total * (1 - TOLERANCE / 2)]])
    assert find_first_reaching(missing, rows([total]), each(total)).tolist() == [[0]]
    assert find_first_reaching(np.array([[total - 1]]), rows([total]), each(total)).tolist() == [[1]]


@given(tenths, st.lists(st.integers(0, 8), min_size=1))
def test_the_best_value_is_taken_from_a_column_on(values, columns):
    wanted = [[max(values[column:], default=0.0) for column in columns]]
    columns = [min(column, len(values)) for column in columns]
    assert take_best_from(np.array([values]), np.array([columns])).tolist() == wanted


def test_the_best_values_are_taken_row_by_row():
    best = take_best_from(rows([0.2, 0.5, 0.1], [0.3, 0.1, 0.2]), np.array([[0, 2, 3], [1, 0, 2]]))
    assert best.tolist() == [[0.5, 0.1, 0.0], [0.2, 0.3, 0.2]]


def test_a_rounding_error_is_not_a_gain():
    assert mark_gains(rows([0.5, 0, 1e-17, 1e-9], [0, 0])).tolist() == [
        [True, False, False, True],
        [False] * 4,
    ]
    assert mark_gains(np.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    ("precision", "recall", "beta", "value"),
    [
        (F(1, 2), 1, 1, F(2, 3)),
        (0, 0, 1, 0),
        (1, 0, 1, 0),
        (F(1, 3), F(1, 3), F(1, 4), F(1, 3)),
        # (1 + b^2) P R / (b^2 P + R), section 8
        (F(4, 5), F(2, 5), F(1, 4), F(17, 16) * F(8, 25) / (F(1, 16) * F(4, 5) + F(2, 5))),
        (F(4, 5), F(2, 5), 2, 5 * F(8, 25) / (4 * F(4, 5) + F(2, 5))),
    ],
)
def test_f_beta_follows_its_formula(precision, recall, beta, value):
    assert compute_f_beta(each(precision), each(recall), float(beta)).tolist() == exactly([value])


def test_recall_points_end_at_1():
    assert build_recall_points(4).tolist() == [0.25, 0.5, 0.75, 1.0]
    assert RECALL_POINTS.tolist() == [number / 100 for number in range(1, 101)]


def test_a_recall_is_found_among_the_points_or_gives_none():
    assert [find_point(RECALL_POINTS, number / 100) for number in range(1, 101)] == list(range(100))
    assert [find_point(RECALL_POINTS, recall) for recall in (0, 0.005, 0.015, 1.5)] == [None] * 4


def test_the_mean_is_over_all_points():
    assert average_points(np.array([[1.0, 0.5, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0]])).tolist() == [0.5, 0.25]
