"""All adapters, and the conversion of foreign data with them.

To add a library, declare an adapter where it belongs: ``chunk_objects`` for one result, ``question_results``
for the answer to a question, ``result_tables`` for everything at once.  The documentation lists them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from doxel.adapters.adapter_declaration import ForeignRow, ListAdapter, TableAdapter
from doxel.adapters.chunk_objects import CHUNK_ADAPTERS
from doxel.adapters.column_names import (
    COLUMN_NAMES,
    GOLD_COLUMN_NAMES,
    LIST_NAMES,
    QUESTION_NAMES,
    normalise_name,
    select_columns,
)
from doxel.adapters.column_shapes import COLUMN_SHAPES, rename_columns
from doxel.adapters.question_results import LIST_ADAPTERS
from doxel.adapters.result_tables import TABLE_ADAPTERS, WANTED, build_frame
from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = [
    "AdaptedTable",
    "adapt_chunk",
    "adapt_table",
    "is_by_topic",
    "is_table",
    "list_adapters",
    "list_results",
    "render_adapter_tables",
]

_TOPIC_IDS = frozenset(COLUMN_NAMES["topic"]) - frozenset(QUESTION_NAMES)


class AdaptedTable(NamedTuple):
    """A frame with doxel's columns and ``names``, and its columns as they were named.

    ``positions`` is the number of questions if they have no names.
    """

    frame: pl.DataFrame
    columns: tuple[str, ...] = ()
    positions: int | None = None


def adapt_table(data: Any, owner: str, *, gold: bool = False) -> AdaptedTable:
    """Return results, or gold, of many questions as a frame with doxel's column names.

    >>> adapt_table({"q1": {"a": 0.5}}, "a run").frame.select("topic", "doc", "rsv").rows()
    [('q1', 'a', 0.5)]
    """
    data = list(data) if isinstance(data, Iterator) else data
    if gold and _has_single_texts(data):
        data = {topic: [value] if isinstance(value, str) else value for topic, value in data.items()}
    positions = None
    if is_by_topic(data) or (isinstance(data, Mapping) and _has_no_results(data)):
        frame = build_frame(_list_rows_by_topic(data, owner))
    elif _is_list_of_lists(data):
        frame = build_frame(_list_rows_by_topic(dict(enumerate(data, 1)), owner))
        positions = len(data)
    elif (adapter := _find_table_adapter(data)) is not None:
        frame = _convert_table(adapter, data, owner, gold=gold)
        positions = len(data["ids"]) if adapter.positions(data) else None
    else:
        is_list = isinstance(data, list | tuple)
        raise InputError(owner, wanted=WANTED, found=quote_value(data[0] if is_list else data))
    return AdaptedTable(rename_columns(frame, gold=gold, owner=owner), tuple(frame.columns), positions)


def _convert_table(adapter: TableAdapter, data: Any, owner: str, *, gold: bool) -> pl.DataFrame:
    try:
        return adapter.convert(data, gold)
    except InputError as error:
        raise InputError(owner, wanted=error.wanted, found=error.found) from None


def _find_table_adapter(data: Any) -> TableAdapter | None:
    return next((adapter for adapter in TABLE_ADAPTERS if adapter.recognises(data)), None)


def is_table(data: Any) -> bool:
    """Return whether data are the results of one run, not a list or a mapping of runs."""
    return _find_table_adapter(data) is not None or is_by_topic(data) or _is_list_of_lists(data)


def _find_list_adapter(value: Any) -> ListAdapter | None:
    return next((adapter for adapter in LIST_ADAPTERS if adapter.recognises(value)), None)


def list_results(answer: Any, owner: str) -> list[Any]:
    """Return the answer to one question as a list of results."""
    adapter = _find_list_adapter(answer)
    if adapter is None:
        wanted = "a list of results"
        raise InputError(owner, wanted=wanted, found=quote_value(answer, 80))
    return list(adapter.convert(answer))


def is_by_topic(data: Any) -> bool:
    """Return whether data map topics to their results, which do not name other topics."""
    if not isinstance(data, Mapping) or not data or _find_table_adapter(data) is not None:
        return False
    adapters = [_find_list_adapter(value) for value in data.values()]
    if not all(adapters) or any(isinstance(value, Iterator) for value in data.values()):
        return False
    lists = {
        str(topic): adapter.convert(value)
        for (topic, value), adapter in zip(data.items(), adapters, strict=True)
        if adapter is not None
    }
    first = next((results[0] for results in lists.values() if len(results)), None)
    if isinstance(first, Mapping):
        return _are_rows_of_topics(lists)
    return _is_chunk(first)


def _has_single_texts(data: Any) -> bool:
    """Return whether data map some questions to a single text, and are not one row under its column names."""
    return (
        isinstance(data, Mapping)
        and any(isinstance(value, str) for value in data.values())
        and all(isinstance(value, str | list | tuple) for value in data.values())
        and "topic" not in select_columns(data)
    )


def _has_no_results(data: Mapping[Any, Any]) -> bool:
    return all(isinstance(value, Sequence) and not value for value in data.values())


def _is_chunk(value: Any) -> bool:
    return any(adapter.recognises(value) for adapter in CHUNK_ADAPTERS) and not isinstance(value, Mapping)


def _are_rows_of_topics(lists: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether the rows of each list name no topic, or the one that they are listed under."""
    rows = [(topic, row) for topic, results in lists.items() for row in results if isinstance(row, Mapping)]
    names = {normalise_name(name) for _, row in rows[:1] for name in row}
    if any(
        {"retrieved_contexts", "reference_contexts"} & {normalise_name(name) for name in row}
        for _, row in rows[:1]
    ):
        return False
    if _TOPIC_IDS & names:
        return all(
            str(value) == topic
            for topic, row in rows
            for name, value in row.items()
            if normalise_name(name) in _TOPIC_IDS
        )
    if not names & set(QUESTION_NAMES):
        return True
    questions: dict[str, set[str]] = {}
    for topic, row in rows:
        texts = (value for name, value in row.items() if normalise_name(name) in QUESTION_NAMES)
        questions.setdefault(topic, set()).update(map(str, texts))
    is_same = all(texts == {topic} for topic, texts in questions.items())
    return is_same or (len(questions) > 1 and all(len(texts) == 1 for texts in questions.values()))


