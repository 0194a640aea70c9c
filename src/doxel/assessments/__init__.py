"""Assessments: highlights, grades, best entry points."""

from doxel.assessments.assessments import Assessments
from doxel.assessments.read import read_assessments, write_assessments

__all__ = ["Assessments", "read_assessments", "write_assessments"]
