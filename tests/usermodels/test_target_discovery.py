"""Discovery of targets: the expected number of targets seen, rank by rank."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.usermodels.target_discovery import discover

# section 6: two targets, P rows (.8,0) (.5,.4) (0,1)
ROWS = ((1, 0, 0.8), (2, 0, 0.5), (2, 1, 0.4), (3, 1, 1.0))


def test_expected_precision_and_prum_follow_their_definitions():
    rank, target, chance = (np.array(column) for column in zip(*ROWS, strict=True))
    run = discover(rank, target, chance, count=2, length=3)
    reached = run.reached()
    gained = np.diff(reached, axis=0, prepend=0.0) / np.array([1, 2, 3])[:, None]
    precision = np.array([1, 2]) * gained.sum(axis=0)
    assert precision == pytest.approx([89 / 100, 18 / 25])
    assert run.seen.sum(axis=1) / np.array([1, 2, 3]) == pytest.approx([4 / 5, 13 / 20, 19 / 30])


def test_generalised_recall_weighs_targets():
    # section 6: targets w 1, 1/2; rank 1 leads to x with 1/2, rank 2 is y: 1/3, 2/3
    rank, target, chance = np.array([1, 2]), np.array([0, 1]), np.array([0.5, 1.0])
    run = discover(rank, target, chance, count=2, length=2)
    assert (run.seen * [1, 0.5]).sum(axis=1) / 1.5 == pytest.approx([1 / 3, 2 / 3])


def enumerate_paths(chance):
    """Return the expected discoveries of all users and of those who reach r, for each r, path by path."""
    ranks, targets = chance.shape
    discovering, reaching = np.zeros(targets), np.zeros(targets)
    for code in range(2 ** (ranks * targets)):
        reach = np.array([(code >> bit) & 1 for bit in range(ranks * targets)]).reshape(ranks, targets)
        weight = np.prod(np.where(reach, chance, 1 - chance))
        for r in range(1, targets + 1):
            seen, discoveries = np.zeros(targets, dtype=bool), 0
            for k in range(ranks):
                if seen.sum() >= r:
                    break
                discoveries += bool((reach[k].astype(bool) & ~seen).any())
                seen |= reach[k].astype(bool)
            discovering[r - 1] += weight * discoveries
            reaching[r - 1] += weight * discoveries * (seen.sum() >= r)
    return discovering, reaching


def test_discoveries_equal_an_enumeration():
    """The dynamic programmes equal an enumeration of all possible paths."""
    random = np.random.default_rng(2)
    for _ in range(20):
        chance = random.choice([0, 0.2, 0.5, 0.9, 1], size=(3, 3))
        row, column = np.nonzero(chance)
        if not len(row):
            continue
        run = discover(row + 1, column, chance[row, column], count=3, length=3)
        discovering, reaching = enumerate_paths(chance)
        assert run.discovers().sum(axis=0) == pytest.approx(discovering, abs=1e-12)
        assert run.discovers_and_reaches().sum(axis=0) == pytest.approx(reaching, abs=1e-12)


def test_discoveries_beyond_the_reachable_targets_never_reach_them():
    run = discover(np.array([1, 2]), np.array([0, 1]), np.array([0.1, 0.7]), count=4, length=2)
    assert run.discovers_and_reaches()[:, 2:].tolist() == [[0, 0], [0, 0]]
