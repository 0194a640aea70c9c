"""Checks of files, of topic files, and of the collection itself."""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedTopics, Reading
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.topics.describe import unknown_tags
from doxel.topics.structure import parse_queries

__all__ = ["COLLECTION_CHECKS", "FILE_CHECKS", "TOPIC_CHECKS", "error_places"]

_SCHEMA = {"file": pl.String, "line": pl.UInt32, "message": pl.String}


def error_places(errors: list[InputError]) -> pl.DataFrame:
    """Return what errors say, with their file and line; the message does not repeat these."""
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
    said = [] if collection.manifest.complete else ["its ingestion was interrupted"]
    return pl.DataFrame({"message": said}, schema={"message": pl.String})


def _repeated(checked: CheckedTopics) -> pl.DataFrame:
    again = checked.topics.table.filter(~pl.col("id").is_first_distinct())
    return again.select("file", "line", topic="id", message=pl.lit("this id a second time"))


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
    known = () if checked.collection is None else checked.collection.all_labels().names
    places = checked.topics.table.select("id", "file", "line")
    queries = parse_queries(checked.topics)[0] if known else {}
    for topic, file, line in places.unique("id", keep="first", maintain_order=True).iter_rows():
        missing = unknown_tags(queries[topic], known) if topic in queries else {}
        if missing:
            said = "; ".join(f"no {tag}{_near(nearest)}" for tag, nearest in missing.items())
            rows.append({"file": file, "line": line, "topic": topic, "message": said})
    return pl.DataFrame(rows, schema={**_SCHEMA, "topic": pl.String})


def _near(nearest: tuple[str, ...]) -> str:
    return f" (near: {', '.join(nearest)})" if nearest else ""


FILE_CHECKS: tuple[Check[Reading], ...] = (
    Check(
        "F001",
        "error",
        "file that cannot be read",
        "The file is damaged, is of no known format, or has a line that cannot be understood.  Nothing of it "
        "was checked.",
        "Mend the line that is named.  Where the format was not recognised, the beginning of the file is "
        "wrong.",
        _unreadable,
    ),
    Check(
        "F002",
        "note",
        "something was left out in reading",
        "The file holds something that has no place here, such as further keys or attributes; or a folder "
        "holds files of another kind.  Everything else was read.",
        "Nothing, unless something that matters is misspelt.",
        _left_out,
    ),
)

COLLECTION_CHECKS: tuple[Check[Collection], ...] = (
    Check(
        "C001",
        "warning",
        "incomplete collection",
        "The ingestion was interrupted: documents are missing, and what names them will be found unknown.",
        "Repeat 'doxel ingest': it goes on where it stopped.",
        _interrupted,
    ),
)

TOPIC_CHECKS: tuple[Check[CheckedTopics], ...] = (
    Check(
        "T001",
        "error",
        "topic id twice",
        "Two topics have the same id: nobody can tell which one was answered and assessed.",
        "Give every topic an id of its own, and name every file once.",
        _repeated,
    ),
    Check(
        "T002",
        "warning",
        "topic without a query",
        "The topic has neither a title nor a castitle.",
        "Give it one.",
        _without_query,
    ),
    Check(
        "T003",
        "warning",
        "query that cannot be understood",
        "The query with structure is no NEXI, nor its dialect of 2003.  Scores do not depend on it, unless "
        "structure is taken strictly (--structure): that is then refused.",
        "Mend the query at the character that is named; 'doxel nexi' explains queries.",
        _no_query,
    ),
    Check(
        "T004",
        "warning",
        "query with tags that the collection does not have",
        "The query names elements that no document of the collection has.  Taken strictly, it may have no "
        "answer.",
        "Check that topics and collection belong together; the nearest tags are named.",
        _unknown_tags,
    ),
)
