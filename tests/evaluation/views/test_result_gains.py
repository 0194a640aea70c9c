"""Gains before and after normalisation: units that pay once, and the tree a > b, c > e."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.evaluation.ranked_run import LocatedRun
from doxel.evaluation.views.result_gains import (
    bound_gains,
    compute_gains,
    find_rooms,
    group_by_turn,
    measure_room,
    normalise_gains,
)
from evaluation.laid_out import lay_out, results_of

A, B, C, E = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/c[1]/e[1]"
GOLD = [("1", "d", 0, 10), ("1", "d", 20, 25)]
Q = np.array([15 / 25, 1, 5 / 15, 1])  # the highlighted shares of a, b, c, e
IS_IDEAL = np.array([False, True, False, True])


def locate(run, trees):
    ranked = lay_out(run, GOLD, trees)
    return LocatedRun(ranked, ranked.bases.elements)


def gains_of(located, *, alpha, partial="children", quant="spec", excluded=(False,) * 4):
    quantisation = located.ranked.bases.quantisation(quant)
    return compute_gains(located, Q, quantisation, np.array(excluded), alpha=alpha, partial=partial).tolist()


def test_results_take_turns_by_document():
    groups, rows = np.array([0, 1, 0, 0, 1]), np.array([10, 20, 30, 40, 50])
    assert [turn.tolist() for turn in group_by_turn(groups, rows)] == [[10, 20], [30, 50], [40]]
    assert group_by_turn(groups[:0], rows[:0]) == []


def draw_slowly(draws, worth):
    """Return limited gains and rooms: each result empties its units in turn."""
    left, limited, rooms = dict(enumerate(worth)), [], []
    for gain, begin, stop in draws:
        units = range(begin, stop)
        rooms.append(sum(left[unit] for unit in units))
        limited.append(min(gain, rooms[-1]))
        open_gain = limited[-1]
        for unit in units:
            paid = min(open_gain, left[unit])
            left[unit] -= paid
            open_gain -= paid
    return limited, rooms


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=9),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
)
def test_a_unit_pays_no_more_than_its_worth(results, worth):
    # results of the second group draw on units of their own: 3 to 5
    by_group = defaultdict(list)
    columns = [(gain, first, max(first, last), int(second)) for gain, first, last, second in results]
    for row, (gain, begin, stop, group) in enumerate(columns):
        by_group[group].append((row, gain, begin, stop))
    limited, rooms = [0.0] * len(columns), [0.0] * len(columns)
    for draws in by_group.values():
        for (row, *_), value, room in zip(
            draws, *draw_slowly([draw[1:] for draw in draws], worth), strict=True
        ):
            limited[row], rooms[row] = value, room
    gains = np.array([gain for gain, *_ in columns], dtype=float)
    begin = np.array([begin + 3 * group for _, begin, _, group in columns], dtype=np.int64)
    stop = np.array([stop + 3 * group for _, _, stop, group in columns], dtype=np.int64)
    group = np.array([group for *_, group in columns], dtype=np.int64)
    bounds = (gains, group, np.array(worth * 2, dtype=float), begin, stop)
    assert bound_gains(*bounds).tolist() == limited
    assert measure_room(*bounds).tolist() == rooms


def test_a_full_repeat_keeps_one_minus_alpha_of_its_gain(trees):
    located = locate(results_of(A, B, B), trees)
    assert gains_of(located, alpha=0.0) == [15 / 25, 1, 0]  # an exact repeat is worth nothing
    assert gains_of(located, alpha=0.25) == [15 / 25, 0.75, 0]
    assert gains_of(located, alpha=1.0) == [15 / 25, 0, 0]


def test_a_partly_seen_element_gains_its_new_highlighted_share(trees):
    located = locate(results_of(B, A), trees)
    assert gains_of(located, alpha=1.0) == [1, 5 / 25]
    # half: b, seen in full, keeps 1/2 of its 10; c has its 5; the whole has 15
    assert gains_of(located, alpha=0.5) == pytest.approx([1, (0.5 * (0.5 * 10 + 5) + 0.5 * 15) / 25])


def test_the_literal_formula_adds_the_gains_of_the_results_inside(trees):
    # c contains e, and a contains b and c; b and e gain 1 per character
    in_c = 0.5 * (1 * 5) / 15 + 0.5 * 5 / 15
    assert gains_of(locate(results_of(B, E, C), trees), alpha=0.5, partial="retrieved") == [1, 1, in_c]
    in_a = 0.25 * (1 * 10 + 1 * 5) / 25 + 0.75 * 15 / 25
    assert gains_of(locate(results_of(B, E, A), trees), alpha=0.25, partial="retrieved") == [1, 1, in_a]
    nothing_inside = gains_of(
        locate([("1", "d", 5, 12), *results_of(B)], trees), alpha=1.0, partial="retrieved"
    )
    assert nothing_inside[1] == 0


def test_a_partly_seen_passage_gains_its_new_highlighted_share(trees):
    run = [("1", "d", start, end) for start, end in ((0, 6), (4, 14))]
    # [4, 14) has 6 highlighted characters, of which 4 are new
    assert gains_of(locate(run, trees), alpha=1.0) == [1, 0.4]
    assert gains_of(locate(run, trees), alpha=0.5) == [1, 0.5 * 0.4 + 0.5 * 0.6]


def test_a_partly_seen_excluded_element_keeps_its_gain(trees):
    # only elements that are not excluded are valued by their children
    located = locate(results_of(B, A), trees)
    assert gains_of(located, alpha=1.0, excluded=(True, False, False, False)) == [1, 15 / 25]


def test_an_element_draws_on_the_ideal_elements_above_or_below_it(trees):
    located = locate(results_of(C, A, E), trees)
    gains = np.array([0.8, 1.0, 1.0])
    # c draws on e alone; a on b, which pays 1, and on what e has left; e on itself
    assert find_rooms(located, gains, Q, IS_IDEAL).tolist() == pytest.approx([1, 1.2, 0.2])
    assert normalise_gains(located, gains, Q, IS_IDEAL).tolist() == pytest.approx([0.8, 1, 0.2])


def test_a_passage_draws_on_every_ideal_element_that_it_overlaps(trees):
    run = [("1", "d", start, end) for start, end in ((5, 21), (10, 20), (0, 1))]
    located = locate(run, trees)
    assert find_rooms(located, np.ones(3), Q, IS_IDEAL).tolist() == [2, 0, 0]
    assert normalise_gains(located, np.ones(3), Q, IS_IDEAL).tolist() == [1, 0, 0]


def test_without_ideal_elements_nothing_is_gained(trees):
    located = locate(results_of(A, B), trees)
    assert normalise_gains(located, np.ones(2), Q, np.zeros(4, dtype=bool)).tolist() == [0, 0]
