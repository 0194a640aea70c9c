"""How far two sets of assessments agree: in characters, in documents, in entry points, grade by grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assess.scales import Scale, scale_named
from doxel.assessments import Assessments
from doxel.assessments.resolve import resolve
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.spans import Coverage, sums
from doxel.statistics.agreement import (
    category_agreement,
    cohen_kappa,
    confusion,
    observed_agreement,
    shared_part,
)

__all__ = ["Agreement", "agreement"]

_KEY = ["topic", "doc"]
ALL = "all"


@dataclass(frozen=True)
class Agreement:
    """What two assessors have in common, over the documents that both judged.

    ``characters`` has a row a topic, and one for all: topic, documents, both, only_one, only_other, neither
    (characters), shared (of all that any of them marked), f (how likely one marks what the other does),
    kappa, documents_kappa (relevant or not, document by document), bep_distance (mean, in characters).
    ``grades`` has a row a grade: name, grade, one, other, both, agreement.  ``kappas`` gives, for each name
    of a grade, agreement, kappa and quadratically weighted kappa over the elements that both graded.
    ``alone`` counts documents that only one of them judged.  ``documents`` has a row a document: topic, doc,
    both, only_one, only_other, neither (characters), bep_distance, and differing, of how many elements the
    grades differ.  ``differing`` has these grades: topic, doc, path, name, one, other.
    """

    characters: pl.DataFrame
    grades: pl.DataFrame
    kappas: pl.DataFrame
    alone: tuple[int, int]
    documents: pl.DataFrame
    differing: pl.DataFrame


def agreement(one: Assessments, other: Assessments, collection: Collection) -> Agreement:
    """Compare two sets of assessments of one scale."""
    if one.scale != other.scale:
        raise InputError(
            "two sets of assessments", wanted="one scale", found=f"{one.scale} and {other.scale}"
        )
    first, second = resolve(one, collection), resolve(other, collection)
    shared = first.judged.join(second.judged.select(_KEY), on=_KEY, how="inner", maintain_order="left")
    if not shared.height:
        raise InputError("two sets of assessments", wanted="documents that both judged", found="none")
    alone = (first.judged.height - shared.height, second.judged.height - shared.height)
    pairs = shared.select(*_KEY, "docsize").with_row_index("pair")
    grades, kappas, differing = _grades(first, second, pairs)
    documents = _documents(first, second, pairs, differing)
    return Agreement(_characters(documents), grades, kappas, alone, documents, differing)


def _documents(
    first: Assessments, second: Assessments, pairs: pl.DataFrame, differing: pl.DataFrame
) -> pl.DataFrame:
    """Return a row a document; one without known size counts with what is marked in it."""
    covers = [_coverage(one, pairs) for one in (first, second)]
    number = pairs["pair"].cast(pl.Int64).to_numpy()
    one, other = (cover.total(number) for cover in covers)
    inside = covers[0].covered(covers[1].group, covers[1].start, covers[1].end)
    both = sums(covers[1].group, inside, len(number)).astype(np.int64)
    size = np.maximum(pairs["docsize"].fill_null(0).to_numpy(), one + other - both)
    counted = pairs.select(_KEY).with_columns(
        both=pl.Series(both),
        only_one=pl.Series(one - both),
        only_other=pl.Series(other - both),
        neither=pl.Series(size - one - other + both),
        bep_distance=_distances(first, second, pairs),
    )
    elements = differing.group_by(_KEY).agg(differing=pl.col("path").n_unique().cast(pl.Int64))
    return counted.join(elements, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.col("differing").fill_null(0)
    )


def _characters(counted: pl.DataFrame) -> pl.DataFrame:
    """Return a row a topic, and one for all."""
    topics = counted["topic"].unique(maintain_order=True).to_list()
    rows = [_row(topic, counted.filter(pl.col("topic") == topic)) for topic in topics]
    return pl.DataFrame([*rows, _row(ALL, counted)], infer_schema_length=None)


def _coverage(assessments: Assessments, pairs: pl.DataFrame) -> Coverage:
    spans = assessments.highlights.join(pairs, on=_KEY, how="inner").drop_nulls(["start", "end"])
    return Coverage(spans["pair"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())


def _distances(first: Assessments, second: Assessments, pairs: pl.DataFrame) -> pl.Series:
    """Return how far the entry points of each document are apart, null where one of them has none."""
    found = pairs
    for name, one in (("here", first), ("there", second)):
        beps = one.beps.select(*_KEY, pl.col("position").alias(name)).unique(_KEY, keep="first")
        found = found.join(beps, on=_KEY, how="left", maintain_order="left")
    return (found["here"] - found["there"]).abs().cast(pl.Float64).alias("bep_distance")


def _row(topic: str, counted: pl.DataFrame) -> dict[str, object]:
    sum_of = {name: int(counted[name].sum()) for name in ("both", "only_one", "only_other", "neither")}
    table = [[sum_of["neither"], sum_of["only_other"]], [sum_of["only_one"], sum_of["both"]]]
    relevant = [(counted["both"] + counted[name] > 0).cast(pl.Int64) for name in ("only_one", "only_other")]
    by_document = confusion(relevant[0].to_numpy(), relevant[1].to_numpy(), 2)
    return {
        "topic": topic,
        "documents": counted.height,
        **sum_of,
        "shared": shared_part(table),
        "f": float(category_agreement(table)[1]),
        "kappa": cohen_kappa(table),
        "documents_kappa": cohen_kappa(by_document),
        "bep_distance": counted["bep_distance"].mean(),
    }


_GRADES = {
    "name": pl.String,
    "grade": pl.String,
    "one": pl.Int64,
    "other": pl.Int64,
    "both": pl.Int64,
    "agreement": pl.Float64,
}
_DIFFERING = dict.fromkeys((*_KEY, "path", "name", "one", "other"), pl.String)
_KAPPAS = {
    "name": pl.String,
    "elements": pl.Int64,
    "agreement": pl.Float64,
    "kappa": pl.Float64,
    "weighted": pl.Float64,
}


def _grades(
    first: Assessments, second: Assessments, pairs: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return agreement on elements that both graded: per grade, kappas per name of a grade, what differs."""
    differing = pl.DataFrame(schema=_DIFFERING)
    if first.scale == "documents":
        return pl.DataFrame(schema=_GRADES), pl.DataFrame(schema=_KAPPAS), differing
    scale = scale_named(first.scale)
    rows: list[dict[str, object]] = []
    summary: list[dict[str, object]] = []
    for name in scale.grades:
        both = _both_graded(first, second, pairs, scale, name)
        values = len(scale.grades[name])
        table = confusion(both["code"].to_numpy(), both["code_right"].to_numpy(), values)
        differing = differing.vstack(_named_grades(both, scale, name))
        per_grade = category_agreement(table)
        rows += [
            {
                "name": name,
                "grade": grade,
                "one": int(table[place].sum()),
                "other": int(table[:, place].sum()),
                "both": int(table[place, place]),
                "agreement": float(per_grade[place]),
            }
            for place, grade in enumerate(scale.grades[name])
        ]
        summary.append(
            {
                "name": name,
                "elements": int(table.sum()),
                "agreement": observed_agreement(table),
                "kappa": cohen_kappa(table),
                "weighted": cohen_kappa(table, "quadratic"),
            }
        )
    return pl.DataFrame(rows, schema=_GRADES), pl.DataFrame(summary, schema=_KAPPAS), differing


def _both_graded(
    first: Assessments, second: Assessments, pairs: pl.DataFrame, scale: Scale, name: str
) -> pl.DataFrame:
    """Return the elements that both graded, with the places of their grades on the scale."""
    values = scale.grades[name]
    codes = {grade: place for place, grade in enumerate(values)}
    key = [*_KEY, "path"]
    found = [
        one.elements.join(pairs.select(_KEY), on=_KEY, how="semi")
        .select(*key, code=pl.col(name).replace_strict(codes, default=None, return_dtype=pl.Int64))
        .drop_nulls()
        .unique(key, keep="first", maintain_order=True)
        for one in (first, second)
    ]
    return found[0].join(found[1], on=key, how="inner", maintain_order="left")


def _named_grades(both: pl.DataFrame, scale: Scale, name: str) -> pl.DataFrame:
    """Return the elements with different grades, by the names of the grades."""
    names = dict(enumerate(scale.grades[name]))
    grade = {
        side: pl.col(code).replace_strict(names, return_dtype=pl.String)
        for side, code in (("one", "code"), ("other", "code_right"))
    }
    differ = both.filter(pl.col("code") != pl.col("code_right"))
    return differ.select(*_KEY, "path", name=pl.lit(name, dtype=pl.String), **grade)
