"""Check assessments against the collection: documents, paths, positions, quotations, declared sizes."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from doxel.alignment.aligner import UNPLACED
from doxel.assessments.assessment_spans import NO_POSITION
from doxel.assessments.assessments import ASSESSMENT_TABLES, measure_highlights
from doxel.assessments.relevant_sizes import compare_sizes
from doxel.checks.check_declaration import Check
from doxel.checks.check_subjects import CheckedAssessments
from doxel.checks.run_place_checks import find_other_fingerprints
from doxel.runs.result_spans import BACKWARDS, OUTSIDE, TEXT_NOT_FOUND, UNKNOWN_DOCUMENT, UNKNOWN_PATH

__all__ = ["PLACE_CHECKS", "SIZE_CHECKS"]

_KEY = ["topic", "doc"]
_TEXT = pl.col("text").str.slice(0, 60)


def _build_problem_finder(
    tables: tuple[str, ...], problems: tuple[str, ...], message: str
) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds the rows of these tables that were not resolved for these reasons."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        places = [_locate_problems(getattr(checked.resolved, name), problems, message) for name in tables]
        return checked.with_files(pl.concat(places))

    return find


def _locate_problems(table: pl.DataFrame, problems: tuple[str, ...], message: str) -> pl.DataFrame:
    names = [pl.format("{} to {}", "path", "path_end")] if "path_end" in table else []
    names += [pl.col("path")] if "path" in table else []
    names += [_TEXT] if "text" in table else []
    place = pl.coalesce(*names, "doc")
    rows = table.filter(pl.col("problem").is_in(problems))
    return rows.select("line", *_KEY, message=pl.format(message, place))


def _build_alignment_finder(is_found: pl.Expr, message: str) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds the quotations that were aligned in a certain way."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        alignments = checked.resolved.alignments
        if alignments is None:
            return checked.original.judged.clear().select("line", *_KEY, message="doc")
        quotations = alignments.filter(is_found).unique("row", keep="first", maintain_order=True)
        return checked.with_files(quotations.select("line", *_KEY, message=pl.format(message, _TEXT)))

    return find


def _build_outside_finder(table: str, end: str) -> Callable[[CheckedAssessments], pl.DataFrame]:
    """Return the function that finds positions after the end of a document, by its declared or true size."""

    def find(checked: CheckedAssessments) -> pl.DataFrame:
        rows: pl.DataFrame = getattr(checked.original, table)
        resolved: pl.DataFrame = getattr(checked.resolved, table).head(rows.height)  # without further pieces
        places = resolved.select(*_KEY, "line", "problem", end=rows[end])
        places = places.join(checked.files, on=_KEY, how="left", maintain_order="left")
        size = _look_up_sizes(checked, places) if checked.is_resolved else places["docsize"]
        places = places.with_columns(size=size)
        is_outside = pl.col("problem") == OUTSIDE if checked.is_resolved else pl.col("end") > pl.col("size")
        message = pl.format("ends at {}, but the document has {} characters", "end", "size")
        return places.filter(is_outside).select("file", "line", *_KEY, message=message)

    return find


def _look_up_sizes(checked: CheckedAssessments, rows: pl.DataFrame) -> pl.Series:
    """Return the size in the collection of the document of each row."""
    numbers = rows.join(
        checked.resolved.judged.select(*_KEY, "number"), on=_KEY, how="left", maintain_order="left"
    )
    if checked.around.collection is None:
        return rows["docsize"]
    return checked.around.collection.documents["characters"].cast(pl.Int64).gather(numbers["number"])


def _find_other_collection(checked: CheckedAssessments) -> pl.DataFrame:
    judged = checked.original.judged
    if checked.around.collection is None:
        return judged.clear().select("file", "line", "topic", "doc", message="doc")
    fingerprint = checked.around.collection.fingerprint
    declared_fingerprint = pl.lit(checked.original.about.get("fingerprint"), dtype=pl.String)
    names = judged.select(pl.coalesce("collection", declared_fingerprint)).to_series()
    places = judged.select("file", "line", "topic", "doc", other=find_other_fingerprints(names, fingerprint))
    message = pl.format("judged in collection {}, but this collection is {}", "other", pl.lit(fingerprint))
    first = places.drop_nulls("other").unique(["file", "other"], keep="first", maintain_order=True)
    return first.select("file", "line", message=message)


PLACE_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A101",
        "error",
        "unknown document",
        "The collection has no document with this name, or several that match it.  No run can find the "
        "relevant text in it.",
        "Check that the assessments belong to this collection; refer to documents by id, or by enough of "
        "their path.",
        _build_problem_finder(("judged",), (UNKNOWN_DOCUMENT,), "no document {}"),
        effect="guess",
    ),
    Check(
        "A102",
        "error",
        "unknown path",
        "The document has no element with this path, or no text at this position of an element.",
        "Check that the assessments belong to this version of the documents; in files of 2006 the attribute "
        "whitespace-text-node determines how text nodes are counted.",
        _build_problem_finder(tuple(ASSESSMENT_TABLES)[1:], (UNKNOWN_PATH,), "not in the document: {}"),
        effect="guess",
    ),
    Check(
        "A103",
        "error",
        "highlight outside the document",
        "A highlighted passage ends after the end of its document.  The size of the document is that in the "
        "collection or, without a collection, that declared in the assessments.",
        "Positions count characters (code points), from 0, not bytes.",
        _build_outside_finder("highlights", "end"),
        effect="guess",
    ),
    Check(
        "A104",
        "error",
        "best entry point outside the document",
        "A best entry point is after the end of its document.  The size of the document is that in the "
        "collection or, without a collection, that declared in the assessments.",
        "Positions count characters (code points), from 0, not bytes.",
        _build_outside_finder("beps", "position"),
        effect="guess",
    ),
    Check(
        "A105",
        "error",
        "quoted text not in the document",
        "The quotation does not occur in its document, even if case, punctuation, mark-up, white space and "
        "small errors are ignored.",
        "Check that the assessments belong to this version of the documents.",
        _build_problem_finder(("highlights",), (TEXT_NOT_FOUND,), "not in the document: {}"),
        effect="guess",
    ),
    Check(
        "A106",
        "warning",
        "quoted text at several places",
        "The quotation occurs several times in its document, and prefix and suffix do not decide which place "
        "is meant.  The first place is taken.",
        "Add the position, or a prefix and suffix, or quote more text.",
        _build_alignment_finder((pl.col("places") > 1) & ~pl.col("is_declared"), "occurs several times: {}"),
        effect="guess",
    ),
    Check(
        "A107",
        "error",
        "quoted text differs from the text at its position",
        "The highlight has both a position and a quotation, and the document has a different text at this "
        "position.  The quotation counts: it is placed where the document has it, as near as possible.",
        "Check that the assessments belong to this version of the documents, and that positions count "
        "characters, not bytes or UTF-16 units.",
        _build_alignment_finder(
            pl.col("is_declared") & ~pl.col("how").is_in(["offsets", UNPLACED]), "not at this position: {}"
        ),
        effect="guess",
    ),
    Check(
        "A108",
        "error",
        "highlight or entry point without a position",
        "It has neither a position nor a path nor a quotation, or it ends before it starts.",
        "Add a position, a path or a quotation, or correct its end.",
        _build_problem_finder(("highlights", "beps"), (BACKWARDS, NO_POSITION), "{}"),
        effect="guess",
    ),
    Check(
        "A109",
        "error",
        "made in another collection",
        "The assessments contain the fingerprint of another collection: documents were added, left out or "
        "changed.",
        "Use the collection that was assessed ('doxel collection' prints its fingerprint).",
        _find_other_collection,
        effect="guess",
    ),
    Check(
        "A110",
        "warning",
        "quoted text found with differences",
        "The document has this quotation only with differences, such as cut or changed words.  The highlight "
        "is the most similar passage.",
        "Quote the text of the document, or add the position.",
        _build_alignment_finder(
            (pl.col("how") == "fuzzy") & ((pl.len().over("row") == 1) | (pl.col("identity") < 1)),
            "differs from the document: {}",
        ),
        effect="guess",
    ),
    Check(
        "A111",
        "note",
        "quoted text of several pieces",
        "The quotation consists of pieces from several places.  Each piece is a highlight.",
        "Nothing to do if the pieces were joined on purpose.",
        _build_alignment_finder(pl.len().over("row") > 1, "consists of several pieces: {}"),
    ),
)


def _compare_passages_with_rsize(checked: CheckedAssessments) -> pl.DataFrame:
    """Compare the declared relevant size of a document with the sum and the union of its passages."""
    assessments = checked.original
    size = pl.col("end") - pl.col("start")
    sums = assessments.relevant_highlights.group_by(_KEY).agg(sum=size.sum(), unknown=size.is_null().any())
    judged = assessments.judged.select("file", "line", *_KEY, "rsize", union=measure_highlights(assessments))
    compared = judged.join(sums, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.col("sum").fill_null(0), pl.col("unknown").fill_null(value=False)
    )
    differs = (pl.col("rsize") != pl.col("sum")) & (pl.col("rsize") != pl.col("union"))
    mismatches = compared.filter(differs & ~pl.col("unknown"))
    message = pl.format("{} characters are declared, but the passages have {}", "rsize", "sum")
    return mismatches.select("file", "line", *_KEY, message=message)


def _compare_declared_with_collection(checked: CheckedAssessments) -> pl.DataFrame:
    collection = checked.around.collection
    if collection is None or not checked.is_resolved:
        return checked.original.judged.clear().select("line", *_KEY, message="doc")
    compared = compare_sizes(checked.resolved, collection)
    # another check compares the relevant size of a document with its passages
    differs = (pl.col("size") != pl.col("size_found")).fill_null(value=False)
    compared = compared.filter(differs | (pl.col("what") != "document"))
    size = pl.format("size {}, found {}", "size", "size_found")
    rsize = pl.format("rsize {}, found {}", "rsize", "rsize_found")
    rsize = pl.when((pl.col("rsize") != pl.col("rsize_found")) & (pl.col("what") != "document")).then(rsize)
    differences = pl.concat_str(pl.when(differs).then(size), rsize, separator="; ", ignore_nulls=True)
    message = pl.format("{} {}: {}", "what", pl.coalesce("path", "doc"), differences)
    return checked.with_files(compared.select("line", *_KEY, message=message))


def _find_impossible_sizes(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.original.elements.filter(pl.col("rsize") > pl.col("size"))
    judged = checked.original.judged.filter(pl.col("rsize") > pl.col("docsize"))
    message = "{}: {} of {} characters are relevant"
    places = [
        elements.select("line", *_KEY, message=pl.format(message, "path", "rsize", "size")),
        judged.select("line", *_KEY, message=pl.format(message, "doc", "rsize", "docsize")),
    ]
    files = checked.original.judged.select(*_KEY, "file")
    return pl.concat(places).join(files, on=_KEY, how="left", maintain_order="left")


SIZE_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A401",
        "warning",
        "relevant size differs from the passages",
        "The declared relevant size of a document (rsize) is neither the sum of the sizes of its passages "
        "nor the size of their union.  With --sizes declared, the declared size counts.",
        "Check whether a passage was lost or cut, or score with --sizes collection.",
        _compare_passages_with_rsize,
    ),
    Check(
        "A402",
        "warning",
        "declared size differs from the collection",
        "The declared size of a document, passage or element, or the relevant size of an element, differs "
        "from the collection.  Old XML exports count bytes, and were off by one until September 2007.",
        "Score with --sizes collection (the default with a collection).  If nearly all sizes differ by a "
        "lot, the assessments belong to another collection.",
        _compare_declared_with_collection,
    ),
    Check(
        "A403",
        "error",
        "more relevant text than text",
        "The declared relevant size is larger than the declared size.",
        "Correct the sizes, or score with --sizes collection.",
        _find_impossible_sizes,
        effect="guess",
    ),
)
