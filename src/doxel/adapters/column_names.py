"""The names that people give to the columns of results and gold, and doxel's names for them.

Case, hyphens, blanks and a leading underscore do not matter: ``query-id``, ``Query ID`` and ``query_id`` are
the same name.  Of several names for one column the first in the list counts; other names of documents are
tried if the first one is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from doxel.documents.document_names import RANDOM_ID

__all__ = [
    "COLUMN_NAMES",
    "CONTEXT_IDS",
    "GOLD_COLUMN_NAMES",
    "LIST_NAMES",
    "NAMES_OF_NUMBERS",
    "NESTED_NAMES",
    "QUESTION_NAMES",
    "adopt_names",
    "find_list",
    "has_foreign_grade",
    "has_foreign_names",
    "has_foreign_score",
    "list_document_names",
    "list_usable_names",
    "normalise_name",
    "select_columns",
    "spread_lists",
]

QUESTION_NAMES = ("query", "question", "user_input", "query_text", "question_text")
"""Names of the text of a question, which is also its id if it has no other."""

COLUMN_NAMES: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "topic_id", "query_id", "qid", "q_id", "question_id", *QUESTION_NAMES),
    "doc": (
        *("doc", "docno", "doc_id", "document_id", "docid", "document", "corpus_id", "pid"),
        *("source", "file_path", "file_name", "filename", "file", "source_file", "source_path", "url"),
        *("document_name", "doc_name", "source_id", "id"),
    ),
    "start": (
        *("start", "start_index", "start_char_idx", "start_idx", "start_char", "start_offset"),
        *("start_pos", "start_position", "char_start", "split_idx_start", "begin", "begin_offset", "offset"),
        "from",
    ),
    "end": (
        *("end", "end_index", "end_char_idx", "end_idx", "end_char", "end_offset", "end_pos"),
        *("end_position", "char_end", "stop", "finish", "to"),
    ),
    "length": ("length",),
    "text": (
        *("text", "content", "page_content", "contents", "chunk_text", "chunk", "passage", "segment"),
        *("retrieved_context", "retrieved_text", "chunk_content", "passage_text", "excerpt", "snippet"),
        *("quote", "quotation"),
    ),
    "rank": ("rank",),
    "rsv": ("rsv", "score", "similarity", "relevance_score"),
    "distance": (
        *("distance", "distances", "dist", "vector_distance", "cosine_distance", "l2_distance"),
        "euclidean_distance",
    ),
    "grade": ("grade", "label", "relevance", "rel"),
}
"""doxel's columns, and the names read as each of them, in the order of preference."""

NESTED_NAMES = ("metadata", "meta", "payload", "source")
"""Names of a mapping inside a row that holds more columns (``_source`` is Elasticsearch's)."""

_COMMON_LISTS = (
    "chunks",
    "documents",
    "texts",
    "passages",
    "results",
)  # a result may have such a list as well
LIST_NAMES = {
    False: (
        *("retrieved_contexts", "contexts", "retrieved_chunks", "retrieved_documents", "retrieved_texts"),
        *("retrieved_passages", *_COMMON_LISTS),
    ),
    True: ("reference_contexts", "ground_truth_contexts"),
}
"""Names of a list inside a row: the results of its question, the best first; or (True) its gold."""

CONTEXT_IDS = {False: "retrieved_context_ids", True: "reference_context_ids"}
"""Names of a list with the documents of such a list."""

_NOT_LETTERS = re.compile(r"[\W_]+")


def normalise_name(name: object) -> str:
    """Return a name in the form that is compared.

    >>> normalise_name("Query ID"), normalise_name("corpus-id"), normalise_name("_distance")
    ('query_id', 'corpus_id', 'distance')
    """
    return _NOT_LETTERS.sub("_", str(name)).strip("_").lower()


def select_columns(
    names: Iterable[object], columns: Mapping[str, tuple[str, ...]] = COLUMN_NAMES
) -> dict[str, list[str]]:
    """Return for each of doxel's columns the given names that mean it, the preferred one first.

    >>> select_columns(["docid", "docno", "qid", "Score", "colour"])
    {'topic': ['qid'], 'doc': ['docno', 'docid'], 'rsv': ['Score']}
    """
    given_names: dict[str, str] = {}
    for name in names:
        given_names.setdefault(normalise_name(name), str(name))
    names_by_column = {
        column: [given_names[alias] for alias in aliases if alias in given_names]
        for column, aliases in columns.items()
    }
    return {column: names for column, names in names_by_column.items() if names}


