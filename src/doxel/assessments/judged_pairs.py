"""The assessments as arrays for scoring: topics, judged pairs, relevant text, entry points.

A pair is a topic and a document that was judged for it.  The properties of pairs are arrays, and the
relevant text is one coverage over all pairs, so that many spans are looked up in one call.

Relevant text is that of the highlights without a grade or with a grade above 0; a highlight of grade 0 only
judges its document.

The grade of a document is the first that exists of: its own grade (TREC qrels); the highest grade of its
highlights; on the scales without highlights (2002 to 2004), the highest relevance or exhaustivity of its
elements; otherwise 1 if it has relevant text, and 0 if not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, Assessments
from doxel.documents.collection import Collection
from doxel.errors import InputError
from doxel.runs.passage_ids import parse_passage_ids
from doxel.spans import MAX_OFFSET, Booleans, Coverage, Floats, Ints, merge_spans, sum_by_group

__all__ = [
    "JudgedPairs",
    "TopicAspects",
    "convert_to_document_grades",
    "grade_documents",
    "highlight_whole_documents",
    "lay_out_assessments",
    "split_judged_passages",
]


@dataclass(frozen=True)
class TopicAspects:
    """The aspects of all topics, by topic and first span, and the spans of which one shows an aspect.

    A span without aspect is an aspect of its own, without a name.
    """

    topic: Ints  # of each aspect
    name: pl.Series  # of each aspect, null for none
    weight: Floats
    vital: Booleans
    aspect: Ints  # of each span
    spans: tuple[Ints, Ints, Ints]  # pair, start, end


@dataclass(frozen=True)
class JudgedPairs:
    """Topics and pairs as arrays; pairs are in the order of the assessments."""

    topics: tuple[str, ...]
    pairs: pl.DataFrame  # topic, doc, pair: to join a run's results with
    topic: Ints  # of each pair
    relevant_size: Ints  # of each pair, declared or found, as `declared_sizes` selects
    document_size: Ints  # of each pair, -1 if unknown
    entry_point: Ints  # of each pair, -1 for none
    relevant_text: Coverage  # grouped by pair
    passages: tuple[Ints, Ints, Ints]  # pair, start, end: overlapping highlights merged
    spans: tuple[Ints, Ints, Ints]  # pair, start, end: relevant highlights as assessed, without empty ones
    document_grade: Floats  # of each pair, as a whole document
    is_judged: Booleans  # of each pair; False if its elements are listed as not assessed
    span_aspects: pl.Series  # of each of ``spans``, null for none
    aspect_settings: pl.DataFrame  # topic, aspect, weight, vital

    @property
    def has_aspects(self) -> bool:
        """Whether any gold span names its aspect."""
        return self.span_aspects.null_count() < len(self.span_aspects)

    @cached_property
    def aspects(self) -> TopicAspects:
        """The aspects of the topics."""
        pair, start, end = self.spans
        labels = pl.DataFrame({"number": self.topic[pair], "aspect": self.span_aspects})
        labels = labels.with_row_index("row")
        is_named = pl.col("aspect").is_not_null()
        first_row = pl.when(is_named).then(pl.col("row").min().over("number", "aspect")).otherwise("row")
        key = self.topic[pair] * (len(pair) + 1) + labels.select(first_row).to_series().to_numpy()
        distinct, first, aspect = np.unique(key, return_index=True, return_inverse=True)
        topics = pl.DataFrame({"number": np.arange(len(self.topics)), "topic": self.topics})
        described = (
            labels[first]
            .join(topics, on="number", how="left", maintain_order="left")
            .join(self.aspect_settings, on=["topic", "aspect"], how="left", maintain_order="left")
        )
        return TopicAspects(
            topic=distinct // (len(pair) + 1),
            name=described["aspect"],
            weight=described["weight"].fill_null(1.0).to_numpy(),
            vital=described["vital"].fill_null(value=True).to_numpy(),
            aspect=aspect.astype(np.int64),
            spans=(pair, start, end),
        )

    @cached_property
    def documents(self) -> pl.Series:
        """The document of each pair as a category: other ids get the same codes while this series exists."""
        return self.pairs["doc"].cast(pl.Categorical)

    @cached_property
    def total(self) -> Ints:
        """Relevant characters of each topic."""
        return sum_by_group(self.topic, self.relevant_size, len(self.topics)).astype(np.int64)

    @cached_property
    def relevant_documents(self) -> Ints:
        """Documents of each topic with relevant text."""
        return sum_by_group(self.topic, self.relevant_size > 0, len(self.topics)).astype(np.int64)

    @cached_property
    def entry_points(self) -> Ints:
        """Documents of each topic with a best entry point."""
        return sum_by_group(self.topic, self.entry_point >= 0, len(self.topics)).astype(np.int64)


def lay_out_assessments(assessments: Assessments, *, declared_sizes: bool) -> JudgedPairs:
    """Lay out assessments as arrays; their highlights must be resolved to spans."""
    _check_positions(assessments)
    topics = tuple(assessments.topics)
    pairs = assessments.judged.select("topic", "doc").unique(maintain_order=True).with_row_index("pair")
    topic_numbers = pl.DataFrame({"topic": topics, "number": np.arange(len(topics))})
    topic = pairs.join(topic_numbers, on="topic", how="left", maintain_order="left")["number"].to_numpy()
    columns = ("topic", "doc", "start", "end", "aspect")  # not the texts
    highlights = assessments.relevant_highlights.select(columns).join(pairs, on=["topic", "doc"])
    highlights = highlights.filter(pl.col("start").is_not_null())
    spans = [highlights[name].to_numpy() for name in ("pair", "start", "end")]
    is_filled = spans[2] > spans[1]
    relevant_text = Coverage(*spans)
    judged = assessments.judged.join(pairs, on=["topic", "doc"])
    union = relevant_text.total(np.arange(pairs.height))
    relevant_size = _collect_by_pair(judged, "rsize", pairs.height)
    entry_points = assessments.beps.join(pairs, on=["topic", "doc"])
    return JudgedPairs(
        topics=topics,
        pairs=pairs,
        topic=topic.astype(np.int64),
        relevant_size=np.where(relevant_size < 0, union, relevant_size) if declared_sizes else union,
        document_size=_collect_by_pair(judged, "docsize", pairs.height),
        entry_point=_collect_by_pair(entry_points, "position", pairs.height),
        relevant_text=relevant_text,
        passages=merge_spans(*spans, touching=False),
        spans=(spans[0][is_filled].astype(np.int64), spans[1][is_filled], spans[2][is_filled]),
        document_grade=_find_pair_grades(assessments, pairs),
        is_judged=_mark_judged(assessments, pairs),
        span_aspects=highlights["aspect"].filter(pl.Series(is_filled)),
        aspect_settings=assessments.aspects.select("topic", "aspect", "weight", "vital"),
    )


def _check_positions(assessments: Assessments) -> None:
    """Reject positions beyond the longest possible text: without a collection nothing else checks them."""
    for table, column in (("highlights", "end"), ("beps", "position"), ("judged", "docsize")):
        far: pl.DataFrame = getattr(assessments, table).filter(pl.col(column) > MAX_OFFSET)
        for row in far.head(1).iter_rows(named=True):
            raise InputError(
                f"topic {row['topic']}, document {row['doc']}",
                file=row.get("file") or assessments.file,
                line=row["line"],
                wanted=f"a position of at most {MAX_OFFSET:,}",
                found=f"{row[column]:,}",
            )


def _find_pair_grades(assessments: Assessments, pairs: pl.DataFrame) -> Floats:
    """Return the grade of each pair's document; grades below 0, which TREC gives to spam, count as 0."""
    grades = assessments.judged.select("topic", "doc", grade=grade_documents(assessments))
    highest = pairs.join(
        grades.group_by("topic", "doc").max(), on=["topic", "doc"], how="left", maintain_order="left"
    )
    return np.asarray(highest["grade"].fill_null(0.0).clip(0.0).to_numpy(), dtype=np.float64)


