"""The list of an assignment's documents, with titles, first words and states, searched, sorted and paged.

Only the documents of one page are read.  Searching and sorting by title need the titles and first words of
all documents, which then stay in memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Engine, func, select

from doxel.assess.document_state import EMPTY_STATE, State, apply_event
from doxel.assess.document_styles import Styles
from doxel.assess.judging_events import Event
from doxel.assess.scales import Scale, find_scale
from doxel.assess.store.adjudications import find_taken_over, list_adjudications
from doxel.assess.store.assignments import AssignmentProgress
from doxel.assess.store.database_schema import EVENTS
from doxel.assess.store.event_log import COPYING_CLIENTS, read_state
from doxel.assess.store.pooled_documents import Library
from doxel.assess.store.shares import list_assigned_documents
from doxel.errors import InputError

__all__ = [
    "DOCUMENT_STATES",
    "PAGE_SIZE",
    "SORTINGS",
    "DocumentFilter",
    "DocumentPage",
    "DocumentSummary",
    "ListedDocument",
    "find_next_document",
    "read_document_page",
    "summarise_documents",
]

DOCUMENT_STATES = ("open", "begun", "relevant", "not relevant", "noted", "flagged", "taken over")
"""The states of a document; the last three are in addition to one of the others.

In an adjudication, a document is taken over if one person alone has judged it."""

SORTINGS = ("order", "title", "name", "state")
PAGE_SIZE = 50
_AT_ONCE = 500  # documents whose elements are read together
_LONGEST_TITLE, _LONGEST_WORDS = 120, 160


@dataclass(frozen=True)
class DocumentSummary:
    """The title of a document, empty if no element has the look of one, and its first words after it."""

    title: str
    words: str


@dataclass(frozen=True)
class ListedDocument:
    """A document in the list: its place in the order of judging, from 1, its states and its summary."""

    doc: str
    place: int
    states: tuple[str, ...]
    summary: DocumentSummary

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        facts = {"doc": self.doc, "place": self.place, "states": list(self.states)}
        return {**facts, "title": self.summary.title, "first_words": self.summary.words}


@dataclass(frozen=True)
class DocumentFilter:
    """A filter for a list of documents: words in name, title or first words, a state, an order and a page."""

    words: str = ""
    state: str = ""
    sorting: str = SORTINGS[0]
    page: int = 1

    def check(self) -> None:
        """Raise an error for a state or an order that does not exist."""
        for label, value, values in (
            ("a state", self.state, ("", *DOCUMENT_STATES)),
            ("an order", self.sorting, SORTINGS),
        ):
            if value not in values:
                names = ", ".join(filter(None, values))
                raise InputError(label, wanted=f"one of {names}", found=repr(value[:40]))


@dataclass(frozen=True)
class DocumentPage:
    """One page of a list; ``matches`` counts the documents that fit, ``counts`` all documents by state."""

    rows: tuple[ListedDocument, ...]
    page: int
    pages: int
    matches: int
    documents: int
    counts: Mapping[str, int]
    next_doc: str | None


def read_document_page(
    connection: Connection,
    library: Library,
    styles: Styles,
    assignment: AssignmentProgress,
    choice: DocumentFilter,
) -> DocumentPage:
    """Return one page of the documents of an assignment."""
    choice.check()
    docs = list_assigned_documents(connection, assignment)
    scale = find_scale(assignment.scale)
    states = _read_state_names(connection, assignment, scale)
    sources = list_adjudications(connection, [assignment.id]).get(assignment.id, ())
    for doc in find_taken_over(connection, sources):
        if doc in states:
            states[doc] = (*states[doc], "taken over")
    untouched = ("open",)
    places = {doc: place for place, doc in enumerate(docs, 1)}
    matching_docs = [doc for doc in docs if not choice.state or choice.state in states.get(doc, untouched)]
    if choice.words.strip():
        matching_docs = _search(library, styles, matching_docs, choice.words)
    matching_docs = _sort(library, styles, matching_docs, states, choice.sorting)
    pages = max(1, -(-len(matching_docs) // PAGE_SIZE))
    page = min(max(1, choice.page), pages)
    page_docs = matching_docs[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    summaries = summarise_documents(library, styles, page_docs)
    counts = Counter(name for doc in docs for name in states.get(doc, untouched))
    rows = tuple(
        ListedDocument(doc, places[doc], states.get(doc, untouched), summaries[doc]) for doc in page_docs
    )
    open_docs = [doc for doc in docs if {"open", "begun"} & set(states.get(doc, untouched))]
    next_doc = find_next_document(connection, assignment, docs, open_docs)
    return DocumentPage(rows, page, pages, len(matching_docs), len(docs), counts, next_doc)


def find_next_document(
    connection: Connection, assignment: AssignmentProgress, docs: Sequence[str], left: Sequence[str]
) -> str | None:
    """Return the document to judge next, one of ``left``; None if ``left`` is empty.

    That is the one with the assessor's last action, or else the next one after it.
    """
    is_action = [EVENTS.c.client.not_like(f"{prefix}%") for prefix in COPYING_CLIENTS]
    newest = select(func.max(EVENTS.c.seq)).where(EVENTS.c.assignment_id == assignment.id, *is_action)
    last = connection.execute(select(EVENTS.c.doc).where(EVENTS.c.seq == newest.scalar_subquery())).scalar()
    place = docs.index(last) if last in docs else 0
    later = {doc: at for at, doc in enumerate([*docs[place:], *docs[:place]])}
    return min(left, key=later.__getitem__, default=None)


_KEPT: WeakKeyDictionary[Engine, dict[int, dict[str, tuple[int, tuple[str, ...]]]]] = WeakKeyDictionary()
"""The names of states by database, assignment and document, each with the number of the last event then."""

_EASY_KINDS = ("highlight", "bep", "validate", "reopen", "note", "flag", "show")
"""The kinds of events that never take a highlight away; documents with any other are folded."""


def _read_state_names(
    connection: Connection, assignment: AssignmentProgress, scale: Scale
) -> dict[str, tuple[str, ...]]:
    """Return the names of the states of all documents that have events; read only those that changed."""
    of_assignment = EVENTS.c.assignment_id == assignment.id
    last = (
        select(EVENTS.c.doc, func.max(EVENTS.c.seq).label("seq")).where(of_assignment).group_by(EVENTS.c.doc)
    )
    seqs = {row.doc: row.seq for row in connection.execute(last)}
    cached_states = _KEPT.setdefault(connection.engine, {}).setdefault(assignment.id, {})
    changed_docs = {
        doc for doc, seq in seqs.items() if doc not in cached_states or cached_states[doc][0] != seq
    }
    if changed_docs:
        for doc, names in _name_changed_states(connection, assignment, scale, changed_docs).items():
            cached_states[doc] = (seqs[doc], names)
    return {doc: cached_states[doc][1] for doc in seqs}


def _name_changed_states(
    connection: Connection, assignment: AssignmentProgress, scale: Scale, docs: AbstractSet[str]
) -> dict[str, tuple[str, ...]]:
    """Return the names of the states of some documents."""
    of_assignment = EVENTS.c.assignment_id == assignment.id
    hard_query = select(EVENTS.c.doc).where(of_assignment, EVENTS.c.kind.not_in(_EASY_KINDS)).distinct()
    hard_docs = docs & set(connection.execute(hard_query).scalars())
    names = {doc: _name_states(read_state(connection, assignment.id, doc)[0], scale) for doc in hard_docs}
    states = dict.fromkeys(docs - hard_docs, EMPTY_STATE)
    query = select(EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body).where(of_assignment)
    for doc, kind, body in connection.execute(query.order_by(EVENTS.c.seq)):
        if doc in states and (kind != "highlight" or not states[doc].highlights):  # one highlight decides
            states[doc] = apply_event(states[doc], Event(kind, json.loads(body)))
        elif doc in states:
            states[doc] = replace(states[doc], validated=False)
    return {**names, **{doc: _name_states(state, scale) for doc, state in states.items()}}


def _name_states(state: State, scale: Scale) -> tuple[str, ...]:
    """Return the names of the states of a document that has events."""
    if state.validated:
        names = ["relevant" if _is_relevant(state, scale) else "not relevant"]
    else:
        is_begun = state.highlights or state.grades or state.bep is not None
        names = ["begun" if is_begun or state == EMPTY_STATE else "open"]
    if state.note:
        names.append("noted")
    if getattr(state, "flagged", False):
        names.append("flagged")
    return tuple(names)


def _is_relevant(state: State, scale: Scale) -> bool:
    return bool(state.highlights) or any(scale.rank(grades) for grades in state.grades.values())


def _search(library: Library, styles: Styles, docs: Sequence[str], text: str) -> list[str]:
    """Return the documents that have all words in their name, title or first words, in any case."""
    words = text.casefold().split()
    summaries = summarise_documents(library, styles, docs)

    def is_match(doc: str) -> bool:
        summary = summaries[doc]
        content = f"{doc} {summary.title} {summary.words}".casefold()
        return all(word in content for word in words)

    return [doc for doc in docs if is_match(doc)]


def _sort(
    library: Library,
    styles: Styles,
    docs: list[str],
    states: Mapping[str, tuple[str, ...]],
    sorting: str,
) -> list[str]:
    match sorting:
        case "title":
            summaries = summarise_documents(library, styles, docs)
            return sorted(docs, key=lambda doc: (summaries[doc].title or doc).casefold())
        case "name":
            return sorted(docs)
        case "state":
            return sorted(docs, key=lambda doc: DOCUMENT_STATES.index(states.get(doc, ("open",))[0]))
        case _:
            return docs


def summarise_documents(library: Library, styles: Styles, docs: Sequence[str]) -> dict[str, DocumentSummary]:
    """Return the titles and first words of documents; those of earlier calls are kept."""
    summaries: dict[str, DocumentSummary] = library.summaries
    new_docs = [doc for doc in docs if doc not in summaries]
    for first in range(0, len(new_docs), _AT_ONCE):
        portion = new_docs[first : first + _AT_ONCE]
        for doc, span in zip(portion, _find_titles(library, styles, portion), strict=True):
            summaries[doc] = _summarise(library.text(doc), span)
    return {doc: summaries[doc] for doc in docs}


def _summarise(text: str, span: tuple[int, int]) -> DocumentSummary:
    """Return the title in a span of a text, and the words after it.

    >>> _summarise("Apples  Red apples are ripe.", (0, 6))
    DocumentSummary(title='Apples', words='Red apples are ripe.')
    """
    start, end = span
    title = " ".join(text[start:end].split())
    words = " ".join(text[end : end + 4 * _LONGEST_WORDS].split())
    return DocumentSummary(_shorten(title, _LONGEST_TITLE), _shorten(words, _LONGEST_WORDS))


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


def _find_titles(library: Library, styles: Styles, docs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the span of the first title of each document, or (0, 0); a heading is a title if none is."""
    forest = library.collection.forest([library[doc].number for doc in docs])
    names = [name.lower() for name in forest.labels.names]
    parent = np.where(forest.parent >= 0, forest.name[np.maximum(forest.parent, 0)], len(names))
    pairs, pair = np.unique(forest.name.astype(np.int64) * (len(names) + 1) + parent, return_inverse=True)
    looks = {"title": 2, "heading": 1}
    ranks = np.zeros(len(pairs), dtype=np.int64)
    for place, number in enumerate(pairs.tolist()):
        name, above = divmod(number, len(names) + 1)
        inside = f"{names[above]}/{names[name]}" if above < len(names) else ""
        ranks[place] = looks.get(styles.tags.get(inside) or styles.tags.get(names[name]) or "", 0)
    rank = ranks[pair]
    rows = np.flatnonzero(rank)
    start, end = forest.start[rows], forest.end[rows]
    rows, start, end = (values[end > start] for values in (rows, start, end))
    order = np.lexsort((rows, -rank[rows], forest.document[rows]))
    numbers, first = np.unique(forest.document[rows][order], return_index=True)
    spans = [(0, 0)] * len(docs)
    for number, place in zip(numbers.tolist(), order[first].tolist(), strict=True):
        spans[number] = (int(start[place]), int(end[place]))
    return spans
