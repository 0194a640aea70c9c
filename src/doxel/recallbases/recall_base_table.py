"""Recall bases as tables, one row per relevant element."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.arguments import check_arguments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import Assessments
from doxel.assessments.conforming_parts import select_conforming_parts
from doxel.assessments.judged_pairs import lay_out_assessments
from doxel.assessments.listed_documents import lay_out_listed
from doxel.documents import Collection
from doxel.documents.structural_summary import LINK_TAGS
from doxel.errors import InputError
from doxel.files.archives import Paths
from doxel.measures.measure_parameters import CONSTRUCTION, PATHS, TIE, check_ideal_base
from doxel.quantisation import find_quantisation
from doxel.quantisation.quantisations import COVERAGES, TOO_SMALL, Grades
from doxel.recallbases.element_base import build_element_base, parse_excluded_tags
from doxel.recallbases.ideal_base import choose_ideal
from doxel.tables import Column, Table
from doxel.topics import Topics
from doxel.topics.query_structure import build_constraints

__all__ = ["RECALL_BASE", "TAG_SHARES", "count_by_tag", "recall_base"]

RECALL_BASE = Table(
    "recall base",
    (
        Column("topic", pl.String, "the topic's id"),
        Column("doc", pl.String, "the document's id"),
        Column("path", pl.String, "the element's path"),
        Column("size", pl.Int64, "the element's length in characters"),
        Column("rsize", pl.Int64, "its relevant characters"),
        Column("grade", pl.String, "its grade in the notation of its year"),
        Column("gain", pl.Float64, "its gain under the quantisation"),
    ),
)


@check_arguments
def recall_base(
    assessments: Assessments,
    collection: Collection | None = None,
    *,
    quant: str = "gen",
    ideal: bool = False,
    construction: str = "path",
    tie: str = "ancestor",
    paths: str = "leaf",
    exclude_tags: str | None = None,
    structure: str | None = None,
    topic_file: Topics | Paths | None = None,
) -> pl.DataFrame:
    """Return all elements with a gain, or only the ideal ones, by topic with the highest gain first.

    With ``structure``, such as ``"target=strict"``, elements that do not match the queries of the topics in
    ``topic_file`` gain nothing.
    """
    rules = {
        parameter.name: parameter.accept(value, owner="recall base")
        for parameter, value in ((CONSTRUCTION, construction), (TIE, tie), (PATHS, paths))
    }
    check_ideal_base(rules)
    constraints = build_constraints(structure, topic_file)
    if collection is None:
        if not assessments.elements.height:
            raise InputError(
                "a recall base consists of elements",
                wanted="a collection (-c) or assessments that list elements",
                found="neither",
            )
        assessments, collection = lay_out_listed(assessments)
    assessments = resolve_assessments(assessments, collection)
    if constraints is not None:
        assessments = select_conforming_parts(assessments, constraints, collection)
    assessed = lay_out_assessments(assessments, declared_sizes=False)
    base = build_element_base(assessments, assessed, collection, constraints)
    gain = base.gains(find_quantisation(quant, assessments.scale), parse_excluded_tags(exclude_tags))
    is_listed = choose_ideal(gain, base.tree, **rules) if ideal else gain > 0
    rows = np.flatnonzero(is_listed)
    rows = rows[np.lexsort((rows, -gain[rows], base.element_topic[rows]))]
    return pl.DataFrame(
        {
            "topic": pl.Series(assessed.topics, dtype=pl.String).gather(base.element_topic[rows]),
            "doc": assessed.pairs["doc"].gather(base.pair[base.forest.document[rows]]),
            "path": base.forest.paths().gather(rows),
            "size": base.size[rows],
            "rsize": base.rsize[rows],
            "grade": _write_grades(base.grades, rows),
            "gain": gain[rows],
        },
        schema=RECALL_BASE.schema,
    )


TAG_SHARES = Table(
    "recall base by tag",
    (
        Column("tag", pl.String, "the tag"),
        Column("elements", pl.Int64, "its elements with highlighted text"),
        Column("to_25", pl.Int64, "those with up to 25 % of their text highlighted"),
        Column("to_50", pl.Int64, "those with more than 25 %, up to 50 %"),
        Column("to_75", pl.Int64, "those with more than 50 %, up to 75 %"),
        Column("below_100", pl.Int64, "those with more than 75 %, but not all"),
        Column("full", pl.Int64, "those that are fully highlighted"),
        Column("share_of_full", pl.Float64, "their share of all fully highlighted elements"),
        Column("is_link", pl.Boolean, "whether the tag is one of the link tags of Wikipedia"),
    ),
)


def count_by_tag(base: pl.DataFrame) -> pl.DataFrame:
    """Count the elements of a recall base by tag and by the share of their text that is highlighted.

    Tags with the most fully highlighted elements come first.  INEX 2006 found that 18 % of the fully
    highlighted elements were links (004, section 3.1).
    """
    highlighted = base.filter(pl.col("rsize") > 0)
    if not highlighted.height:
        raise InputError(
            "shares of highlighted text",
            wanted="assessments with highlights",
            found="none in the recall base",
        )
    share = pl.col("rsize") / pl.col("size")
    is_full = pl.col("rsize") == pl.col("size")  # exact, unlike the share
    limits = {"to_25": (0.0, 0.25), "to_50": (0.25, 0.5), "to_75": (0.5, 0.75)}
    counts = highlighted.group_by(
        tag=pl.col("path").str.extract(r"([^/\[\]]+)(?:\[\d+\])?$"), maintain_order=True
    ).agg(
        elements=pl.len(),
        **{name: ((share > low) & (share <= high)).sum() for name, (low, high) in limits.items()},
        below_100=((share > 0.75) & ~is_full).sum(),
        full=is_full.sum(),
    )
    full = pl.col("full") / pl.max_horizontal(pl.col("full").sum(), 1)
    table = counts.with_columns(share_of_full=full, is_link=pl.col("tag").is_in(list(LINK_TAGS)))
    return TAG_SHARES.fit(table.sort("full", "elements", "tag", descending=[True, True, False]))


def _write_grades(grades: Grades, rows: np.ndarray) -> list[str]:
    """Write grades as in the papers: 3E (2002), 3,2 (2003-04), 2 or ? (2005), empty from 2006 on."""
    pairs = zip(grades.exhaustivity[rows].tolist(), grades.specificity[rows].tolist(), strict=True)
    if grades.scale == "2002":
        return [f"{e:.0f}{COVERAGES[int(s)]}" for e, s in pairs]
    if grades.scale == "2003":
        return [f"{e:.0f},{s:.0f}" for e, s in pairs]
    if grades.scale == "2005":
        return ["?" if e == TOO_SMALL else "" if e < 0 else f"{e:.0f}" for e, _ in pairs]
    return [""] * len(rows)
