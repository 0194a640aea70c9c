"""Checks of highlights and best entry points among themselves."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.checks.declare import Check
from doxel.checks.meeting import groups, partners
from doxel.checks.subjects import CheckedAssessments

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]
_HAVE_BEPS = {"inex2006", "qrels"}  # formats in which every relevant document should have one


def _overlapping(checked: CheckedAssessments) -> pl.DataFrame:
    spans = checked.found.highlights.filter(pl.col("start").is_not_null(), pl.col("end").is_not_null())
    other = partners(groups(spans.select(_KEY)), spans["start"].to_numpy(), spans["end"].to_numpy())
    rows = np.flatnonzero(other >= 0)
    there = spans.select("start", "end")[other[rows]]
    message = pl.format(
        "{} to {} overlaps {} to {}", "start", "end", pl.lit(there["start"]), pl.lit(there["end"])
    )
    return checked.with_files(spans[rows].select("line", *_KEY, message=message))


def _lone_beps(checked: CheckedAssessments) -> pl.DataFrame:
    lone = checked.found.beps.join(checked.found.highlights, on=_KEY, how="anti", maintain_order="left")
    place = pl.coalesce(pl.col("position").cast(pl.String), "path", pl.lit("an unknown place"))
    message = pl.format("best entry point at {}, nothing highlighted", place)
    return checked.with_files(lone.select("line", *_KEY, message=message))


def _without_bep(checked: CheckedAssessments) -> pl.DataFrame:
    found = checked.found
    relevant = found.highlights.unique(_KEY, keep="first", maintain_order=True)
    if found.format not in _HAVE_BEPS and not found.beps.height:
        relevant = relevant.clear()
    bare = relevant.join(found.beps, on=_KEY, how="anti", maintain_order="left")
    message = pl.lit("highlighted, and no best entry point")
    return checked.with_files(bare.select("line", *_KEY, message=message))


def _several_beps(checked: CheckedAssessments) -> pl.DataFrame:
    further = checked.found.beps.filter(~pl.struct(_KEY).is_first_distinct())
    message = pl.format("a further best entry point of {}", "doc")
    return checked.with_files(further.select("line", *_KEY, message=message))


def _empty(checked: CheckedAssessments) -> pl.DataFrame:
    empty = checked.found.highlights.filter(pl.col("start") == pl.col("end"))
    message = pl.format("nothing from {} to {}", "start", "end")
    return checked.with_files(empty.select("line", *_KEY, message=message))


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A201",
        "warning",
        "overlapping highlights",
        "Two highlights of a document share text.  It counts once, but the sum of their sizes is more than "
        "what is relevant.",
        "Join them.",
        _overlapping,
    ),
    Check(
        "A202",
        "warning",
        "best entry point without highlight",
        "The document has a best entry point, and nothing in it is relevant.",
        "Look whether highlights were lost, or remove the entry point.",
        _lone_beps,
    ),
    Check(
        "A203",
        "warning",
        "highlight without best entry point",
        "The format has best entry points, and this relevant document has none: measures of Best in Context "
        "cannot find it.",
        "Give it one, or do not score entry points.",
        _without_bep,
    ),
    Check(
        "A204",
        "warning",
        "several best entry points of a document",
        "There is one best place to start reading; of several only one counts.",
        "Keep one.",
        _several_beps,
    ),
    Check(
        "A205",
        "warning",
        "empty highlight",
        "The highlight holds no character: it makes nothing relevant.",
        "Remove it, or mend its end.",
        _empty,
    ),
)
