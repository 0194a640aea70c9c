r"""Agreement of two assessors or more: Krippendorff's alpha over characters and documents, and all pairs.

With :math:`n_{uc}` the number of assessors who gave unit u the value c, and :math:`m_u` of all who judged it,
a unit adds :math:`n_{uc}(n_{uk} - [c=k]) / (m_u - 1)` to the coincidences :math:`o_{ck}`, and

.. math:: \alpha = 1 - (n - 1) \frac{\sum_{c \ne k} o_{ck}}{\sum_{c \ne k} n_c n_k}

It is 1 if all agree, and 0 if they agree as often as by chance; a document counts for the assessors who
judged it.  Units are characters (highlighted or not) and documents (with highlighted text or not), which are
nominal.  It is undefined if every unit has the same value, or none was judged twice.

Reference: Krippendorff, Content Analysis, chapter 11.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from doxel.assess.office.assessment_agreement import ALL_TOPICS, compare_assessors
from doxel.assessments import Assessments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.documents import Collection
from doxel.errors import InputError, MissingExtraError
from doxel.spans import Ints, merge_spans

__all__ = ["GroupAgreement", "compare_group", "compute_alpha"]

_KEY = ["topic", "doc"]


@dataclass(frozen=True)
class GroupAgreement:
    """The agreement of all assessors on the documents that two or more of them judged.

    ``topics`` has one row per topic and one for all: topic, documents, assessors (the most on one document),
    disputed (the characters that some highlighted and others did not), alpha and documents_alpha.
    ``documents`` has one row per document: topic, doc, assessors, disputed, agreed (the characters that all
    highlighted) and alpha; those with most disputed characters come first.  ``pairs`` has one row per pair
    of assessors who share documents: one, other, documents, shared, f, kappa and documents_kappa.
    """

    topics: pl.DataFrame
    documents: pl.DataFrame
    pairs: pl.DataFrame


def compute_alpha(counts: Ints, weights: Ints | None = None) -> float:
    """Compute Krippendorff's alpha for units of two values: one row per unit, one column per value.

    ``weights`` are the numbers of such units.

    >>> compute_alpha(np.array([[2, 0], [0, 2], [1, 1]]))
    0.4444444444444444
    >>> compute_alpha(np.array([[2, 0], [0, 2], [1, 1]]), np.array([8, 2, 0]))
    1.0
    """
    try:
        import krippendorff
    except ImportError:
        raise MissingExtraError("Krippendorff's alpha", "web") from None
    repeats = np.ones(len(counts), dtype=np.int64) if weights is None else weights
    is_pairable = (counts.sum(axis=1) > 1) & (repeats > 0)
    counts, repeats = counts[is_pairable], repeats[is_pairable]
    # Units on which all agree add m (m - 1) / (m - 1) = m to one coincidence, so that one unit with all their
    # values stands for them: most characters are of this kind, and there are millions.
    is_alike = (counts == 0).any(axis=1)
    alike = (counts[is_alike] * repeats[is_alike, None]).sum(axis=0)
    units = np.vstack([np.diag(alike), np.repeat(counts[~is_alike], repeats[~is_alike], axis=0)])
    if np.count_nonzero(units.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=units, level_of_measurement="nominal"))


def compare_group(
    assessments: Mapping[str, Assessments], collection: Collection, topics: Sequence[str] = ()
) -> GroupAgreement:
    """Compare the assessments of two assessors or more, by name, on all topics or some; all on one scale."""
    scales = sorted({judgements.scale for judgements in assessments.values()})
    if len(assessments) < 2 or len(scales) > 1:
        found = f"{len(assessments)}" if len(assessments) < 2 else ", ".join(scales)
        raise InputError("an agreement", wanted="two assessors or more, on one scale", found=found)
    resolutions = {
        name: resolve_assessments(judgements, collection) for name, judgements in assessments.items()
    }
    judged_documents = pl.concat(
        [judgements.judged.select(*_KEY, "docsize") for judgements in resolutions.values()]
    )
    if topics:
        judged_documents = judged_documents.filter(pl.col("topic").is_in(list(topics)))
    documents = (
        judged_documents.group_by(_KEY, maintain_order=True)
        .agg(assessors=pl.len().cast(pl.Int64), docsize=pl.col("docsize").max())
        .filter(pl.col("assessors") > 1)
        .with_row_index("pair")
        .with_columns(pl.col("pair").cast(pl.Int64))
    )
    if not documents.height:
        raise InputError("an agreement", wanted="documents that two assessors judged", found="none")
    segments = _count_segments(list(resolutions.values()), documents)
    summary = _summarise_each(documents, segments)
    relevant = _count_relevant(list(resolutions.values()), documents)
    names = documents["topic"].unique(maintain_order=True).to_list()
    rows = [_summarise_topic(name, documents, segments, relevant) for name in [*names, ALL_TOPICS]]
    return GroupAgreement(
        pl.DataFrame(rows, infer_schema_length=None), summary, _compare_pairs(assessments, collection, topics)
    )


def _count_segments(resolutions: Sequence[Assessments], documents: pl.DataFrame) -> pl.DataFrame:
    """Return one row per stretch of text with the same number of highlights: pair, marks, characters.

    The rest of a document is one more row, with 0 marks.  Topic and assessors are those of the document.
    """
    pair, place, change = (np.zeros(0, dtype=np.int64) for _ in range(3))
    for assessments in resolutions:
        spans = assessments.relevant_highlights.join(documents.select("pair", *_KEY), on=_KEY, how="inner")
        spans = spans.drop_nulls(["start", "end"])
        number, start, end = merge_spans(*(spans[name].to_numpy() for name in ("pair", "start", "end")))
        pair = np.concatenate([pair, number, number])
        place = np.concatenate([place, start, end])
        change = np.concatenate([change, np.ones_like(number), -np.ones_like(number)])
    order = np.lexsort((place, pair))
    pair, place, marks = pair[order], place[order], np.cumsum(change[order])
    same_document = pair[1:] == pair[:-1]
    sizes = np.where(same_document, place[1:] - place[:-1], 0)
    segments = pl.DataFrame({"pair": pair[:-1], "marks": marks[:-1], "characters": sizes})
    segments = segments.filter((pl.col("characters") > 0) & (pl.col("marks") > 0))
    totals = segments.group_by("pair").agg(pl.col("characters").sum())
    rest = (
        documents.select("pair", "docsize")
        .join(totals, on="pair", how="left")
        .select(
            "pair",
            marks=pl.lit(0, dtype=pl.Int64),
            characters=(pl.col("docsize").fill_null(0) - pl.col("characters").fill_null(0)).clip(0),
        )
    )
    all_segments = pl.concat([segments, rest.cast({"characters": pl.Int64})])
    return all_segments.join(documents.select("pair", "topic", "assessors"), on="pair", how="left")


def _count_relevant(resolutions: Sequence[Assessments], documents: pl.DataFrame) -> Ints:
    """Return how many assessors highlighted something in each document."""
    counts = np.zeros(documents.height, dtype=np.int64)
    for assessments in resolutions:
        spans = assessments.relevant_highlights.join(documents.select("pair", *_KEY), on=_KEY, how="inner")
        counts[spans.drop_nulls(["start", "end"])["pair"].unique().to_numpy()] += 1
    return counts


def _compare_characters(segments: pl.DataFrame) -> tuple[float, int, int]:
    """Return alpha over characters, and the numbers of disputed and of agreed characters."""
    marks, assessors, sizes = (segments[name].to_numpy() for name in ("marks", "assessors", "characters"))
    disputed = int(sizes[(marks > 0) & (marks < assessors)].sum())
    agreed = int(sizes[marks == assessors].sum())
    return compute_alpha(np.stack([assessors - marks, marks], axis=1), sizes), disputed, agreed


def _summarise_each(documents: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Return one row per document, most disputed characters first."""
    by_document = segments.partition_by("pair", as_dict=True)
    rows = []
    for row in documents.select("pair", *_KEY, "assessors").iter_rows(named=True):
        alpha, disputed, agreed = _compare_characters(by_document[row.pop("pair"),])
        rows.append({**row, "disputed": disputed, "agreed": agreed, "alpha": alpha})
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort("disputed", descending=True, maintain_order=True)


