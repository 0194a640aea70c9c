"""Checks of the assessments as a whole: duplicate judgements, and topics compared with the topic file."""

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
    message = pl.lit("the same judgement again; it counts once")
    return checked.repeated.select("file", "line", "topic", "doc", message=message)


def _first_lines(checked: CheckedAssessments, topics: set[str], message: str) -> pl.DataFrame:
    judged = checked.found.judged.filter(pl.col("topic").is_in(list(topics)))
    first = judged.group_by("topic", maintain_order=True).agg(pl.col("file", "line").first(), count=pl.len())
    documents = counted_in("count", "judged document", "judged documents")
    return first.select("file", "line", "topic", message=pl.format(message, documents))


def _unknown(checked: CheckedAssessments) -> pl.DataFrame:
    topics = checked.around.topics
    others = set() if topics is None else set(checked.found.topics) - set(topics)
    return _first_lines(checked, others, "{}, but the topic is not in the topic file")


def _never_assessed(checked: CheckedAssessments) -> pl.DataFrame:
    assessed = set(checked.found.topics)
    rows = [
        {"topic": topic, "message": "in the topic file, but never assessed"}
        for topic in checked.around.topics or ()
        if topic not in assessed
    ]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _nothing_relevant(checked: CheckedAssessments) -> pl.DataFrame:
    assessments = checked.found
    nothing = pl.col("relevance", "exhaustivity").fill_null("0").is_in(["0", "U"])
    relevant = {
        *assessments.highlights["topic"],
        *assessments.beps["topic"],
        *assessments.elements.filter(~pl.all_horizontal(nothing) | (pl.col("rsize") > 0))["topic"],
        *assessments.judged.filter((pl.col("grade") > 0) | (pl.col("rsize") > 0))["topic"],
    }
    others = set(assessments.topics) - relevant
    return _first_lines(checked, others, "nothing is relevant in {}")


SET_CHECKS: tuple[Check[list[InputError]], ...] = (
    Check(
        "A001",
        "error",
        "assessments that cannot be combined",
        "The files use different scales, count text nodes differently, or contain two different judgements "
        "of a document, so they cannot be scored together.  They were not checked any further.",
        "Pass only the files or folders to score with; keep the judgements of second assessors in separate "
        "folders.",
        _no_set,
    ),
)

CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A002",
        "note",
        "duplicate judgement",
        "A document is judged a second time for a topic, exactly as before.  It counts once.",
        "Nothing to do; if a file was passed twice, pass it once.",
        _judged_twice,
    ),
    Check(
        "A501",
        "error",
        "topic not in the topic file",
        "A topic was assessed that is not in the topic file.",
        "Pass all topic files, or correct the topic's id.",
        _unknown,
    ),
    Check(
        "A502",
        "note",
        "topic never assessed",
        "The topic file contains a topic for which nothing was judged.",
        "Nothing to do: campaigns assess fewer topics than they publish.",
        _never_assessed,
    ),
    Check(
        "A503",
        "note",
        "assessed topic with nothing relevant",
        "Documents were judged for the topic, but nothing in them is relevant: its scores are undefined and "
        "left out of means.",
        "Nothing to do.",
        _nothing_relevant,
    ),
)
