"""Agreement of two assessors: figures computed by hand, and properties of any table."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.statistics.category_agreement import (
    build_confusion_table,
    compute_category_agreement,
    compute_cohen_kappa,
    compute_jaccard,
    compute_observed_agreement,
)


def tables(size=3):
    return st.lists(st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size)


def test_the_agreement_of_a_table_equals_that_computed_by_hand():
    """140 of 200 cases agree: p_o = .7; the margins .5 .3 .2 and .6 .3 .1 give p_c = .30 + .09 + .02."""
    table = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]])
    assert compute_observed_agreement(table) == pytest.approx(0.70)
    assert compute_cohen_kappa(table) == pytest.approx((0.70 - 0.41) / (1 - 0.41))


@given(tables())
def test_kappa_follows_its_definition(table):
    counts = np.array(table, dtype=float)
    if not counts.sum():
        assert math.isnan(compute_cohen_kappa(table))
        return
    share = counts / counts.sum()
    chance = float(share.sum(axis=1) @ share.sum(axis=0))
    kappa = compute_cohen_kappa(table)
    if math.isclose(chance, 1.0):
        assert math.isnan(kappa)
    else:
        assert kappa == pytest.approx((np.trace(share) - chance) / (1 - chance))


@given(tables(2))
def test_weights_change_nothing_with_two_categories(table):
    plain = compute_cohen_kappa(table)
    for weights in ("linear", "quadratic"):
        assert compute_cohen_kappa(table, weights) == pytest.approx(plain, nan_ok=True)


@given(tables())
def test_agreement_is_symmetric(table):
    transposed = np.array(table).T
    assert compute_cohen_kappa(transposed) == pytest.approx(compute_cohen_kappa(table), nan_ok=True)
    assert compute_category_agreement(transposed) == pytest.approx(
        compute_category_agreement(table), nan_ok=True
    )


def test_weights_cost_near_misses_less():
    near, far = [[8, 4, 0], [0, 8, 0], [0, 0, 8]], [[8, 0, 4], [0, 8, 0], [0, 0, 8]]
    assert compute_cohen_kappa(near, "quadratic") > compute_cohen_kappa(far, "quadratic")
    assert compute_cohen_kappa(near) == pytest.approx(compute_cohen_kappa(far))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_confusion_tables_count_pairs(pairs):
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    table = build_confusion_table(first, second, 4)
    assert table.sum() == len(pairs)
    assert all(table[a, b] == pairs.count((a, b)) for a in range(4) for b in range(4))


def test_full_agreement_is_1_and_no_cases_are_nan():
    assert compute_cohen_kappa([[5, 0], [0, 7]]) == 1.0
    assert compute_jaccard([[5, 0], [0, 7]]) == 1.0
    assert math.isnan(compute_cohen_kappa([[5, 0], [0, 0]]))
    assert math.isnan(compute_jaccard([[5, 0], [0, 0]]))
    assert math.isnan(compute_observed_agreement([[0, 0], [0, 0]]))
    assert math.isnan(compute_category_agreement([[5, 0], [0, 0]])[1])


def test_lists_of_different_lengths_are_rejected():
    with pytest.raises(InputError, match="wanted the same length, found 1 and 2"):
        build_confusion_table([0], [0, 1], 2)