def _mark_judged(assessments: Assessments, pairs: pl.DataFrame) -> Booleans:
    """Mark the pairs that were judged: all, except documents of 2003-04 in which every grade is U."""
    is_judged = np.ones(pairs.height, dtype=bool)
    if assessments.scale == "2003":
        is_graded = pl.any_horizontal(pl.col("exhaustivity", "specificity").fill_null("U") != "U")
        graded = assessments.elements.group_by("topic", "doc").agg(is_graded=is_graded.any())
        joined = pairs.join(graded, on=["topic", "doc"], how="left", maintain_order="left")
        is_judged = joined["is_graded"].fill_null(value=True).to_numpy()
    return is_judged


def _collect_by_pair(frame: pl.DataFrame, column: str, pairs: int) -> Ints:
    """Return a column by pair, -1 for pairs without a value."""
    values = np.full(pairs, -1, dtype=np.int64)
    rows = frame.filter(pl.col(column).is_not_null())
    values[rows["pair"].to_numpy()] = rows[column].to_numpy()
    return values


_KEY = ["topic", "doc"]


def grade_documents(assessments: Assessments) -> pl.Series:
    """Return the grade of each row of ``judged`` as a whole document.

    >>> from doxel.assessments.assessments import JUDGED
    >>> rows = [{"topic": "1", "doc": "a", "grade": 2.0}, {"topic": "1", "doc": "b", "rsize": 9}]
    >>> grade_documents(Assessments("2006", JUDGED.from_rows(rows))).to_list()
    [2.0, 1.0]
    """
    judged = assessments.judged
    is_filled = pl.col("start").is_null() | (pl.col("end") > pl.col("start"))
    highlighted = (
        assessments.relevant_highlights.filter(is_filled)
        .group_by(_KEY)
        .agg(marked=pl.col("grade").max(), is_highlighted=pl.lit(value=True))
    )
    without_highlights = assessments.scale in {"2002", "2003"}
    elements = assessments.elements if without_highlights else assessments.elements.clear()
    graded = elements.group_by(_KEY).agg(
        graded=pl.max_horizontal(
            *(pl.col(name).cast(pl.Float64, strict=False).max() for name in ("relevance", "exhaustivity"))
        )
    )
    joined = judged
    for grades in (highlighted, graded):
        joined = joined.join(grades, on=_KEY, how="left", maintain_order="left")
    is_relevant = pl.col("is_highlighted").is_not_null() | (pl.col("rsize").fill_null(0) > 0)
    grade = pl.coalesce("grade", "marked", "graded", pl.when(is_relevant).then(1.0).otherwise(0.0))
    return joined.select(grade.alias("grade")).to_series()


