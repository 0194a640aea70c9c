"""EvalJ's configuration files, read as what doxel evaluates."""

from doxel.evaluation.evalj.plan import Block, Metric, Plan, read_plan

__all__ = ["Block", "Metric", "Plan", "read_plan"]
