"""``doxel recallbase``: list the relevant elements with their gains."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import choose_layout, show_table
from doxel.cli.options import (
    InexOption,
    SectionedCommand,
    assessments_option,
    collection_option,
    format_option,
    structure_option,
    topics_option,
)
from doxel.errors import InputError
from doxel.wording import did_you_mean, format_json, join_words

if TYPE_CHECKING:
    import polars as pl

__all__ = ["command"]


@click.command("recallbase", cls=SectionedCommand)
@collection_option
@assessments_option
@click.option(
    "--ideal",
    is_flag=True,
    help="List the ideal recall base: the best elements without overlap.  Default: every relevant element.",
)
@click.option(
    "--quant",
    cls=InexOption,
    default="gen",
    show_default=True,
    metavar="NAME",
    help="Quantisation: how relevance grades become gains; gen (graded), strict (only the highest grade) or "
    "one of a year.",
)
@click.option(
    "--construction",
    cls=InexOption,
    type=click.Choice(["path", "greedy", "best-sum", "leaves"]),
    default="path",
    show_default=True,
    help="How to choose the ideal elements: the best on each path (path), the highest gains first (greedy), "
    "the largest sum of gains (best-sum), or the smallest relevant elements (leaves).",
)
@click.option(
    "--tie",
    cls=InexOption,
    type=click.Choice(["ancestor", "descendant"]),
    default="ancestor",
    show_default=True,
    help="Which of two nested elements with the same gain is ideal.",
)
@click.option(
    "--paths",
    cls=InexOption,
    type=click.Choice(["leaf", "any"]),
    default="leaf",
    show_default=True,
    help="Where a relevant path ends: at a relevant element without another one inside (leaf), or at any "
    "relevant element (any), as some papers can be read.  For --construction path.",
)
@click.option(
    "--exclude-tags",
    cls=InexOption,
    metavar="TAGS",
    help="Comma-separated tags of elements that gain nothing; 'links' for all links.",
)
@click.option(
    "--by-tag",
    is_flag=True,
    help="Count the elements by tag and by the share of their text that is highlighted, instead of listing "
    "them.",
)
@topics_option("The topics (queries), whose structure --structure reads.")
@structure_option
@click.option("--topic", "topics", multiple=True, metavar="ID", help="List only this topic; can be repeated.")
@format_option("table", "json", "tsv", "parquet")
def command(
    collection: str | None,
    assessments: tuple[str, ...],
    topics: tuple[str, ...],
    topic_files: tuple[str, ...],
    layout: str | None,
    by_tag: bool,
    **options: Any,
) -> None:
    """List the recall base: all relevant elements, with their sizes, grades and gains.

    INEX measures such as nxCG compare a run with this list.  Totals per topic follow the elements in tables,
    and are under "totals" in JSON.

    \b
    doxel recallbase -c wikipedia.doxel -a inex.qrels --ideal --topic 2009001
    doxel recallbase -c wikipedia.doxel -a inex.qrels --by-tag
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    import polars as pl

    from doxel.assessments import read_assessments
    from doxel.documents import read_collection
    from doxel.recallbases.recall_base_table import count_by_tag, recall_base

    opened = None if collection is None else read_collection(collection)
    judgements = read_assessments(assessments)
    base = recall_base(judgements, opened, topic_file=topic_files or None, **options)
    if topics:
        _check_topics(topics, judgements.topics)
        base = base.filter(pl.col("topic").is_in(topics))
    layout = choose_layout(layout)
    if by_tag:
        _show_by_tag(count_by_tag(base), layout)
        return
    totals = base.group_by("topic", maintain_order=True).agg(
        documents=pl.col("doc").n_unique(), elements=pl.len(), gain=pl.col("gain").sum()
    )
    if layout == "table":
        show_table(
            base.columns, base.rows(), title="Ideal recall base" if options["ideal"] else "Full recall base"
        )
        show_table(totals.columns, totals.rows(), title="Totals")
    elif layout == "json":
        click.echo(format_json({"elements": base.to_dicts(), "totals": totals.to_dicts()}, indent=1))
    else:
        _write_table(base, layout)


def _check_topics(topics: tuple[str, ...], assessed_topics: Sequence[str]) -> None:
    """Raise an error for the first topic that was not assessed."""
    for topic in topics:
        if topic not in assessed_topics:
            wanted = f"an assessed topic such as {join_words(assessed_topics)}"
            found = f"{topic!r}{did_you_mean(topic, assessed_topics)}"
            raise InputError("--topic", wanted=wanted, found=found)


def _write_table(table: pl.DataFrame, layout: str) -> None:
    """Print a table as tsv or Parquet."""
    if layout == "tsv":
        from doxel.reports.score_tables import format_tsv_table

        click.echo(format_tsv_table(table), nl=False)
    elif sys.stdout.isatty():
        raise InputError(
            "Parquet cannot be shown on a terminal",
            wanted="a file: doxel recallbase ... -f parquet > base.parquet",
        )
    else:
        table.write_parquet(sys.stdout.buffer)


def _show_by_tag(tags: pl.DataFrame, layout: str) -> None:
    """Print the counts by tag, and the totals of links and of other elements."""
    import polars as pl

    links = tags.filter(pl.col("is_link"))
    rows = {"all": tags, "links": links, "others": tags.filter(~pl.col("is_link"))}
    totals = [
        {
            "tags": label,
            "elements": int(part["elements"].sum()),
            "full": int(part["full"].sum()),
            "share_of_full": int(part["full"].sum()) / max(int(tags["full"].sum()), 1),
        }
        for label, part in rows.items()
    ]
    if layout == "json":
        click.echo(format_json({"tags": tags.to_dicts(), "totals": totals}, indent=1))
    elif layout == "table":
        headers = ["tag", "elements", "to 25%", "to 50%", "to 75%", "below 100%", "full", "of full"]
        show_table(headers, tags.drop("is_link").rows(), title="Elements by share of highlighted text")
        rows_of_totals = [list(total.values()) for total in totals]
        show_table(["tags", "elements", "full", "of full"], rows_of_totals, title="Links and others")
    else:
        _write_table(tags, layout)
