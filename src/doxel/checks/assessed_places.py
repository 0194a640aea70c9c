"""Checks of the assessments against the collection: documents, paths, positions, quotations."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from doxel.assessments.assessment_spans import DIFFERENT_TEXT, NO_POSITION
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.checks.declare import Check
from doxel.checks.run_places import other_fingerprints
from doxel.checks.subjects import CheckedAssessments
from doxel.documents.quotations import QUOTE_AMBIGUOUS, QUOTE_NOT_FOUND
from doxel.runs.result_spans import BACKWARDS, OUTSIDE, UNKNOWN_DOCUMENT, UNKNOWN_PATH

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]
_TEXT = pl.col("text").str.slice(0, 60)


def _with_problem(
    tables: tuple[str, ...], problems: tuple[str, ...], message: str
) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds the rows of these tables that were not resolved for these reasons."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        places = [_named(getattr(checked.found, name), problems, message) for name in tables]
        return checked.with_files(pl.concat(places))

    return find


def _named(table: pl.DataFrame, problems: tuple[str, ...], message: str) -> pl.DataFrame:
    names = [pl.format("{} to {}", "path", "path_end")] if "path_end" in table else []
    names += [pl.col("path")] if "path" in table else []
    names += [_TEXT] if "text" in table else []
    place = pl.coalesce(*names, "doc")
    bad = table.filter(pl.col("problem").is_in(problems))
    return bad.select("line", *_KEY, message=pl.format(message, place))


def _outside(table: str, end: str) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds positions after the end of a document, by its declared or true size."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        rows: pl.DataFrame = getattr(checked.given, table)
        resolved: pl.DataFrame = getattr(checked.found, table)
        places = resolved.select(*_KEY, "line", "problem", end=rows[end])
        places = places.join(checked.files, on=_KEY, how="left", maintain_order="left")
        size = _sizes(checked, places) if checked.is_resolved else places["docsize"]
        places = places.with_columns(size=size)
        is_outside = pl.col("problem") == OUTSIDE if checked.is_resolved else pl.col("end") > pl.col("size")
        message = pl.format("ends at {}, but the document has {} characters", "end", "size")
        return places.filter(is_outside).select("file", "line", *_KEY, message=message)

    return find


def _sizes(checked: CheckedAssessments, rows: pl.DataFrame) -> pl.Series:
    """Return the size in the collection of the document of each row."""
    numbers = rows.join(
        checked.found.judged.select(*_KEY, "number"), on=_KEY, how="left", maintain_order="left"
    )
    if checked.around.collection is None:
        return rows["docsize"]
    return checked.around.collection.documents["characters"].cast(pl.Int64).gather(numbers["number"])


def _other_collection(checked: CheckedAssessments) -> pl.DataFrame:
    judged = checked.given.judged
    if checked.around.collection is None:
        return judged.clear().select("file", "line", "topic", "doc", message="doc")
    ours = checked.around.collection.fingerprint
    declared = pl.lit(checked.given.about.get("fingerprint"), dtype=pl.String)
    names = judged.select(pl.coalesce("collection", declared)).to_series()
    other = judged.select("file", "line", "topic", "doc", other=other_fingerprints(names, ours))
    message = pl.format("judged in collection {}, but this collection is {}", "other", pl.lit(ours))
    first = other.drop_nulls("other").unique(["file", "other"], keep="first", maintain_order=True)
    return first.select("file", "line", message=message)


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A101",
        "error",
        "unknown document",
        "The collection has no document with this name, or several that match it.  No run can find the "
        "relevant text in it.",
        "Check that the assessments belong to this collection; refer to documents by id, or by enough of "
        "their path.",
        _with_problem(("judged",), (UNKNOWN_DOCUMENT,), "no document {}"),
    ),
    Check(
        "A102",
        "error",
        "unknown path",
        "The document has no element with this path, or no text at this position of an element.",
        "Check that the assessments belong to this version of the documents; in files of 2006 the attribute "
        "whitespace-text-node determines how text nodes are counted.",
        _with_problem(tuple(ASSESSMENT_TABLES)[1:], (UNKNOWN_PATH,), "not in the document: {}"),
    ),
    Check(
        "A103",
        "error",
        "highlight outside the document",
        "A highlighted passage ends after the end of its document.  The size of the document is that in the "
        "collection or, without a collection, that declared in the assessments.",
        "Positions count characters (code points), from 0, not bytes.",
        _outside("highlights", "end"),
    ),
    Check(
        "A104",
        "error",
        "best entry point outside the document",
        "A best entry point is after the end of its document.  The size of the document is that in the "
        "collection or, without a collection, that declared in the assessments.",
        "Positions count characters (code points), from 0, not bytes.",
        _outside("beps", "position"),
    ),
    Check(
        "A105",
        "error",
        "quoted text not in the document",
        "The quotation does not occur in its document, even if white space is ignored.",
        "Check that the assessments belong to this version of the documents.",
        _with_problem(("highlights",), (QUOTE_NOT_FOUND,), "not in the document: {}"),
    ),
    Check(
        "A106",
        "error",
        "quoted text at several places",
        "The quotation occurs several times in its document, and prefix and suffix do not decide which place "
        "is meant.",
        "Add the position, or a prefix and suffix, or quote more text.",
        _with_problem(("highlights",), (QUOTE_AMBIGUOUS,), "occurs several times: {}"),
    ),
    Check(
        "A107",
        "error",
        "quoted text differs from the text at its position",
        "The highlight has both a position and a quotation, and the document has a different text at this "
        "position.",
        "Check that the assessments belong to this version of the documents, and that positions count "
        "characters, not bytes or UTF-16 units.",
        _with_problem(("highlights",), (DIFFERENT_TEXT,), "not at this position: {}"),
    ),
    Check(
        "A108",
        "error",
        "highlight or entry point without a position",
        "It has neither a position nor a path nor a quotation, or it ends before it starts.",
        "Add a position, a path or a quotation, or correct its end.",
        _with_problem(("highlights", "beps"), (BACKWARDS, NO_POSITION), "{}"),
    ),
    Check(
        "A109",
        "error",
        "made in another collection",
        "The assessments contain the fingerprint of another collection: documents were added, left out or "
        "changed.",
        "Use the collection that was assessed ('doxel collection' prints its fingerprint).",
        _other_collection,
    ),
)
