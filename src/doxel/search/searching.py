"""Search for topics and return a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.search.content import Asked
from doxel.search.index import SearchIndex
from doxel.search.options import Options
from doxel.search.questions import Question, question
from doxel.search.ranking import Ranked, rank
from doxel.search.scoring import names_target, score_query, terms_of
from doxel.spans import Floats
from doxel.topics.nexi.query_tree import Keywords, Query
from doxel.topics.topic_summary import find_unknown_tags
from doxel.topics.topics import Topics

__all__ = ["Found", "answer", "search"]

_DIGITS = 6  # decimal places of a score: few enough to be the same on all processors


@dataclass(frozen=True)
class Found:
    """A run with sentences about it.

    ``notes`` are about the queries and results; ``skipped`` are about topics that could not be searched
    for.
    """

    run: Run
    notes: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def search(
    index: SearchIndex,
    topics: Topics,
    options: Options | None = None,
    *,
    run_id: str = "doxel",
    progress: Callable[[], None] | None = None,
) -> Found:
    """Search for topics and return the run; topics without a valid query are skipped, with a note.

    Raises
    ------
    InputError
        If no topic can be searched for, or nothing is found for any of them.
    """
    options = options or Options()
    frames: list[pl.DataFrame] = []
    notes: list[str] = []
    skipped: list[str] = []
    fields: set[str] = set()
    has_structure = False
    for topic_query in _questions(topics, options, skipped):
        fields.add(topic_query.field)
        has_structure |= isinstance(topic_query.query, Query)
        notes.extend(_remarks(index, topic_query))
        try:
            ranked = answer(index, topic_query.query, options)
        except InputError as error:  # a path through an attribute
            skipped.append(f"topic {topic_query.topic}: {error}")
            continue
        results = _results(index, topic_query.topic, ranked, options)
        if not results.height:
            notes.append(f"topic {topic_query.topic}: nothing was found")
        frames.append(results)
        if progress is not None:
            progress()
    if not sum(frame.height for frame in frames):
        messages = (*skipped, *notes)
        raise InputError("nothing was found for any topic", found=messages[0] if messages else "no topics")
    run = Run(
        run_id,
        RESULTS.fit(pl.concat(frames)),
        None if options.task == "documents" else options.task,
        about=_about(index, options, fields, has_structure=has_structure),
    )
    return Found(run, tuple(notes), tuple(skipped))


def answer(index: SearchIndex, query: Query | Keywords, options: Options) -> Ranked:
    """Return the elements for one query, in the order of the task."""
    return rank(index, _scores(index, query, options), options)


def _scores(index: SearchIndex, query: Query | Keywords, options: Options) -> Floats:
    scores = score_query(index, query, options.structure)
    power = options.size_prior
    if options.task == "documents" and isinstance(query, Keywords):
        # the size prior selects between an element and its descendants; whole documents have no overlap
        scores, power = np.where(index.forest.parent < 0, scores, 0.0), 0.0
    rows = np.flatnonzero(scores)
    size = index.size[rows]
    is_named = names_target(query) and options.structure.target == "strict"
    is_large = (size > 0) if is_named or options.task == "documents" else (size >= options.smallest)
    rows, size = rows[is_large], size[is_large]
    weighted = np.zeros(len(scores))
    weighted[rows] = np.round(scores[rows] * size.astype(np.float64) ** power, _DIGITS)
    return weighted


def _questions(topics: Topics, options: Options, skipped: list[str]) -> Iterator[Question]:
    places = topics.table.select("file", "line").rows()
    for topic, (file, line) in zip(topics, places, strict=True):
        try:
            yield question(topic, options.field, file, line)
        except InputError as error:
            skipped.append(str(error))


def _remarks(index: SearchIndex, topic_query: Question) -> Iterator[str]:
    if topic_query.remark is not None:
        yield topic_query.remark
    for tag, nearest in find_unknown_tags(topic_query.query, index.forest.labels.names).items():
        hint = f"; near: {', '.join(nearest)}" if nearest else ""
        yield f"topic {topic_query.topic}: the collection has no element {tag!r}{hint}"
    terms = Asked.of(terms_of(topic_query.query), index.words)
    if terms.only_stop_words:
        yield f"topic {topic_query.topic}: its query has only stop words; searching for them"


def _results(index: SearchIndex, topic: str, ranked: Ranked, options: Options) -> pl.DataFrame:
    rows = ranked.rows
    document = index.forest.document[rows]
    is_whole = options.task == "documents"
    paths = [None if is_whole else index.forest.path(row) for row in rows.tolist()]
    return pl.DataFrame(
        {
            "topic": pl.Series([topic] * len(rows), dtype=pl.String),
            "doc": index.documents.gather(document),
            "rank": np.arange(1, len(rows) + 1),
            "rsv": ranked.rsv,
            "path": pl.Series(paths, dtype=pl.String),
        }
    )


def _about(index: SearchIndex, options: Options, fields: set[str], *, has_structure: bool) -> dict[str, str]:
    """Return the metadata of the run."""
    settings = [
        f"BM25 of elements, stemming {index.stem}",
        f"size to the power {options.size_prior:g}",
        f"elements of {options.smallest} characters or more",
    ]
    if options.task in {"focused", "relevant-in-context"}:
        settings.append(f"overlap removed by {options.overlap}")
    if has_structure:
        settings.append(f"structure {options.structure}")
    return {
        "participant-id": "doxel",
        "query": "automatic",
        "result-type": "element",
        "topic-fields": " ".join(
            f"{field}={'yes' if field in fields else 'no'}" for field in ("title", "castitle")
        ),
        "description": f"doxel search: {'; '.join(settings)}",
    }
