"""Checks of the assessments as a set: judged twice, and topics against those that were asked."""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check, counted_in
from doxel.checks.sources import error_places
from doxel.checks.subjects import CheckedAssessments
from doxel.errors import InputError

__all__ = ["CHECKS", "SET_CHECKS"]


def _no_set(errors: list[InputError]) -> pl.DataFrame:
    return error_places(errors)


def _judged_twice(checked: CheckedAssessments) -> pl.DataFrame:
    message = pl.lit("judged before, word for word: counts once")
    return checked.repeated.select("file", "line", "topic", "doc", message=message)


def _first_lines(checked: CheckedAssessments, topics: set[str], message: str) -> pl.DataFrame:
    judged = checked.found.judged.filter(pl.col("topic").is_in(list(topics)))
    first = judged.group_by("topic", maintain_order=True).agg(pl.col("file", "line").first(), count=pl.len())
    documents = counted_in("count", "judged document", "judged documents")
    return first.select("file", "line", "topic", message=pl.format(message, documents))


def _unknown(checked: CheckedAssessments) -> pl.DataFrame:
    known = checked.around.topics
    others = set() if known is None else set(checked.found.topics) - set(known)
    return _first_lines(checked, others, "{}, not in the topic file")


def _never_assessed(checked: CheckedAssessments) -> pl.DataFrame:
    assessed = set(checked.found.topics)
    rows = [
        {"topic": topic, "message": "asked, and never assessed"}
        for topic in checked.around.topics or ()
        if topic not in assessed
    ]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _nothing_relevant(checked: CheckedAssessments) -> pl.DataFrame:
    found = checked.found
    nothing = pl.col("relevance", "exhaustivity").fill_null("0").is_in(["0", "U"])
    relevant = {
        *found.highlights["topic"],
        *found.beps["topic"],
        *found.elements.filter(~pl.all_horizontal(nothing) | (pl.col("rsize") > 0))["topic"],
        *found.judged.filter((pl.col("grade") > 0) | (pl.col("rsize") > 0))["topic"],
    }
    others = set(found.topics) - relevant
    return _first_lines(checked, others, "nothing is relevant in {}")


SET_CHECKS: tuple[Check[list[InputError]], ...] = (
    Check(
        "A001",
        "error",
        "assessments that are no set",
        "The files are of different scales, count text nodes differently, or judge a document twice and "
        "differently: they cannot be scored together.  Nothing else of them was checked.",
        "Name only the files or folders to score with; second assessors' pools stand in folders of their "
        "own.",
        _no_set,
    ),
)

CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A002",
        "note",
        "judged twice",
        "A document is judged a second time for a topic, word for word as before.  It counts once.",
        "Nothing; or name each file once.",
        _judged_twice,
    ),
    Check(
        "A501",
        "error",
        "topic unknown to the topic file",
        "A topic was assessed that was never asked.",
        "Name all topic files, or mend the topic's id.",
        _unknown,
    ),
    Check(
        "A502",
        "note",
        "topic never assessed",
        "The topic file has a topic of which nothing was judged.",
        "Nothing: campaigns assess fewer topics than they ask.",
        _never_assessed,
    ),
    Check(
        "A503",
        "note",
        "assessed topic with nothing relevant",
        "Documents were judged for the topic, and nothing in them is relevant: its scores are undefined and "
        "left out of means.",
        "Nothing.",
        _nothing_relevant,
    ),
)
