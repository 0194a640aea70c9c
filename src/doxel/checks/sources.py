"""Checks of files, topic files and the collection."""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedTopics, Reading
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.topics.query_structure import parse_queries
from doxel.topics.topic_summary import find_unknown_tags

__all__ = ["COLLECTION_CHECKS", "FILE_CHECKS", "TOPIC_CHECKS", "error_places"]

_SCHEMA = {"file": pl.String, "line": pl.UInt32, "message": pl.String}


def error_places(errors: list[InputError]) -> pl.DataFrame:
    """Return errors as places; the message does not repeat the file and line."""
    rows = [
        {
            "file": error.file,
            "line": error.line,
            "message": str(InputError(error.problem, wanted=error.wanted, found=error.found)),
        }
        for error in errors
    ]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _unreadable(reading: Reading) -> pl.DataFrame:
    return error_places(reading.errors)


def _left_out(reading: Reading) -> pl.DataFrame:
    rows = [{"file": file, "line": None, "message": sentence} for file, sentence in reading.notes]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _interrupted(collection: Collection) -> pl.DataFrame:
    messages = [] if collection.manifest.complete else ["its ingestion was interrupted"]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _repeated(checked: CheckedTopics) -> pl.DataFrame:
    repeated = checked.topics.table.filter(~pl.col("id").is_first_distinct())
    return repeated.select("file", "line", topic="id", message=pl.lit("another topic has the same id"))


def _without_query(checked: CheckedTopics) -> pl.DataFrame:
    bad = checked.topics.table.filter(pl.col("title").is_null() & pl.col("castitle").is_null())
    return bad.select("file", "line", topic="id", message=pl.lit("neither title nor castitle"))


def _no_query(checked: CheckedTopics) -> pl.DataFrame:
    rows = [
        {"file": error.file, "line": error.line, "message": error.at(None, None).sentence}
        for error in parse_queries(checked.topics)[1]
    ]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _unknown_tags(checked: CheckedTopics) -> pl.DataFrame:
    rows: list[dict[str, object]] = []
    tags = () if checked.collection is None else checked.collection.all_labels().names
    places = checked.topics.table.select("id", "file", "line")
    queries = parse_queries(checked.topics)[0] if tags else {}
    for topic, file, line in places.unique("id", keep="first", maintain_order=True).iter_rows():
        missing = find_unknown_tags(queries[topic], tags) if topic in queries else {}
        if missing:
            message = "; ".join(f"no element {tag}{_near(nearest)}" for tag, nearest in missing.items())
            rows.append({"file": file, "line": line, "topic": topic, "message": message})
    return pl.DataFrame(rows, schema={**_SCHEMA, "topic": pl.String})


def _near(nearest: tuple[str, ...]) -> str:
    return f" (near: {', '.join(nearest)})" if nearest else ""


FILE_CHECKS: tuple[Check[Reading], ...] = (
    Check(
        "F001",
        "error",
        "file that cannot be read",
        "The file is damaged, has an unknown format, or contains a line that cannot be parsed.  It was not "
        "checked any further.",
        "Correct the line in the message.  If the format was not recognised, look at the start of the file.",
        _unreadable,
    ),
    Check(
        "F002",
        "note",
        "content that was ignored",
        "The file contains something that doxel does not use, such as additional keys or attributes, or a "
        "folder contains files of another kind.  Everything else was read.",
        "Nothing to do, unless the name of a key or attribute is misspelt.",
        _left_out,
    ),
)

COLLECTION_CHECKS: tuple[Check[Collection], ...] = (
    Check(
        "C001",
        "warning",
        "incomplete collection",
        "The ingestion was interrupted, so documents are missing; references to them are reported as "
        "unknown.",
        "Run 'doxel ingest' again; it continues where it stopped.",
        _interrupted,
    ),
)

TOPIC_CHECKS: tuple[Check[CheckedTopics], ...] = (
    Check(
        "T001",
        "error",
        "duplicate topic id",
        "Two topics have the same id, so it is unclear which of them was answered and assessed.",
        "Give every topic a unique id, and pass every file only once.",
        _repeated,
    ),
    Check(
        "T002",
        "warning",
        "topic without a query",
        "The topic has neither a title nor a castitle.",
        "Add a title or a castitle.",
        _without_query,
    ),
    Check(
        "T003",
        "warning",
        "query that cannot be parsed",
        "The structured query is not valid NEXI, nor valid in the dialect of 2003.  Scores do not depend on "
        "it, unless structure is interpreted strictly (--structure), which is then rejected.",
        "Correct the query at the character in the message; 'doxel nexi' explains queries.",
        _no_query,
    ),
    Check(
        "T004",
        "warning",
        "query with tags that are not in the collection",
        "The query names elements that no document of the collection contains.  If structure is interpreted "
        "strictly, the query may have no answer.",
        "Check that the topics belong to this collection; the message lists similar tags.",
        _unknown_tags,
    ),
)
