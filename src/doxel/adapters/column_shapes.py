"""Convert a frame with foreign column names to one with doxel's names.

Some tables hold several results in one row: those of ragas, and the questions of Chroma's chunking
evaluation.  They become one row per result.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from doxel.adapters.column_names import (
    COLUMN_NAMES,
    CONTEXT_IDS,
    GOLD_COLUMN_NAMES,
    NAMES_OF_NUMBERS,
    NESTED_NAMES,
    QUESTION_NAMES,
    find_list,
    normalise_name,
    select_columns,
)
from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = ["COLUMN_SHAPES", "ColumnShape", "parse_references", "rename_columns"]


@dataclass(frozen=True, kw_only=True)
class ColumnShape:
    """A table with several results or highlights in a row, recognised by its columns."""

    name: str
    shape: str
    recognises: Callable[[pl.DataFrame, bool], bool]
    convert: Callable[[pl.DataFrame, bool, str], pl.DataFrame]


def _find_contexts(frame: pl.DataFrame, gold: bool) -> str | None:
    """Return the column that lists the results, or the gold, of each row's question."""
    return find_list(
        frame.columns, [name for name, dtype in frame.schema.items() if dtype == pl.List], gold=gold
    )


def _has_contexts(frame: pl.DataFrame, gold: bool) -> bool:
    return _find_contexts(frame, gold) is not None


def _explode_contexts(frame: pl.DataFrame, gold: bool, owner: str) -> pl.DataFrame:
    """Return one row per context, with its rank; a question with the same text as another is an error."""
    by_name = {normalise_name(name): name for name in frame.columns}
    contexts = str(_find_contexts(frame, gold))
    topic = select_columns(frame.columns).get("topic", [None])[0]
    if topic is None:
        raise InputError(owner, wanted="a column user_input or an id", found=", ".join(frame.columns))
    repeated_topics = frame.filter(pl.col(topic).is_duplicated())[topic]
    if len(repeated_topics):
        wanted = "each question once, or ids in a column query_id"
        raise InputError(owner, wanted=wanted, found=f"{quote_value(str(repeated_topics[0]))} twice")
    other_topics = [name for name in select_columns(frame.columns).get("topic", ()) if name != topic]
    lists = {"text": pl.col(contexts), "rank": pl.int_ranges(1, pl.col(contexts).list.len() + 1)}
    ids = by_name.get(CONTEXT_IDS[gold])
    if ids is not None and frame.schema[ids] == pl.List:
        same_length = (frame[ids].list.len() == frame[contexts].list.len()).all()
        lists |= {"doc": pl.col(ids)} if same_length else {}
    table = (
        frame.filter(pl.col(contexts).list.len() > 0).select(topic, *other_topics, **lists).explode(*lists)
    )
    if isinstance(table.schema["text"], pl.Struct):  # rows instead of texts
        fields = [
            field.name
            for field in table.schema["text"].fields
            if field.name not in {topic, *other_topics, "rank"}
        ]
        table = (
            table.with_columns(chunk="text")
            .drop("text")
            .select(pl.exclude("chunk"), *(pl.col("chunk").struct.field(field) for field in fields))
        )
    return table.drop("rank") if gold else table


def _has_references(frame: pl.DataFrame, gold: bool) -> bool:
    return gold and {"question", "references", "corpus_id"} <= set(map(normalise_name, frame.columns))


def _explode_references(frame: pl.DataFrame, gold: bool, owner: str) -> pl.DataFrame:
    """Return one row per excerpt; a question without an id is its row, counted from 1."""
    del gold
    by_name = {normalise_name(name): name for name in frame.columns}
    topics = [
        name for name in select_columns(frame.columns)["topic"] if normalise_name(name) not in QUESTION_NAMES
    ]
    rows = [
        (
            str(row[topics[0]]) if topics else str(number),
            row[by_name["question"]],
            row[by_name["corpus_id"]],
            *(reference.get(name) for name in ("content", "start_index", "end_index")),
        )
        for number, row in enumerate(frame.iter_rows(named=True), 1)
        for reference in parse_references(row[by_name["references"]], owner, number)
    ]
    types = (pl.String, pl.String, pl.String, pl.String, pl.Int64, pl.Int64)
    columns = ("topic", "question", "doc", "text", "start", "end")
    return pl.DataFrame(rows, schema=dict(zip(columns, types, strict=True)), orient="row")


def parse_references(value: Any, owner: str, number: int) -> list[dict[str, Any]]:
    """Return the excerpts of a question, which are JSON; ``number`` is its row, or its line in a file."""
    try:
        references = json.loads(value) if isinstance(value, str) else value
        if all(isinstance(reference, dict) for reference in references):
            return list(references)
    except (ValueError, TypeError, RecursionError):
        pass
    wanted = 'references such as [{"content": "...", "start_index": 0, "end_index": 9}]'
    raise InputError("a question", file=owner, line=number, wanted=wanted, found=quote_value(value, 80))


COLUMN_SHAPES: tuple[ColumnShape, ...] = (
    ColumnShape(
        name="ragas rows",
        shape="the columns `user_input` and `retrieved_contexts`, a list of texts or rows; "
        "in gold `reference_contexts`",
        recognises=_has_contexts,
        convert=_explode_contexts,
    ),
    ColumnShape(
        name="questions of Chroma's chunking evaluation",
        shape="the columns `question`, `references` (JSON) and `corpus_id`, in gold only; "
        "a question is its row, counted from 1, or its text",
        recognises=_has_references,
        convert=_explode_references,
    ),
)
"""Tables with several results in a row, in the order of recognition."""


