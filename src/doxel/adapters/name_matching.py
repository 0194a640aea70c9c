"""Match the names of documents and questions in foreign data with the ids of collection and gold.

A library names a document by the id it received, by a file name, by a path, or by a generated id.  The names
of a row are tried exactly, then by the end of their path (``/data/notes.txt`` is ``notes.txt``), then
without an extension that only one side has (``notes.pdf`` is ``notes``).  A name that fits several documents
is an error.  A row whose names are unknown keeps the first that is not a random id.

Without a collection, only the ids of the gold are known.  If some names of a run are among them, the others
belong to unjudged documents, and are left unchanged.

A question is named by its id, else by its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from doxel.documents.collection import Collection
from doxel.documents.document_names import RANDOM_ID, DocumentReferences
from doxel.errors import InputError
from doxel.wording import join_words, pluralise, quote_value

__all__ = ["KnownNames", "match_documents", "match_topics", "normalise_question"]

_SEPARATOR = "\0"


@dataclass(frozen=True)
class KnownNames:
    """The ids that names are matched with.

    ``documents`` have the columns doc and source; they are complete if they come from a collection.
    ``questions`` are the topics' texts by id.
    """

    documents: pl.DataFrame | None = None
    complete: bool = False
    topics: Sequence[str] = ()
    questions: Mapping[str, str] = field(default_factory=dict)

    @property
    def are_numbered(self) -> bool:
        """Whether the topics are the numbers from 1 of questions that are known by their text."""
        return bool(self.questions) and list(self.topics) == [
            str(number) for number in range(1, len(self.topics) + 1)
        ]

    @classmethod
    def of(
        cls,
        collection: Collection | None,
        judged: Iterable[str] = (),
        topics: Sequence[str] = (),
        questions: Mapping[str, str] | None = None,
    ) -> KnownNames:
        """Return the ids of a collection or, without one, of the judged documents; and those of topics."""
        if collection is not None:
            documents = collection.documents
        else:
            names = judged if isinstance(judged, pl.Series) else list(judged)
            ids = pl.Series("doc", names, dtype=pl.String).unique(maintain_order=True)
            documents = pl.DataFrame({"doc": ids, "source": ids})
        known_documents = documents if documents.height else None
        return cls(known_documents, collection is not None, tuple(topics), dict(questions or {}))


def match_documents(frame: pl.DataFrame, known_names: KnownNames, owner: str) -> pl.DataFrame:
    """Return a frame in which ``doc`` is the known id of each row's document; ``names`` are dropped."""
    if "doc" not in frame.columns or frame["doc"].dtype != pl.String:
        return frame
    # the names of a row as one string, because frames look up strings much faster than lists
    has_names = "names" in frame.columns
    name_keys = frame["names"].list.join(_SEPARATOR) if has_names else frame["doc"]
    distinct = name_keys.unique(maintain_order=True).to_list()
    ids = {names: _select_default(names) for names in _split_names(distinct)}
    if known_names.documents is not None:
        ids |= _find_known(list(ids), known_names, owner)
    by_text = {_SEPARATOR.join(names): doc for names, doc in ids.items()}
    if not has_names and "" not in distinct and all(name == doc for name, doc in by_text.items()):
        return frame
    docs = name_keys.replace_strict(by_text, default=None, return_dtype=pl.String)
    return frame.with_columns(doc=docs).drop("names", strict=False)


def _split_names(texts: Iterable[str | None]) -> list[tuple[str, ...]]:
    return [tuple(text.split(_SEPARATOR)) for text in texts if text]


def _select_default(names: Sequence[str]) -> str:
    """Return the first name that a person would give to a document, or the first.

    >>> _select_default(["0e3b8a5e-9f0b-4c7e-8d57-1f6ac0a5b0a1", "notes.txt"])
    'notes.txt'
    """
    return next((name for name in names if not RANDOM_ID.fullmatch(name)), names[0])


def _find_known(
    rows: Sequence[tuple[str, ...]], known_names: KnownNames, owner: str
) -> dict[tuple[str, ...], str]:
    """Return the known id of the document with each row's names, where there is one."""
    documents = known_names.documents
    if documents is None:
        return {}
    every_name = list({name for names in rows for name in names})
    exact = set(documents["doc"].filter(documents["doc"].is_in(every_name)))
    matches: dict[tuple[str, ...], str] = {}
    for names in rows:
        name = next((name for name in names if name in exact), None)
        if name is not None:
            matches[names] = name
    unmatched = [names for names in rows if names not in matches]
    if not unmatched or (matches and not known_names.complete):
        return matches
    return matches | _find_similar(unmatched, documents, owner)


