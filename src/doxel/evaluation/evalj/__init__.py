"""EvalJ's configuration files, translated into evaluations by doxel."""

from doxel.evaluation.evalj.plan import Block, Metric, Plan, read_plan

__all__ = ["Block", "Metric", "Plan", "read_plan"]
