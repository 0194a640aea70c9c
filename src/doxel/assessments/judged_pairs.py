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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, Assessments, may_repeat
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
    "number_topics",
    "split_judged_passages",
]


@dataclass(frozen=True)
class TopicAspects:
    """The aspects of all topics, by topic and first span, and the spans of which one shows an aspect.

    A span without aspect is a separate aspect without a name.
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

    @property
    def has_relevant(self) -> Booleans:
        """Whether each topic has a relevant document, or a best entry point."""
        is_relevant = (self.document_grade > 0) | (self.entry_point >= 0)
        return np.isin(np.arange(len(self.topics)), self.topic[is_relevant])

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
        rows = (
            labels[first]
            .join(topics, on="number", how="left", maintain_order="left")
            .join(self.aspect_settings, on=["topic", "aspect"], how="left", maintain_order="left")
        )
        return TopicAspects(
            topic=distinct // (len(pair) + 1),
            name=rows["aspect"],
            weight=rows["weight"].fill_null(1.0).to_numpy(),
            vital=rows["vital"].fill_null(value=True).to_numpy(),
            aspect=aspect.astype(np.int64),
            spans=(pair, start, end),
        )

    def __getstate__(self) -> dict[str, object]:
        """Leave out the hashes, which other processes may compute differently."""
        return {name: value for name, value in vars(self).items() if name != "_hashes"}

    def match_documents(self, topic: Ints, docs: pl.Series) -> tuple[Ints, Ints]:
        """Match the documents of results with each other, and with those that were judged.

        Return for each result the row of the first result with its topic and document, and its pair, -1 if
        its document was not judged for its topic.
        """
        if not len(topic):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        # rows are taken much faster from a series in one piece
        return self._match_by_hash(topic, docs.rechunk()) or self._match_by_name(topic, docs)

    def _match_by_name(self, topic: Ints, docs: pl.Series) -> tuple[Ints, Ints]:
        judged = {
            key: pair for pair, key in enumerate(zip(self.topic.tolist(), self.pairs["doc"], strict=True))
        }
        keys = list(zip(topic.tolist(), docs, strict=True))
        first_rows: dict[tuple[int, str], int] = {}
        first = [first_rows.setdefault(key, row) for row, key in enumerate(keys)]
        return np.array(first, dtype=np.int64), np.array(
            [judged.get(key, -1) for key in keys], dtype=np.int64
        )

    def _match_by_hash(self, topic: Ints, docs: pl.Series) -> tuple[Ints, Ints] | None:
        """Match documents by hash, which is much faster; None if two documents have the same hash.

        Documents with the same hash are compared by name, so that the outcome is exact.
        """
        hashes, row, lost_bits = _sort_hashes(_hash_documents(topic, docs))
        first, pair = np.arange(len(row)), np.full(len(row), -1, dtype=np.int64)
        heads = np.append(0, np.flatnonzero(hashes[1:] != hashes[:-1]) + 1)
        has_repeats = len(heads) < len(row)
        if has_repeats:
            first[row] = np.repeat(row[heads], np.diff(heads, append=len(row)))
            if not (np.array_equal(topic[first], topic) and docs.gather(first).equals(docs)):
                return None
            hashes, row = hashes[heads], row[heads]
        judged_hashes, judged_pairs = self._hashes
        judged_hashes = judged_hashes >> lost_bits
        place = np.minimum(np.searchsorted(hashes, judged_hashes), len(hashes) - 1)
        matches = np.flatnonzero(hashes[place] == judged_hashes)
        pair[row[place[matches]]] = judged_pairs[matches]
        rows = np.flatnonzero(
            pair >= 0
        )  # in ascending order, which is compared faster than the order of the hashes
        if not _are_same(topic, docs, rows, self.topic, self.pairs["doc"], pair[rows]):
            return None
        return first, pair[first] if has_repeats else pair

    @cached_property
    def _hashes(self) -> tuple[npt.NDArray[np.uint64], Ints]:
        """The hashes of the pairs in ascending order, and the pair of each."""
        hashes = _hash_documents(self.topic, self.pairs["doc"])
        order = np.argsort(hashes)
        return hashes[order], order

    @cached_property
    def has_text(self) -> Booleans:
        """Whether each pair has highlighted relevant text."""
        return np.bincount(self.relevant_text.group, minlength=len(self.topic)) > 0

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


_ODD = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio in 64 bits: it spreads the numbers of topics
_MOST_ROW_BITS = 20


def _hash_documents(topic: Ints, docs: pl.Series) -> npt.NDArray[np.uint64]:
    """Return a number of 63 bits for each topic and document."""
    hashes = topic.astype(np.uint64)
    hashes *= _ODD
    hashes += docs.hash().to_numpy()
    hashes >>= np.uint64(1)
    return hashes


def _sort_hashes(hashes: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Ints, np.uint64]:
    """Return sorted hashes, the row of each, earlier rows first, and the number of low bits left out.

    The row takes the place of the low bits: sorting such numbers takes a quarter of the time of an argsort.
    """
    row_bits = np.uint64(len(hashes).bit_length())
    if row_bits > _MOST_ROW_BITS:  # with that many rows, all bits of the hashes are needed
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order, np.uint64(0)
    row_mask = (np.uint64(1) << row_bits) - np.uint64(1)
    unsorted = hashes & ~row_mask
    unsorted |= np.arange(len(hashes), dtype=np.uint64)
    numbers: npt.NDArray[np.uint64] = pl.Series(unsorted).sort(multithreaded=False).to_numpy()
    return numbers >> row_bits, (numbers & row_mask).view(np.int64), row_bits


def _are_same(
    topic: Ints, docs: pl.Series, rows: Ints, other_topic: Ints, other_docs: pl.Series, other_rows: Ints
) -> bool:
    """Return whether rows have the same topics and documents as other rows."""
    if not np.array_equal(topic[rows], other_topic[other_rows]):
        return False
    return bool(docs.gather(rows).eq_missing(other_docs.gather(other_rows)).all())


def lay_out_assessments(assessments: Assessments, *, declared_sizes: bool) -> JudgedPairs:
    """Lay out assessments as arrays; their highlights must be resolved to spans."""
    _check_positions(assessments)
    topics = tuple(assessments.topics)
    pairs = assessments.judged.select("topic", "doc")
    if may_repeat(pairs):
        pairs = pairs.unique(maintain_order=True)
    pairs = pairs.rechunk().with_row_index("pair")  # rows are taken from it for each run
    judged = _number_pairs(assessments.judged, pairs)
    topic = number_topics(pairs["topic"], topics)
    columns = ("topic", "doc", "start", "end", "aspect")  # not the texts
    highlights = assessments.relevant_highlights.select(columns).join(pairs, on=["topic", "doc"])
    highlights = highlights.filter(pl.col("start").is_not_null())
    spans = [highlights[name].to_numpy() for name in ("pair", "start", "end")]
    is_filled = spans[2] > spans[1]
    relevant_text = Coverage(*spans)
    union = relevant_text.total(np.arange(pairs.height))
    relevant_size = _collect_by_pair(judged, "rsize", pairs.height)
    entry_points = assessments.beps
    if entry_points.height:
        entry_points = entry_points.join(pairs, on=["topic", "doc"])
    return JudgedPairs(
        topics=topics,
        pairs=pairs,
        topic=topic,
        relevant_size=np.where(relevant_size < 0, union, relevant_size) if declared_sizes else union,
        document_size=_collect_by_pair(judged, "docsize", pairs.height),
        entry_point=_collect_by_pair(entry_points, "position", pairs.height),
        relevant_text=relevant_text,
        passages=merge_spans(*spans, touching=False),
        spans=(spans[0][is_filled].astype(np.int64), spans[1][is_filled], spans[2][is_filled]),
        document_grade=_find_pair_grades(grade_documents(assessments), judged["pair"], pairs.height),
        is_judged=_mark_judged(assessments, pairs),
        span_aspects=highlights["aspect"].filter(pl.Series(is_filled)),
        aspect_settings=assessments.aspects.select("topic", "aspect", "weight", "vital"),
    )


def number_topics(column: pl.Series, topics: Sequence[str]) -> Ints:
    """Return the number of each row's topic, -1 for a topic that is not in the list.

    >>> number_topics(pl.Series(["b", "b", "a", "c"]), ["a", "b"]).tolist()
    [1, 1, 0, -1]
    """
    numbers = {topic: number for number, topic in enumerate(topics)}
    blocks = column.rle()  # few: most tables are grouped by topic
    number = [numbers.get(topic, -1) for topic in blocks.struct.field("value")]
    return np.repeat(np.array(number, dtype=np.int64), blocks.struct.field("len").to_numpy())


def _number_pairs(judged: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return judged documents with the number of their pair."""
    if judged.height == pairs.height:  # none is judged twice
        return judged.with_columns(pairs["pair"])
    return judged.join(pairs, on=["topic", "doc"], how="left", maintain_order="left")


