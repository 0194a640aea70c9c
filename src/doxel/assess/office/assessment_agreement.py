"""Agreement of two sets of assessments: on characters, documents, best entry points and grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assess.scales import Scale, find_scale
from doxel.assessments import Assessments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.spans import Coverage, sum_by_group
from doxel.statistics.category_agreement import (
    build_confusion_table,
    compute_category_agreement,
    compute_cohen_kappa,
    compute_jaccard,
    compute_observed_agreement,
)

__all__ = ["AssessorAgreement", "compare_assessors"]

_KEY = ["topic", "doc"]
ALL_TOPICS = "all"


@dataclass(frozen=True)
class AssessorAgreement:
    """The agreement of two assessors on the documents that both judged.

    ``characters`` has one row per topic and one for all: topic, documents, both, only_one, only_other,
    neither (characters), shared (the share of all marked characters that both marked), f (the probability
    that one marks what the other does), kappa, documents_kappa (documents as relevant or not) and
    bep_distance (mean, in characters).  ``grades`` has one row per grade: name, grade, one, other, both,
    agreement.  ``kappas`` has one row per name of a grade: agreement, kappa and quadratically weighted kappa
    over the elements that both graded.  ``alone`` counts the documents that only one of them judged.
    ``documents`` has one row per document: topic, doc, both, only_one, only_other, neither (characters),
    bep_distance, and differing, the number of elements with different grades.  ``differing`` lists those
    grades: topic, doc, path, name, one, other.
    """

    characters: pl.DataFrame
    grades: pl.DataFrame
    kappas: pl.DataFrame
    alone: tuple[int, int]
    documents: pl.DataFrame
    differing: pl.DataFrame


def compare_assessors(
    assessments: Assessments, other: Assessments, collection: Collection
) -> AssessorAgreement:
    """Compare two sets of assessments, which must have the same scale."""
    if assessments.scale != other.scale:
        raise InputError(
            "two sets of assessments", wanted="the same scale", found=f"{assessments.scale} and {other.scale}"
        )
    first, second = resolve_assessments(assessments, collection), resolve_assessments(other, collection)
    shared = first.judged.join(second.judged.select(_KEY), on=_KEY, how="inner", maintain_order="left")
    if not shared.height:
        raise InputError("two sets of assessments", wanted="documents that both judged", found="none")
    alone = (first.judged.height - shared.height, second.judged.height - shared.height)
    pairs = shared.select(*_KEY, "docsize").with_row_index("pair")
    grades, kappas, differing = _compare_grades(first, second, pairs)
    documents = _compare_documents(first, second, pairs, differing)
    return AssessorAgreement(_summarise_topics(documents), grades, kappas, alone, documents, differing)


def _compare_documents(
    first: Assessments, second: Assessments, pairs: pl.DataFrame, differing: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per document; the size of a document of unknown size is that of its marked text."""
    covers = [_build_coverage(assessments, pairs) for assessments in (first, second)]
    number = pairs["pair"].cast(pl.Int64).to_numpy()
    first_marked, second_marked = (cover.total(number) for cover in covers)
    overlaps = covers[0].covered(covers[1].group, covers[1].start, covers[1].end)
    common = sum_by_group(covers[1].group, overlaps, len(number)).astype(np.int64)
    size = np.maximum(pairs["docsize"].fill_null(0).to_numpy(), first_marked + second_marked - common)
    counts = pairs.select(_KEY).with_columns(
        both=pl.Series(common),
        only_one=pl.Series(first_marked - common),
        only_other=pl.Series(second_marked - common),
        neither=pl.Series(size - first_marked - second_marked + common),
        bep_distance=_measure_distances(first, second, pairs),
    )
    elements = differing.group_by(_KEY).agg(differing=pl.col("path").n_unique().cast(pl.Int64))
    return counts.join(elements, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.col("differing").fill_null(0)
    )


def _summarise_topics(documents: pl.DataFrame) -> pl.DataFrame:
    """Return one row per topic, and one for all."""
    topics = documents["topic"].unique(maintain_order=True).to_list()
    rows = [_summarise_documents(topic, documents.filter(pl.col("topic") == topic)) for topic in topics]
    return pl.DataFrame([*rows, _summarise_documents(ALL_TOPICS, documents)], infer_schema_length=None)


