"""Checks shared by the writers of assessments: reject rows that a format cannot write correctly."""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.errors import InputError
from doxel.spans import Coverage
from doxel.wording import quote_value

__all__ = ["check_complete", "check_words", "require", "union_sizes"]

_KEY = ["topic", "doc"]


def check_complete(assessments: Assessments, format_name: str) -> None:
    """Reject assessments in which a document is judged twice, or has rows without being judged."""
    problem = f"cannot be written as {format_name}"
    twice = assessments.judged.filter(pl.struct(_KEY).is_duplicated())
    if twice.height:
        wanted = "each document judged once per topic"
        raise InputError(f"{_place(twice)} {problem}", wanted=wanted, found="several judgements")
    for name in ("highlights", "elements", "beps"):
        orphans = getattr(assessments, name).join(assessments.judged, on=_KEY, how="anti", nulls_equal=True)
        if orphans.height:
            wanted = f"a row in judged for each row in {name}"
            raise InputError(f"{_place(orphans)} {problem}", wanted=wanted, found="none")


def check_words(judged: pl.DataFrame, format_name: str) -> None:
    """Reject ids that contain white space, which separates columns."""
    for column in _KEY:
        bad = judged[column].filter(judged[column].fill_null("").str.contains(r"^$|\s"))
        if len(bad):
            problem = f"a {column} cannot be written as {format_name}"
            raise InputError(problem, wanted="an id without white space", found=quote_value(bad[0]))


def require(frame: pl.DataFrame, columns: list[str], format_name: str, label: str, remedy: str) -> None:
    """Reject rows that lack a required column of the format."""
    for column in columns:
        missing = frame.filter(pl.col(column).is_null())
        if missing.height:
            problem = f"{label} of {_place(missing)} cannot be written as {format_name}"
            raise InputError(problem, wanted=f"its {column}; {remedy}", found="none")


def _place(frame: pl.DataFrame) -> str:
    topic, doc = frame.select(_KEY).row(0)
    return f"topic {topic}, document {doc}"


def union_sizes(assessments: Assessments) -> pl.Series:
    """Return the number of highlighted characters of each judged document, each character counted once."""
    group = assessments.judged.select(_KEY).with_row_index("group")
    spans = assessments.highlights.join(group, on=_KEY, how="inner").drop_nulls(["start", "end"])
    coverage = Coverage(spans["group"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())
    return pl.Series("rsize", coverage.total(group["group"].to_numpy()), dtype=pl.Int64)
