"""``doxel recallbase``."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from doxel.cli.console import or_default, show_table
from doxel.cli.options import (
    assessments_option,
    collection_option,
    format_option,
    one_or_many,
    structure_option,
    topics_option,
)
from doxel.errors import InputError

__all__ = ["command"]


@click.command("recallbase")
@collection_option
@assessments_option
@click.option(
    "--ideal", is_flag=True, help="The ideal recall base: no overlap.  Default: every relevant element."
)
@click.option("--quant", default="gen", show_default=True, metavar="NAME", help="The quantisation.")
@click.option(
    "--construction",
    type=click.Choice(["path", "greedy", "best-sum", "leaves"]),
    default="path",
    show_default=True,
    help="How the ideal elements are chosen.",
)
@click.option(
    "--tie",
    type=click.Choice(["ancestor", "descendant"]),
    default="ancestor",
    show_default=True,
    help="Which of two elements with the same gain on a path is ideal.",
)
@click.option(
    "--exclude-tags", metavar="TAGS", help='Tags that gain nothing, with commas; "links" for all links.'
)
@topics_option
@structure_option
@click.option("--topic", "topics", multiple=True, metavar="ID", help="Only this topic; repeat for several.")
@format_option("table", "json", "tsv", "parquet")
def command(
    collection: str | None,
    assessments: tuple[str, ...],
    topics: tuple[str, ...],
    topic_files: tuple[str, ...],
    layout: str | None,
    **options: Any,
) -> None:
    """Show what there is to find: the elements of the recall base with sizes, grades and gains.

    Totals per topic follow the elements in a table, and stand under "totals" in JSON.

    \b
    doxel recallbase -c wikipedia.doxel -a inex.qrels --ideal --topic 2009001
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    import polars as pl

    from doxel.assessments import read_assessments
    from doxel.documents import read_collection
    from doxel.recallbases.table import recall_base

    opened = None if collection is None else read_collection(collection)
    judged = read_assessments(one_or_many(assessments))
    base = recall_base(judged, opened, topic_file=topic_files or None, **options)
    if topics:
        base = base.filter(pl.col("topic").is_in(topics))
    totals = base.group_by("topic", maintain_order=True).agg(
        documents=pl.col("doc").n_unique(), elements=pl.len(), gain=pl.col("gain").sum()
    )
    layout = or_default(layout)
    if layout == "table":
        show_table(
            base.columns, base.rows(), title="Ideal recall base" if options["ideal"] else "Full recall base"
        )
        show_table(totals.columns, totals.rows(), title="Totals")
    elif layout == "json":
        click.echo(
            json.dumps(
                {"elements": base.to_dicts(), "totals": totals.to_dicts()}, ensure_ascii=False, indent=1
            )
        )
    elif layout == "tsv":
        click.echo(base.write_csv(separator="\t"), nl=False)
    elif sys.stdout.isatty():
        raise InputError(
            "Parquet is not text", wanted="a file: doxel recallbase ... -f parquet > base.parquet"
        )
    else:
        base.write_parquet(sys.stdout.buffer)