GOLD_COLUMN_NAMES = {**COLUMN_NAMES, "grade": (*COLUMN_NAMES["grade"], "relevant", "is_relevant")}
"""The names in gold; in a run, whether a result is relevant is no score."""

NAMES_OF_NUMBERS = frozenset({"from", "to"})
"""Names that stand for a column only if their values are whole numbers: a letter has a sender, too."""


def list_usable_names(record: Mapping[str, Any]) -> list[str]:
    """Return the names of a record without those whose values show that they mean something else.

    >>> list_usable_names({"from": "anna@example.org", "to": 9, "text": "Dear Ben"})
    ['to', 'text']
    """
    return [
        name
        for name, value in record.items()
        if normalise_name(name) not in NAMES_OF_NUMBERS or isinstance(value, int | None)
    ]


_PLACE_KEYS = ("start", "path", "text", "page", "bep")
_PLACE_COLUMNS = ("start", "text")


def has_foreign_names(record: Mapping[str, Any]) -> bool:
    """Return whether a JSON object has other keys than doxel's for its topic, document or place.

    >>> has_foreign_names({"question": "Why?", "source": "a.txt", "page_content": "Because."})
    True
    >>> has_foreign_names({"topic": "1", "doc": "a", "start": 0, "end": 9, "source": "a.txt"})
    False
    >>> has_foreign_names({"topic": "1", "doc": "a", "start": 0, "stop": 9})
    True
    """
    columns = _select_columns_of_record(_flatten(record))
    if "topic" not in columns or not ({"doc", "text"} & columns.keys()):
        return False
    if "topic" not in record or ("doc" in columns and "doc" not in record):
        return True
    if "start" in record and "end" not in record and not {"end", "length"}.isdisjoint(columns):
        return True
    return not any(key in record for key in _PLACE_KEYS) and any(name in columns for name in _PLACE_COLUMNS)


def has_foreign_score(record: Mapping[str, Any]) -> bool:
    """Return whether a JSON object has a score or a distance, and no rank, only under other names.

    >>> has_foreign_score({"topic": "1", "doc": "a", "cosine_distance": 0.2})
    True
    >>> has_foreign_score({"topic": "1", "doc": "a", "score": 0.8, "cosine_distance": 0.2})
    False
    """
    if any(key in record for key in ("rank", "score", "rsv", "distance")):
        return False
    return not {"rsv", "distance"}.isdisjoint(_select_columns_of_record(_flatten(record)))


def has_foreign_grade(record: Mapping[str, Any]) -> bool:
    """Return whether a JSON object of gold has a grade, as a number or as true or false, under another name.

    >>> has_foreign_grade({"topic": "1", "doc": "a", "start": 0, "end": 9, "relevant": False})
    True
    >>> has_foreign_grade({"topic": "1", "doc": "a", "start": 0, "end": 9, "label": "unsure"})
    False
    """
    names = select_columns(record, GOLD_COLUMN_NAMES).get("grade", [])
    return "grade" not in record and any(isinstance(record[name], int | float) for name in names)


def adopt_names(record: Mapping[str, Any], *, gold: bool = False) -> dict[str, Any]:
    """Return a JSON object with doxel's keys in place of the names that people use.

    A mapping of metadata counts as part of the object; the text of a question stays as ``question`` if there
    is an id beside it; an end may follow from a length or a text.

    >>> adopt_names(
    ...     {"question": "Why?", "page_content": "Because.", "metadata": {"source": "a", "start_index": 4}}
    ... )
    {'topic': 'Why?', 'doc': 'a', 'start': 4, 'text': 'Because.', 'end': 12}
    """
    flat = _flatten(record)
    columns = _select_columns_of_record(flat, GOLD_COLUMN_NAMES if gold else COLUMN_NAMES)
    if not gold and "rsv" not in columns and "distance" not in columns and "grade" in columns:
        columns["rsv"] = columns.pop("grade")  # relevance as a score
    used_names = {name for names in columns.values() for name in names}
    adopted: dict[str, Any] = {}
    for column, names in columns.items():
        values = [flat[name] for name in names if flat[name] is not None]
        if column == "doc":  # a library's own random id only if there is nothing else
            values = [value for value in values if not RANDOM_ID.fullmatch(str(value))] or values
        adopted["score" if column == "rsv" else column] = values[0] if values else None
    if isinstance(adopted.get("grade"), bool):
        adopted["grade"] = float(adopted["grade"])
    texts = [name for name in columns.get("topic", ()) if normalise_name(name) in QUESTION_NAMES]
    if texts and flat[texts[0]] != adopted["topic"]:
        adopted["question"] = flat[texts[0]]
    adopted |= {name: value for name, value in flat.items() if name not in used_names and name not in adopted}
    return _complete_span(adopted, gold=gold)


