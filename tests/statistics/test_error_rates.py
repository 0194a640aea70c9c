"""How often tests cry wolf on random data without differences: no more often than they say."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.statistics.corrections import correct
from doxel.statistics.groups import letters
from doxel.statistics.paired import friedman, paired_test
from doxel.statistics.resampling import randomised_tukey

TRIALS = 300
# 99.9 % of binomial(300, 0.05) lie between 3 and 29
MOST = 29 / TRIALS


def families(runs: int, topics: int, seed: int):
    """Scores of runs that do not differ; topics are hard or easy for all of them."""
    random = np.random.default_rng(seed)
    for _ in range(TRIALS):
        yield random.random((topics, 1)) + random.normal(0, 0.1, (topics, runs))


def pairs(runs: int):
    return [(one, other) for one in range(runs) for other in range(one)]


def test_tukey_keeps_the_error_of_the_family():
    alarms = [
        randomised_tukey(scores, resamples=300, seed=trial).min() < 0.05
        for trial, scores in enumerate(families(5, 20, seed=11))
    ]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_corrections_keep_the_error_of_the_family(correction):
    alarms, uncorrected = 0, 0
    for scores in families(5, 20, seed=12):
        p = [paired_test("t", scores[:, one], scores[:, other]) for one, other in pairs(5)]
        alarms += bool(correct(p, correction).min() < 0.05)
        uncorrected += bool(min(p) < 0.05)
    assert alarms / TRIALS <= MOST
    assert uncorrected / TRIALS > 2 * MOST  # the test would see a correction that does nothing


def test_benjamini_hochberg_keeps_the_share_of_false_discoveries():
    shares = []
    for scores in families(6, 25, seed=13):
        better = scores + np.where(np.arange(6) == 0, 0.15, 0.0)  # run 0 differs from all others
        p = [paired_test("t", better[:, one], better[:, other]) for one, other in pairs(6)]
        found = correct(p, "benjamini-hochberg") < 0.05
        false = [bool(other != 0) for _, other in pairs(6)]
        shares.append((found & np.array(false)).sum() / max(1, found.sum()))
    assert 0 < np.mean(shares) <= 0.06


def test_friedman_keeps_its_error():
    alarms = [friedman(scores) < 0.05 for scores in families(4, 30, seed=14)]
    assert 3 / TRIALS <= np.mean(alarms) <= MOST


def test_tukey_sees_what_is_there():
    random = np.random.default_rng(15)
    scores = random.random((40, 1)) + random.normal(0, 0.1, (40, 4)) + np.array([0.0, 0.0, 0.0, 0.2])
    p = randomised_tukey(scores, resamples=2000)
    assert (p[3, :3] < 0.05).all()
    assert (p[:3, :3] > 0.05).all()


def test_letters_say_exactly_what_differs():
    random = np.random.default_rng(16)
    for size in range(1, 9):
        for _ in range(30):
            differ = np.triu(random.random((size, size)) < 0.4, 1)
            differ |= differ.T
            said = letters(random.random(size), differ)
            shared = [[bool(set(one) & set(other)) for other in said] for one in said]
            assert np.array_equal(np.array(shared), ~differ)
    assert letters([], np.zeros((0, 0))) == []


def test_letters_begin_with_the_best():
    apart = np.abs(np.subtract.outer([1, 5, 9], [1, 5, 9])) > 4
    assert letters([0.1, 0.5, 0.9], apart) == ["b", "ab", "a"]
