"""``doxel nexi``: explain a query with structure."""

from __future__ import annotations

import click

from doxel.cli.console import print_note, show_table
from doxel.cli.options import SectionedCommand, format_option
from doxel.wording import format_json

__all__ = ["command", "warn_of_unknown_tags"]


@click.command("nexi", cls=SectionedCommand)
@click.argument("query")
@click.option(
    "-c",
    "--collection",
    metavar="COLLECTION",
    help="A collection, made by 'doxel ingest'; tags that it does not contain are reported.",
)
@format_option("table", "json", default="table", about="Print a table, or everything as JSON.")
def command(query: str, collection: str | None, layout: str) -> None:
    """Explain a query: the elements to return, the elements to search, and the words.

    QUERY is a structured query in NEXI, the query language of the INEX campaigns for XML retrieval (or in its
    dialect of 2003), or plain keywords.  Write -- before a query that begins with -.  The canonical form is
    the same query in doxel's spelling.  With a collection, tags that it does not contain are reported, with
    similar ones.

    \b
    doxel nexi '//article[.//year >= 1998]//sec[about(.//p, +vehicle -train)]'
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.documents import read_collection
    from doxel.topics.nexi.query_explanation import explain
    from doxel.topics.nexi.query_parser import read
    from doxel.topics.nexi.query_tree import Keywords, to_text
    from doxel.topics.topic_summary import find_unknown_tags

    parsed = read(query)
    explanation = explain(parsed.query)
    unknown_tags: dict[str, tuple[str, ...]] = {}
    if collection is not None:
        names = read_collection(collection).all_labels().names
        unknown_tags = find_unknown_tags(parsed.query, names)
    for remark in parsed.remarks:
        print_note(remark)
    warn_of_unknown_tags(unknown_tags)
    content = {
        "query": query,
        "canonical": to_text(parsed.query),
        "kind": "content only" if isinstance(parsed.query, Keywords) else "content and structure",
        **vars(explanation),
    }
    if layout == "json":
        payload = {**content, "remarks": parsed.remarks, "unknown_tags": unknown_tags}
        click.echo(format_json(payload, indent=1))
        return
    rows = [[name.replace("_", " "), line] for name, value in content.items() for line in _split_lines(value)]
    show_table(["", ""], _blank_repeated_names(rows))


def _split_lines(value: object) -> list[str]:
    """Return a value as table lines: a list of words on one line, sentences on one line each."""
    if not isinstance(value, tuple):
        return [str(value)]
    if any(" is " in text for text in value):
        return list(value)
    return [", ".join(value)] if value else []


def _blank_repeated_names(rows: list[list[str]]) -> list[list[str]]:
    return [
        ["" if number and rows[number - 1][0] == name else name, line]
        for number, (name, line) in enumerate(rows)
    ]


def warn_of_unknown_tags(unknown: dict[str, tuple[str, ...]], where: str = "the collection") -> None:
    """Report the tags in a query that the collection does not contain."""
    for tag, nearest in unknown.items():
        hint = f"; similar: {', '.join(nearest)}" if nearest else ""
        print_note(f"{where} has no element {tag!r}{hint}")
