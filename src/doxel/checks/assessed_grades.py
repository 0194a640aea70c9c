"""Checks of grades: pairs that are invalid on their scale, and elements that contradict each other.

2002: relevance 0 is valid only with coverage N, and vice versa (10 valid pairs).  2003-04: exhaustivity is 0
exactly if specificity is 0.  2005: exhaustivity is 0 exactly if nothing is highlighted.  On every scale, an
element discusses everything that the elements inside it discuss.
"""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedAssessments
from doxel.documents.element_paths import canonicalise_paths

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
    places = [
        rows.select(
            "line", *_KEY, message=pl.format("{}: exhaustivity {} with {}", "path", "exhaustivity", other)
        )
        for rows, other in ((graded, specificity), (sized, relevant))
    ]
    return checked.with_files(pl.concat(places))


def _elements(checked: CheckedAssessments, scale: str) -> pl.DataFrame:
    elements = checked.found.elements
    return elements if checked.found.scale == scale else elements.clear()


def _exceeding(checked: CheckedAssessments) -> pl.DataFrame:
    """Find elements with a higher grade than the nearest graded element around them."""
    column, degrees = _DEGREES.get(checked.found.scale, ("exhaustivity", {}))
    graded = checked.found.elements.select(
        "line",
        *_KEY,
        path=canonicalise_paths(checked.found.elements["path"]),
        grade=column,
        degree=pl.col(column).replace_strict(degrees, default=None, return_dtype=pl.Int64),
    ).drop_nulls("degree")
    compared = _with_nearest_above(graded)
    bad = compared.filter(pl.col("degree") > pl.col("degree_above"))
    message = pl.format("{} has {}, but {} around it only {}", "path", "grade", "above", "grade_above")
    return checked.with_files(bad.select("line", *_KEY, message=message))


def _with_nearest_above(graded: pl.DataFrame) -> pl.DataFrame:
    """Join elements with the nearest graded element around them, going up their paths step by step."""
    around = graded.select(*_KEY, above="path", grade_above="grade", degree_above="degree")
    around = around.unique([*_KEY, "above"], keep="first", maintain_order=True)
    parent = pl.col("above").str.replace("/[^/]*$", "")
    waiting = graded.with_columns(above="path").with_columns(above=parent)
    steps: list[pl.DataFrame] = []
    while waiting.height:
        joined = waiting.join(around, on=[*_KEY, "above"], how="left", maintain_order="left")
        steps.append(joined)
        waiting = joined.filter(pl.col("degree_above").is_null(), pl.col("above") != "")
        waiting = waiting.select(*graded.columns, parent)
    return pl.concat(steps) if steps else graded.join(around, on=_KEY, how="inner")


def _graded_twice(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.found.elements.with_columns(path=canonicalise_paths(checked.found.elements["path"]))
    repeated = elements.filter(~pl.struct(*_KEY, "path").is_first_distinct())
    return checked.with_files(repeated.select("line", *_KEY, message=pl.format("{} again", "path")))


def _marked(checked: CheckedAssessments) -> pl.DataFrame:
    marked = checked.found.elements.filter(pl.col("inconsistent"))
    return checked.with_files(marked.select("line", *_KEY, message="path"))


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A301",
        "error",
        "relevance contradicts coverage",
        "On the scale of 2002, relevance 0 requires coverage N (none), and any other relevance requires L, S "
        "or E.  Other pairs gain 0.",
        "Ask the assessor, or leave the element out.",
        _illegal_pairs,
    ),
    Check(
        "A302",
        "error",
        "exhaustivity contradicts specificity",
        "Exhaustivity must be 0 exactly if specificity is 0 (2003-04) or if nothing in the element is "
        "highlighted (2005).",
        "Ask the assessor, or leave the element out.",
        _disagreeing,
    ),
    Check(
        "A303",
        "warning",
        "element less exhaustive than one inside it",
        "An element discusses everything that the elements inside it discuss, so its grade cannot be lower "
        "than theirs (2002: relevance; 2003-05: exhaustivity, with ? between 0 and 1).",
        "Raise the outer grade, or ask the assessor.",
        _exceeding,
    ),
    Check(
        "A304",
        "warning",
        "element graded twice",
        "The same element has two grades for one topic.",
        "Keep one of them.",
        _graded_twice,
    ),
    Check(
        "A305",
        "note",
        "marked as inconsistent",
        "The assessment system of 2003-04 marked the grade as contradicting other grades.",
        "Nothing to do if the campaign accepted it.",
        _marked,
    ),
)
