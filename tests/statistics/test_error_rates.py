"""Error rates of the tests on random data without differences: at most the nominal level."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.statistics.multiple_comparisons import assign_letters, correct_p_values
from doxel.statistics.significance import apply_friedman_test, apply_paired_test, apply_randomised_tukey

TRIALS = 300
# 99.9 % of binomial(300, 0.05) are between 3 and 29
MOST = 29 / TRIALS


def families(runs: int, topics: int, seed: int):
    """Yield scores of runs that do not differ; a topic is equally hard for all of them."""
    random = np.random.default_rng(seed)
    for _ in range(TRIALS):
        yield random.random((topics, 1)) + random.normal(0, 0.1, (topics, runs))


def pairs(runs: int):
    return [(run, other) for run in range(runs) for other in range(run)]


def test_tukey_controls_the_family_wise_error():
    alarms = [
        apply_randomised_tukey(scores, resamples=300, seed=trial).min() < 0.05
        for trial, scores in enumerate(families(5, 20, seed=11))
    ]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_corrections_control_the_family_wise_error(correction):
    alarms, uncorrected = 0, 0
    for scores in families(5, 20, seed=12):
        p = [apply_paired_test("t", scores[:, run], scores[:, other]) for run, other in pairs(5)]
        alarms += bool(correct_p_values(p, correction).min() < 0.05)
        uncorrected += bool(min(p) < 0.05)
    assert alarms / TRIALS <= MOST
    assert uncorrected / TRIALS > 2 * MOST  # so a correction that does nothing would fail above


def test_benjamini_hochberg_controls_the_false_discovery_rate():
    shares = []
    for scores in families(6, 25, seed=13):
        better = scores + np.where(np.arange(6) == 0, 0.15, 0.0)  # run 0 differs from all others
        p = [apply_paired_test("t", better[:, run], better[:, other]) for run, other in pairs(6)]
        discoveries = correct_p_values(p, "benjamini-hochberg") < 0.05
        false = [bool(other != 0) for _, other in pairs(6)]
        shares.append((discoveries & np.array(false)).sum() / max(1, discoveries.sum()))
    assert 0 < np.mean(shares) <= 0.06


def test_friedman_controls_its_error_rate():
    alarms = [apply_friedman_test(scores) < 0.05 for scores in families(4, 30, seed=14)]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


def test_tukey_finds_the_run_that_differs():
    random = np.random.default_rng(15)
    scores = random.random((40, 1)) + random.normal(0, 0.1, (40, 4)) + np.array([0.0, 0.0, 0.0, 0.2])
    p = apply_randomised_tukey(scores, resamples=2000)
    assert (p[3, :3] < 0.05).all()
    assert (p[:3, :3] > 0.05).all()


def test_runs_share_a_letter_exactly_if_they_do_not_differ():
    random = np.random.default_rng(16)
    for size in range(1, 9):
        for _ in range(30):
            differ = np.triu(random.random((size, size)) < 0.4, 1)
            differ |= differ.T
            labels = assign_letters(random.random(size), differ)
            shared = [[bool(set(row) & set(column)) for column in labels] for row in labels]
            assert np.array_equal(np.array(shared), ~differ)
    assert assign_letters([], np.zeros((0, 0))) == []


def test_letters_start_with_the_best_run():
    differ = np.abs(np.subtract.outer([1, 5, 9], [1, 5, 9])) > 4
    assert assign_letters([0.1, 0.5, 0.9], differ) == ["b", "ab", "a"]
