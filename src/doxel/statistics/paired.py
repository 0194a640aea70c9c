"""Significance tests of two runs over the same topics, selected by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.spans import Floats
from doxel.statistics.resampling import EXACT_UP_TO, bootstrap_test, randomisation_test

__all__ = ["TESTS", "friedman", "paired_test"]


def _scipy_stats(test: str) -> object:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError(test, "stats") from None
    return stats


def _t(differences: Floats, *, resamples: int, seed: int) -> float:
    del resamples, seed
    if len(differences) < 2 or not differences.any():
        return 1.0  # a single topic has no variance to test against
    if np.ptp(differences) == 0:
        return 0.0  # every topic shows the same difference: the variance is 0 and t infinite
    return float(_scipy_stats("the t test").ttest_1samp(differences, 0.0).pvalue)  # type: ignore[attr-defined]


def _wilcoxon(differences: Floats, *, resamples: int, seed: int) -> float:
    """Return p of Wilcoxon's signed-rank test, which leaves out topics without a difference."""
    del resamples, seed
    if not differences.any():
        return 1.0
    result = _scipy_stats("Wilcoxon's test").wilcoxon(  # type: ignore[attr-defined]
        differences, zero_method="wilcox"
    )
    return float(result.pvalue)


TESTS: dict[str, tuple[Callable[..., float], str]] = {
    "randomisation": (
        lambda values, *, resamples, seed: randomisation_test(values, resamples=resamples, seed=seed),
        f"Fisher's sign-flip test (exact if at most {EXACT_UP_TO} topics differ, else sampled)",
    ),
    "t": (_t, "paired t test"),
    "wilcoxon": (_wilcoxon, "Wilcoxon's signed-rank test, topics without a difference left out"),
    "bootstrap": (
        lambda values, *, resamples, seed: bootstrap_test(values, resamples=resamples, seed=seed),
        "bootstrap shift test",
    ),
}


def paired_test(name: str, one: Floats, other: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of a paired test; the null hypothesis is that both runs have the same mean.

    >>> paired_test("randomisation", np.array([0.5, 0.6]), np.array([0.5, 0.6]))
    1.0
    """
    if name not in TESTS:
        raise InputError("a test", wanted=f"one of {', '.join(TESTS)}", found=repr(name))
    return TESTS[name][0](one - other, resamples=resamples, seed=seed)


def friedman(scores: Floats) -> float:
    """Return p of Friedman's test; the null hypothesis is that the runs (three or more columns) are equal."""
    if np.ptp(scores, axis=1).max(initial=0.0) == 0:
        return 1.0
    stats = _scipy_stats("Friedman's test")
    return float(stats.friedmanchisquare(*scores.T).pvalue)  # type: ignore[attr-defined]
