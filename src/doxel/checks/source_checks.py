"""Checks of files, topic files, the collection, and the assessments as a whole."""

from __future__ import annotations

import polars as pl

from doxel.checks.check_declaration import Check, pluralise_column
from doxel.checks.check_subjects import CheckedAssessments, CheckedTopics, ReadingProblems
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.topics.query_structure import parse_queries

__all__ = [
    "ASSESSED_TOPIC_CHECKS",
    "ASSESSMENT_SET_CHECKS",
    "COLLECTION_CHECKS",
    "FILE_CHECKS",
    "TOPIC_CHECKS",
]

_SCHEMA = {"file": pl.String, "line": pl.UInt32, "message": pl.String}


def locate_errors(errors: list[InputError]) -> pl.DataFrame:
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


def _find_unreadable(reading: ReadingProblems) -> pl.DataFrame:
    return locate_errors(reading.errors)


def _find_ignored(reading: ReadingProblems) -> pl.DataFrame:
    rows = [{"file": file, "line": None, "message": sentence} for file, sentence in reading.notes]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _find_interruption(collection: Collection) -> pl.DataFrame:
    messages = [] if collection.manifest.complete else ["its ingestion was interrupted"]
    return pl.DataFrame({"message": messages}, schema={"message": pl.String})


def _find_duplicate_ids(checked: CheckedTopics) -> pl.DataFrame:
    duplicates = checked.topics.table.filter(~pl.col("id").is_first_distinct())
    return duplicates.select("file", "line", topic="id", message=pl.lit("another topic has the same id"))


def _find_missing_queries(checked: CheckedTopics) -> pl.DataFrame:
    rows = checked.topics.table.filter(pl.col("title").is_null() & pl.col("castitle").is_null())
    return rows.select("file", "line", topic="id", message=pl.lit("neither title nor castitle"))


def _find_invalid_queries(checked: CheckedTopics) -> pl.DataFrame:
    rows = [
        {"file": error.file, "line": error.line, "message": error.at(None, None).sentence}
        for error in parse_queries(checked.topics)[1]
    ]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _find_unknown_tags(checked: CheckedTopics) -> pl.DataFrame:
    from doxel.topics.topic_summary import find_unknown_tags  # its parser is for queries only

    rows: list[dict[str, object]] = []
    tags = () if checked.collection is None else checked.collection.all_labels().names
    places = checked.topics.table.select("id", "file", "line")
    queries = parse_queries(checked.topics)[0] if tags else {}
    for topic, file, line in places.unique("id", keep="first", maintain_order=True).iter_rows():
        unknown_tags = find_unknown_tags(queries[topic], tags) if topic in queries else {}
        if unknown_tags:
            message = "; ".join(
                f"no element {tag}{_list_similar_tags(nearest)}" for tag, nearest in unknown_tags.items()
            )
            rows.append({"file": file, "line": line, "topic": topic, "message": message})
    return pl.DataFrame(rows, schema={**_SCHEMA, "topic": pl.String})


def _list_similar_tags(nearest: tuple[str, ...]) -> str:
    return f" (similar: {', '.join(nearest)})" if nearest else ""


FILE_CHECKS: tuple[Check[ReadingProblems], ...] = (
    Check(
        "F001",
        "error",
        "file that cannot be read",
        "The file is damaged, has an unknown format, or contains a line that cannot be parsed.  It was not "
        "checked any further.",
        "Correct the line in the message.  If the format was not recognised, look at the start of the file.",
        _find_unreadable,
        effect="refuse",
    ),
    Check(
        "F002",
        "note",
        "content that was ignored",
        "The file contains something that doxel does not use, such as additional keys or attributes, or a "
        "folder contains files of another kind.  Everything else was read.",
        "Nothing to do, unless the name of a key or attribute is misspelt.",
        _find_ignored,
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
        _find_interruption,
        effect="guess",
    ),
)

