"""The figures of the official INEX evaluator, ``inex_eval`` 3.1, digit for digit.

This evaluator is independent of doxel's measures.  It reproduces the tool's output in raw double arithmetic
and in its order of summation, so that results published with the tool can be checked.
"""

from doxel.evaluation.inex_eval.evaluate import TASKS, evaluate
from doxel.evaluation.inex_eval.layout import render
from doxel.evaluation.inex_eval.outcome import Outcome, Row

__all__ = ["TASKS", "Outcome", "Row", "evaluate", "render"]