def find_list(names: Iterable[str], lists: Iterable[str], *, gold: bool = False) -> str | None:
    """Return the name of the list with the results of a row's question; None if the row is a result itself.

    ``lists`` are those of the row's names whose values are lists.

    >>> find_list(["question", "passages"], ["passages"])
    'passages'
    >>> find_list(["question", "doc", "passages"], ["passages"]) is None
    True
    """
    columns = select_columns(names)
    docs = {normalise_name(name) for name in columns.get("doc", ())}
    if all(normalise_name(name) in QUESTION_NAMES for name in columns.get("topic", ())):
        docs -= {"id"}  # of the question
    is_result = bool(docs) or not {"start", "text"}.isdisjoint(columns)
    by_name = {normalise_name(name): name for name in lists}
    candidates = (name for name in LIST_NAMES[gold] if not (is_result and name in _COMMON_LISTS))
    return next((by_name[name] for name in candidates if name in by_name), None)


def spread_lists(record: Mapping[str, Any], *, gold: bool = False) -> list[dict[str, Any]]:
    """Return one object per result of an object that lists all results of a question, or else the object.

    The rank is the position in the list; gold has none.  The question names the topic; ``id`` does if
    there is no question.

    >>> spread_lists({"question": "Why?", "contexts": ["Because.", {"text": "So."}]})
    [{'text': 'Because.', 'question': 'Why?', 'rank': 1}, {'text': 'So.', 'question': 'Why?', 'rank': 2}]
    """
    names = {normalise_name(name): name for name in record}
    list_name = find_list(
        record, [name for name, value in record.items() if isinstance(value, list)], gold=gold
    )
    topics = select_columns(record).get("topic") or ([names["id"]] if "id" in names else [])
    if list_name is None or not topics:
        return [dict(record)]
    question = {"topic" if name == names.get("id") else name: record[name] for name in topics}
    if "run" in record:
        question["run"] = record["run"]
    members = [
        dict(member) if isinstance(member, Mapping) else {"text": member} for member in record[list_name]
    ]
    docs = record.get(names.get(CONTEXT_IDS[gold], ""))
    if isinstance(docs, list) and len(docs) == len(members):
        members = [{"doc": doc, **member} for doc, member in zip(docs, members, strict=True)]
    ranks = [{} if gold else {"rank": place} for place in range(1, len(members) + 1)]
    return [{**member, **question, **rank} for member, rank in zip(members, ranks, strict=True)]


def list_document_names(record: Mapping[str, Any]) -> list[str]:
    """Return all names of the document of a JSON object, the preferred one first.

    >>> list_document_names({"qid": 1, "id": 17, "metadata": {"source": "a.txt", "url": None}})
    ['a.txt', '17']
    """
    flat = _flatten(record)
    values = [flat[name] for name in _select_columns_of_record(flat).get("doc", ())]
    return list(dict.fromkeys(str(value) for value in values if isinstance(value, str | int) and value != ""))


def _select_columns_of_record(
    record: Mapping[str, Any], columns_by_name: Mapping[str, tuple[str, ...]] = COLUMN_NAMES
) -> dict[str, list[str]]:
    """Return the columns of an object, without those of another type, such as the number of a chunk."""
    columns = select_columns(list_usable_names(record), columns_by_name)
    texts = [
        name for name in columns.pop("text", []) if name == "text" or isinstance(record[name], str | None)
    ]
    return {**columns, "text": texts} if texts else columns


def _flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the entries of its metadata; pages are left out, their counting is unknown."""
    flat = dict(record)
    for name, value in record.items():
        if isinstance(value, Mapping) and normalise_name(name) in NESTED_NAMES:
            del flat[name]
            for key, entry in value.items():
                if key not in {"page", "page_label"}:
                    flat.setdefault(key, entry)
    return flat


def _complete_span(record: dict[str, Any], *, gold: bool) -> dict[str, Any]:
    length, start, text = record.pop("length", None), record.get("start"), record.get("text")
    if isinstance(start, int) and record.get("end") is None and start >= 0:
        size = length if isinstance(length, int) else len(text) if isinstance(text, str) else None
        if size is not None:
            record["end"] = start + size
    if (
        gold and text is not None and isinstance(start, int) and start < 0
    ):  # a negative start means an unknown place
        record = {key: value for key, value in record.items() if key not in {"start", "end"}}
    return record
