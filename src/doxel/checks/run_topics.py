"""Checks of the topics of a run against those that were asked and assessed, and of run ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from doxel.checks.declare import Check, counted_in
from doxel.checks.subjects import AllRuns, CheckedRun

__all__ = ["CHECKS", "SET_CHECKS"]


def _of_topics(checked: CheckedRun, topics: Iterable[str], what: str) -> pl.DataFrame:
    """Return the first line of some topics of the run, how many results they have, and what is the matter."""
    some = checked.topics.filter(pl.col("topic").is_in(list(topics)))
    message = pl.format("{}, {}", counted_in("results", "result", "results"), pl.lit(what))
    return some.select("line", "topic", message=message)


def _absent(topics: Iterable[str], message: str) -> pl.DataFrame:
    """Return topics that have no line of their own."""
    rows = [{"topic": topic, "message": message} for topic in topics]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _is_foreign(checked: CheckedRun, assessed: Collection[str]) -> bool:
    return not set(checked.topics["topic"]) & set(assessed)


def _never_assessed(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _is_foreign(checked, assessed):
        return _of_topics(checked, (), "")
    others = set(checked.topics["topic"]) - set(assessed)
    return _of_topics(checked, others, "never assessed")


def _not_answered(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _is_foreign(checked, assessed):
        return _absent((), "")
    answered = set(checked.topics["topic"])
    return _absent((one for one in assessed if one not in answered), "assessed, and no result")


def _no_assessed_topic(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    said = []
    if assessed is not None and _is_foreign(checked, assessed):
        ours, theirs = (", ".join(some[:3]) for some in (checked.run.topics, assessed))
        said = [f"the run has topics such as {ours}, the assessments such as {theirs}"]
    return pl.DataFrame({"message": said}, schema={"message": pl.String})


def _unknown(checked: CheckedRun) -> pl.DataFrame:
    known = checked.around.topics
    others = set() if known is None else set(checked.topics["topic"]) - set(known)
    return _of_topics(checked, others, "not in the topic file")


def _not_tried(checked: CheckedRun) -> pl.DataFrame:
    """Find topics without results; those that were assessed are found by another check."""
    answered = {*checked.topics["topic"], *(checked.around.assessed or ())}
    return _absent((one for one in checked.around.topics or () if one not in answered), "no result")


def _shared_ids(runs: AllRuns) -> pl.DataFrame:
    frame = pl.DataFrame(runs.runs, schema={"id": pl.String, "file": pl.String}, orient="row")
    shared = frame.filter(pl.col("id").is_duplicated())
    message = pl.format("{} runs are called {}", pl.len().over("id"), "id")
    return shared.select("file", message=message)


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R401",
        "note",
        "topic never assessed",
        "The run has results for a topic of which nothing was judged.  They are ignored.",
        "Nothing: campaigns assess fewer topics than they ask.",
        _never_assessed,
    ),
    Check(
        "R402",
        "warning",
        "assessed topic missing from the run",
        "The topic scores 0 for this run; with --topics run it is left out of the means instead.",
        "Run the system on this topic, or say so when comparing.",
        _not_answered,
    ),
    Check(
        "R403",
        "error",
        "no topic of the run was assessed",
        "Run and assessments have no topic in common: there is nothing to score.",
        "Check that both are of the same year, and that topics are named alike (2009001, not 1).",
        _no_assessed_topic,
    ),
    Check(
        "R404",
        "error",
        "topic unknown to the topic file",
        "The run answers a topic that was never asked.",
        "Name all topic files, or mend the topic's id.",
        _unknown,
    ),
    Check(
        "R405",
        "note",
        "topic without results",
        "The topic file has a topic that the run does not answer, and that was not assessed.",
        "Nothing, if the system found nothing.",
        _not_tried,
    ),
)

SET_CHECKS: tuple[Check[AllRuns], ...] = (
    Check(
        "R501",
        "warning",
        "run id shared by several files",
        "Scores name runs by their ids; shared ones become id:file.",
        "Give every run an id of its own.",
        _shared_ids,
    ),
)