TOPIC_CHECKS: tuple[Check[CheckedTopics], ...] = (
    Check(
        "T001",
        "error",
        "duplicate topic id",
        "Two topics have the same id, so it is unclear which of them was answered and assessed.",
        "Give every topic a unique id, and pass every file only once.",
        _find_duplicate_ids,
    ),
    Check(
        "T002",
        "warning",
        "topic without a query",
        "The topic has neither a title nor a castitle.",
        "Add a title or a castitle.",
        _find_missing_queries,
    ),
    Check(
        "T003",
        "warning",
        "query that cannot be parsed",
        "The structured query is not valid NEXI, nor valid in the dialect of 2003.  Scores do not depend on "
        "it, unless structure is interpreted strictly (--structure), which is then rejected.",
        "Correct the query at the character in the message; 'doxel nexi' explains queries.",
        _find_invalid_queries,
    ),
    Check(
        "T004",
        "warning",
        "query with tags that are not in the collection",
        "The query names elements that no document of the collection contains.  If structure is interpreted "
        "strictly, the query may have no answer.",
        "Check that the topics belong to this collection; the message lists similar tags.",
        _find_unknown_tags,
    ),
)


def _find_conflicts(errors: list[InputError]) -> pl.DataFrame:
    return locate_errors(errors)


def _find_duplicate_judgements(checked: CheckedAssessments) -> pl.DataFrame:
    message = pl.lit("the same judgement again; it counts once")
    return checked.repeated.select("file", "line", "topic", "doc", message=message)


def _locate_topics(checked: CheckedAssessments, topics: set[str], message: str) -> pl.DataFrame:
    judged = checked.resolved.judged.filter(pl.col("topic").is_in(list(topics)))
    first = judged.group_by("topic", maintain_order=True).agg(pl.col("file", "line").first(), count=pl.len())
    documents = pluralise_column("count", "judged document", "judged documents")
    return first.select("file", "line", "topic", message=pl.format(message, documents))


def _find_unknown_topics(checked: CheckedAssessments) -> pl.DataFrame:
    topics = checked.around.topics
    unknown = set() if topics is None else set(checked.resolved.topics) - set(topics)
    return _locate_topics(checked, unknown, "{}, but the topic is not in the topic file")


def _find_topics_without_judgements(checked: CheckedAssessments) -> pl.DataFrame:
    assessed = set(checked.resolved.topics)
    rows = [
        {"topic": topic, "message": "in the topic file, but never assessed"}
        for topic in checked.around.topics or ()
        if topic not in assessed
    ]
    return pl.DataFrame(rows, schema={"topic": pl.String, "message": pl.String})


def _find_topics_without_relevance(checked: CheckedAssessments) -> pl.DataFrame:
    assessments = checked.resolved
    is_zero = pl.col("relevance", "exhaustivity").fill_null("0").is_in(["0", "U"])
    relevant = {
        *assessments.relevant_highlights["topic"],
        *assessments.beps["topic"],
        *assessments.elements.filter(~pl.all_horizontal(is_zero) | (pl.col("rsize") > 0))["topic"],
        *assessments.judged.filter((pl.col("grade") > 0) | (pl.col("rsize") > 0))["topic"],
    }
    irrelevant = set(assessments.topics) - relevant
    return _locate_topics(checked, irrelevant, "nothing is relevant in {}")


ASSESSMENT_SET_CHECKS: tuple[Check[list[InputError]], ...] = (
    Check(
        "A001",
        "error",
        "assessments that cannot be combined",
        "The files use different scales, count text nodes differently, or contain two different judgements "
        "of a document, so they cannot be scored together.  They were not checked any further.",
        "Pass only the files or folders to score with; keep the judgements of second assessors in separate "
        "folders.",
        _find_conflicts,
        effect="refuse",
    ),
)

ASSESSED_TOPIC_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A002",
        "note",
        "duplicate judgement",
        "A document is judged a second time for a topic, exactly as before.  It counts once.",
        "Nothing to do; if a file was passed twice, pass it once.",
        _find_duplicate_judgements,
    ),
    Check(
        "A501",
        "error",
        "topic not in the topic file",
        "A topic was assessed that is not in the topic file.",
        "Pass all topic files, or correct the topic's id.",
        _find_unknown_topics,
    ),
    Check(
        "A502",
        "note",
        "topic never assessed",
        "The topic file contains a topic for which nothing was judged.",
        "Nothing to do: campaigns assess fewer topics than they publish.",
        _find_topics_without_judgements,
    ),
    Check(
        "A503",
        "note",
        "assessed topic with nothing relevant",
        "Documents were judged for the topic, but nothing in them is relevant: its scores are undefined and "
        "left out of means.",
        "Nothing to do.",
        _find_topics_without_relevance,
    ),
)
