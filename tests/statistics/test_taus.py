"""Rank correlation of many rankings at once equals that of single rankings; intervals, splits, all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from doxel.errors import InputError
from doxel.statistics.rank_correlation import (
    compare_splits,
    compute_kendall_tau,
    compute_kendall_taus,
    compute_tau_ap,
    compute_tau_aps,
    compute_tau_interval,
    draw_disjoint_subsets,
    resample_means,
)
from doxel.statistics.significance import apply_paired_test, compare_all_pairs, list_pairs

# few values, so that ties are common
SCORES = arrays(np.float64, (4, 5), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(SCORES, SCORES)
def test_vectorised_correlations_equal_single_ones(one, other):
    taus, aps = compute_kendall_taus(one, other), compute_tau_aps(one, other)
    for row in range(len(one)):
        assert taus[row] == pytest.approx(compute_kendall_tau(one[row], other[row]), nan_ok=True)
        assert aps[row] == pytest.approx(compute_tau_ap(one[row], other[row]))


def test_tau_ap_of_a_single_run_is_undefined():
    assert np.isnan(compute_tau_aps(np.zeros((2, 1)), np.zeros((2, 1)))).all()


def test_resampled_means_leave_out_undefined_topics():
    # one ranking, two topics, one run; the second topic is undefined, so every mean is that of the first
    means = resample_means(np.array([[[0.5], [np.nan]]]), resamples=50, seed=0)[:, 0, 0]
    assert set(means[np.isfinite(means)]) == {0.5}
    # two topics are drawn out of two, so a quarter of the resamples contain the undefined topic twice
    assert 0 < np.isnan(means).sum() < 30


def test_all_rankings_use_the_same_resampled_topics():
    values = np.random.default_rng(0).random((1, 6, 3))
    twice = np.concatenate([values, values])
    means = resample_means(twice, resamples=20, seed=1)
    assert np.array_equal(means[:, 0], means[:, 1])
    assert compute_tau_interval(compute_kendall_taus, means[:, 0], means[:, 1], level=0.95) == (1.0, 1.0)


def test_the_interval_is_undefined_if_tau_always_is():
    flat = np.zeros((10, 3))
    assert np.isnan(compute_tau_interval(compute_kendall_taus, flat, flat, level=0.95)).all()


def test_subsets_are_disjoint_sized_and_reproducible():
    one, other = draw_disjoint_subsets(9, 4, splits=200, seed=3)
    assert one.shape == other.shape == (200, 4)
    for a, b in zip(one, other, strict=True):
        assert len({*a.tolist(), *b.tolist()}) == 8
    again, _ = draw_disjoint_subsets(9, 4, splits=200, seed=3)
    assert np.array_equal(one, again)
    assert set(one.ravel().tolist()) == set(range(9))


@pytest.mark.parametrize("size", [0, 3])
def test_impossible_subset_sizes_are_rejected(size):
    with pytest.raises(InputError, match="from 1 to 2"):
        draw_disjoint_subsets(5, size, splits=1, seed=0)


def test_swaps_agree_with_values_computed_by_hand():
    # runs a, b, c; the first half ranks a > b > c, the other b > a > c: one of three pairs swaps, tau is 1/3
    scores = np.array([[0.9, 0.5, 0.1], [0.5, 0.9, 0.1]])
    tau, swaps = compare_splits(scores, np.array([[0]]), np.array([[1]]))
    assert (tau[0], swaps[0]) == pytest.approx((1 / 3, 1 / 3))


def test_a_tie_is_not_a_swap():
    scores = np.array([[0.5, 0.5], [0.1, 0.9]])
    _, swaps = compare_splits(scores, np.array([[0]]), np.array([[1]]))
    assert swaps[0] == 0


@pytest.mark.parametrize("topics", [6, 14])
def test_all_pairs_at_once_equal_single_tests(topics):
    # both are exact: the same figures, also with zeros and ties
    scores = np.random.default_rng(topics).integers(0, 4, size=(topics, 5)) / 4
    first, second = list_pairs(5)
    alone = [
        apply_paired_test("randomisation", scores[:, one], scores[:, other])
        for one, other in zip(first, second, strict=True)
    ]
    assert compare_all_pairs("randomisation", scores) == pytest.approx(alone)


def test_sampled_p_of_all_pairs_is_near_that_of_single_tests():
    scores = np.random.default_rng(1).random((30, 4)) + np.array([0, 0, 0.1, 0.3])
    first, second = list_pairs(4)
    together = compare_all_pairs("randomisation", scores, resamples=20_000, seed=2)
    for p, one, other in zip(together, first, second, strict=True):
        alone = apply_paired_test("randomisation", scores[:, one], scores[:, other], resamples=20_000, seed=3)
        assert p == pytest.approx(alone, abs=0.02)  # twice four standard errors of a p of a half
    assert together[2] < 0.05


def test_p_of_identical_runs_is_1():
    same = np.random.default_rng(0).random((20, 1)) * np.ones((1, 2))
    assert compare_all_pairs("randomisation", same).tolist() == [1.0]


def test_other_tests_run_pair_by_pair():
    scores = np.random.default_rng(1).random((10, 3))
    assert compare_all_pairs("t", scores)[1] == apply_paired_test("t", scores[:, 0], scores[:, 2])
