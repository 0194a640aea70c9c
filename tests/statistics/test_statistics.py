"""Statistics against scipy, published examples, and their own error rates on random data."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from doxel.errors import InputError
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.rank_correlation import compute_kendall_tau, compute_rank_biased_overlap, compute_tau_ap
from doxel.statistics.significance import (
    TESTS,
    apply_bootstrap_test,
    apply_friedman_test,
    apply_paired_test,
    apply_randomisation_test,
    apply_randomised_tukey,
    compute_bootstrap_interval,
    compute_cliffs_delta,
    compute_paired_d,
    count_wins_ties_losses,
)


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_randomisation_p_is_the_share_of_extreme_sign_patterns(random):
    for _ in range(20):
        values = random.normal(0.3, 1.0, 8)
        observed = abs(values.sum())
        signs = np.array(list(product((-1, 1), repeat=8)))
        expected = (np.abs(signs @ values) >= observed - 1e-9).mean()
        assert apply_randomisation_test(values) == pytest.approx(expected)


def test_randomisation_agrees_with_scipys_permutation_test(random):
    values = random.normal(0.2, 1.0, 40)
    expected = stats.permutation_test(
        (values, np.zeros(40)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert apply_randomisation_test(values, resamples=50_000) == pytest.approx(expected, abs=0.015)


def test_t_and_wilcoxon_agree_with_scipy(random):
    one, other = random.random(30), random.random(30)
    assert apply_paired_test("t", one, other) == pytest.approx(stats.ttest_rel(one, other).pvalue)
    assert apply_paired_test("wilcoxon", one, other) == pytest.approx(stats.wilcoxon(one, other).pvalue)


def test_wilcoxon_leaves_out_topics_without_a_difference():
    # Wilcoxon's own rule: p is computed from the other topics alone
    differences = np.array([0.0, 0.0, 0.3, -0.1, 0.2, 0.5, 0.4])
    without = stats.wilcoxon(differences[2:]).pvalue
    assert apply_paired_test("wilcoxon", differences, np.zeros(7)) == pytest.approx(without)
    assert "topics without a difference left out" in TESTS["wilcoxon"][1]


def test_friedman_agrees_with_scipy(random):
    scores = random.random((15, 4))
    assert apply_friedman_test(scores) == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)


def test_kendall_tau_agrees_with_scipys_tau_b(random):
    for _ in range(50):
        one, other = random.integers(0, 6, 9), random.integers(0, 6, 9)
        assert compute_kendall_tau(one, other) == pytest.approx(
            stats.kendalltau(one, other).statistic, nan_ok=True
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
    p, one, other = 0.9, ["a", "b"], ["a", "b", "c", "d"]
    shared = {1: 1, 2: 2, 3: 2, 4: 2}
    sums = sum(shared[d] / d * p**d for d in range(1, 5)) + sum(2 * (d - 2) / (2 * d) * p**d for d in (3, 4))
    by_hand = (1 - p) / p * sums + ((2 - 2) / 4 + 2 / 2) * p**4
    assert by_hand == pytest.approx(1)  # a list agrees fully with its own prefix
    assert compute_rank_biased_overlap(one, other, p) == pytest.approx(by_hand)
    assert compute_rank_biased_overlap(other, one, p) == pytest.approx(by_hand)
    # s = 2, l = 3, X = 0, 1, 1
    sums = 0 + 1 / 2 * p**2 + 1 / 3 * p**3 + 1 * (3 - 2) / (2 * 3) * p**3
    by_hand = (1 - p) / p * sums + ((1 - 1) / 3 + 1 / 2) * p**3
    assert compute_rank_biased_overlap(["x", "a"], ["a", "b", "c"], p) == pytest.approx(by_hand)


def test_rank_biased_overlap_rejects_duplicates_and_a_bad_persistence():
    with pytest.raises(InputError, match="each item once"):
        compute_rank_biased_overlap(["a", "a"], ["a"])
    with pytest.raises(InputError, match="between 0 and 1"):
        compute_rank_biased_overlap(["a"], ["a"], 1.0)


def test_corrections_follow_their_definitions(random):
    p = random.random(12)
    assert correct_p_values(p, "benjamini-hochberg") == pytest.approx(stats.false_discovery_control(p))
    assert correct_p_values(p, "bonferroni") == pytest.approx(np.minimum(12 * p, 1))
    # Holm 1979 by its definition: reject in order while p_(i) <= alpha / (m - i + 1)
    adjusted = correct_p_values(p, "holm")
    for alpha in (0.01, 0.05, 0.2, 0.5):
        rejected = set()
        for step, place in enumerate(np.argsort(p)):
            if p[place] > alpha / (12 - step):
                break
            rejected.add(int(place))
        assert rejected == set(np.flatnonzero(adjusted <= alpha).tolist())
    with pytest.raises(InputError, match="wanted one of holm"):
        correct_p_values(p, "sidak")


def test_effect_sizes_follow_their_definitions(random):
    one, other = random.random(10), random.random(10)
    differences = one - other
    assert compute_paired_d(one, other) == pytest.approx(differences.mean() / differences.std(ddof=1))
    above = sum(int(a > b) - int(a < b) for a in one for b in other) / 100
    assert compute_cliffs_delta(one, other) == pytest.approx(above)
    assert count_wins_ties_losses(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 4.0])) == (1, 1, 1)


def test_tukey_of_two_runs_is_the_sign_flip_test(random):
    scores = random.random((10, 2))
    flips = apply_randomisation_test(scores[:, 0] - scores[:, 1])
    assert apply_randomised_tukey(scores, resamples=40_000)[0, 1] == pytest.approx(flips, abs=0.01)


def test_tukey_shuffles_within_topics():
    # two topics, three runs: all 6 x 6 ways to shuffle, enumerated
    scores = np.array([[0.1, 0.5, 0.3], [0.9, 0.2, 0.4]])
    ranges = []
    for first, second in product(permutations(scores[0]), permutations(scores[1])):
        means = (np.array(first) + np.array(second)) / 2
        ranges.append(means.max() - means.min())
    means = scores.mean(axis=0)
    expected = (np.array(ranges) >= abs(means[0] - means[1]) - 1e-9).mean()
    assert apply_randomised_tukey(scores, resamples=40_000)[0, 1] == pytest.approx(expected, abs=0.01)


def test_intervals_cover_the_mean_at_about_their_level(random):
    covered = 0
    for trial in range(200):
        low, high = compute_bootstrap_interval(random.normal(0.5, 0.1, (40, 1)), resamples=500, seed=trial)
        covered += bool(low[0] <= 0.5 <= high[0])
    assert 0.88 <= covered / 200 <= 0.99


@pytest.mark.parametrize("test", sorted(TESTS))
def test_every_test_has_about_its_nominal_error_rate(test):
    random = np.random.default_rng(3)
    alarms = sum(
        apply_paired_test(test, random.random(25), random.random(25), resamples=400, seed=trial) < 0.05
        for trial in range(400)
    )
    assert 0.02 <= alarms / 400 <= 0.09


def test_a_seed_reproduces_p_and_another_seed_changes_it(random):
    values = random.normal(0.1, 1.0, 40)
    assert apply_bootstrap_test(values, seed=1) == apply_bootstrap_test(values, seed=1)
    assert apply_randomisation_test(values, resamples=500, seed=1) != apply_randomisation_test(
        values, resamples=500, seed=2
    )


def test_p_is_1_without_a_difference():
    same = np.full(20, 0.3)
    assert {apply_paired_test(test, same, same) for test in TESTS} == {1.0}


@pytest.mark.parametrize("test", sorted(TESTS))
def test_p_is_1_for_a_single_topic(test):
    assert apply_paired_test(test, np.array([0.9]), np.array([0.1])) == 1.0


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("parts", [(0.1, 0.2), (0.1, 0.7), (0.3, 0.4, 0.2)])
def test_p_is_1_if_the_differences_cancel_out(test, parts):
    # the sum is 0, but rounding leaves about 1e-17: every resample is at least as far from 0
    differences = np.array([*parts, -sum(map(Fraction, map(str, parts)))], dtype=np.float64)
    assert apply_paired_test(test, differences, np.zeros(len(differences)), resamples=2000) == 1.0


def test_d_of_a_single_topic_is_undefined():
    assert np.isnan(compute_paired_d(np.array([0.9]), np.array([0.1])))
    assert compute_paired_d(np.array([0.5, 0.5]), np.array([0.25, 0.25])) == np.inf


def test_rank_correlation_with_an_undefined_score_is_undefined():
    scores, broken = [3.0, 2.0, 1.0], [3.0, float("nan"), 1.0]
    for correlate in (compute_kendall_tau, compute_tau_ap):
        assert np.isnan(correlate(scores, broken))
        assert np.isnan(correlate(broken, scores))
