"""Answers topics with a run."""

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
from doxel.topics.describe import unknown_tags
from doxel.topics.nexi.tree import Keywords, Query
from doxel.topics.topics import Topics

__all__ = ["Found", "answer", "search"]

_DIGITS = 6  # of a score: fewer than processors may disagree about


@dataclass(frozen=True)
class Found:
    """A run, and what is to be said about it.

    ``notes`` are sentences; ``skipped`` are those about topics that could not be searched for.
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
    """Return the run that answers topics; a topic that asks nothing is left out, and that is said.

    Raises
    ------
    InputError
        Where no topic can be searched for, or nothing is found for any.
    """
    options = options or Options()
    frames: list[pl.DataFrame] = []
    notes: list[str] = []
    skipped: list[str] = []
    fields: set[str] = set()
    structured = False
    for asked in _questions(topics, options, skipped):
        fields.add(asked.field)
        structured |= isinstance(asked.query, Query)
        notes.extend(_remarks(index, asked))
        try:
            ranked = answer(index, asked.query, options)
        except InputError as error:  # a path that leads through an attribute
            skipped.append(f"topic {asked.topic}: {error}")
            continue
        found = _results(index, asked.topic, ranked, options)
        if not found.height:
            notes.append(f"topic {asked.topic}: nothing was found")
        frames.append(found)
        if progress is not None:
            progress()
    if not sum(frame.height for frame in frames):
        said = (*skipped, *notes)
        raise InputError("nothing was found for any topic", found=said[0] if said else "no topics")
    run = Run(
        run_id,
        RESULTS.fit(pl.concat(frames)),
        None if options.task == "documents" else options.task,
        about=_about(index, options, fields, structured=structured),
    )
    return Found(run, tuple(notes), tuple(skipped))


def answer(index: SearchIndex, query: Query | Keywords, options: Options) -> Ranked:
    """Return the elements that answer one query, in the order of the task."""
    return rank(index, _scores(index, query, options), options)


def _scores(index: SearchIndex, query: Query | Keywords, options: Options) -> Floats:
    scores = score_query(index, query, options.structure)
    power = options.size_prior
    if options.task == "documents" and isinstance(query, Keywords):
        # sizes are for choosing between an element and what it holds: here all are whole documents
        scores, power = np.where(index.forest.parent < 0, scores, 0.0), 0.0
    found = np.flatnonzero(scores)
    size = index.size[found]
    is_named = names_target(query) and options.structure.target == "strict"
    kept = (size > 0) if is_named or options.task == "documents" else (size >= options.smallest)
    found, size = found[kept], size[kept]
    weighed = np.zeros(len(scores))
    weighed[found] = np.round(scores[found] * size.astype(np.float64) ** power, _DIGITS)
    return weighed


def _questions(topics: Topics, options: Options, skipped: list[str]) -> Iterator[Question]:
    places = topics.table.select("file", "line").rows()
    for topic, (file, line) in zip(topics, places, strict=True):
        try:
            yield question(topic, options.field, file, line)
        except InputError as error:
            skipped.append(str(error))


def _remarks(index: SearchIndex, asked: Question) -> Iterator[str]:
    if asked.remark is not None:
        yield asked.remark
    for tag, nearest in unknown_tags(asked.query, index.forest.labels.names).items():
        hint = f"; near: {', '.join(nearest)}" if nearest else ""
        yield f"topic {asked.topic}: the collection has no element {tag!r}{hint}"
    wanted = Asked.of(terms_of(asked.query), index.words)
    if wanted.only_stop_words:
        yield f"topic {asked.topic}: there are only stop words in its query; they are searched for"


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


def _about(index: SearchIndex, options: Options, fields: set[str], *, structured: bool) -> dict[str, str]:
    """Return what the run says of itself."""
    settings = [
        f"BM25 of elements, stemming {index.stem}",
        f"size to the power {options.size_prior:g}",
        f"elements of {options.smallest} characters or more",
    ]
    if options.task in {"focused", "relevant-in-context"}:
        settings.append(f"overlap removed by {options.overlap}")
    if structured:
        settings.append(f"structure {options.structure}")
    return {
        "participant-id": "doxel",
        "query": "automatic",
        "result-type": "element",
        "topic-fields": " ".join(
            f"{one}={'yes' if one in fields else 'no'}" for one in ("title", "castitle")
        ),
        "description": f"doxel search: {'; '.join(settings)}",
    }