def _is_list_of_lists(data: Any) -> bool:
    """Return whether data are the results of one question after the other, as lists of library objects."""
    if not isinstance(data, list) or not data or not all(isinstance(results, list) for results in data):
        return False
    chunks = [chunk for results in data for chunk in results]
    return bool(chunks) and all(_is_chunk(chunk) and not isinstance(chunk, tuple | list) for chunk in chunks)


def _list_rows_by_topic(by_topic: Mapping[Any, Any], owner: str) -> list[ForeignRow]:
    """Return results listed by topic as rows; the rank is the position in the list."""
    return [
        {
            **adapt_chunk(chunk, f"{owner}, topic {str(topic)!r}, chunk {place}"),
            "topic": str(topic),
            "rank": place,
        }
        for topic, answer in by_topic.items()
        for place, chunk in enumerate(list_results(answer, f"{owner}, topic {str(topic)!r}"), 1)
    ]


def adapt_chunk(chunk: Any, label: str) -> ForeignRow:
    """Return one result with doxel's names."""
    for adapter in CHUNK_ADAPTERS:
        if adapter.recognises(chunk):
            return adapter.convert(chunk)
    raise InputError(
        label,
        wanted="a text, (doc, start, end), a dict, or a document or node of a retrieval library",
        found=quote_value(chunk, 80),
    )


def render_adapter_tables() -> str:
    """Return the tables of adapters and of column names, for the end of the page of adapters."""
    lines: list[str] = []
    level = ""
    for adapter_level, name, shape in list_adapters():
        if adapter_level != level:
            level = adapter_level
            lines += ["", f"## {level[0].upper()}{level[1:]}", "", "| data | shape |", "|---|---|"]
        lines.append(f"| {name} | {shape} |")
    lines += [
        "",
        "## Names of columns",
        "",
        "Case, hyphens, blanks and a leading underscore do not matter. The first name found counts.",
        "",
        "| column | names |",
        "|---|---|",
    ]
    in_gold = GOLD_COLUMN_NAMES["grade"][len(COLUMN_NAMES["grade"]) :]
    columns = {**COLUMN_NAMES, "grade, in gold also": in_gold, "a list of results": LIST_NAMES[False]}
    for column, names in columns.items():
        lines.append(f"| {column} | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines[1:]) + "\n"


def list_adapters() -> list[tuple[str, str, str]]:
    """Return all adapters as level, name and shape, for the documentation."""
    levels: dict[str, Sequence[Any]] = {
        "a result": CHUNK_ADAPTERS,
        "the results of one question": LIST_ADAPTERS,
        "all results, or gold": (*TABLE_ADAPTERS, *COLUMN_SHAPES),
    }
    return [
        (level, adapter.name, adapter.shape) for level, adapters in levels.items() for adapter in adapters
    ]