def rename_columns(frame: pl.DataFrame, *, gold: bool, owner: str) -> pl.DataFrame:
    """Return a frame with doxel's column names, ``names`` of documents, and ``question`` texts beside ids."""
    frame = _unnest_metadata(frame)
    for shape in COLUMN_SHAPES:
        if shape.recognises(frame, gold):
            frame = shape.convert(frame, gold, owner)
    names = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_numeric() or normalise_name(name) not in NAMES_OF_NUMBERS
    ]
    aliases_by_column = select_columns(names, GOLD_COLUMN_NAMES if gold else COLUMN_NAMES)
    if (
        gold
        and "grade" not in aliases_by_column
        and not {"start", "text", "path", "bep"} & (set(aliases_by_column) | set(frame.columns))
    ):
        aliases_by_column["grade"] = aliases_by_column.pop("rsv", [])  # the column score of BEIR's qrels
    if (
        not gold
        and "rsv" not in aliases_by_column
        and "distance" not in aliases_by_column
        and "grade" in aliases_by_column
    ):
        aliases_by_column["rsv"] = aliases_by_column.pop("grade")  # relevance as a score
    aliases_by_column = {column: aliases for column, aliases in aliases_by_column.items() if aliases}
    used_names = {name for aliases in aliases_by_column.values() for name in aliases}
    columns: tuple[str | pl.Expr, ...] = (
        *(name for name in frame.columns if name not in used_names and name != "names"),
        *(
            pl.coalesce(aliases).alias(column) if len(aliases) > 1 else pl.col(aliases[0]).alias(column)
            for column, aliases in aliases_by_column.items()
            if column not in {"doc", "topic"}
        ),
        *_select_topics(aliases_by_column.get("topic", [])),
        *_select_documents(frame, aliases_by_column.get("doc", [])),
    )
    try:
        renamed = frame.select(*columns)
    except pl.exceptions.InvalidOperationError as error:  # such as a list instead of an id
        found = str(error).partition("\n")[0]
        raise InputError(owner, wanted="a number or a string in each cell", found=found) from None
    return _complete_spans(_convert_distances(renamed, owner), gold=gold)


def _unnest_metadata(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with the fields of its metadata columns as separate columns."""
    for name, dtype in frame.schema.items():
        if isinstance(dtype, pl.Struct) and normalise_name(name) in NESTED_NAMES:
            fields = [
                field.name
                for field in dtype.fields
                if field.name not in frame.columns and field.name not in {"page", "page_label"}
            ]
            frame = frame.with_columns(pl.col(name).struct.field(field) for field in fields).drop(name)
    return frame


def _select_topics(aliases: list[str]) -> list[pl.Expr]:
    if not aliases:
        return []
    texts = [name for name in aliases if normalise_name(name) in QUESTION_NAMES]
    question = [pl.col(texts[0]).cast(pl.String).alias("question")] if texts else []
    return [pl.col(aliases[0]).cast(pl.String).alias("topic"), *question]


def _select_documents(frame: pl.DataFrame, aliases: list[str]) -> list[pl.Expr]:
    """Return the names of each row's document as a list, if it has several, and the first of them."""
    if "names" in frame.columns:
        names = pl.col("names").cast(pl.List(pl.String))
    elif len(aliases) == 1:
        return [pl.col(aliases[0]).cast(pl.String).alias("doc")]
    elif aliases:
        names = pl.concat_list(pl.col(name).cast(pl.String) for name in aliases).list.drop_nulls()
    else:
        return []
    return [names.alias("names"), names.list.first().alias("doc")]


def _convert_distances(frame: pl.DataFrame, owner: str) -> pl.DataFrame:
    """Turn distances into scores, the nearest result the best; a conflict with scores is an error."""
    if "distance" not in frame.columns:
        return frame
    try:
        scores = 0.0 - frame["distance"].cast(pl.Float64)
        table = frame.with_columns(negated=scores)
        if "rsv" not in frame.columns:
            return table.drop("distance").rename({"negated": "rsv"})
        rsv = frame["rsv"].cast(pl.Float64)
    except pl.exceptions.PolarsError:
        wanted, found = "a distance as a number", f"distance {frame['distance'].dtype}"
        raise InputError(owner, wanted=wanted, found=found) from None
    if "rank" not in frame.columns and not _is_same_order(table.with_columns(rsv=rsv)):
        wanted = (
            "a score or a distance, or the same order by both: the highest score at the smallest distance"
        )
        raise InputError(owner, wanted=wanted, found="different orders")
    return frame.drop("distance")


def _is_same_order(table: pl.DataFrame) -> bool:
    ranks = [pl.col(name).rank("dense").over("topic") for name in ("rsv", "negated")]
    return "topic" not in table.columns or bool(table.select((ranks[0] == ranks[1]).all()).item())


def _complete_spans(frame: pl.DataFrame, *, gold: bool) -> pl.DataFrame:
    """Add ends that follow from lengths, or from texts."""
    if "start" not in frame.columns or frame.schema["start"] == pl.Null:
        return frame.drop("length", strict=False)
    lengths = [pl.col("length")] if "length" in frame.columns else []
    if "text" in frame.columns and frame.schema["text"] == pl.String:
        lengths.append(pl.col("text").str.len_chars())
    if lengths and frame.schema["start"].is_numeric():
        end = pl.col("start") + pl.coalesce(lengths).cast(pl.Int64)
        end = pl.when(pl.col("start") >= 0).then(end)
        frame = frame.with_columns(end=pl.coalesce("end", end) if "end" in frame.columns else end)
    if gold and "text" in frame.columns:  # a negative start means an unknown place
        is_unknown = pl.col("start") < 0
        frame = frame.with_columns(
            pl.when(~is_unknown).then(name).alias(name) for name in ("start", "end") if name in frame.columns
        )
    return frame.drop("length", strict=False)
