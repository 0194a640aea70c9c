"""Checks of the assessments against the collection: documents, paths, positions, quotations."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from doxel.assessments.assessments import TABLES
from doxel.assessments.resolve import DIFFERENT_TEXT, NO_POSITION
from doxel.checks.declare import Check
from doxel.checks.run_places import other_fingerprints
from doxel.checks.subjects import CheckedAssessments
from doxel.documents.quotes import NOT_FOUND, SEVERAL
from doxel.runs.resolve import BACKWARDS, OUTSIDE, UNKNOWN_DOCUMENT, UNKNOWN_PATH

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]
_TEXT = pl.col("text").str.slice(0, 60)


def _with_problem(
    tables: tuple[str, ...], problems: tuple[str, ...], message: str
) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds the rows of some tables with some problems of resolving."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        found = [_named(getattr(checked.found, name), problems, message) for name in tables]
        return checked.with_files(pl.concat(found))

    return find


def _named(table: pl.DataFrame, problems: tuple[str, ...], message: str) -> pl.DataFrame:
    said = [pl.format("{} to {}", column, f"{column}_end") for column in ("path",) if "path_end" in table]
    said += [pl.col("path")] if "path" in table else []
    said += [_TEXT] if "text" in table else []
    place = pl.coalesce(*said, "doc")
    bad = table.filter(pl.col("problem").is_in(problems))
    return bad.select("line", *_KEY, message=pl.format(message, place))


def _outside(table: str, end: str) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds positions beyond the end of a document, as declared or in fact."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        rows: pl.DataFrame = getattr(checked.given, table)
        resolved: pl.DataFrame = getattr(checked.found, table)
        placed = resolved.select(*_KEY, "line", "problem", end=rows[end])
        placed = placed.join(checked.files, on=_KEY, how="left", maintain_order="left")
        size = _sizes(checked, placed) if checked.is_resolved else placed["docsize"]
        placed = placed.with_columns(size=size)
        is_outside = pl.col("problem") == OUTSIDE if checked.is_resolved else pl.col("end") > pl.col("size")
        message = pl.format("ends at {}, the document has {} characters", "end", "size")
        return placed.filter(is_outside).select("file", "line", *_KEY, message=message)

    return find


def _sizes(checked: CheckedAssessments, rows: pl.DataFrame) -> pl.Series:
    """Return the characters of the documents of some rows, as the collection has them."""
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
    said = pl.lit(checked.given.about.get("fingerprint"), dtype=pl.String)
    names = judged.select(pl.coalesce("collection", said)).to_series()
    other = judged.select("file", "line", "topic", "doc", other=other_fingerprints(names, ours))
    message = pl.format("judged in {}, this collection is {}", "other", pl.lit(ours))
    first = other.drop_nulls("other").unique(["file", "other"], keep="first", maintain_order=True)
    return first.select("file", "line", message=message)


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A101",
        "error",
        "unknown document",
        "The collection has no document of that name, or several that the reference could mean.  What is "
        "relevant in it cannot be found by any run.",
        "Check that the assessments are of this collection; name documents by id, or by enough of their "
        "path.",
        _with_problem(("judged",), (UNKNOWN_DOCUMENT,), "no document {}"),
    ),
    Check(
        "A102",
        "error",
        "unknown path",
        "The document has no such element, or no such place in a text.",
        "Check that the assessments are of this version of the documents; files of 2006 say with "
        "whitespace-text-node how they count text nodes.",
        _with_problem(tuple(TABLES)[1:], (UNKNOWN_PATH,), "no {}"),
    ),
    Check(
        "A103",
        "error",
        "highlight outside the document",
        "A highlighted passage ends after its document does: as the collection has it, or, without a "
        "collection, as the assessments declare it.",
        "Positions count characters (code points), from 0, not bytes.",
        _outside("highlights", "end"),
    ),
    Check(
        "A104",
        "error",
        "best entry point outside the document",
        "A best entry point lies after the end of its document: as the collection has it, or, without a "
        "collection, as the assessments declare it.",
        "Positions count characters (code points), from 0, not bytes.",
        _outside("beps", "position"),
    ),
    Check(
        "A105",
        "error",
        "quoted text not in the document",
        "The quotation stands nowhere in its document, with or without its white space.",
        "Check that the assessments are of this version of the documents.",
        _with_problem(("highlights",), (NOT_FOUND,), "not found: {}"),
    ),
    Check(
        "A106",
        "error",
        "quoted text at several places",
        "The quotation stands at several places of its document, and what is said of its surroundings does "
        "not decide between them.",
        "Give the position as well, or prefix and suffix, or quote more.",
        _with_problem(("highlights",), (SEVERAL,), "several times: {}"),
    ),
    Check(
        "A107",
        "error",
        "quoted text differs from the text at its position",
        "The highlight has both a position and a quotation, and the document has another text there.",
        "Check that the assessments are of this version of the documents, and that positions count "
        "characters, not bytes or UTF-16 units.",
        _with_problem(("highlights",), (DIFFERENT_TEXT,), "not there: {}"),
    ),
    Check(
        "A108",
        "error",
        "highlight or entry point without a place",
        "It has neither position, path nor quotation, or it ends before it begins.",
        "Give it a place.",
        _with_problem(("highlights", "beps"), (BACKWARDS, NO_POSITION), "{}"),
    ),
    Check(
        "A109",
        "error",
        "made in another collection",
        "The assessments name the fingerprint of a collection, and this one has another: some document was "
        "added, left out or changed.",
        "Use the collection that was assessed ('doxel collection' prints its fingerprint).",
        _other_collection,
    ),
)
