"""Checks of grades: pairs that a scale does not have, and elements that contradict each other.

2002: relevance 0 goes with coverage N and with nothing else (10 legal pairs).  2003-04: exhaustivity is
0 exactly where specificity is.  2005: exhaustivity is 0 exactly where nothing is highlighted.  In all of
them whatever an element discusses is discussed by those that contain it.
"""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedAssessments
from doxel.documents.paths import canonical_paths

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]
_E = pl.col("exhaustivity")
_DEGREES = {
    "2002": ("relevance", {"0": 0, "1": 1, "2": 2, "3": 3}),
    "2003": ("exhaustivity", {"0": 0, "1": 1, "2": 2, "3": 3}),
    "2005": ("exhaustivity", {"0": 0, "?": 1, "1": 2, "2": 3}),
}


def _illegal_pairs(checked: CheckedAssessments) -> pl.DataFrame:
    nothing, no_coverage = pl.col("relevance") == "0", pl.col("coverage") == "N"
    bad = _elements(checked, "2002").filter(nothing != no_coverage)
    message = pl.format("{}: relevance {} with coverage {}", "path", "relevance", "coverage")
    return checked.with_files(bad.select("line", *_KEY, message=message))


def _disagreeing(checked: CheckedAssessments) -> pl.DataFrame:
    graded = _elements(checked, "2003").filter(_E != "U", pl.col("specificity") != "U")
    graded = graded.filter((_E == "0") != (pl.col("specificity") == "0"))
    specificity = pl.format("specificity {}", "specificity")
    sized = _elements(checked, "2005").filter((_E == "0") != (pl.coalesce("rsize", "share") == 0))
    relevant = pl.coalesce(pl.format("{} relevant characters", "rsize"), pl.format("specificity {}", "share"))
    found = [
        rows.select(
            "line", *_KEY, message=pl.format("{}: exhaustivity {} with {}", "path", "exhaustivity", said)
        )
        for rows, said in ((graded, specificity), (sized, relevant))
    ]
    return checked.with_files(pl.concat(found))


def _elements(checked: CheckedAssessments, scale: str) -> pl.DataFrame:
    elements = checked.found.elements
    return elements if checked.found.scale == scale else elements.clear()


def _exceeding(checked: CheckedAssessments) -> pl.DataFrame:
    """Find elements with a higher degree than the nearest graded element around them."""
    column, degrees = _DEGREES.get(checked.found.scale, ("exhaustivity", {}))
    graded = checked.found.elements.select(
        "line",
        *_KEY,
        path=canonical_paths(checked.found.elements["path"]),
        grade=column,
        degree=pl.col(column).replace_strict(degrees, default=None, return_dtype=pl.Int64),
    ).drop_nulls("degree")
    compared = _with_nearest_above(graded)
    bad = compared.filter(pl.col("degree") > pl.col("degree_above"))
    message = pl.format("{} has {}, {} around it only {}", "path", "grade", "above", "grade_above")
    return checked.with_files(bad.select("line", *_KEY, message=message))


def _with_nearest_above(graded: pl.DataFrame) -> pl.DataFrame:
    """Join elements with the nearest graded element around them, one step of their paths at a time."""
    around = graded.select(*_KEY, above="path", grade_above="grade", degree_above="degree")
    around = around.unique([*_KEY, "above"], keep="first", maintain_order=True)
    parent = pl.col("above").str.replace("/[^/]*$", "")
    waiting = graded.with_columns(above="path").with_columns(above=parent)
    found: list[pl.DataFrame] = []
    while waiting.height:
        joined = waiting.join(around, on=[*_KEY, "above"], how="left", maintain_order="left")
        found.append(joined)
        waiting = joined.filter(pl.col("degree_above").is_null(), pl.col("above") != "")
        waiting = waiting.select(*graded.columns, parent)
    return pl.concat(found) if found else graded.join(around, on=_KEY, how="inner")


def _graded_twice(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.found.elements.with_columns(path=canonical_paths(checked.found.elements["path"]))
    again = elements.filter(~pl.struct(*_KEY, "path").is_first_distinct())
    return checked.with_files(again.select("line", *_KEY, message=pl.format("{} once more", "path")))


def _marked(checked: CheckedAssessments) -> pl.DataFrame:
    marked = checked.found.elements.filter(pl.col("inconsistent"))
    return checked.with_files(marked.select("line", *_KEY, message="path"))


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A301",
        "error",
        "relevance contradicts coverage",
        "On the scale of 2002 relevance 0 goes with coverage N (none), and any other relevance with L, S or "
        "E.  Quantisations give other pairs 0.",
        "Ask the assessor, or leave the element out.",
        _illegal_pairs,
    ),
    Check(
        "A302",
        "error",
        "exhaustivity contradicts specificity",
        "An element is not exhaustive at all (0) exactly where it is not specific at all: where specificity "
        "is 0 (2003-04), or where nothing in it is highlighted (2005).",
        "Ask the assessor, or leave the element out.",
        _disagreeing,
    ),
    Check(
        "A303",
        "warning",
        "element less exhaustive than one inside it",
        "What an element discusses is discussed by every element that contains it, so the outer grade cannot "
        "be the lower one (2002: relevance; 2003-05: exhaustivity, with ? between 0 and 1).",
        "Raise the outer grade, or ask the assessor.",
        _exceeding,
    ),
    Check(
        "A304",
        "warning",
        "element graded twice",
        "The same element has two grades for one topic.",
        "Keep one.",
        _graded_twice,
    ),
    Check(
        "A305",
        "note",
        "marked as inconsistent",
        "The assessment system of 2003-04 itself marked the grade as contradicting others.",
        "Nothing, if the campaign accepted it.",
        _marked,
    ),
)
