"""Reduce the number of grades, to see whether conclusions change (source 004, section 2.3)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from doxel.assessments import Assessments
from doxel.errors import InputError

__all__ = ["fewer_grades"]

# by scale: the column, and its grades above zero, lowest first
_GRADED = {
    "2002": ("relevance", ("1", "2", "3")),
    "2003": ("exhaustivity", ("1", "2", "3")),
    "2005": ("exhaustivity", ("1", "2")),
}


def fewer_grades(assessments: Assessments, levels: int | str) -> Assessments:
    """Return assessments with ``levels`` grades of exhaustivity above zero (in 2002 of relevance).

    The lowest grades stay distinct and all higher ones become the highest: with two levels of three, fairly
    exhaustive becomes highly exhaustive.  "Too small" is not a grade and stays.
    """
    if assessments.scale not in _GRADED:
        raise InputError(
            "grades", wanted="assessments with grades: 2002 to 2005", found=f"the scale {assessments.scale}"
        )
    column, grades = _GRADED[assessments.scale]
    if str(levels) not in {str(number) for number in range(1, len(grades) + 1)}:
        raise InputError("grades", wanted=f"a number from 1 to {len(grades)}", found=repr(levels))
    distinct = grades[: int(levels) - 1]
    becomes = {grade: grade if grade in distinct else grades[-1] for grade in grades}
    return replace(assessments, elements=assessments.elements.with_columns(pl.col(column).replace(becomes)))
