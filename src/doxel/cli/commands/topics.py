"""``doxel topics``: summarise topic files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import print_note, show_table
from doxel.cli.options import SectionedCommand, format_option
from doxel.wording import format_json, pluralise

if TYPE_CHECKING:
    from doxel.topics.topic_summary import TopicsSummary

__all__ = ["command"]


@click.command("topics", cls=SectionedCommand)
@click.argument("topics", nargs=-1, required=True, metavar="TOPICS...")
@click.option(
    "-c",
    "--collection",
    metavar="COLLECTION",
    help="A collection, made by 'doxel ingest'; tags that it does not contain are reported.",
)
@format_option("table", "json", default="table", about="Print tables, or everything as JSON.")
def command(topics: tuple[str, ...], collection: str | None, layout: str) -> int:
    """Summarise topic files: types, fields, and the structure in their queries.

    TOPICS are files or folders in any topic format, read as one set.  A structured query (NEXI) that cannot
    be parsed is reported with its topic and the position of the error, and the exit status is 1.  With a
    collection, tags that it does not contain are reported, with similar ones.

    \b
    doxel topics topics/ -c wikipedia.doxel
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.documents import read_collection
    from doxel.topics import read_topics
    from doxel.topics.topic_summary import describe_topics

    topic_set = read_topics(list(topics))
    summary = describe_topics(topic_set)
    for sentence in (
        *topic_set.notes,
        *(f"{remark} ({pluralise(count, 'topic')})" for remark, count in summary.remarks.items()),
    ):
        print_note(sentence)
    unknown_tags: dict[str, tuple[str, ...]] = {}
    if collection is not None:
        unknown_tags = _find_unknown_tags(summary, read_collection(collection).all_labels().names)
    for error in summary.errors:
        print_note(str(error))
    if layout == "json":
        click.echo(format_json(_summary_to_dict(summary, unknown_tags), indent=1))
    else:
        _show_summary(summary, topic_set.format, unknown_tags)
    return 1 if summary.errors else 0


def _find_unknown_tags(summary: TopicsSummary, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    from doxel.topics.topic_summary import find_nearest_tags

    return {tag: find_nearest_tags(tag, names) for tag in summary.tags if tag not in set(names)}


def _summary_to_dict(summary: TopicsSummary, unknown_tags: dict[str, tuple[str, ...]]) -> dict[str, Any]:
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
        for error in summary.errors
    ]
    return {**vars(summary), "errors": errors, "unknown_tags": unknown_tags}


def _show_summary(
    summary: TopicsSummary, format_name: str | None, unknown_tags: dict[str, tuple[str, ...]]
) -> None:
    show_table(
        ["", ""],
        [
            ["topics", f"{summary.topics:,}"],
            ["format", format_name or "several"],
            ["queries with structure", f"{summary.queries:,}"],
            ["with errors", f"{len(summary.errors):,}"],
        ],
    )
    show_table(["type", "topics"], list(summary.kinds.items()), title="Types")
    show_table(["field", "topics"], list(summary.fields.items()), title="Fields")
    if not summary.queries:
        return
    features = [(feature, count) for feature, count in summary.structure.items() if count]
    show_table(["feature", "topics"], features, title="Queries with structure")
    if summary.targets:
        show_table(["target", "topics"], list(summary.targets.items()), title="Elements to return")
        rows = [[tag, count, *_list_similar(tag, unknown_tags)] for tag, count in summary.tags.items()]
        headers = ["tag", "topics", *(["not in the collection; similar tags"] if unknown_tags else [])]
        show_table(headers, rows if unknown_tags else [row[:2] for row in rows], title="Tags")


def _list_similar(tag: str, unknown_tags: dict[str, tuple[str, ...]]) -> list[str]:
    return [", ".join(unknown_tags[tag]) or "none" if tag in unknown_tags else ""]