def _summarise_topic(
    topic: str, documents: pl.DataFrame, segments: pl.DataFrame, relevant: Ints
) -> dict[str, object]:
    is_own = pl.lit(topic == ALL_TOPICS) | (pl.col("topic") == topic)
    topic_documents = documents.with_columns(relevant=pl.Series(relevant)).filter(is_own)
    alpha, disputed, _ = _compare_characters(segments.filter(is_own))
    relevant_counts, assessors = (
        topic_documents["relevant"].to_numpy(),
        topic_documents["assessors"].to_numpy(),
    )
    return {
        "topic": topic,
        "documents": topic_documents.height,
        "assessors": int(assessors.max()),
        "disputed": disputed,
        "alpha": alpha,
        "documents_alpha": compute_alpha(np.stack([assessors - relevant_counts, relevant_counts], axis=1)),
    }


_PAIRS = {
    "one": pl.String,
    "other": pl.String,
    "documents": pl.Int64,
    "shared": pl.Float64,
    "f": pl.Float64,
    "kappa": pl.Float64,
    "documents_kappa": pl.Float64,
}


def _compare_pairs(
    assessments: Mapping[str, Assessments], collection: Collection, topics: Sequence[str]
) -> pl.DataFrame:
    """Return the figures of each pair of assessors who judged the same documents."""
    rows = []
    for assessor, other in itertools.combinations(assessments, 2):
        pair = [_choose_topics(assessments[name], topics) for name in (assessor, other)]
        common = pair[0].judged.join(pair[1].judged.select(_KEY), on=_KEY, how="semi")
        if common.height:
            figures = compare_assessors(pair[0], pair[1], collection).characters.row(-1, named=True)
            rows.append(
                {"one": assessor, "other": other, **{name: figures[name] for name in list(_PAIRS)[2:]}}
            )
    return pl.DataFrame(rows, schema=_PAIRS)


def _choose_topics(assessments: Assessments, topics: Sequence[str]) -> Assessments:
    if not topics:
        return assessments
    selection = assessments.judged.filter(pl.col("topic").is_in(list(topics)))
    return replace(assessments, judged=selection)
