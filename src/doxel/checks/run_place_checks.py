"""Checks of the places of results: documents, paths, positions and texts against the collection."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from doxel.checks.check_declaration import Check
from doxel.checks.check_subjects import CheckedRun
from doxel.runs.result_spans import (
    BACKWARDS,
    NOT_IN_COLLECTION,
    OUTSIDE,
    TEXT_NOT_FOUND,
    UNKNOWN_DOCUMENT,
    UNKNOWN_PATH,
    is_ambiguous,
)
from doxel.runs.run import FINGERPRINT

__all__ = ["RUN_PLACE_CHECKS", "find_other_fingerprints"]

_TEXT = pl.col("text").str.slice(0, 60)
_NOT_FOUND = (
    pl.when(_TEXT.str.strip_chars() == "")
    .then(pl.lit("the text is empty"))
    .otherwise(pl.format("not in the document: {}", _TEXT))
)
_PLACE = pl.coalesce(pl.format("{} to {}", "path", "path_end"), "path", _TEXT, pl.lit("it"))


def _build_problem_finder(problem: str, message: pl.Expr) -> Callable[[CheckedRun], pl.DataFrame]:
    """Return the function that finds the results that could not be resolved for this reason."""

    def find(checked: CheckedRun) -> pl.DataFrame:
        results = checked.results.filter(pl.col("problem") == problem)
        return results.select("line", "topic", "doc", message=message)

    return find


def _find_outside(checked: CheckedRun) -> pl.DataFrame:
    results = checked.results.filter(pl.col("problem") == OUTSIDE)
    end = pl.coalesce("written_end", "written_start")
    message = pl.format("ends at {}, after the end of any document", end)
    if checked.around.collection is not None:
        characters = checked.around.collection.documents["characters"].gather(results["number"])
        with_size = pl.format("ends at {}, but the document has {} characters", end, pl.lit(characters))
        message = pl.coalesce(with_size, message)
    return results.select("line", "topic", "doc", message=message)


def _find_different_text(checked: CheckedRun) -> pl.DataFrame:
    """Find results whose text differs from the document at their offsets, and was found elsewhere."""
    piece = pl.col("pieces").list.first().struct
    is_moved = piece.field("is_declared") & (piece.field("how") != "offsets") & pl.col("problem").is_null()
    message = pl.format(
        "the text from {} to {} differs from the quotation: {}", "written_start", "written_end", _TEXT
    )
    results = checked.results.filter(is_moved.fill_null(value=False) & pl.col("written_end").is_not_null())
    return results.select("line", "topic", "doc", message=message)


def _find_ambiguous_text(checked: CheckedRun) -> pl.DataFrame:
    results = checked.results.filter(is_ambiguous().fill_null(value=False))
    return results.select("line", "topic", "doc", message=pl.format("occurs several times: {}", _TEXT))


def _find_changed_text(checked: CheckedRun) -> pl.DataFrame:
    piece, is_single = pl.element().struct, pl.col("pieces").list.len() == 1
    is_fuzzy = pl.col("pieces").list.eval(piece.field("how") == "fuzzy").list.any()
    differs = pl.col("pieces").list.eval(piece.field("identity") < 1).list.any()
    results = checked.results.filter((is_fuzzy & (is_single | differs)).fill_null(value=False))
    return results.select("line", "topic", "doc", message=pl.format("differs from the document: {}", _TEXT))


def _find_joined_text(checked: CheckedRun) -> pl.DataFrame:
    results = checked.results.filter(pl.col("pieces").list.len() > 1)
    return results.select(
        "line", "topic", "doc", message=pl.format("{} pieces: {}", pl.col("pieces").list.len(), _TEXT)
    )


def find_other_fingerprints(names: pl.Series, fingerprint: str) -> pl.Series:
    """Return, for each name of a collection, the fingerprint in it if it differs from this one, else null.

    A fingerprint is 32 hexadecimal digits, so it cannot be confused with other names of collections.
    """
    extracted = names.str.extract(rf"({FINGERPRINT.pattern})")
    return pl.select(pl.when(extracted != fingerprint).then(extracted)).to_series()


def _find_other_collection(checked: CheckedRun) -> pl.DataFrame:
    collection = checked.around.collection
    ours = None if collection is None else collection.fingerprint
    messages = [
        f"made from collection {fingerprint}, but this collection is {ours}"
        for fingerprint in checked.run.fingerprints
        if ours not in {None, fingerprint}
    ]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


RUN_PLACE_CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R101",
        "error",
        "unknown document",
        "The collection has no document with this name, or several that match it.  The result keeps its rank "
        "and counts as not relevant.",
        "Check that the run was made from this collection; refer to documents by id, or by enough of their "
        "path.",
        _build_problem_finder(UNKNOWN_DOCUMENT, pl.format("no document {}", "doc")),
        effect="guess",
    ),
    Check(
        "R102",
        "error",
        "unknown path",
        "The document has no element with this path, or no text at this position of an element.  The result "
        "keeps its rank and counts as not relevant.",
        "Numbers in paths count siblings with the same name, from 1.  Check that the run was made from this "
        "version of the documents.",
        _build_problem_finder(UNKNOWN_PATH, pl.format("not in the document: {}", _PLACE)),
        effect="guess",
    ),
    Check(
        "R103",
        "error",
        "position outside the document",
        "A span or entry point ends after the end of the document.  Positions count characters (code points) "
        "of the document's text, from 0, not bytes.",
        "Count characters; if the last column is an end instead of a length, use --fol-end.",
        _find_outside,
        effect="guess",
    ),
    Check(
        "R104",
        "warning",
        "result without an offset",
        "An offset of X or -1 means that the passage was not found when the run was converted to offsets.  "
        "The result keeps its rank and counts as not relevant.",
        "Correct the program that converted the system's output to offsets, or accept the loss.",
        _build_problem_finder(NOT_IN_COLLECTION, pl.lit("the offset is X or -1")),
    ),
    Check(
        "R105",
        "error",
        "quoted text not in the document",
        "The quotation does not occur in its document, even if case, punctuation, mark-up, white space and "
        "small errors are ignored, or it is empty.  The result keeps its rank and counts as not relevant.",
        "Check that the run was made from this version of the documents, and that texts were not changed.",
        _build_problem_finder(TEXT_NOT_FOUND, _NOT_FOUND),
        effect="guess",
    ),
    Check(
        "R106",
        "warning",
        "quoted text at several places",
        "The quotation occurs several times in its document, or in the collection if its document is "
        "unknown.  The first place is taken.",
        "Add start and end, or quote more text.",
        _find_ambiguous_text,
        effect="guess",
    ),
    Check(
        "R107",
        "error",
        "range that ends before it starts",
        "The second path of a range precedes the first in the document.",
        "Write the two ends of the range in document order.",
        _build_problem_finder(BACKWARDS, pl.format("{}", _PLACE)),
        effect="guess",
    ),
    Check(
        "R108",
        "error",
        "quoted text differs from the text at its position",
        "The result has both a position and a text, and the document has a different text at this position.  "
        "The text counts: the result is placed where the document has it, as near as possible.",
        "Check that the run was made from this version of the documents, and that positions count "
        "characters, not bytes or UTF-16 units.",
        _find_different_text,
        effect="guess",
    ),
    Check(
        "R109",
        "error",
        "made from another collection",
        "The header of the run contains the fingerprint of another collection: documents were added, left "
        "out or changed.",
        "Use the collection from which the run was made ('doxel collection' prints its fingerprint).",
        _find_other_collection,
        effect="guess",
    ),
    Check(
        "R110",
        "warning",
        "text found with differences",
        "The document has this text only with differences, such as cut or changed words.  The result is the "
        "most similar passage.",
        "Nothing to do if the text was changed on purpose; otherwise give start and end.",
        _find_changed_text,
        effect="guess",
    ),
    Check(
        "R111",
        "note",
        "text of several pieces",
        "The text consists of pieces from several places.  They count as one result.",
        "Nothing to do if the pieces were joined on purpose.",
        _find_joined_text,
    ),
)