def _check_positions(assessments: Assessments) -> None:
    """Reject positions beyond the longest possible text: without a collection nothing else checks them."""
    for name, column in (("highlights", "end"), ("beps", "position"), ("judged", "docsize")):
        table: pl.DataFrame = getattr(assessments, name)
        if _find_highest(table[column]) <= MAX_OFFSET:
            continue
        for row in table.filter(pl.col(column) > MAX_OFFSET).head(1).iter_rows(named=True):
            raise InputError(
                f"topic {row['topic']}, document {row['doc']}",
                file=row.get("file") or assessments.file,
                line=row["line"],
                wanted=f"a position of at most {MAX_OFFSET:,}",
                found=f"{row[column]:,}",
            )


def _find_highest(column: pl.Series) -> Any:
    """Return the highest number of a column, -1 if it has none."""
    highest = column.max()
    return -1 if highest is None else highest


def _find_pair_grades(grades: pl.Series, pair: pl.Series, pairs: int) -> Floats:
    """Return the highest grade of each pair; grades below 0, which TREC gives to spam, count as 0."""
    highest = np.zeros(pairs)
    np.maximum.at(highest, pair.to_numpy(), grades.fill_null(0.0).to_numpy())
    return highest


def _mark_judged(assessments: Assessments, pairs: pl.DataFrame) -> Booleans:
    """Mark the pairs that were judged: all, except documents of 2003-04 in which every grade is U."""
    is_judged = np.ones(pairs.height, dtype=bool)
    if assessments.scale == "2003":
        is_graded = pl.any_horizontal(pl.col("exhaustivity", "specificity").fill_null("U") != "U")
        graded = assessments.elements.group_by("topic", "doc").agg(is_graded=is_graded.any())
        rows = pairs.join(graded, on=["topic", "doc"], how="left", maintain_order="left")
        is_judged = rows["is_graded"].fill_null(value=True).to_numpy()
    return is_judged


