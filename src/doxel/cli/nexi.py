"""``doxel nexi``."""

from __future__ import annotations

import json

import click

from doxel.cli.console import note, show_table
from doxel.cli.options import format_option

__all__ = ["command", "warn_of_unknown_tags"]


@click.command("nexi")
@click.argument("query")
@click.option(
    "-c",
    "--collection",
    metavar="COLLECTION",
    help="A collection, as made by 'doxel ingest': tags that it does not have are named.",
)
@format_option("table", "json", default="table", about="A table to read, or everything as JSON.")
def command(query: str, collection: str | None, layout: str) -> None:
    """Explain a query: what to return, where to look, and for which words.

    QUERY is a query with structure, in NEXI or its dialect of 2003, or words without structure; where it
    begins with -, write -- before it.  The canonical form is how doxel writes the same query.  With a
    collection, tags that it does not have are named, with the nearest that it has.

    \b
    doxel nexi '//article[.//year >= 1998]//sec[about(.//p, +vehicle -train)]'
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.documents import read_collection
    from doxel.topics.describe import unknown_tags
    from doxel.topics.nexi.explaining import explain
    from doxel.topics.nexi.parser import read
    from doxel.topics.nexi.printing import to_text
    from doxel.topics.nexi.tree import Keywords

    parsed = read(query)
    said = explain(parsed.query)
    unknown: dict[str, tuple[str, ...]] = {}
    if collection is not None:
        names = read_collection(collection).all_labels().names
        unknown = unknown_tags(parsed.query, names)
    for remark in parsed.remarks:
        note(remark)
    warn_of_unknown_tags(unknown)
    content = {
        "query": query,
        "canonical": to_text(parsed.query),
        "kind": "content only" if isinstance(parsed.query, Keywords) else "content and structure",
        **vars(said),
    }
    if layout == "json":
        told = {**content, "remarks": parsed.remarks, "unknown_tags": unknown}
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    rows = [[name.replace("_", " "), line] for name, value in content.items() for line in _lines(value)]
    show_table(["", ""], _without_repetition(rows))


def _lines(value: object) -> list[str]:
    """Return a value as lines of a table; a list of words is one line, a list of sentences several."""
    if not isinstance(value, tuple):
        return [str(value)]
    if any(" is " in one for one in value):
        return list(value)
    return [", ".join(value)] if value else []


def _without_repetition(rows: list[list[str]]) -> list[list[str]]:
    return [
        ["" if number and rows[number - 1][0] == name else name, line]
        for number, (name, line) in enumerate(rows)
    ]


def warn_of_unknown_tags(unknown: dict[str, tuple[str, ...]], where: str = "the collection") -> None:
    """Say which tags a query names that a collection does not have."""
    for tag, nearest in unknown.items():
        hint = f"; near: {', '.join(nearest)}" if nearest else ""
        note(f"{where} has no element {tag!r}{hint}")
