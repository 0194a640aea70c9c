"""Checks of the topics of a run against the topic file and the assessments, and of run ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from doxel.checks.declare import Check, counted_in
from doxel.checks.subjects import AllRuns, CheckedRun

__all__ = ["CHECKS", "SET_CHECKS"]


def _of_topics(checked: CheckedRun, topics: Iterable[str], problem: str) -> pl.DataFrame:
    """Return the first line of these topics of the run, with their number of results and the problem."""
    rows = checked.topics.filter(pl.col("topic").is_in(list(topics)))
    message = pl.format("{}, {}", counted_in("results", "result", "results"), pl.lit(problem))
    return rows.select("line", "topic", message=message)


def _absent(topics: Iterable[str], message: str) -> pl.DataFrame:
    """Return places for topics that do not occur in the file."""
    rows = [{"topic": topic, "message": message} for topic in topics]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _is_foreign(checked: CheckedRun, assessed: Collection[str]) -> bool:
    return not set(checked.topics["topic"]) & set(assessed)


def _never_assessed(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _is_foreign(checked, assessed):
        return _of_topics(checked, (), "")
    others = set(checked.topics["topic"]) - set(assessed)
    return _of_topics(checked, others, "but the topic was never assessed")


def _not_answered(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _is_foreign(checked, assessed):
        return _absent((), "")
    answered = set(checked.topics["topic"])
    missing = (topic for topic in assessed if topic not in answered)
    return _absent(missing, "assessed, but the run has no results")


def _no_assessed_topic(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    messages = []
    if assessed is not None and _is_foreign(checked, assessed):
        ours, theirs = (", ".join(topics[:3]) for topics in (checked.run.topics, assessed))
        messages = [f"the run has topics such as {ours}, the assessments such as {theirs}"]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _unknown(checked: CheckedRun) -> pl.DataFrame:
    topics = checked.around.topics
    others = set() if topics is None else set(checked.topics["topic"]) - set(topics)
    return _of_topics(checked, others, "but the topic is not in the topic file")


def _not_tried(checked: CheckedRun) -> pl.DataFrame:
    """Find topics without results; another check finds those that were assessed."""
    answered = {*checked.topics["topic"], *(checked.around.assessed or ())}
    missing = (topic for topic in checked.around.topics or () if topic not in answered)
    return _absent(missing, "the run has no results")


def _shared_ids(runs: AllRuns) -> pl.DataFrame:
    frame = pl.DataFrame(runs.runs, schema={"id": pl.String, "file": pl.String}, orient="row")
    shared = frame.filter(pl.col("id").is_duplicated())
    message = pl.format("{} runs have the id {}", pl.len().over("id"), "id")
    return shared.select("file", message=message)


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R401",
        "note",
        "topic never assessed",
        "The run has results for a topic for which nothing was judged.  They are ignored.",
        "Nothing to do: campaigns assess fewer topics than they publish.",
        _never_assessed,
    ),
    Check(
        "R402",
        "warning",
        "assessed topic missing from the run",
        "The run scores 0 for this topic; with --topics run the topic is left out of the means instead.",
        "Run the system on this topic, or mention the missing topic when comparing runs.",
        _not_answered,
    ),
    Check(
        "R403",
        "error",
        "no topic of the run was assessed",
        "The run and the assessments have no topic in common, so there is nothing to score.",
        "Check that both are of the same year and use the same topic ids (such as 2009001, not 1).",
        _no_assessed_topic,
    ),
    Check(
        "R404",
        "error",
        "topic not in the topic file",
        "The run answers a topic that is not in the topic file.",
        "Pass all topic files, or correct the topic's id.",
        _unknown,
    ),
    Check(
        "R405",
        "note",
        "topic without results",
        "The topic file contains a topic that the run does not answer and that was not assessed.",
        "Nothing to do if the system found nothing for this topic.",
        _not_tried,
    ),
)

SET_CHECKS: tuple[Check[AllRuns], ...] = (
    Check(
        "R501",
        "warning",
        "run id used in several files",
        "Tables of scores identify runs by their ids; an id that is used twice becomes id:file.",
        "Give every run a unique id.",
        _shared_ids,
    ),
)
