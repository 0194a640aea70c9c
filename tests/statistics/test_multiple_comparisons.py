"""Corrections of many p values, and letters for the runs that do not differ."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from doxel.errors import InputError
from doxel.statistics.multiple_comparisons import assign_letters, correct_p_values
from doxel.statistics.significance import apply_paired_test

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


@pytest.mark.integration
@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_corrections_control_the_family_wise_error(correction):
    alarms, uncorrected = 0, 0
    for scores in families(5, 20, seed=12):
        p = [apply_paired_test("t", scores[:, run], scores[:, other]) for run, other in pairs(5)]
        alarms += bool(correct_p_values(p, correction).min() < 0.05)
        uncorrected += bool(min(p) < 0.05)
    assert alarms / TRIALS <= MOST
    assert uncorrected / TRIALS > 2 * MOST  # so a correction that does nothing would fail above


@pytest.mark.integration
def test_benjamini_hochberg_controls_the_false_discovery_rate():
    shares = []
    for scores in families(6, 25, seed=13):
        better = scores + np.where(np.arange(6) == 0, 0.15, 0.0)  # run 0 differs from all others
        p = [apply_paired_test("t", better[:, run], better[:, other]) for run, other in pairs(6)]
        discoveries = correct_p_values(p, "benjamini-hochberg") < 0.05
        false = [bool(other != 0) for _, other in pairs(6)]
        shares.append((discoveries & np.array(false)).sum() / max(1, discoveries.sum()))
    assert 0 < np.mean(shares) <= 0.06


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


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_corrections_follow_their_definitions(random):
    p = random.random(12)
    assert correct_p_values(p, "benjamini-hochberg") == pytest.approx(scipy.stats.false_discovery_control(p))
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
