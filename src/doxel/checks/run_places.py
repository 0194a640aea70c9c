"""Checks of where results are: whether the collection has what the run names."""

from __future__ import annotations

import re
from collections.abc import Callable

import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedRun
from doxel.documents.quotes import NOT_FOUND, SEVERAL
from doxel.runs.resolve import BACKWARDS, NOT_THERE, OUTSIDE, UNKNOWN_DOCUMENT, UNKNOWN_PATH

__all__ = ["CHECKS", "other_fingerprints"]

FINGERPRINT = re.compile(r"\b[0-9a-f]{32}\b")

_PLACE = pl.coalesce(
    pl.format("{} to {}", "path", "path_end"), "path", pl.col("text").str.slice(0, 60), pl.lit("it")
)


def _with_problem(problem: str, message: pl.Expr) -> Callable[[CheckedRun], pl.DataFrame]:
    """Return the function that finds the results with a problem of resolving."""

    def find(checked: CheckedRun) -> pl.DataFrame:
        bad = checked.results.filter(pl.col("problem") == problem)
        return bad.select("line", "topic", "doc", message=message)

    return find


def _outside(checked: CheckedRun) -> pl.DataFrame:
    bad = checked.results.filter(pl.col("problem") == OUTSIDE)
    end = pl.coalesce("written_end", "written_start")
    message = pl.format("ends at {}, where no text reaches", end)
    if checked.around.collection is not None:
        characters = checked.around.collection.documents["characters"].gather(bad["number"])
        known = pl.format("ends at {}, the text has {} characters", end, pl.lit(characters))
        message = pl.coalesce(known, message)
    return bad.select("line", "topic", "doc", message=message)


def _other_text(checked: CheckedRun) -> pl.DataFrame:
    """Find spans whose text is not the one that comes with them; each document is read once."""
    collection = checked.around.collection
    both = checked.results.filter(
        pl.col("written_start").is_not_null(),
        pl.col("written_end").is_not_null(),
        pl.col("text").is_not_null(),
        pl.col("problem").is_null(),
        pl.col("number").is_not_null(),
    ).sort("number")
    bad: list[bool] = []
    opened, text = -1, ""
    if collection is not None:
        for number, start, end, quoted in both.select("number", "start", "end", "text").iter_rows():
            if number != opened:
                opened, text = number, collection.text(number)
            bad.append("".join(text[start:end].split()) != "".join(quoted.split()))
    mask = pl.Series(bad, dtype=pl.Boolean) if bad else pl.repeat(value=False, n=both.height, eager=True)
    message = pl.format("{} to {} is not {}", "start", "end", pl.col("text").str.slice(0, 60))
    return both.filter(mask).select("line", "topic", "doc", message=message)


def other_fingerprints(names: pl.Series, fingerprint: str) -> pl.Series:
    """Return, for names of collections, the fingerprints in them that are not this one; else null.

    A fingerprint is 32 hexadecimal digits, which no other name of a collection looks like.
    """
    said = names.str.extract(rf"({FINGERPRINT.pattern})")
    return pl.select(pl.when(said != fingerprint).then(said)).to_series()


def _other_collection(checked: CheckedRun) -> pl.DataFrame:
    about, collection = checked.run.about, checked.around.collection
    said = " ".join(about.get(key, "") for key in ("fingerprint", "collections"))
    ours = "" if collection is None else collection.fingerprint
    others = [one for one in FINGERPRINT.findall(said) if one != ours] if ours else []
    messages = [f"made from {other}, this collection is {ours}" for other in others]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R101",
        "error",
        "unknown document",
        "The collection has no document of that name, or several that the reference could mean.  The "
        "result keeps its rank and counts as not relevant.",
        "Check that the run was made from this collection; name documents by id, or by enough of their path.",
        _with_problem(UNKNOWN_DOCUMENT, pl.format("no document {}", "doc")),
    ),
    Check(
        "R102",
        "error",
        "unknown path",
        "The document has no such element, or no such place in a text.  The result keeps its rank and "
        "counts as not relevant.",
        "Positions count siblings of the same name, from 1; check that the run was made from this "
        "version of the documents.",
        _with_problem(UNKNOWN_PATH, pl.format("no {}", _PLACE)),
    ),
    Check(
        "R103",
        "error",
        "position outside the document",
        "A span or entry point ends after the document does.  Positions count characters (code points) of "
        "the document's text, from 0, not bytes.",
        "Count characters; where the last column is an end and not a length, read with --fol-end.",
        _outside,
    ),
    Check(
        "R104",
        "warning",
        "not found, by the run's own word",
        "An offset of X or -1 says that the system's own passage was not found in the collection.  The "
        "result keeps its rank and counts as not relevant.",
        "Mend the program that turned the system's output into offsets, or accept the loss.",
        _with_problem(NOT_THERE, pl.lit("offset X or -1")),
    ),
    Check(
        "R105",
        "error",
        "quoted text not in the document",
        "The quotation stands nowhere in its document, with or without its white space.",
        "Check that the run was made from this version of the documents, and that texts were not changed.",
        _with_problem(NOT_FOUND, pl.format("not found: {}", pl.col("text").str.slice(0, 60))),
    ),
    Check(
        "R106",
        "error",
        "quoted text at several places",
        "The quotation stands at several places of its document, and nothing says which is meant.",
        "Give start and end as well, or quote more.",
        _with_problem(SEVERAL, pl.format("several times: {}", pl.col("text").str.slice(0, 60))),
    ),
    Check(
        "R107",
        "error",
        "range that ends before it begins",
        "The second path of a range lies before the first.",
        "Give the two ends of the range in document order.",
        _with_problem(BACKWARDS, pl.format("{}", _PLACE)),
    ),
    Check(
        "R108",
        "error",
        "quoted text differs from the text at its position",
        "The result has both a position and a text, and the document has another text there.  The position "
        "is what counts.",
        "Check that the run was made from this version of the documents, and that positions count "
        "characters, not bytes or UTF-16 units.",
        _other_text,
    ),
    Check(
        "R109",
        "error",
        "made from another collection",
        "The header of the run names the fingerprint of a collection, and this one has another: some "
        "document was added, left out or changed.",
        "Use the collection that the run was made from ('doxel collection' prints its fingerprint).",
        _other_collection,
    ),
)
