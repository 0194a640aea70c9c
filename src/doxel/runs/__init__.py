"""Runs: read, write, resolve to spans, put in order."""

from doxel.runs.formats import FORMATS
from doxel.runs.read import read_run, read_runs, write_run
from doxel.runs.run import RESULTS, Run

__all__ = ["FORMATS", "RESULTS", "Run", "read_run", "read_runs", "write_run"]
