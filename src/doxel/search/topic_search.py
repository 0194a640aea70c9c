"""Search for topics and return a run.

The query of a topic is its title or castitle; titles that are not valid queries are cleaned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.errors import InputError, QueryError
from doxel.runs import RESULTS, Run
from doxel.search.element_ranking import RankedElements, SearchOptions, rank_elements
from doxel.search.element_scoring import QueryTerms, collect_terms, names_target, score_query
from doxel.search.search_index import SearchIndex
from doxel.spans import Floats
from doxel.topics.nexi.query_parser import parse
from doxel.topics.nexi.query_tree import Keywords, Query
from doxel.topics.topic_summary import find_unknown_tags
from doxel.topics.topics import Topic, Topics

__all__ = ["SearchOutcome", "search", "search_query"]

_NOTHING_FOUND = "nothing was found"
_DIGITS = 6  # decimal places of a score: few enough to be the same on all processors


@dataclass(frozen=True)
class SearchOutcome:
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
    options: SearchOptions | None = None,
    *,
    run_id: str = "doxel",
    progress: Callable[[], None] | None = None,
) -> SearchOutcome:
    """Search for topics and return the run; topics without a valid query are skipped, with a note.

    Raises
    ------
    InputError
        If no topic can be searched for, or nothing is found for any of them.
    """
    options = options or SearchOptions()
    frames: list[pl.DataFrame] = []
    notes: list[str] = []
    skipped: list[str] = []
    fields: set[str] = set()
    has_structure = False
    for topic_query in _select_queries(topics, options, skipped):
        fields.add(topic_query.field)
        has_structure |= isinstance(topic_query.query, Query)
        notes.extend(_describe_query(index, topic_query))
        try:
            elements = search_query(index, topic_query.query, options)
        except InputError as error:  # a path through an attribute
            skipped.append(f"topic {topic_query.topic}: {error}")
            continue
        results = _build_results(index, topic_query.topic, elements, options)
        if not results.height:
            notes.append(f"topic {topic_query.topic}: {_NOTHING_FOUND}")
        frames.append(results)
        if progress is not None:
            progress()
    if not sum(frame.height for frame in frames):
        problems = [*skipped, *(note for note in notes if not note.endswith(_NOTHING_FOUND))]
        reason = f"; the first problem: {problems[0]}" if problems else ""
        raise InputError(f"{_NOTHING_FOUND} for any topic{reason}" if len(topics) else "there are no topics")
    run = Run(
        run_id,
        RESULTS.fit(pl.concat(frames)),
        None if options.task == "documents" else options.task,
        about=_describe_run(index, options, fields, has_structure=has_structure),
    )
    return SearchOutcome(run, tuple(notes), tuple(skipped))


def search_query(index: SearchIndex, query: Query | Keywords, options: SearchOptions) -> RankedElements:
    """Return the elements for one query, in the order of the task."""
    return rank_elements(index, _weight_by_size(index, query, options), options)


def _weight_by_size(index: SearchIndex, query: Query | Keywords, options: SearchOptions) -> Floats:
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


def _select_queries(topics: Topics, options: SearchOptions, skipped: list[str]) -> Iterator[TopicQuery]:
    places = topics.table.select("file", "line").rows()
    for topic, (file, line) in zip(topics, places, strict=True):
        try:
            yield select_query(topic, options.field, file, line)
        except InputError as error:
            skipped.append(str(error))


def _describe_query(index: SearchIndex, topic_query: TopicQuery) -> Iterator[str]:
    if topic_query.remark is not None:
        yield topic_query.remark
    for tag, nearest in find_unknown_tags(topic_query.query, index.forest.labels.names).items():
        hint = f"; similar: {', '.join(nearest)}" if nearest else ""
        yield f"topic {topic_query.topic}: the collection has no element {tag!r}{hint}"
    terms = QueryTerms.of(collect_terms(topic_query.query), index.words)
    if terms.only_stop_words:
        yield f"topic {topic_query.topic}: its query has only stop words; searching for them"


def _build_results(
    index: SearchIndex, topic: str, elements: RankedElements, options: SearchOptions
) -> pl.DataFrame:
    rows = elements.rows
    document = index.forest.document[rows]
    is_whole = options.task == "documents"
    paths = [None if is_whole else index.forest.path(row) for row in rows.tolist()]
    return pl.DataFrame(
        {
            "topic": pl.Series([topic] * len(rows), dtype=pl.String),
            "doc": index.documents.gather(document),
            "rank": np.arange(1, len(rows) + 1),
            "rsv": elements.rsv,
            "path": pl.Series(paths, dtype=pl.String),
        }
    )


def _describe_run(
    index: SearchIndex, options: SearchOptions, fields: set[str], *, has_structure: bool
) -> dict[str, str]:
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


_BRACKETS = re.compile(r"[()\[\]]|(?<!\S)[+-]+(?!\S)")
_NO_WORDS = re.compile(r"[()\[\],\"]|(?<!\S)[+-]+(?!\S)")


@dataclass(frozen=True)
class TopicQuery:
    """The query of a topic; ``remark`` is a sentence about an unusual query."""

    topic: str
    query: Query | Keywords
    field: str
    remark: str | None = None


def select_query(
    topic: Topic, field: str | None, file: str | None = None, line: int | None = None
) -> TopicQuery:
    """Return the query of a topic.

    ``field`` is the topic field to use; None selects the castitle for topics of the kind CAS and its
    variants, and the title for others.  If the field is empty, the other one is used.

    Raises
    ------
    InputError
        If both fields are empty, or if a query with structure cannot be parsed.
    """
    preferred = field or ("castitle" if topic.kind and topic.kind.upper().endswith("CAS") else "title")
    alternative = "title" if preferred == "castitle" else "castitle"
    fields = {"title": topic.title, "castitle": topic.castitle}
    query_field = preferred if (fields[preferred] or "").strip() else alternative
    text = (fields[query_field] or "").strip()
    if not text:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted=f"a {preferred} to search for", found="none"
        )
    is_missing = field is not None and query_field != field
    remark = f"topic {topic.id} has no {field}; searching for its {query_field}" if is_missing else None
    try:
        return TopicQuery(topic.id, parse(text), query_field, remark)
    except QueryError as error:
        if text.startswith("/") or query_field == "castitle":
            raise error.at(file, line, f"the query of topic {topic.id}") from None
    words = " ".join(_NO_WORDS.sub(" ", text).split())
    if not words:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted="words to search for", found=repr(text)
        )
    try:  # without brackets and single signs, phrases and other signs can be kept
        query, ignored_marks = parse(_BRACKETS.sub(" ", text)), "brackets and single signs"
    except QueryError:
        query, ignored_marks = parse(words), "brackets, commas and quotation marks"
    return TopicQuery(
        topic.id, query, query_field, f"topic {topic.id}: {ignored_marks} in its title are ignored"
    )