def _find_similar(
    rows: Sequence[tuple[str, ...]], documents: pl.DataFrame, owner: str
) -> dict[tuple[str, ...], str]:
    """Return the ids that match by path end or stem; a name that fits several is an error."""
    references = DocumentReferences(documents)
    paths = {name: _convert_path(name) for names in rows for name in names}
    fitting = references.list_matches([path for path in dict.fromkeys(paths.values()) if path])
    matches: dict[tuple[str, ...], str] = {}
    for names in rows:
        numbers = [fitting.get(paths[name], []) for name in names]
        single = next((rows_of_name for rows_of_name in numbers if len(rows_of_name) == 1), None)
        if single is not None:
            matches[names] = documents["doc"][single[0]]
            continue
        for name, several in zip(names, numbers, strict=True):
            if several:
                raise _build_ambiguity_error(name, documents["doc"].gather(several), owner)
    _refuse_merged_documents(matches, owner)
    return matches


def _convert_path(name: str) -> str:
    return name.removeprefix("file://").replace("\\", "/").removeprefix("./")


def _build_ambiguity_error(name: str, ids: pl.Series, owner: str) -> InputError:
    return InputError(
        f"{owner}, document {quote_value(name)}",
        wanted="a name that matches one document",
        found=f"{pluralise(len(ids), 'document')}: {join_words(ids.to_list(), 3)}",
    )


def _refuse_merged_documents(matches: Mapping[tuple[str, ...], str], owner: str) -> None:
    """Raise an error if two paths to different files would become one document."""
    paths: dict[str, str] = {}
    for names, doc in matches.items():
        path = max((_convert_path(name) for name in names), key=lambda path: path.count("/"))
        earlier = paths.setdefault(doc, path)
        if "/" in path and "/" in earlier and not (path.endswith(earlier) or earlier.endswith(path)):
            raise InputError(
                owner,
                wanted=f"one document that matches {quote_value(doc)}",
                found=f"{quote_value(earlier)} and {quote_value(path)}",
            )


def normalise_question(text: str) -> str:
    """Return the text of a question in the form that is compared: with single blanks between its words.

    >>> normalise_question(" Who  was hurt? ")
    'Who was hurt?'
    """
    return " ".join(text.split())


def match_topics(
    frame: pl.DataFrame, known_names: KnownNames, owner: str, *, positions: int | None = None
) -> pl.DataFrame:
    """Return a frame in which ``topic`` is the known id of each row's question.

    ``positions`` is the number of questions of a table that names them by position only.
    """
    if not known_names.topics or "topic" not in frame.columns or not frame.height:
        return frame
    if positions is not None:
        return _assign_positions(frame, known_names, owner, positions)
    given_topics = frame["topic"].unique(maintain_order=True).drop_nulls()
    unknown = given_topics.filter(~given_topics.is_in(list(known_names.topics)))
    ids = {normalise_question(text): topic for topic, text in known_names.questions.items()}
    by_text = {topic: ids[text] for topic in unknown if (text := normalise_question(topic)) in ids}
    if known_names.are_numbered and "0" in unknown.to_list():
        wanted = "the questions by their text, or by their number from 1"
        raise InputError(owner, wanted=wanted, found="topic 0")
    if not by_text and "question" in frame.columns and len(unknown) == len(given_topics):
        return _match_by_question(frame, ids)
    return frame.with_columns(pl.col("topic").replace(by_text)) if by_text else frame


def _match_by_question(frame: pl.DataFrame, ids: Mapping[str, str]) -> pl.DataFrame:
    """Return a frame in which questions with foreign ids are named by the id of their text."""
    texts = frame["question"].unique().drop_nulls()
    by_text = {text: ids[normalise_question(text)] for text in texts if normalise_question(text) in ids}
    topic_of_text = pl.col("question").replace_strict(by_text, default=None, return_dtype=pl.String)
    return frame.with_columns(topic=pl.coalesce(topic_of_text, "topic")) if by_text else frame


def _assign_positions(
    frame: pl.DataFrame, known_names: KnownNames, owner: str, positions: int
) -> pl.DataFrame:
    if positions != len(known_names.topics):
        raise InputError(
            owner,
            wanted=f"results for {pluralise(len(known_names.topics), 'question')}, in the order of the gold, "
            "or results by question: {question: results}",
            found=f"results for {positions:,}",
        )
    topics = {str(number): topic for number, topic in enumerate(known_names.topics, 1)}
    return frame.with_columns(pl.col("topic").replace_strict(topics, return_dtype=pl.String))