def _collect_by_pair(frame: pl.DataFrame, column: str, pairs: int) -> Ints:
    """Return a column by pair, -1 for pairs without a value."""
    values = np.full(pairs, -1, dtype=np.int64)
    if frame[column].null_count() == frame.height:
        return values
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
    if not judged["grade"].null_count():
        return judged["grade"]
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
    rows = judged
    for grades in (highlighted, graded):
        if grades.height:
            rows = rows.join(grades, on=_KEY, how="left", maintain_order="left")
        else:  # frequent, and a join with an empty table takes as long
            rows = rows.with_columns(
                pl.lit(None, dtype).alias(name) for name, dtype in grades.drop(_KEY).schema.items()
            )
    is_relevant = pl.col("is_highlighted").is_not_null() | (pl.col("rsize").fill_null(0) > 0)
    grade = pl.coalesce("grade", "marked", "graded", pl.when(is_relevant).then(1.0).otherwise(0.0))
    return rows.select(grade.alias("grade")).to_series()


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
    places = parse_passage_ids(assessments.judged["doc"])
    judged = assessments.judged.with_columns(doc=places["doc"])
    highest = judged.group_by(_KEY, maintain_order=True).agg(pl.all().sort_by("grade").last())
    if places["start"].null_count() == len(places):
        return replace(assessments, judged=JUDGED.fit(highest))
    documents = assessments.judged.filter(places["start"].is_null() & (pl.col("grade") > 0))
    if documents.height:
        topic, doc, line = documents.select("topic", "doc", "line").row(0)
        wanted = "the id of a passage, as in other lines: doc:start-end"
        raise InputError(f"topic {topic}", file=assessments.file, line=line, wanted=wanted, found=repr(doc))
    passages = judged.with_columns(places["start"], places["end"]).filter(pl.col("grade") > 0)
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
