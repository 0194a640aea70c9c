"""Evaluation: runs x topics x measures into one tidy table."""

from doxel.evaluation.evaluating import evaluate
from doxel.evaluation.evaluation import Evaluation, Rejection

__all__ = ["Evaluation", "Rejection", "evaluate"]
