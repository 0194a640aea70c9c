"""Documents to show in a report: their text, the highlights, and the results of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import Assessments, select_topics
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.blocks import Block, blocks
from doxel.evaluation.differing import telling_documents
from doxel.spans import merge_spans

__all__ = ["LONGEST", "ShownDocument", "show_documents"]

LONGEST = 300_000  # characters that a page can show without delay


@dataclass(frozen=True)
class ShownDocument:
    """One document of one topic.

    ``text`` is None if no collection contains it, or if it is longer than ``LONGEST``; ``size`` is then the
    size declared in the assessments, or the furthest offset of results and highlights.  ``results`` are the
    rows of ``Evaluation.results`` in the document.
    """

    topic: str
    doc: str
    text: str | None
    size: int
    judged: bool
    highlights: tuple[tuple[int, int], ...]
    bep: int | None
    blocks: tuple[Block, ...]
    results: pl.DataFrame
    graded: int = 0  # number of its elements with a grade of their own


def show_documents(
    results: pl.DataFrame,
    assessments: Assessments,
    topics: Sequence[str],
    *,
    collection: Collection | None = None,
    count: int = 5,
) -> list[ShownDocument]:
    """Return the most telling documents of several topics, with text, highlights and results.

    ``results`` are the kept results of an evaluation (``Evaluation.results``).
    """
    assessed_topics = set(assessments.topics)
    if unknown := [topic for topic in topics if topic not in assessed_topics]:
        raise InputError("a topic to show", wanted="an assessed topic", found=", ".join(unknown))
    judged = select_topics(assessments, topics)
    if collection is not None:
        judged = resolve_assessments(judged, collection)
    documents: list[ShownDocument] = []
    for topic in topics:
        returned = results.filter(pl.col("topic") == topic)
        relevant = _relevant_sizes(judged, topic)
        for doc in telling_documents(returned, relevant, count):
            inside = returned.filter(pl.col("doc") == doc)
            documents.append(_document(topic, doc, judged, inside, collection))
    return documents


def _relevant_sizes(judged: Assessments, topic: str) -> dict[str, int]:
    """Return the number of highlighted characters of each judged document of a topic."""
    is_this_topic = pl.col("topic") == topic
    docs = judged.judged.filter(is_this_topic)["doc"].unique(maintain_order=True).to_list()
    return {doc: sum(end - start for start, end in _highlights(judged, topic, doc)) for doc in docs}


def _highlights(judged: Assessments, topic: str, doc: str) -> tuple[tuple[int, int], ...]:
    """Return the highlighted spans of a document, merged."""
    is_located = (pl.col("topic") == topic) & (pl.col("doc") == doc) & pl.col("start").is_not_null()
    spans = judged.highlights.filter(is_located)
    _, start, end = merge_spans([0] * spans.height, spans["start"].to_numpy(), spans["end"].to_numpy())
    return tuple(zip(start.tolist(), end.tolist(), strict=True))


def _document(
    topic: str, doc: str, judged: Assessments, results: pl.DataFrame, collection: Collection | None
) -> ShownDocument:
    is_this_document = (pl.col("topic") == topic) & (pl.col("doc") == doc)
    row = judged.judged.filter(is_this_document)
    highlights = _highlights(judged, topic, doc)
    entry = judged.beps.filter(is_this_document)["position"].drop_nulls().head(1).to_list()
    document = collection[doc] if collection is not None and doc in collection else None
    declared = row["docsize"].drop_nulls().head(1).to_list() if row.height else []
    reach = [end for _, end in highlights] + results["end"].drop_nulls().to_list() + declared
    text = None if document is None else document.text
    readable = document is not None and text is not None and len(text) <= LONGEST
    return ShownDocument(
        topic=topic,
        doc=doc,
        text=text if readable else None,
        size=max(reach, default=0) if text is None else len(text),
        judged=bool(row.height),
        highlights=highlights,
        bep=entry[0] if entry else None,
        blocks=tuple(blocks(document)) if readable and document is not None else (),
        results=results,
        graded=judged.elements.filter(is_this_document).height,
    )
