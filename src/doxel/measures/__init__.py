"""Measures: one file per family, pure functions over views, each declared once."""

from doxel.measures.declare import Measure
from doxel.measures.table import MEASURES, parse

__all__ = ["MEASURES", "Measure", "parse"]