def _build_coverage(assessments: Assessments, pairs: pl.DataFrame) -> Coverage:
    spans = assessments.relevant_highlights.join(pairs, on=_KEY, how="inner").drop_nulls(["start", "end"])
    return Coverage(spans["pair"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())


def _measure_distances(first: Assessments, second: Assessments, pairs: pl.DataFrame) -> pl.Series:
    """Return the distance between the two entry points of each document, null where one is missing."""
    table = pairs
    for name, assessments in (("first", first), ("second", second)):
        beps = assessments.beps.select(*_KEY, pl.col("position").alias(name)).unique(_KEY, keep="first")
        table = table.join(beps, on=_KEY, how="left", maintain_order="left")
    return (table["first"] - table["second"]).abs().cast(pl.Float64).alias("bep_distance")


def _summarise_documents(topic: str, documents: pl.DataFrame) -> dict[str, object]:
    sum_of = {name: int(documents[name].sum()) for name in ("both", "only_one", "only_other", "neither")}
    table = [[sum_of["neither"], sum_of["only_other"]], [sum_of["only_one"], sum_of["both"]]]
    relevant = [
        (documents["both"] + documents[name] > 0).cast(pl.Int64) for name in ("only_one", "only_other")
    ]
    by_document = build_confusion_table(relevant[0].to_numpy(), relevant[1].to_numpy(), 2)
    return {
        "topic": topic,
        "documents": documents.height,
        **sum_of,
        "shared": compute_jaccard(table),
        "f": float(compute_category_agreement(table)[1]),
        "kappa": compute_cohen_kappa(table),
        "documents_kappa": compute_cohen_kappa(by_document),
        "bep_distance": documents["bep_distance"].mean(),
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


def _compare_grades(
    first: Assessments, second: Assessments, pairs: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the agreement per grade, the kappas per name of a grade, and the grades that differ."""
    differing = pl.DataFrame(schema=_DIFFERING)
    if first.scale == "documents":
        return pl.DataFrame(schema=_GRADES), pl.DataFrame(schema=_KAPPAS), differing
    scale = find_scale(first.scale)
    rows: list[dict[str, object]] = []
    summary: list[dict[str, object]] = []
    for name in scale.grades:
        elements = _join_grades(first, second, pairs, scale, name)
        values = len(scale.grades[name])
        table = build_confusion_table(elements["code"].to_numpy(), elements["code_right"].to_numpy(), values)
        differing = differing.vstack(_name_grades(elements, scale, name))
        per_grade = compute_category_agreement(table)
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
                "agreement": compute_observed_agreement(table),
                "kappa": compute_cohen_kappa(table),
                "weighted": compute_cohen_kappa(table, "quadratic"),
            }
        )
    return pl.DataFrame(rows, schema=_GRADES), pl.DataFrame(summary, schema=_KAPPAS), differing


def _join_grades(
    first: Assessments, second: Assessments, pairs: pl.DataFrame, scale: Scale, name: str
) -> pl.DataFrame:
    """Return the elements that both graded, with the ranks of their grades on the scale."""
    values = scale.grades[name]
    codes = {grade: place for place, grade in enumerate(values)}
    key = [*_KEY, "path"]
    tables = [
        assessments.elements.join(pairs.select(_KEY), on=_KEY, how="semi")
        .select(*key, code=pl.col(name).replace_strict(codes, default=None, return_dtype=pl.Int64))
        .drop_nulls()
        .unique(key, keep="first", maintain_order=True)
        for assessments in (first, second)
    ]
    return tables[0].join(tables[1], on=key, how="inner", maintain_order="left")


def _name_grades(elements: pl.DataFrame, scale: Scale, name: str) -> pl.DataFrame:
    """Return the elements with different grades, with the names of the grades instead of their ranks."""
    names = dict(enumerate(scale.grades[name]))
    grade = {
        side: pl.col(code).replace_strict(names, return_dtype=pl.String)
        for side, code in (("one", "code"), ("other", "code_right"))
    }
    differ = elements.filter(pl.col("code") != pl.col("code_right"))
    return differ.select(*_KEY, "path", name=pl.lit(name, dtype=pl.String), **grade)
