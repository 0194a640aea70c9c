"""Checks of highlights and best entry points against each other."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.checks.declare import Check
from doxel.checks.meeting import groups, partners
from doxel.checks.subjects import CheckedAssessments

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]
_HAVE_BEPS = {"inex2006", "qrels"}  # formats in which every relevant document should have an entry point


def _overlapping(checked: CheckedAssessments) -> pl.DataFrame:
    spans = checked.found.highlights.filter(pl.col("start").is_not_null(), pl.col("end").is_not_null())
    other = partners(groups(spans.select(_KEY)), spans["start"].to_numpy(), spans["end"].to_numpy())
    rows = np.flatnonzero(other >= 0)
    partner = spans.select("start", "end")[other[rows]]
    message = pl.format(
        "{} to {} overlaps {} to {}", "start", "end", pl.lit(partner["start"]), pl.lit(partner["end"])
    )
    return checked.with_files(spans[rows].select("line", *_KEY, message=message))


def _lone_beps(checked: CheckedAssessments) -> pl.DataFrame:
    lone = checked.found.beps.join(checked.found.highlights, on=_KEY, how="anti", maintain_order="left")
    place = pl.coalesce(pl.col("position").cast(pl.String), "path", pl.lit("an unknown place"))
    message = pl.format("best entry point at {}, but nothing is highlighted", place)
    return checked.with_files(lone.select("line", *_KEY, message=message))


def _without_bep(checked: CheckedAssessments) -> pl.DataFrame:
    assessments = checked.found
    relevant = assessments.highlights.unique(_KEY, keep="first", maintain_order=True)
    if assessments.format not in _HAVE_BEPS and not assessments.beps.height:
        relevant = relevant.clear()
    bare = relevant.join(assessments.beps, on=_KEY, how="anti", maintain_order="left")
    message = pl.lit("highlighted, but without a best entry point")
    return checked.with_files(bare.select("line", *_KEY, message=message))


def _several_beps(checked: CheckedAssessments) -> pl.DataFrame:
    surplus = checked.found.beps.filter(~pl.struct(_KEY).is_first_distinct())
    message = pl.format("another best entry point of {}", "doc")
    return checked.with_files(surplus.select("line", *_KEY, message=message))


def _empty(checked: CheckedAssessments) -> pl.DataFrame:
    empty = checked.found.highlights.filter(pl.col("start") == pl.col("end"))
    message = pl.format("no characters from {} to {}", "start", "end")
    return checked.with_files(empty.select("line", *_KEY, message=message))


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A201",
        "warning",
        "overlapping highlights",
        "Two highlights of a document share text.  The text counts once, but the sum of their sizes is "
        "larger than the relevant text.",
        "Merge them.",
        _overlapping,
    ),
    Check(
        "A202",
        "warning",
        "best entry point without highlight",
        "The document has a best entry point, but nothing in it is highlighted.",
        "Check whether highlights were lost, or remove the entry point.",
        _lone_beps,
    ),
    Check(
        "A203",
        "warning",
        "highlight without best entry point",
        "The format has best entry points, but this relevant document has none, so measures of Best in "
        "Context give it no credit.",
        "Add a best entry point, or do not score entry points.",
        _without_bep,
    ),
    Check(
        "A204",
        "warning",
        "several best entry points of a document",
        "A document can have only one best entry point; of several, only one counts.",
        "Keep one of them.",
        _several_beps,
    ),
    Check(
        "A205",
        "warning",
        "empty highlight",
        "The highlight contains no characters, so it makes nothing relevant.",
        "Remove it, or correct its end.",
        _empty,
    ),
)
