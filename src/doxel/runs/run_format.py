"""The declaration of a run format, and the checks that all writers of runs share.

A format is declared once, at the end of the file that reads and writes it.  A writer rejects results that
its format cannot write correctly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from doxel.errors import InputError
from doxel.files.file_format import FileFormat
from doxel.runs.result_order import order_results
from doxel.runs.run import Run
from doxel.wording import quote_value

__all__ = [
    "ResultKind",
    "RunFormat",
    "build_writing_error",
    "check_column_ids",
    "check_ids",
    "check_numbers",
    "check_result_values",
    "complete_ranks",
    "describe_result_kind",
    "fill_missing_ranks",
    "require_result_columns",
]

ResultKind = Literal["span", "point", "element", "range", "quotation", "whole"]
"""How a result gives its place in the collection; "whole" is a whole document."""


@dataclass(frozen=True, kw_only=True)
class RunFormat(FileFormat[Run]):
    """A format of runs; ``result_kinds`` lists the kinds of results that it can express.

    ``combines``: a result may give its place in several ways, such as offsets and a text.
    """

    result_kinds: tuple[ResultKind, ...]
    combines: bool = False


def describe_result_kind(result: dict[str, Any]) -> str:
    """Return the kind of a result in words.

    >>> describe_result_kind(
    ...     {"start": None, "end": None, "path": "/article[1]", "path_end": None, "text": None}
    ... )
    'an element'
    """
    if result["start"] is not None:
        return "an entry point" if result["end"] is None else "a span"
    if result["path"] is not None:
        return "an element" if result["path_end"] is None else "a range"
    return "a whole document" if result["text"] is None else "a quotation"


def build_writing_error(
    run: Run, result: dict[str, Any], *, format_name: str, wanted: str, found: str | None = None
) -> InputError:
    """Return the error for a result that a format cannot express."""
    return InputError(
        f"topic {result['topic']}, document {result['doc']}: a result cannot be written as {format_name}",
        file=run.file,
        line=result.get("line"),
        wanted=wanted,
        found=describe_result_kind(result) if found is None else found,
    )


def require_result_columns(
    run: Run, results: pl.DataFrame, columns: Iterable[str], *, format_name: str, wanted: str
) -> None:
    """Reject a run without results, and results that lack a required column of the format."""
    if not results.height:
        raise InputError(f"run {run.id!r} cannot be written as {format_name}", wanted="results", found="none")
    for column in columns:
        is_missing = results[column].is_null()
        if is_missing.any():
            result = run.results.filter(is_missing).row(0, named=True)
            raise build_writing_error(run, result, format_name=format_name, wanted=wanted)


def check_column_ids(run: Run, results: pl.DataFrame, *, format_name: str) -> None:
    """Reject ids that contain white space, which separates columns."""
    for label, ids in (
        ("run-id", pl.Series([run.id])),
        ("topic", results["topic"]),
        ("document", results["doc"]),
    ):
        distinct = ids.unique(maintain_order=True)
        invalid_ids = distinct.filter(distinct.fill_null("").str.contains(r"^$|[\s\x00-\x1f]|^\x{feff}"))
        if len(invalid_ids):
            problem = f"the {label} cannot be written as {format_name}"
            raise InputError(
                problem, file=run.file, wanted="an id without white space", found=quote_value(invalid_ids[0])
            )


def check_ids(run: Run, results: pl.DataFrame, *, format_name: str) -> None:
    """Reject ids of topics and documents with white space around them, which reading would strip."""
    for column in ("topic", "doc"):
        wanted = "an id without white space around it"
        check_result_values(
            run, results[column], r"(?s)^\S(?:.*\S)?$", format_name=format_name, wanted=wanted
        )


def check_result_values(run: Run, values: pl.Series, pattern: str, *, format_name: str, wanted: str) -> None:
    """Reject values that could not be read back from the file."""
    is_invalid = ~values.str.contains(pattern).fill_null(value=True)
    if is_invalid.any():
        result, value = run.results.filter(is_invalid).row(0, named=True), values.filter(is_invalid)[0]
        raise build_writing_error(
            run, result, format_name=format_name, wanted=wanted, found=quote_value(value)
        )


def check_numbers(run: Run, results: pl.DataFrame, *, format_name: str, finite: bool = False) -> None:
    """Reject an rsv that is not a number or, with ``finite``, is infinite."""
    valid = pl.col("rsv").is_finite() if finite else pl.col("rsv").is_not_nan()
    invalid = results.filter(~valid.fill_null(value=True))
    if invalid.height:
        result = invalid.row(0, named=True)
        wanted = "an rsv that is a number"
        raise build_writing_error(
            run, result, format_name=format_name, wanted=wanted, found=repr(result["rsv"])
        )


def fill_missing_ranks(run: Run, results: pl.DataFrame) -> pl.DataFrame:
    """Return results that all have a rank or an rsv: a topic with neither gets ranks in file order."""
    has_neither = pl.col("rank").is_null() & pl.col("rsv").is_null()
    if not results.select(has_neither.any()).item():
        return results
    lacking = results.filter(has_neither & ~has_neither.all().over("topic")).head(1)
    if lacking.height:
        raise _build_ranking_error(run, lacking, "rank or rsv")
    position = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic")
    return results.with_columns(rank=pl.when(has_neither).then(position).otherwise("rank"))


def complete_ranks(run: Run, results: pl.DataFrame) -> pl.DataFrame:
    """Return results that all have rank and rsv, for formats that require both.

    A topic without ranks is ranked by descending rsv; a topic without rsv gets the negative ranks as
    rsv.  Order and ties do not change.  A topic in which only some results have a rank, or an rsv, is an
    error.
    """
    if not results["rank"].null_count() and not results["rsv"].null_count():
        return results
    for column in ("rank", "rsv"):
        is_missing = pl.col(column).is_null()
        lacking = results.filter(is_missing & ~is_missing.all().over("topic")).head(1)
        if lacking.height:
            raise _build_ranking_error(run, lacking, column)
    ordered = order_results(results.with_row_index("row")).with_columns(rank=pl.coalesce("rank", "position"))
    ordered = ordered.with_columns(rsv=pl.coalesce("rsv", -pl.col("rank").cast(pl.Float64)))
    return ordered.sort("row").drop("row", "position")


def _build_ranking_error(run: Run, lacking: pl.DataFrame, column: str) -> InputError:
    result = lacking.row(0, named=True)
    wanted = f"a {column} for all results of topic {result['topic']}, or for none"
    return InputError("an incomplete ranking", file=run.file, line=result["line"], wanted=wanted)
