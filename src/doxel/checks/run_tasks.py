"""Checks of the rules of a task: overlap, interleaved articles, one entry point per document."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedRun
from doxel.runs.conforming_results import find_conforming_results

__all__ = ["CHECKS"]


def _no_task(checked: CheckedRun) -> pl.DataFrame:
    messages = [] if checked.task else ["overlap and order were not checked; pass the task with --task"]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _overlapping(checked: CheckedRun, task: str) -> pl.DataFrame:
    if checked.task != task:
        return _nothing(checked)
    rows = np.flatnonzero(checked.overlapping >= 0)
    other = checked.results.select("line", "position")[checked.overlapping[rows]]
    message = pl.format(
        "rank {} overlaps rank {} (line {})",
        "position",
        pl.lit(other["position"]),
        pl.lit(other["line"].cast(pl.String).fill_null("unknown")),
    )
    return checked.results[rows].select("line", "topic", "doc", message=message)


def _nothing(checked: CheckedRun) -> pl.DataFrame:
    return checked.results.clear().select("line", "topic", "doc", message="problem")


def _focused_overlap(checked: CheckedRun) -> pl.DataFrame:
    return _overlapping(checked, "focused")


def _in_context_overlap(checked: CheckedRun) -> pl.DataFrame:
    return _overlapping(checked, "relevant-in-context")


def _interleaved(checked: CheckedRun) -> pl.DataFrame:
    """Find places where results of an article follow those of another article that interrupted it."""
    if checked.task != "relevant-in-context":
        return _nothing(checked)
    starts_block = pl.col("doc") != pl.col("doc").shift().over("topic")
    blocks = checked.results.filter(starts_block.fill_null(value=True))
    returns = blocks.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} returns to document {}", "position", "doc")
    return returns.select("line", "topic", "doc", message=message)


def _several_entry_points(checked: CheckedRun) -> pl.DataFrame:
    if checked.task != "best-in-context":
        return _nothing(checked)
    surplus = checked.results.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} is another entry point of {}", "position", "doc")
    return surplus.select("line", "topic", "doc", message=message)


def _off_target(checked: CheckedRun) -> pl.DataFrame:
    """Find results that do not match the query of their topic, if structure is interpreted strictly."""
    constraints = checked.around.constraints
    if constraints is None:
        return _nothing(checked)
    matches = find_conforming_results(checked.results, constraints, checked.around.collection)
    off_target = checked.results.filter(~matches.fill_null(value=True))
    place = pl.col("path").fill_null("the result")
    message = pl.format("rank {}: {} does not match the query", "position", place)
    return off_target.select("line", "topic", "doc", message=message)


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R201",
        "note",
        "no task declared",
        "Only INEX XML can declare a task.  Tasks have different rules, so without a task overlap, "
        "interleaved articles and entry points are not checked.",
        "Pass the task with --task, here and when scoring.",
        _no_task,
    ),
    Check(
        "R202",
        "error",
        "overlap in a Focused run",
        "Two results of a topic share text.  The Focused task does not allow this: iP and MAiP reject such a "
        "run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does this).",
        _focused_overlap,
    ),
    Check(
        "R203",
        "error",
        "interleaved articles in Relevant in Context",
        "The results of an article must follow each other, but here another article comes between them.  gP "
        "and MAgP reject such a run.",
        "Group the results by article ('doxel evaluate --on-invalid repair' does this).  If the lines of the "
        "file are grouped and only the ranks are not, use --order file.",
        _interleaved,
    ),
    Check(
        "R204",
        "error",
        "overlap in Relevant in Context",
        "Two results of a topic share text.  gP and MAgP reject such a run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does this).",
        _in_context_overlap,
    ),
    Check(
        "R205",
        "error",
        "several entry points of a document in Best in Context",
        "The task requires exactly one entry point per document: the best place to start reading.",
        "Keep the first entry point of each document ('doxel evaluate --on-invalid repair' does this).",
        _several_entry_points,
    ),
    Check(
        "R206",
        "warning",
        "result off target",
        "Only with --structure: the result does not match the structure of its topic's query.  It keeps its "
        "rank and gains nothing.  A passage matches if the smallest element around it does.",
        "Return elements that the query asks for, or interpret structure vaguely, as a hint.",
        _off_target,
    ),
)
