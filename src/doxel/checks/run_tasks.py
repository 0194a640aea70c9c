"""Checks of what a task allows: overlap, interleaved articles, one entry point a document."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedRun
from doxel.runs.on_target import on_target

__all__ = ["CHECKS"]


def _no_task(checked: CheckedRun) -> pl.DataFrame:
    said = [] if checked.task else ["its task decides about overlap and order; name it with --task"]
    return pl.DataFrame({"message": said}, schema={"message": pl.String})


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
    """Find where the results of an article go on after those of another."""
    if checked.task != "relevant-in-context":
        return _nothing(checked)
    begins = pl.col("doc") != pl.col("doc").shift().over("topic")
    blocks = checked.results.filter(begins.fill_null(value=True))
    again = blocks.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} goes back to document {}", "position", "doc")
    return again.select("line", "topic", "doc", message=message)


def _several_entry_points(checked: CheckedRun) -> pl.DataFrame:
    if checked.task != "best-in-context":
        return _nothing(checked)
    further = checked.results.filter(~pl.struct("topic", "doc").is_first_distinct())
    message = pl.format("rank {} is a further entry point of {}", "position", "doc")
    return further.select("line", "topic", "doc", message=message)


def _off_target(checked: CheckedRun) -> pl.DataFrame:
    """Find results that do not conform to the query of their topic, if that was asked."""
    constraints = checked.around.constraints
    if constraints is None:
        return _nothing(checked)
    told = on_target(checked.results, constraints, checked.around.collection)
    off = checked.results.filter(~told.fill_null(value=True))
    message = pl.format("rank {}: {} is not asked for", "position", pl.col("path").fill_null("the result"))
    return off.select("line", "topic", "doc", message=message)


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R201",
        "note",
        "no task declared",
        "Only INEX XML can declare a task.  Without one nothing is said about overlap, interleaved articles "
        "and entry points, because tasks differ in what they allow.",
        "Name the task with --task, here and when scoring.",
        _no_task,
    ),
    Check(
        "R202",
        "error",
        "overlap in a Focused run",
        "Two results of a topic share text.  In the Focused task nobody reads a text twice: iP and MAiP "
        "refuse such a run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does that).",
        _focused_overlap,
    ),
    Check(
        "R203",
        "error",
        "interleaved articles in Relevant in Context",
        "The results of an article must follow each other; here another article comes between them.  gP and "
        "MAgP refuse such a run.",
        "Group the results by article ('doxel evaluate --on-invalid repair' does that).  Where the lines of "
        "the file are grouped, and only its ranks are not, name that order with --order file.",
        _interleaved,
    ),
    Check(
        "R204",
        "error",
        "overlap in Relevant in Context",
        "Two results of a topic share text.  gP and MAgP refuse such a run.",
        "Keep the better-ranked of two overlapping results ('doxel evaluate --on-invalid repair' does that).",
        _in_context_overlap,
    ),
    Check(
        "R205",
        "error",
        "several entry points of a document in Best in Context",
        "The task asks for the one best place to start reading a document.",
        "Keep the first entry point of each document ('doxel evaluate --on-invalid repair' does that).",
        _several_entry_points,
    ),
    Check(
        "R206",
        "warning",
        "result off target",
        "Only with --structure: the result does not conform to the structure of its topic's query.  It keeps "
        "its rank and gains nothing.  A passage is what the smallest element around it is.",
        "Return what the query asks for, or take structure vaguely, as a hint.",
        _off_target,
    ),
)
