"""Checks of a run against the rules of its task, the topic file and the assessments, and of run ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePath

import numpy as np
import polars as pl

from doxel.checks.check_declaration import Check, pluralise_column
from doxel.checks.check_subjects import AllRuns, CheckedRun
from doxel.documents.document_names import NO_DOCUMENT
from doxel.runs.conforming_results import find_conforming_results
from doxel.wording import join_words

__all__ = [
    "RUN_SET_CHECKS",
    "TASK_CHECKS",
    "TOPIC_CHECKS",
    "describe_unassessed_topics",
    "describe_unknown_documents",
]


def _find_missing_task(checked: CheckedRun) -> pl.DataFrame:
    messages = [] if checked.task else ["overlap and order were not checked; pass the task with --task"]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _find_overlap(checked: CheckedRun, task: str) -> pl.DataFrame:
    if checked.task != task:
        return _find_nothing(checked)
    rows = np.flatnonzero(checked.overlapping >= 0)
    partners = checked.results.select("line", "position")[checked.overlapping[rows]]
    message = pl.format(
        "rank {} overlaps rank {} (line {})",
        "position",
        pl.lit(partners["position"]),
        pl.lit(partners["line"].cast(pl.String).fill_null("unknown")),
    )
    return checked.results[rows].select("line", "topic", "doc", message=message)


def _find_nothing(checked: CheckedRun) -> pl.DataFrame:
    return checked.results.clear().select("line", "topic", "doc", message="problem")


def _find_focused_overlap(checked: CheckedRun) -> pl.DataFrame:
    return _find_overlap(checked, "focused")


def _find_in_context_overlap(checked: CheckedRun) -> pl.DataFrame:
    return _find_overlap(checked, "relevant-in-context")


def _find_interleaved(checked: CheckedRun) -> pl.DataFrame:
    """Find places where results of an article follow those of another article that interrupted it."""
    if checked.task != "relevant-in-context":
        return _find_nothing(checked)
    starts_block = pl.col("doc") != pl.col("doc").shift().over("topic")
    blocks = checked.results.filter(starts_block.fill_null(value=True))
    returns = blocks.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} returns to document {}", "position", "doc")
    return returns.select("line", "topic", "doc", message=message)


def _find_several_entry_points(checked: CheckedRun) -> pl.DataFrame:
    if checked.task != "best-in-context":
        return _find_nothing(checked)
    surplus = checked.results.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} is another entry point of {}", "position", "doc")
    return surplus.select("line", "topic", "doc", message=message)


def _find_off_target(checked: CheckedRun) -> pl.DataFrame:
    """Find results that do not match the query of their topic, if structure is interpreted strictly."""
    constraints = checked.around.constraints
    if constraints is None:
        return _find_nothing(checked)
    matches = find_conforming_results(checked.results, constraints, checked.around.collection)
    off_target = checked.results.filter(~matches.fill_null(value=True))
    place = pl.col("path").fill_null("the result")
    message = pl.format("rank {}: {} does not match the query", "position", place)
    return off_target.select("line", "topic", "doc", message=message)


TASK_CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R201",
        "note",
        "no task declared",
        "Only INEX XML can declare a task.  Tasks have different rules, so without a task overlap, "
        "interleaved articles and entry points are not checked.",
        "Pass the task with --task, here and when scoring.",
        _find_missing_task,
    ),
    Check(
        "R202",
        "error",
        "overlap in a Focused run",
        "Two results of a topic share text.  The Focused task does not allow this: iP and MAiP reject such a "
        "run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does this).",
        _find_focused_overlap,
        effect="refuse",
    ),
    Check(
        "R203",
        "error",
        "interleaved articles in Relevant in Context",
        "The results of an article must follow each other, but here another article comes between them.  gP "
        "and MAgP reject such a run.",
        "Group the results by article ('doxel evaluate --on-invalid repair' does this).  If the lines of the "
        "file are grouped and only the ranks are not, use --order file.",
        _find_interleaved,
        effect="refuse",
    ),
    Check(
        "R204",
        "error",
        "overlap in Relevant in Context",
        "Two results of a topic share text.  gP and MAgP reject such a run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does this).",
        _find_in_context_overlap,
        effect="refuse",
    ),
    Check(
        "R205",
        "error",
        "several entry points of a document in Best in Context",
        "The task requires exactly one entry point per document: the best place to start reading.",
        "Keep the first entry point of each document ('doxel evaluate --on-invalid repair' does this).",
        _find_several_entry_points,
        effect="refuse",
    ),
    Check(
        "R206",
        "warning",
        "result off target",
        "Only with --structure: the result does not match the structure of its topic's query.  It keeps its "
        "rank and gains nothing.  A passage matches if the smallest element around it does.",
        "Return elements that the query asks for, or interpret structure vaguely, as a hint.",
        _find_off_target,
    ),
)


def _locate_topics(checked: CheckedRun, topics: Iterable[str], problem: str) -> pl.DataFrame:
    """Return the first line of these topics of the run, with their number of results and the problem."""
    rows = checked.topics.filter(pl.col("topic").is_in(list(topics)))
    message = pl.format("{}, {}", pluralise_column("results", "result", "results"), pl.lit(problem))
    return rows.select("line", "topic", message=message)


def _report_absent_topics(topics: Iterable[str], message: str) -> pl.DataFrame:
    """Return places for topics that do not occur in the file."""
    rows = [{"topic": topic, "message": message} for topic in topics]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _shares_no_topic(checked: CheckedRun, assessed: Collection[str]) -> bool:
    return not set(checked.topics["topic"]) & set(assessed)


def _find_unassessed_topics(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _shares_no_topic(checked, assessed):
        return _locate_topics(checked, (), "")
    unassessed = set(checked.topics["topic"]) - set(assessed)
    return _locate_topics(checked, unassessed, "but the topic was never assessed")


def _find_unanswered_topics(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    if assessed is None or _shares_no_topic(checked, assessed):
        return _report_absent_topics((), "")
    answered = set(checked.topics["topic"])
    unanswered = (topic for topic in assessed if topic not in answered)
    return _report_absent_topics(unanswered, "assessed, but the run has no results")


def _find_disjoint_topics(checked: CheckedRun) -> pl.DataFrame:
    assessed = checked.around.assessed
    messages = []
    if assessed is not None and _shares_no_topic(checked, assessed):
        messages = [describe_unassessed_topics(checked.run.topics, assessed)]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def describe_unassessed_topics(returned: Sequence[str], assessed: Sequence[str]) -> str:
    """Return a sentence with topics of a run and of the assessments, which have none in common.

    >>> describe_unassessed_topics(["1", "2"], ["91"]).split("; ")[0]
    'none of its topics was assessed: the run has topics 1, 2, the assessments have 91'
    """
    return (
        f"none of its topics was assessed: the run has topics {join_words(returned, 3)}, "
        f"the assessments have {join_words(assessed, 3)}; check that the ids match"
    )


def describe_unknown_documents(returned: Sequence[str], judged: Sequence[str]) -> str:
    """Return a sentence with documents of a run and of the assessments, which have none in common.

    It also gives a way to map the ids of the run to those of the assessments; texts alone need a collection.

    >>> describe_unknown_documents(["texts/a.txt"], ["a", "b"]).split("; ")[1].split(" or ")[0]
    'without folder and ending 1 of 1 match: pass the collection of these files (-c, in Python collection=)'
    """
    if set(returned) == {NO_DOCUMENT}:
        return (
            "its results name no documents, and none of their texts was found: pass the documents of the "
            "assessments as a collection (-c, in Python collection=), in which to search the texts"
        )
    judged_ids = set(judged)
    advice = 'map the ids, in Python with {**row, "doc": names[row["doc"]]}'
    for label, attribute in (("without folder", "name"), ("without folder and ending", "stem")):
        matches = sum(getattr(PurePath(doc), attribute) in judged_ids for doc in returned)
        if matches:
            example = f'{{**row, "doc": Path(row["doc"]).{attribute}}}'
            advice = (
                f"{label} {matches:,} of {len(returned):,} match: pass the collection of these files "
                f"(-c, in Python collection=) or map the ids, in Python with {example}"
            )
            break
    return (
        f"none of its documents is in the assessments: the run has {join_words(returned, 3)}, "
        f"the assessments have {join_words(judged, 3)}; {advice}"
    )


def _find_disjoint_documents(checked: CheckedRun) -> pl.DataFrame:
    """Find a run of which no document was judged or is in the collection."""
    assessed, judged = checked.around.assessed, checked.around.judged
    messages = []
    if assessed is not None and judged is not None and not _shares_no_topic(checked, assessed):
        results = checked.results.filter(pl.col("topic").is_in(list(assessed)))
        returned = results["doc"].unique(maintain_order=True)
        if not returned.is_in(judged.implode()).any() and not results["number"].is_not_null().any():
            messages = [describe_unknown_documents(returned.to_list(), judged.to_list())]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _find_unknown_topics(checked: CheckedRun) -> pl.DataFrame:
    topics = checked.around.topics
    unknown = set() if topics is None else set(checked.topics["topic"]) - set(topics)
    return _locate_topics(checked, unknown, "but the topic is not in the topic file")


def _find_topics_without_results(checked: CheckedRun) -> pl.DataFrame:
    """Find topics without results; another check finds those that were assessed."""
    answered = {*checked.topics["topic"], *(checked.around.assessed or ())}
    unanswered = (topic for topic in checked.around.topics or () if topic not in answered)
    return _report_absent_topics(unanswered, "the run has no results")


def _find_shared_ids(runs: AllRuns) -> pl.DataFrame:
    frame = pl.DataFrame(runs.runs, schema={"id": pl.String, "file": pl.String}, orient="row")
    shared = frame.filter(pl.col("id").is_duplicated())
    message = pl.format("{} runs have the id {}", pl.len().over("id"), "id")
    return shared.select("file", message=message)


TOPIC_CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R401",
        "note",
        "topic never assessed",
        "The run has results for a topic for which nothing was judged.  They are ignored.",
        "Nothing to do: campaigns assess fewer topics than they publish.",
        _find_unassessed_topics,
    ),
    Check(
        "R402",
        "warning",
        "assessed topic missing from the run",
        "The run scores 0 for this topic, if there is anything to find; with --topics run the topic is left "
        "out of the means.",
        "Run the system on this topic, or mention the missing topic when comparing runs.",
        _find_unanswered_topics,
    ),
    Check(
        "R403",
        "error",
        "no topic of the run was assessed",
        "The run and the assessments have no topic in common, so there is nothing to score.",
        "Check that both are of the same year and use the same topic ids (such as 2009001, not 1).",
        _find_disjoint_topics,
        effect="refuse",
    ),
    Check(
        "R404",
        "error",
        "topic not in the topic file",
        "The run answers a topic that is not in the topic file.",
        "Pass all topic files, or correct the topic's id.",
        _find_unknown_topics,
    ),
    Check(
        "R405",
        "note",
        "topic without results",
        "The topic file contains a topic that the run does not answer and that was not assessed.",
        "Nothing to do if the system found nothing for this topic.",
        _find_topics_without_results,
    ),
    Check(
        "R406",
        "error",
        "no document of the run is in the assessments",
        "The run and the assessments have no document in common, and no document of the run is in the "
        "collection, if there is one: the ids differ, and every score would be 0.  'doxel evaluate' does not "
        "score such a run, unless --on-mismatch score is given.",
        "Use the same ids in both, such as file names without folder and suffix.",
        _find_disjoint_documents,
        effect="refuse",
    ),
)

RUN_SET_CHECKS: tuple[Check[AllRuns], ...] = (
    Check(
        "R501",
        "warning",
        "run id used in several files",
        "Tables of scores identify runs by their ids; an id that is used twice becomes id:file.",
        "Give every run a unique id.",
        _find_shared_ids,
    ),
)
