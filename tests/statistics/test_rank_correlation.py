"""Rank correlation against scipy, published examples and single rankings; intervals and splits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from doxel.errors import InputError
from doxel.statistics.rank_correlation import (
    compare_splits,
    compute_kendall_tau,
    compute_kendall_taus,
    compute_rank_biased_overlap,
    compute_tau_ap,
    compute_tau_aps,
    compute_tau_interval,
    draw_disjoint_subsets,
    resample_means,
)

# few values, so that ties are common
SCORES = arrays(np.float64, (4, 5), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(SCORES, SCORES)
def test_vectorised_correlations_equal_single_ones(first, second):
    taus, aps = compute_kendall_taus(first, second), compute_tau_aps(first, second)
    for row in range(len(first)):
        assert taus[row] == pytest.approx(compute_kendall_tau(first[row], second[row]), nan_ok=True)
        assert aps[row] == pytest.approx(compute_tau_ap(first[row], second[row]))


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
    first, second = draw_disjoint_subsets(9, 4, splits=200, seed=3)
    assert first.shape == second.shape == (200, 4)
    for a, b in zip(first, second, strict=True):
        assert len({*a.tolist(), *b.tolist()}) == 8
    again, _ = draw_disjoint_subsets(9, 4, splits=200, seed=3)
    assert np.array_equal(first, again)
    assert set(first.ravel().tolist()) == set(range(9))


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


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_kendall_tau_agrees_with_scipys_tau_b(random):
    for _ in range(50):
        first, second = random.integers(0, 6, 9), random.integers(0, 6, 9)
        assert compute_kendall_tau(first, second) == pytest.approx(
            scipy.stats.kendalltau(first, second).statistic, nan_ok=True
        )


def test_tau_ap_agrees_with_values_computed_by_hand():
    # Yilmaz, Aslam and Robertson 2008: the mean over ranks of the share of higher items that are truly higher
    assert compute_tau_ap([4, 3, 2, 1], [4, 3, 2, 1]) == 1
    assert compute_tau_ap([4, 3, 2, 1], [1, 2, 3, 4]) == -1
    # the truth swaps the two best: wrong at rank 2, right at ranks 3 and 4
    assert compute_tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)


def test_rank_biased_overlap_agrees_with_values_computed_by_hand():
    # Webber, Moffat and Zobel 2010, RBO_ext: (1 - p) sum A_d p^(d-1) + A_k p^k
    p = 0.8
    by_hand = (1 - p) * (0 + 2 / 2 * p + 3 / 3 * p**2) + p**3
    assert compute_rank_biased_overlap(["a", "b", "c"], ["b", "a", "c"], p) == pytest.approx(by_hand)
    assert compute_rank_biased_overlap(["a"], ["b"], p) == 0


def test_rank_biased_overlap_of_lists_of_different_length():
    # Webber, Moffat and Zobel 2010, Eq. 32, written out: s = 2, l = 4, X = 1, 2, 2, 2
    p, first, second = 0.9, ["a", "b"], ["a", "b", "c", "d"]
    shared = {1: 1, 2: 2, 3: 2, 4: 2}
    sums = sum(shared[d] / d * p**d for d in range(1, 5)) + sum(2 * (d - 2) / (2 * d) * p**d for d in (3, 4))
    by_hand = (1 - p) / p * sums + ((2 - 2) / 4 + 2 / 2) * p**4
    assert by_hand == pytest.approx(1)  # a list agrees fully with its own prefix
    assert compute_rank_biased_overlap(first, second, p) == pytest.approx(by_hand)
    assert compute_rank_biased_overlap(second, first, p) == pytest.approx(by_hand)
    # s = 2, l = 3, X = 0, 1, 1
    sums = 0 + 1 / 2 * p**2 + 1 / 3 * p**3 + 1 * (3 - 2) / (2 * 3) * p**3
    by_hand = (1 - p) / p * sums + ((1 - 1) / 3 + 1 / 2) * p**3
    assert compute_rank_biased_overlap(["x", "a"], ["a", "b", "c"], p) == pytest.approx(by_hand)


def test_rank_biased_overlap_rejects_duplicates_and_a_bad_persistence():
    with pytest.raises(InputError, match="each item once"):
        compute_rank_biased_overlap(["a", "a"], ["a"])
    with pytest.raises(InputError, match="between 0 and 1"):
        compute_rank_biased_overlap(["a"], ["a"], 1.0)


def test_rank_correlation_with_an_undefined_score_is_undefined():
    scores, broken = [3.0, 2.0, 1.0], [3.0, float("nan"), 1.0]
    for correlate in (compute_kendall_tau, compute_tau_ap):
        assert np.isnan(correlate(scores, broken))
        assert np.isnan(correlate(broken, scores))
