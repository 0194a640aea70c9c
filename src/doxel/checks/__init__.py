"""Checks: find errors and doubtful places in runs, topics and assessments before scoring."""

from doxel.checks.check import check
from doxel.checks.declare import Check
from doxel.checks.report import Group, Report, RunSummary
from doxel.checks.table import CHECKS

__all__ = ["CHECKS", "Check", "Group", "Report", "RunSummary", "check"]