def convert_to_document_grades(assessments: Assessments) -> Assessments:
    """Convert assessments to grades of whole documents."""
    judged = assessments.judged.with_columns(grade=grade_documents(assessments))
    return Assessments(
        scale="documents",
        judged=judged.with_columns(rsize=pl.lit(None, dtype=pl.Int64), docsize=pl.lit(None, dtype=pl.Int64)),
        file=assessments.file,
        format=assessments.format,
        notes=assessments.notes,
    )


def split_judged_passages(assessments: Assessments) -> Assessments:
    """Return grades of passages, named as doc:start-end, as highlights; those of doc#passage by document.

    A document has the highest grade of its passages.  Ids that are not of this kind stay as they are.

    >>> from doxel.assessments.assessments import JUDGED
    >>> rows = [{"topic": "1", "doc": "a:0-9", "grade": 1.0}, {"topic": "1", "doc": "a:9-20", "grade": 0.0}]
    >>> split_judged_passages(Assessments("documents", JUDGED.from_rows(rows)))
    <Assessments of scale 2006: 1 topic, 1 judged document, 1 highlight>
    """
    parsed = parse_passage_ids(assessments.judged["doc"])
    judged = assessments.judged.with_columns(doc=parsed["doc"])
    highest = judged.group_by(_KEY, maintain_order=True).agg(pl.all().sort_by("grade").last())
    if parsed["start"].null_count() == len(parsed):
        return replace(assessments, judged=JUDGED.fit(highest))
    whole = assessments.judged.filter(parsed["start"].is_null() & (pl.col("grade") > 0))
    if whole.height:
        topic, doc, line = whole.select("topic", "doc", "line").row(0)
        wanted = "the id of a passage, as in other lines: doc:start-end"
        raise InputError(f"topic {topic}", file=assessments.file, line=line, wanted=wanted, found=repr(doc))
    passages = judged.with_columns(parsed["start"], parsed["end"]).filter(pl.col("grade") > 0)
    return replace(
        assessments,
        scale="2006",
        judged=JUDGED.fit(highest.drop("grade")),
        highlights=HIGHLIGHTS.fit(passages.drop("number", "problem")),
    )


def highlight_whole_documents(assessments: Assessments, collection: Collection) -> tuple[Assessments, int]:
    """Highlight relevant documents from end to end; return the assessments and the number of documents.

    A document that is not in the collection does not change.
    """
    number = pl.Series(collection.numbers(assessments.judged["doc"]), dtype=pl.Int64).replace(-1, None)
    size = collection.documents["characters"].cast(pl.Int64).gather(number)
    relevant = assessments.judged.with_columns(end=size).filter(
        (pl.col("grade") > 0) & pl.col("end").is_not_null()
    )
    rows = relevant.select(*_KEY, "end", "grade", start=pl.lit(0, dtype=pl.Int64))
    highlights = pl.concat([assessments.highlights, HIGHLIGHTS.fit(rows)])
    return replace(assessments, highlights=highlights), rows.height
