"""Significance tests and effect sizes against scipy, definitions, and error rates on random data."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy

from doxel.statistics import significance
from doxel.statistics.significance import (
    TESTS,
    apply_bootstrap_test,
    apply_friedman_test,
    apply_paired_test,
    apply_randomisation_test,
    apply_randomisation_tests,
    apply_randomised_tukey,
    compare_all_pairs,
    compute_bootstrap_interval,
    compute_cliffs_delta,
    compute_paired_d,
    compute_upper_limit,
    count_fewest_topics,
    count_wins_ties_losses,
    list_pairs,
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
    expected = scipy.stats.permutation_test(
        (values, np.zeros(40)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert apply_randomisation_test(values, resamples=50_000) == pytest.approx(expected, abs=0.015)


def test_t_and_wilcoxon_agree_with_scipy(random):
    first, second = random.random(30), random.random(30)
    assert apply_paired_test("t", first, second) == pytest.approx(scipy.stats.ttest_rel(first, second).pvalue)
    assert apply_paired_test("wilcoxon", first, second) == pytest.approx(
        scipy.stats.wilcoxon(first, second).pvalue
    )


def test_wilcoxon_leaves_out_topics_without_a_difference():
    # Wilcoxon's own rule: p is computed from the other topics alone
    differences = np.array([0.0, 0.0, 0.3, -0.1, 0.2, 0.5, 0.4])
    without = scipy.stats.wilcoxon(differences[2:]).pvalue
    assert apply_paired_test("wilcoxon", differences, np.zeros(7)) == pytest.approx(without)
    assert "topics without a difference left out" in TESTS["wilcoxon"][1]


def test_friedman_agrees_with_scipy(random):
    for shape in ((15, 4), (120, 100), (3, 3)):
        scores = random.random(shape)
        for ties in (scores, scores.round(1), scores.round(0)):
            assert apply_friedman_test(ties) == scipy.stats.friedmanchisquare(*ties.T).pvalue


def test_friedman_does_not_import_all_of_scipys_statistics():
    program = (
        "import sys, numpy; from doxel.statistics.significance import apply_friedman_test;"
        "apply_friedman_test(numpy.eye(3)); print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_effect_sizes_follow_their_definitions(random):
    first, second = random.random(10), random.random(10)
    differences = first - second
    assert compute_paired_d(first, second) == pytest.approx(differences.mean() / differences.std(ddof=1))
    above = sum(int(a > b) - int(a < b) for a in first for b in second) / 100
    assert compute_cliffs_delta(first, second) == pytest.approx(above)
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


@pytest.mark.parametrize("topics", [6, 14])
def test_all_pairs_at_once_equal_single_tests(topics):
    # both are exact: the same figures, also with zeros and ties
    scores = np.random.default_rng(topics).integers(0, 4, size=(topics, 5)) / 4
    first, second = list_pairs(5)
    alone = [
        apply_paired_test("randomisation", scores[:, run], scores[:, other_run])
        for run, other_run in zip(first, second, strict=True)
    ]
    assert compare_all_pairs("randomisation", scores) == pytest.approx(alone)


def test_sampled_p_of_all_pairs_is_near_that_of_single_tests():
    scores = np.random.default_rng(1).random((30, 4)) + np.array([0, 0, 0.1, 0.3])
    first, second = list_pairs(4)
    together = compare_all_pairs("randomisation", scores, resamples=20_000, seed=2)
    for p, run, other_run in zip(together, first, second, strict=True):
        alone = apply_paired_test(
            "randomisation", scores[:, run], scores[:, other_run], resamples=20_000, seed=3
        )
        assert p == pytest.approx(alone, abs=0.02)  # twice four standard errors of a p of a half
    assert together[2] < 0.05


def test_p_of_identical_runs_is_1():
    same = np.random.default_rng(0).random((20, 1)) * np.ones((1, 2))
    assert compare_all_pairs("randomisation", same).tolist() == [1.0]


def test_other_tests_run_pair_by_pair():
    scores = np.random.default_rng(1).random((10, 3))
    assert compare_all_pairs("t", scores)[1] == apply_paired_test("t", scores[:, 0], scores[:, 2])


TRIALS = 300
# 99.9 % of binomial(300, 0.05) are between 3 and 29
MOST = 29 / TRIALS


def families(runs: int, topics: int, seed: int):
    """Yield scores of runs that do not differ; a topic is equally hard for all of them."""
    random = np.random.default_rng(seed)
    for _ in range(TRIALS):
        yield random.random((topics, 1)) + random.normal(0, 0.1, (topics, runs))


def test_tukey_controls_the_family_wise_error():
    alarms = [
        apply_randomised_tukey(scores, resamples=300, seed=trial).min() < 0.05
        for trial, scores in enumerate(families(5, 20, seed=11))
    ]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


def test_friedman_controls_its_error_rate():
    alarms = [apply_friedman_test(scores) < 0.05 for scores in families(4, 30, seed=14)]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


def test_tukey_finds_the_run_that_differs():
    random = np.random.default_rng(15)
    scores = random.random((40, 1)) + random.normal(0, 0.1, (40, 4)) + np.array([0.0, 0.0, 0.0, 0.2])
    p = apply_randomised_tukey(scores, resamples=2000)
    assert (p[3, :3] < 0.05).all()
    assert (p[:3, :3] > 0.05).all()


def upper_limit_by_search(differences, level):
    """Return the upper limit as the one-sided sign-flip test defines it: the largest shift it keeps."""
    signs = np.array(list(product((-1, 1), repeat=len(differences))))
    shifts = []
    for shift in sorted(
        {
            np.mean(subset)
            for size in range(1, len(differences) + 1)
            for subset in combinations(differences, size)
        }
    ):
        shifted = np.array(differences) - shift
        p = (signs @ shifted <= shifted.sum() + 1e-9).mean()
        if p > 1 - level:
            shifts.append(shift)
    return max(shifts)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_upper_limit_inverts_the_sign_flip_test(random, level):
    for topics in (6, 8):
        values = random.normal(-0.1, 0.3, topics).round(2)
        expected = upper_limit_by_search(values.tolist(), level)
        assert significance._invert_sign_flips(values, level=level, resamples=1, seed=0) == pytest.approx(
            expected
        )


def test_a_sampled_upper_limit_is_near_the_exact_one(random, monkeypatch):
    values = random.normal(-0.1, 0.3, 14)
    exact = compute_upper_limit(values)
    monkeypatch.setattr(significance, "_EXACT_UP_TO", 5)
    assert compute_upper_limit(values, resamples=50_000) == pytest.approx(exact, abs=0.01)


def test_the_upper_limit_of_too_few_topics_is_infinite():
    assert count_fewest_topics(0.95) == 5
    assert count_fewest_topics(0.75) == 2
    for level in (0.75, 0.9, 0.95, 0.99):
        fewest = count_fewest_topics(level)
        assert compute_upper_limit(np.full(fewest, -1.0), level=level) == -1.0
        assert compute_upper_limit(np.full(fewest - 1, -1.0), level=level) == np.inf


def test_the_upper_limit_of_equal_scores_is_zero_and_ties_count():
    assert compute_upper_limit(np.zeros(30)) == 0
    assert compute_upper_limit(np.array([-1.0] * 4 + [0.0] * 60)) == 0
    assert compute_upper_limit(np.array([-1.0] * 5 + [0.0] * 60)) < 0


@pytest.mark.parametrize("gained", [0.0, 1.0])
def test_the_upper_limit_shows_that_nearly_all_topics_are_lost(gained):
    for lost, others in ((7, 1), (10, 2), (18, 2), (30, 8)):
        assert compute_upper_limit(np.array([-1.0] * lost + [gained] * others)) < 0


def test_the_correction_for_skewness_is_johnsons():
    values = np.array([-0.1, -0.1, 0.0, 0.1, 0.3])
    mean, spread, skewness = values.mean(), values.std(ddof=1), scipy.stats.skew(values, bias=False)
    t = scipy.stats.t.ppf(0.95, 4)
    expected = mean + spread / 5**0.5 * (t + skewness * (2 * t**2 + 1) / (6 * 5**0.5))
    assert significance._correct_for_skewness(values, level=0.95) == pytest.approx(expected, rel=0.01)


def test_quantiles_of_t_agree_with_scipy():
    for level in (0.6, 0.9, 0.95, 0.99):
        for freedom in (4, 9, 30, 400):
            expected = scipy.stats.t.ppf(level, freedom)
            assert significance._find_t_quantile(level, freedom) == pytest.approx(expected, rel=0.01)


NULLS = {
    "normal": lambda random, topics: random.normal(0, 0.2, topics),
    "two draws of one ranker": lambda random, topics: random.beta(2, 1, topics) - random.beta(2, 1, topics),
    "hits that come and go": lambda random, topics: (
        (random.random(topics) < 0.8) * 1.0 - (random.random(topics) < 0.8)
    ),
    "mostly ties": lambda random, topics: random.choice([-1.0, 0.0, 1.0], p=[0.05, 0.9, 0.05], size=topics),
    "skewed to gains": lambda random, topics: random.exponential(0.1, topics) - 0.1,
    "skewed to losses": lambda random, topics: 0.1 - random.exponential(0.1, topics),
}


@pytest.mark.integration
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("topics", [8, 20, 60])
def test_the_upper_limit_excludes_a_true_mean_of_zero_as_rarely_as_promised(random, null, topics):
    trials = 1000
    excluded = sum(
        compute_upper_limit(NULLS[null](random, topics), resamples=499, seed=trial) < 0
        for trial in range(trials)
    )
    # the approximation for skewness needs some topics; symmetric differences need none
    rate = 0.05 if null != "skewed to gains" else {8: 0.11, 20: 0.075, 60: 0.07}[topics]
    assert excluded <= scipy.stats.binom.ppf(0.999, trials, rate)


def test_the_upper_limit_shows_a_loss_of_a_twentieth(random):
    scores = random.uniform(0.4, 1.0, 50)
    shown = sum(
        compute_upper_limit(random.normal(-0.05 * scores, 0.02), resamples=499, seed=trial) < 0
        for trial in range(100)
    )
    assert shown == 100


@pytest.mark.parametrize("topics", [20, 33])
def test_kept_samples_are_those_that_are_drawn_block_by_block(random, monkeypatch, topics):
    first, second = random.random((2, topics))

    def compute():
        interval = compute_bootstrap_interval(first[:, None], resamples=500)
        tests = [
            apply_paired_test(name, first, second, resamples=500) for name in ("randomisation", "bootstrap")
        ]
        return [*tests, *(float(limit[0]) for limit in interval)]

    in_one_block = compute()
    monkeypatch.setattr(significance, "_NUMBERS_PER_BLOCK", 7 * topics)  # too few to keep a sample
    assert compute() == pytest.approx(in_one_block, rel=1e-12)


def test_samples_are_drawn_once_for_all_runs(random, monkeypatch):
    seeds = []
    draw = np.random.default_rng
    monkeypatch.setattr(significance.np.random, "default_rng", lambda seed: seeds.append(seed) or draw(seed))
    for _ in range(5):
        apply_randomisation_test(random.normal(size=30), resamples=100, seed=4321)
        compute_bootstrap_interval(random.random((30, 2)), resamples=100, seed=4321)
    assert seeds == [4321, 4321]


@pytest.mark.parametrize("topics", [9, 40])
def test_randomisation_tests_of_many_pairs_are_those_of_each_pair(random, topics):
    # scores of two decimals tie, and pairs differ in different numbers of topics
    scores = random.random((topics, 12)).round(1)
    differences = np.column_stack([scores[:, [column]] - scores[:, column + 1 :] for column in range(11)])
    differences[:, 5] = 0
    expected = [apply_randomisation_test(column, resamples=900, seed=3) for column in differences.T]
    assert apply_randomisation_tests(differences, resamples=900, seed=3).tolist() == expected
