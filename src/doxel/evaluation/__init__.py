"""Evaluation: runs x topics x measures into one tidy table."""

from doxel.evaluation.evaluate import evaluate
from doxel.evaluation.evaluation import Evaluation, Rejection

__all__ = ["Evaluation", "Rejection", "evaluate"]
