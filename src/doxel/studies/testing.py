"""The significance test that studies use for differences between runs."""

from __future__ import annotations

from dataclasses import dataclass

from doxel.evaluation.options import check_drawing
from doxel.spans import Floats
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.significance import apply_paired_test, compare_all_pairs

__all__ = ["SURE", "Tested"]

SURE = 0.05  # significance level


@dataclass(frozen=True)
class Tested:
    """A test, the correction for multiple comparisons, and the settings of its random resamples."""

    test: str = "randomisation"
    correction: str = "holm"
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_drawing(resamples=self.resamples, seed=self.seed)
        correct_p_values([], self.correction)

    def p(self, one: Floats, other: Floats) -> float:
        """Return the p-value for two runs, or one run under two settings, over topics that both have."""
        return apply_paired_test(self.test, one, other, resamples=self.resamples, seed=self.seed)

    def p_of_pairs(self, scores: Floats) -> Floats:
        """Return the p-values of all pairs of runs; ``scores`` are topics x runs."""
        return compare_all_pairs(self.test, scores, resamples=self.resamples, seed=self.seed)
