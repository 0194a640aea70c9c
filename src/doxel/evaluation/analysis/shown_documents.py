"""Documents to show in a report: their text, the highlights, and the results of each run.

Topics in which runs differ most come first, with the documents that explain why.  Texts are cut into
blocks: block-level elements start and end on a new line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import Assessments, select_topics
from doxel.documents import Collection
from doxel.documents.document import Document
from doxel.errors import InputError
from doxel.measures.measure_table import lower_is_better
from doxel.spans import Ints, merge_spans

__all__ = [
    "LONGEST",
    "ShownDocument",
    "cut_into_blocks",
    "find_differing_topics",
    "find_telling_documents",
    "merge_highlights",
    "show_documents",
]

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
    blocks: tuple[TextBlock, ...]
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
        relevant = _count_relevant(judged, topic)
        for doc in find_telling_documents(returned, relevant, count):
            inside = returned.filter(pl.col("doc") == doc)
            documents.append(_build_shown_document(topic, doc, judged, inside, collection))
    return documents


def _count_relevant(judged: Assessments, topic: str) -> dict[str, int]:
    """Return the number of highlighted characters of each judged document of a topic."""
    is_this_topic = pl.col("topic") == topic
    docs = judged.judged.filter(is_this_topic)["doc"].unique(maintain_order=True).to_list()
    return {doc: sum(end - start for start, end in merge_highlights(judged, topic, doc)) for doc in docs}


def merge_highlights(judged: Assessments, topic: str, doc: str) -> tuple[tuple[int, int], ...]:
    """Return the relevant spans of a document, merged."""
    is_located = (pl.col("topic") == topic) & (pl.col("doc") == doc) & pl.col("start").is_not_null()
    spans = judged.relevant_highlights.filter(is_located)
    _, start, end = merge_spans([0] * spans.height, spans["start"].to_numpy(), spans["end"].to_numpy())
    return tuple(zip(start.tolist(), end.tolist(), strict=True))


def _build_shown_document(
    topic: str, doc: str, judged: Assessments, results: pl.DataFrame, collection: Collection | None
) -> ShownDocument:
    is_this_document = (pl.col("topic") == topic) & (pl.col("doc") == doc)
    row = judged.judged.filter(is_this_document)
    highlights = merge_highlights(judged, topic, doc)
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
        blocks=tuple(cut_into_blocks(document)) if readable and document is not None else (),
        results=results,
        graded=judged.elements.filter(is_this_document).height,
    )


_SPACES = np.array([0x9, 0xA, 0xD, 0x20], dtype=np.uint32)
_SHORT = 40  # longest cell or keyword, in characters without spaces
_HEADINGS = {"title", "st", "h", "head", "heading", "name", "atl", "article-title", "label"}
_HEADINGS |= {f"h{level}" for level in range(1, 7)}


@dataclass(frozen=True)
class TextBlock:
    """A block of a text and its kind.

    ``kind`` is ``text``, ``heading``, ``short`` (such as a cell or a keyword: blocks with the same ``line``
    are shown side by side) or ``plain``, which keeps the author's line breaks.
    """

    start: int
    end: int
    kind: str
    line: int = 0


def cut_into_blocks(document: Document) -> list[TextBlock]:
    """Cut a document's text into blocks; white space alone is in no block.

    An element is block-level unless it is part of mixed content, between words of its parent.
    """
    text, forest = document.text, document.forest
    if len(forest) <= 1:
        return [TextBlock(0, len(text), "plain")] if text.strip() else []
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    words = np.concatenate([[0], np.cumsum(~np.isin(codes, _SPACES))])  # characters that are not spaces
    start, end, parent = forest.start, forest.end, forest.parent
    inside = words[end] - words[start]
    own = inside.copy()
    np.subtract.at(own, parent[1:], inside[1:])
    inline = np.zeros(len(forest), dtype=bool)
    has_children = np.zeros(len(forest), dtype=bool)
    has_children[parent[1:]] = True
    mixed = has_children & (own > 0)
    for element in range(1, len(forest)):  # parents come before their children
        inline[element] = inline[parent[element]] or mixed[parent[element]]
    block_level = np.flatnonzero(~inline & (end > start))
    borders = np.unique(np.concatenate([start[block_level], end[block_level]]))
    names = forest.labels.names
    result: list[TextBlock] = []
    owner = block_level[_find_innermost(borders, start[block_level], end[block_level])]
    for first, last, element in zip(borders[:-1].tolist(), borders[1:].tolist(), owner.tolist(), strict=True):
        if words[last] > words[first]:
            heading = names[forest.name[element]] in _HEADINGS
            kind = "heading" if heading else "short" if words[last] - words[first] <= _SHORT else "text"
            result.append(TextBlock(first, last, kind, int(parent[element])))
    return result


def _find_innermost(borders: Ints, start: Ints, end: Ints) -> Ints:
    """Return for each piece between borders the last element, in document order, that contains it."""
    owner = np.zeros(len(borders) - 1, dtype=np.int64)
    first, last = np.searchsorted(borders, start), np.searchsorted(borders, end)
    for element, (begin, stop) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        owner[begin:stop] = element
    return owner


def find_differing_topics(scores: pl.DataFrame, measure: str, count: int) -> list[str]:
    """Return the topics with the largest deviation of scores between runs, largest first.

    For a single run these are the topics with its worst scores.
    """
    table = scores.filter(pl.col("measure") == measure, pl.col("score").is_not_nan())
    failure = pl.col("score").mean() if lower_is_better(measure) else -pl.col("score").mean()
    by_topic = table.group_by("topic", maintain_order=True).agg(
        spread=pl.col("score").std().fill_null(failure)
    )
    return by_topic.sort("spread", descending=True, maintain_order=True)["topic"].head(count).to_list()


def find_telling_documents(results: pl.DataFrame, relevant: Mapping[str, int], count: int) -> list[str]:
    """Return the documents of a topic in which runs found the most different amounts of relevant text.

    ``results`` are the kept results of the topic; ``relevant`` has the relevant characters of its judged
    documents.  Text found at lower ranks counts less (discounted by the logarithm of the rank), because it
    changes scores less.  Ties are broken by the amount of relevant text, then by the best rank.
    """
    runs = results["run"].n_unique()
    by_run = results.group_by("doc", "run").agg(
        found=(pl.col("new_relevant") / (pl.col("rank") + 1).log(2)).sum(), rank=pl.col("rank").min()
    )
    by_doc = by_run.group_by("doc").agg(
        most=pl.col("found").max(),
        # a run that does not return the document finds no text in it
        least=pl.when(pl.len() < runs).then(0.0).otherwise(pl.col("found").min()),
        rank=pl.col("rank").min(),
    )
    sizes = pl.DataFrame(
        {"doc": list(relevant), "relevant": list(relevant.values())},
        schema={"doc": pl.String, "relevant": pl.Int64},
    )
    ranking = (
        by_doc.join(sizes, on="doc", how="full", coalesce=True)
        .with_columns(
            spread=(pl.col("most") - pl.col("least")).fill_null(0), relevant=pl.col("relevant").fill_null(0)
        )
        .sort(["spread", "relevant", "rank", "doc"], descending=[True, True, False, False], nulls_last=True)
    )
    return ranking["doc"].head(count).to_list()
