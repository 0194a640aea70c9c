"""What the writers of assessments have in common: they refuse what they could only write wrongly."""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.errors import InputError
from doxel.spans import Coverage
from doxel.wording import shown

__all__ = ["check_complete", "check_words", "require", "union_sizes"]

_KEY = ["topic", "doc"]


def check_complete(assessments: Assessments, format_name: str) -> None:
    """Refuse assessments in which a document is judged twice, or has rows without being judged."""
    what = f"cannot be written as {format_name}"
    twice = assessments.judged.filter(pl.struct(_KEY).is_duplicated())
    if twice.height:
        wanted = "each document judged once for a topic"
        raise InputError(f"{_place(twice)} {what}", wanted=wanted, found="several judgements")
    for name in ("highlights", "elements", "beps"):
        orphans = getattr(assessments, name).join(assessments.judged, on=_KEY, how="anti", nulls_equal=True)
        if orphans.height:
            wanted = f"a row in judged for each row in {name}"
            raise InputError(f"{_place(orphans)} {what}", wanted=wanted, found="none")


def check_words(judged: pl.DataFrame, format_name: str) -> None:
    """Refuse ids with white space in them, which a format in columns cannot keep apart."""
    for column in _KEY:
        bad = judged[column].filter(judged[column].fill_null("").str.contains(r"^$|\s"))
        if len(bad):
            what = f"a {column} cannot be written as {format_name}"
            raise InputError(what, wanted="an id without white space", found=shown(bad[0]))


def require(frame: pl.DataFrame, columns: list[str], format_name: str, what: str, remedy: str) -> None:
    """Refuse rows that lack what the format must have."""
    for column in columns:
        missing = frame.filter(pl.col(column).is_null())
        if missing.height:
            problem = f"{what} of {_place(missing)} cannot be written as {format_name}"
            raise InputError(problem, wanted=f"its {column}; {remedy}", found="none")


def _place(frame: pl.DataFrame) -> str:
    topic, doc = frame.select(_KEY).row(0)
    return f"topic {topic}, document {doc}"


def union_sizes(assessments: Assessments) -> pl.Series:
    """Return for each judged document how many characters are highlighted, each counted once."""
    group = assessments.judged.select(_KEY).with_row_index("group")
    spans = assessments.highlights.join(group, on=_KEY, how="inner").drop_nulls(["start", "end"])
    coverage = Coverage(spans["group"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())
    return pl.Series("rsize", coverage.total(group["group"].to_numpy()), dtype=pl.Int64)
