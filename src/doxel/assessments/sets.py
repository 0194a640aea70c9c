"""Several files of assessments as one set, in which a document is judged once for a topic.

A campaign's folder holds one file a topic and pool.  Two pools of one topic complement each other;
where both judge the same document, either they agree in everything, and the judgement counts once, or
someone has to decide: reading refuses, and names both places.  (INEX keeps the pools of second
assessors in folders named ``others``, beside ``main``: compare them, but score with one of the two.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from doxel.assessments.assessments import TABLES, Assessments
from doxel.errors import InputError
from doxel.wording import counted

__all__ = ["combine"]

_KEY = ["topic", "doc"]
_PLACE = ["file_number", *_KEY]


def combine(parts: Sequence[Assessments]) -> Assessments:
    """Return one set of assessments made of several, or of one that may judge a document twice."""
    scale, parts = _one_scale(parts)
    tables = {
        name: pl.concat(
            [
                getattr(part, name).with_columns(file_number=pl.lit(number, dtype=pl.UInt32))
                for number, part in enumerate(parts)
            ]
        )
        for name in TABLES
    }
    tables, repeats = _without_repeats(tables)
    twice = counted(
        repeats,
        "judgement stands there twice, word for word, and counts once",
        "judgements stand there twice, word for word, and count once",
    )
    notes = [twice] if repeats else []
    formats = {part.format for part in parts}
    return Assessments(
        scale=scale,
        **{name: table.drop("file_number") for name, table in tables.items()},
        file=parts[0].file if len(parts) == 1 else None,
        format=formats.pop() if len(formats) == 1 else None,
        about=_about(parts),
        notes=(*(note for part in parts for note in part.notes), *notes),
    )


def _one_scale(parts: Sequence[Assessments]) -> tuple[str, Sequence[Assessments]]:
    """Return the scale of all parts; a file in which nothing is relevant says little about its own."""
    telling = [part for part in parts if _tells_scale(part)] or list(parts[:1])
    other = next((part for part in telling if part.scale != telling[0].scale), None)
    if other is not None:
        raise InputError(
            "assessments of two scales cannot be one set",
            file=other.file,
            wanted=f"scale {telling[0].scale} as in {telling[0].file}",
            found=f"scale {other.scale}",
        )
    formats = {part.format for part in telling}
    common = formats.pop() if len(formats) == 1 else None
    parts = [part if _tells_scale(part) or common is None else replace(part, format=common) for part in parts]
    return telling[0].scale, parts


def _tells_scale(part: Assessments) -> bool:
    return part.scale == "documents" or any(
        getattr(part, name).height for name in ("highlights", "elements", "beps")
    )


def _about(parts: Sequence[Assessments]) -> dict[str, str]:
    about: dict[str, str] = {}
    for part in parts:
        for key, value in part.about.items():
            known = about.setdefault(key, value)
            if known == value:
                continue
            if key == "whitespace-text-node":  # it decides which text node a path names
                problem = f"the files of one set differ in {key}"
                raise InputError(problem, file=part.file, wanted=repr(known), found=repr(value))
            about[key] = known if value in known.split(", ") else f"{known}, {value}"
    return about


def _without_repeats(tables: dict[str, pl.DataFrame]) -> tuple[dict[str, pl.DataFrame], int]:
    """Drop judgements that repeat another in everything; refuse those that only name the same document."""
    judged = tables["judged"]
    repeated = judged.filter(pl.struct(_KEY).is_duplicated()).with_row_index("judgement")
    if not repeated.height:
        return tables, 0
    owned = {name: _owned(table, repeated) for name, table in tables.items()}
    contents: dict[int, list[object]] = {row: [] for row in repeated["judgement"]}
    for name, rows in owned.items():
        plain = rows.drop("row", "file", "line", "file_number", strict=False)
        for row, *values in plain.select("judgement", pl.exclude("judgement")).iter_rows():
            contents[row].append((name, *values))
    first: dict[tuple[str, str], int] = {}
    superfluous: list[int] = []
    for row, topic, doc in repeated.select("judgement", *_KEY).iter_rows():
        other = first.setdefault((topic, doc), row)
        if other == row:
            continue
        if sorted(map(repr, contents[row])) != sorted(map(repr, contents[other])):
            raise _twice(repeated, other, row)
        superfluous.append(row)
    kept = {
        name: table.filter(
            ~pl.int_range(pl.len()).is_in(
                owned[name].filter(pl.col("judgement").is_in(superfluous))["row"].implode()
            )
        )
        for name, table in tables.items()
    }
    return kept, len(superfluous)


def _owned(table: pl.DataFrame, repeated: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that belong to repeated judgements, each with the judgement it stands under."""
    known = pl.col("line").fill_null(0)  # JSON without line numbers: then a file judges a document once
    owners = repeated.select("judgement", *_PLACE, known).sort("line")
    return (
        table.with_columns(known, row=pl.int_range(pl.len(), dtype=pl.Int64))
        .join(repeated.select(_PLACE).unique(), on=_PLACE, how="semi")
        .sort("line", maintain_order=True)
        .join_asof(owners, on="line", by=_PLACE, strategy="backward", check_sortedness=False)
    )


def _twice(repeated: pl.DataFrame, other: int, row: int) -> InputError:
    topic, doc, file, line = repeated.select(*_KEY, "file", "line").row(row)
    there, where = repeated.select("file", "line").row(other)
    return InputError(
        f"topic {topic}, document {doc} judged a second time, and differently",
        file=file,
        line=line,
        wanted="one judgement a topic and document; name only the files or folders to score with",
        found=f"the first in {there}, line {where}",
    )
