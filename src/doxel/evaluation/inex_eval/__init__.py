"""The figures of the official INEX evaluator, ``inex_eval`` 3.1, digit for digit.

An evaluator of its own, independent of doxel's measures: it reproduces what that tool printed, in raw
double arithmetic and in its order of summation, so that results published with it can be checked.
"""

from doxel.evaluation.inex_eval.evaluate import TASKS, evaluate
from doxel.evaluation.inex_eval.layout import render
from doxel.evaluation.inex_eval.outcome import Outcome, Row

__all__ = ["TASKS", "Outcome", "Row", "evaluate", "render"]
