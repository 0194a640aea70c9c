"""``doxel topics``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, show_table
from doxel.cli.options import format_option
from doxel.wording import counted

if TYPE_CHECKING:
    from doxel.topics.describe import TopicsSummary

__all__ = ["command"]


@click.command("topics")
@click.argument("topics", nargs=-1, required=True, metavar="TOPICS...")
@click.option(
    "-c",
    "--collection",
    metavar="COLLECTION",
    help="A collection, as made by 'doxel ingest': tags that it does not have are named.",
)
@format_option("table", "json", default="table", about="Tables to read, or everything as JSON.")
def command(topics: tuple[str, ...], collection: str | None, layout: str) -> int:
    """Say what topics hold: their types, their fields, and the structure that their queries ask for.

    TOPICS are files or folders in any format of topics, read as one set.  A query with structure that
    cannot be understood is named with its topic and the character; the exit status is then 1.  With a
    collection, tags that it does not have are named, with the nearest that it has.

    \b
    doxel topics topics/ -c wikipedia.doxel
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.documents import read_collection
    from doxel.topics import read_topics
    from doxel.topics.describe import describe_topics

    given = read_topics(list(topics))
    found = describe_topics(given)
    for sentence in (
        *given.notes,
        *(f"{remark} ({counted(count, 'topic')})" for remark, count in found.remarks.items()),
    ):
        note(sentence)
    unknown: dict[str, tuple[str, ...]] = {}
    if collection is not None:
        unknown = _unknown(found, read_collection(collection).all_labels().names)
    for error in found.errors:
        note(str(error))
    if layout == "json":
        click.echo(json.dumps(_as_dict(found, unknown), indent=1, ensure_ascii=False))
    else:
        _show(found, given.format, unknown)
    return 1 if found.errors else 0


def _unknown(found: TopicsSummary, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    from doxel.topics.describe import nearest_tags

    return {tag: nearest_tags(tag, names) for tag in found.tags if tag not in set(names)}


def _as_dict(found: TopicsSummary, unknown: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    errors = [
        {
            "problem": error.problem,
            "file": error.file,
            "line": error.line,
            "query": error.query,
            "position": error.position,
            "wanted": error.wanted,
            "found": error.found,
        }
        for error in found.errors
    ]
    return {**vars(found), "errors": errors, "unknown_tags": unknown}


def _show(found: TopicsSummary, format_name: str | None, unknown: dict[str, tuple[str, ...]]) -> None:
    show_table(
        ["", ""],
        [
            ["topics", f"{found.topics:,}"],
            ["format", format_name or "several"],
            ["queries with structure", f"{found.queries:,}"],
            ["not understood", f"{len(found.errors):,}"],
        ],
    )
    show_table(["type", "topics"], list(found.kinds.items()), title="Types")
    show_table(["field", "topics"], list(found.fields.items()), title="Fields")
    if not found.queries:
        return
    used = [(use, count) for use, count in found.structure.items() if count]
    show_table(["what they use", "topics"], used, title="Queries with structure")
    if found.targets:
        show_table(["target", "topics"], list(found.targets.items()), title="What is to be returned")
        rows = [[tag, count, *_missing(tag, unknown)] for tag, count in found.tags.items()]
        headers = ["tag", "topics", *(["not in the collection; near"] if unknown else [])]
        show_table(headers, rows if unknown else [row[:2] for row in rows], title="Tags")


def _missing(tag: str, unknown: dict[str, tuple[str, ...]]) -> list[str]:
    return [", ".join(unknown[tag]) or "none is near" if tag in unknown else ""]
