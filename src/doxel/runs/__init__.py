"""Runs: read, write, resolve to spans."""

from doxel.runs.read import read_run
from doxel.runs.run import RESULTS, Run

__all__ = ["RESULTS", "Run", "read_run"]
