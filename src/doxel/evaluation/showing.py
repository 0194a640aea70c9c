"""Documents to look at: their text, what was highlighted in it, and what each run returned of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.resolve import resolve
from doxel.assessments.selecting import of_topics
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.blocks import Block, blocks
from doxel.evaluation.differing import telling_documents
from doxel.spans import merge

__all__ = ["LONGEST", "ShownDocument", "show_documents"]

LONGEST = 300_000  # characters of a text that a page can show without delay


@dataclass(frozen=True)
class ShownDocument:
    """One document of one topic.

    ``text`` is None where no collection has it, or where it is longer than ``LONGEST``; ``size`` then is
    what the assessments declare, or how far results and highlights reach.  ``results`` are the rows of
    ``Evaluation.results`` that lie in the document.
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
    graded: int = 0  # elements of it that were graded one by one


def show_documents(
    results: pl.DataFrame,
    assessments: Assessments,
    topics: Sequence[str],
    *,
    collection: Collection | None = None,
    count: int = 5,
) -> list[ShownDocument]:
    """Return the most telling documents of some topics, with all there is to see in them.

    ``results`` are the kept results of an evaluation (``Evaluation.results``).
    """
    known = set(assessments.topics)
    if unknown := [topic for topic in topics if topic not in known]:
        raise InputError("a topic to show", wanted="one that was assessed", found=", ".join(unknown))
    judged = of_topics(assessments, topics)
    if collection is not None:
        judged = resolve(judged, collection)
    found: list[ShownDocument] = []
    for topic in topics:
        returned = results.filter(pl.col("topic") == topic)
        relevant = _relevant_sizes(judged, topic)
        for doc in telling_documents(returned, relevant, count):
            inside = returned.filter(pl.col("doc") == doc)
            found.append(_document(topic, doc, judged, inside, collection))
    return found


def _relevant_sizes(judged: Assessments, topic: str) -> dict[str, int]:
    """Return the highlighted characters of each judged document of a topic."""
    here = pl.col("topic") == topic
    docs = judged.judged.filter(here)["doc"].unique(maintain_order=True).to_list()
    return {doc: sum(end - start for start, end in _highlights(judged, topic, doc)) for doc in docs}


def _highlights(judged: Assessments, topic: str, doc: str) -> tuple[tuple[int, int], ...]:
    """Return the highlighted text of a document, merged."""
    here = (pl.col("topic") == topic) & (pl.col("doc") == doc) & pl.col("start").is_not_null()
    spans = judged.highlights.filter(here)
    _, start, end = merge([0] * spans.height, spans["start"].to_numpy(), spans["end"].to_numpy())
    return tuple(zip(start.tolist(), end.tolist(), strict=True))


def _document(
    topic: str, doc: str, judged: Assessments, results: pl.DataFrame, collection: Collection | None
) -> ShownDocument:
    here = (pl.col("topic") == topic) & (pl.col("doc") == doc)
    row = judged.judged.filter(here)
    highlights = _highlights(judged, topic, doc)
    entry = judged.beps.filter(here)["position"].drop_nulls().head(1).to_list()
    stored = collection[doc] if collection is not None and doc in collection else None
    declared = row["docsize"].drop_nulls().head(1).to_list() if row.height else []
    reach = [end for _, end in highlights] + results["end"].drop_nulls().to_list() + declared
    text = None if stored is None else stored.text
    readable = stored is not None and text is not None and len(text) <= LONGEST
    return ShownDocument(
        topic=topic,
        doc=doc,
        text=text if readable else None,
        size=max(reach, default=0) if text is None else len(text),
        judged=bool(row.height),
        highlights=highlights,
        bep=entry[0] if entry else None,
        blocks=tuple(blocks(stored)) if readable and stored is not None else (),
        results=results,
        graded=judged.elements.filter(here).height,
    )
