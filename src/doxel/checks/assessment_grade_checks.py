"""Checks of grades, highlights and best entry points that contradict each other.

The rules of the scales:

2002: relevance 0 is valid only with coverage N, and vice versa (10 valid pairs).  2003-04: exhaustivity is 0
exactly if specificity is 0.  2005: exhaustivity is 0 exactly if nothing is highlighted.  On every scale, an
element discusses everything that the elements inside it discuss.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.checks.check_declaration import Check
from doxel.checks.check_subjects import CheckedAssessments, find_partners, number_groups
from doxel.documents.element_paths import canonicalise_paths

__all__ = ["GRADE_CHECKS", "HIGHLIGHT_CHECKS"]

_KEY = ["topic", "doc"]
_ASPECT = ["topic", "aspect"]
_E = pl.col("exhaustivity")
_DEGREES = {
    "2002": ("relevance", {"0": 0, "1": 1, "2": 2, "3": 3}),
    "2003": ("exhaustivity", {"0": 0, "1": 1, "2": 2, "3": 3}),
    "2005": ("exhaustivity", {"0": 0, "?": 1, "1": 2, "2": 3}),
}


def _find_invalid_pairs(checked: CheckedAssessments) -> pl.DataFrame:
    nothing, no_coverage = pl.col("relevance") == "0", pl.col("coverage") == "N"
    invalid = _select_elements(checked, "2002").filter(nothing != no_coverage)
    message = pl.format("{}: relevance {} with coverage {}", "path", "relevance", "coverage")
    return checked.with_files(invalid.select("line", *_KEY, message=message))


def _find_contradicting_grades(checked: CheckedAssessments) -> pl.DataFrame:
    graded = _select_elements(checked, "2003").filter(_E != "U", pl.col("specificity") != "U")
    graded = graded.filter((_E == "0") != (pl.col("specificity") == "0"))
    specificity = pl.format("specificity {}", "specificity")
    sized = _select_elements(checked, "2005").filter((_E == "0") != (pl.coalesce("rsize", "share") == 0))
    relevant = pl.coalesce(pl.format("{} relevant characters", "rsize"), pl.format("specificity {}", "share"))
    places = [
        rows.select(
            "line", *_KEY, message=pl.format("{}: exhaustivity {} with {}", "path", "exhaustivity", measured)
        )
        for rows, measured in ((graded, specificity), (sized, relevant))
    ]
    return checked.with_files(pl.concat(places))


def _select_elements(checked: CheckedAssessments, scale: str) -> pl.DataFrame:
    elements = checked.resolved.elements
    return elements if checked.resolved.scale == scale else elements.clear()


def _find_exceeding_grades(checked: CheckedAssessments) -> pl.DataFrame:
    """Find elements with a higher grade than the nearest graded element around them."""
    column, degrees = _DEGREES.get(checked.resolved.scale, ("exhaustivity", {}))
    graded = checked.resolved.elements.select(
        "line",
        *_KEY,
        path=canonicalise_paths(checked.resolved.elements["path"]),
        grade=column,
        degree=pl.col(column).replace_strict(degrees, default=None, return_dtype=pl.Int64),
    ).drop_nulls("degree")
    compared = _join_nearest_above(graded)
    exceeding = compared.filter(pl.col("degree") > pl.col("degree_above"))
    message = pl.format("{} has {}, but {} around it only {}", "path", "grade", "above", "grade_above")
    return checked.with_files(exceeding.select("line", *_KEY, message=message))


def _join_nearest_above(graded: pl.DataFrame) -> pl.DataFrame:
    """Join elements with the nearest graded element around them, going up their paths step by step."""
    around = graded.select(*_KEY, above="path", grade_above="grade", degree_above="degree")
    around = around.unique([*_KEY, "above"], keep="first", maintain_order=True)
    parent = pl.col("above").str.replace("/[^/]*$", "")
    pending = graded.with_columns(above="path").with_columns(above=parent)
    steps: list[pl.DataFrame] = []
    while pending.height:
        rows = pending.join(around, on=[*_KEY, "above"], how="left", maintain_order="left")
        steps.append(rows)
        pending = rows.filter(pl.col("degree_above").is_null(), pl.col("above") != "")
        pending = pending.select(*graded.columns, parent)
    return pl.concat(steps) if steps else graded.join(around, on=_KEY, how="inner")


def _find_repeated_grades(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.resolved.elements.with_columns(
        path=canonicalise_paths(checked.resolved.elements["path"])
    )
    repeats = elements.filter(~pl.struct(*_KEY, "path").is_first_distinct())
    return checked.with_files(repeats.select("line", *_KEY, message=pl.format("{} again", "path")))


def _find_marked_grades(checked: CheckedAssessments) -> pl.DataFrame:
    inconsistent = checked.resolved.elements.filter(pl.col("inconsistent"))
    return checked.with_files(inconsistent.select("line", *_KEY, message="path"))


GRADE_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A301",
        "error",
        "relevance contradicts coverage",
        "On the scale of 2002, relevance 0 requires coverage N (none), and any other relevance requires L, S "
        "or E.  Other pairs gain 0.",
        "Ask the assessor, or leave the element out.",
        _find_invalid_pairs,
        effect="guess",
    ),
    Check(
        "A302",
        "error",
        "exhaustivity contradicts specificity",
        "Exhaustivity must be 0 exactly if specificity is 0 (2003-04) or if nothing in the element is "
        "highlighted (2005).",
        "Ask the assessor, or leave the element out.",
        _find_contradicting_grades,
        effect="guess",
    ),
    Check(
        "A303",
        "warning",
        "element less exhaustive than one inside it",
        "An element discusses everything that the elements inside it discuss, so its grade cannot be lower "
        "than theirs (2002: relevance; 2003-05: exhaustivity, with ? between 0 and 1).",
        "Raise the outer grade, or ask the assessor.",
        _find_exceeding_grades,
    ),
    Check(
        "A304",
        "warning",
        "element graded twice",
        "The same element has two grades for one topic.",
        "Keep one of them.",
        _find_repeated_grades,
        effect="guess",
    ),
    Check(
        "A305",
        "note",
        "marked as inconsistent",
        "The assessment system of 2003-04 marked the grade as contradicting other grades.",
        "Nothing to do if the campaign accepted it.",
        _find_marked_grades,
    ),
)


_HAVE_BEPS = {"inex2006", "qrels"}  # formats in which every relevant document should have an entry point


def _find_overlapping_highlights(checked: CheckedAssessments) -> pl.DataFrame:
    spans = checked.resolved.relevant_highlights.filter(
        pl.col("start").is_not_null(), pl.col("end").is_not_null()
    )
    start, end = spans["start"].to_numpy(), spans["end"].to_numpy()
    partner = find_partners(number_groups(spans.select(*_KEY, "aspect")), start, end)
    if checked.resolved.has_aspects:  # text of two aspects is another finding
        anyone = find_partners(number_groups(spans.select(_KEY)), start, end)
        is_named = spans["aspect"].is_not_null().to_numpy()
        partner = np.where((partner < 0) & (anyone >= 0) & ~(is_named & is_named[anyone]), anyone, partner)
    rows = np.flatnonzero(partner >= 0)
    partner_spans = spans.select("start", "end")[partner[rows]]
    message = pl.format(
        "{} to {} overlaps {} to {}",
        "start",
        "end",
        pl.lit(partner_spans["start"]),
        pl.lit(partner_spans["end"]),
    )
    return checked.with_files(spans[rows].select("line", *_KEY, message=message))


def _find_lone_beps(checked: CheckedAssessments) -> pl.DataFrame:
    lone = checked.resolved.beps.join(
        checked.resolved.relevant_highlights, on=_KEY, how="anti", maintain_order="left"
    )
    place = pl.coalesce(pl.col("position").cast(pl.String), "path", pl.lit("an unknown place"))
    message = pl.format("best entry point at {}, but nothing is highlighted", place)
    return checked.with_files(lone.select("line", *_KEY, message=message))


def _find_missing_beps(checked: CheckedAssessments) -> pl.DataFrame:
    assessments = checked.resolved
    relevant = assessments.relevant_highlights.unique(_KEY, keep="first", maintain_order=True)
    if assessments.format not in _HAVE_BEPS and not assessments.beps.height:
        relevant = relevant.clear()
    bare = relevant.join(assessments.beps, on=_KEY, how="anti", maintain_order="left")
    message = pl.lit("highlighted, but without a best entry point")
    return checked.with_files(bare.select("line", *_KEY, message=message))


def _find_several_beps(checked: CheckedAssessments) -> pl.DataFrame:
    surplus = checked.resolved.beps.filter(~pl.struct(_KEY).is_first_distinct())
    message = pl.format("another best entry point of {}", "doc")
    return checked.with_files(surplus.select("line", *_KEY, message=message))


def _find_empty_highlights(checked: CheckedAssessments) -> pl.DataFrame:
    empty = checked.resolved.highlights.filter(pl.col("start") == pl.col("end"))
    empty = empty.join(_select_empty_aspects(checked), on=_ASPECT, how="anti", maintain_order="left")
    message = pl.format("no characters from {} to {}", "start", "end")
    return checked.with_files(empty.select("line", *_KEY, message=message))


def _find_empty_aspects(checked: CheckedAssessments) -> pl.DataFrame:
    empty = _select_empty_aspects(checked).unique(_ASPECT, keep="first", maintain_order=True)
    return checked.with_files(empty.select("line", *_KEY, message=pl.format("aspect {}", "aspect")))


def _select_empty_aspects(checked: CheckedAssessments) -> pl.DataFrame:
    """Return the highlights of aspects of which none has text; places that need a collection may have."""
    highlights = checked.resolved.relevant_highlights.filter(pl.col("aspect").is_not_null())
    may_have_text = pl.when(pl.col("start").is_null()).then(pl.col("problem").is_null())
    with_text = highlights.filter(may_have_text.otherwise(pl.col("end") > pl.col("start")))
    return highlights.join(with_text, on=_ASPECT, how="anti", maintain_order="left")


def _find_shared_aspects(checked: CheckedAssessments) -> pl.DataFrame:
    """Find text that belongs to two aspects of a topic."""
    is_filled = pl.col("end") > pl.col("start")
    spans = checked.resolved.relevant_highlights.filter(is_filled, pl.col("aspect").is_not_null())
    place = ["start", "end", "aspect"]
    pairs = spans.join(spans.select(*_KEY, *place), on=_KEY, suffix="_other", maintain_order="left").filter(
        pl.col("aspect") != pl.col("aspect_other"),
        pl.col("start") < pl.col("end_other"),
        pl.col("start_other") < pl.col("end"),
    )
    first = pairs.unique([*_KEY, *place], keep="first", maintain_order=True)
    message = pl.format("{} to {} is text of the aspects {} and {}", "start", "end", "aspect", "aspect_other")
    return checked.with_files(first.select("line", *_KEY, message=message))


HIGHLIGHT_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A201",
        "warning",
        "overlapping highlights",
        "Two highlights of a document share text.  The text counts once, but the sum of their sizes is "
        "larger than the relevant text.",
        "Merge them.",
        _find_overlapping_highlights,
    ),
    Check(
        "A202",
        "warning",
        "best entry point without highlight",
        "The document has a best entry point, but nothing in it is highlighted.",
        "Check whether highlights were lost, or remove the entry point.",
        _find_lone_beps,
    ),
    Check(
        "A203",
        "warning",
        "highlight without best entry point",
        "The format has best entry points, but this relevant document has none, so measures of Best in "
        "Context give it no credit.",
        "Add a best entry point, or do not score entry points.",
        _find_missing_beps,
    ),
    Check(
        "A204",
        "warning",
        "several best entry points of a document",
        "A document can have only one best entry point; of several, only one counts.",
        "Keep one of them.",
        _find_several_beps,
    ),
    Check(
        "A205",
        "warning",
        "empty highlight",
        "The highlight contains no characters, so it makes nothing relevant.  If all highlights of an "
        "aspect are empty, the finding is A206.",
        "Remove it, or correct its end.",
        _find_empty_highlights,
    ),
    Check(
        "A206",
        "warning",
        "aspect without text",
        "All highlights of the aspect are empty or were not found, so that no run could show it.  It is left "
        "out of the scores of aspects.",
        "Correct its highlights, or remove the aspect.",
        _find_empty_aspects,
        effect="guess",
    ),
    Check(
        "A207",
        "note",
        "text of two aspects",
        "The same text belongs to two aspects of a topic, so that a result which shows it shows both.",
        "Nothing to do if the text answers both.",
        _find_shared_aspects,
    ),
)
