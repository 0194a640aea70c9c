"""``doxel pool``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, show_table, ticks
from doxel.cli.options import collection_option, fol_end_option, format_option, one_or_many, order_option
from doxel.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from doxel.assessments import Assessments
    from doxel.documents import Collection
    from doxel.pooling.gathering import Offered, RunReader
    from doxel.pooling.pool import Pool
    from doxel.pooling.statistics import PoolStatistics
    from doxel.runs import Run

__all__ = ["command", "make"]

_DEEPEST = 1500  # of an estimate, where no depth is named: what runs of INEX held


@click.command("pool")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--depth", type=click.IntRange(min=1), metavar="N", help="How far each run is read: so many documents."
)
@click.option(
    "--count",
    type=click.Choice(["documents", "results"]),
    default="documents",
    show_default=True,
    help="What the depth counts: the documents that a run names, or its results.",
)
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    metavar="N",
    help="Documents of a topic that are enough.  Runs are read in turn, as at INEX, until there are so many.",
)
@collection_option
@click.option(
    "-t",
    "--topic-file",
    "topic_files",
    multiple=True,
    metavar="TOPICS",
    help="The topics to pool.  Default: all that a run has.",
)
@click.option("-o", "--output", metavar="POOL", help="The pool to write, as JSON lines.")
@click.option("--blind", is_flag=True, help="Write no contributions: a pool to hand to assessors.")
@click.option(
    "--judging",
    type=click.Choice(["shuffled", "pooled", "collection"]),
    default="shuffled",
    show_default=True,
    help="The order of judging: one that says nothing about ranks, that of the runs' turns, or that of the "
    "collection.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the shuffled order.")
@click.option("--estimate", is_flag=True, help="Say how large pools would be, and write none.")
@click.option(
    "--statistics", is_flag=True, help="Say what each run contributed and how far runs agree; with -a more."
)
@click.option(
    "-a",
    "--assessments",
    multiple=True,
    metavar="ASSESSMENTS",
    help="For --statistics: how much of the pool was judged, and was relevant.",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE|SET",
    help="For --statistics with -a: how the score of each run changes if what it alone contributed had not "
    "been judged.",
)
@order_option
@fol_end_option
@format_option("table", "json", default="table", about="Estimates and statistics as tables, or all as JSON.")
def command(runs: tuple[str, ...], **options: Any) -> int:
    """Pool the results of runs: for each topic the documents to judge.

    RUNs are files, or folders and archives of them.  The pool has a line of JSON for each topic and
    document, with the elements and passages that runs had retrieved from it and the collection's
    fingerprint.  Runs are read in turn, in the order given; a run that cannot be read, and results whose
    document is not known, are said and left out, and the exit status is then 1.

    \b
    doxel pool -c wikipedia.doxel --depth 100 --estimate runs/
    doxel pool -c wikipedia.doxel -t topics.xml --documents 500 -o pool.jsonl runs/
    doxel pool -c wikipedia.doxel --depth 50 --statistics -a inex.qrels -m MAiP runs/
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    if not (options["output"] or options["estimate"] or options["statistics"]):
        raise click.UsageError(
            "Nothing to do: name a file to write (-o), or ask for --estimate or --statistics."
        )
    topics = None
    if options["topic_files"]:
        from doxel.topics import read_topics

        topics = read_topics(list(options["topic_files"])).ids
    return make(runs, topics, options)


def make(runs: tuple[str, ...], topics: list[str] | None, options: dict[str, Any]) -> int:
    """Do what the options ask for: an estimate, a pool, its statistics."""
    from doxel.documents import read_collection
    from doxel.pooling.gathering import RunReader, gather
    from doxel.pooling.jsonl import write_pool
    from doxel.pooling.making import checked_size, make_pool

    limits = {name: options[name] for name in ("depth", "documents")}
    if not options["estimate"]:
        checked_size(**limits)
    collection = read_collection(options["collection"]) if options["collection"] else None
    if collection is None:
        note("without a collection (-c) places are not looked up, and the pool carries no fingerprint")
    reader = RunReader(runs, on_error="skip", fol_end=options["fol_end"])
    with ticks("pool") as tick:
        offered = gather(
            reader,
            collection=collection,
            count=options["count"],
            order=options["order"],
            topics=topics,
            **limits,
            progress=tick,
        )
    for one in reader.skipped:
        note(f"skipped: {one}")
    if options["estimate"]:
        _show_estimate(offered, collection, options)
    else:
        made = make_pool(
            offered,
            **limits,
            collection=collection,
            topics=topics,
            judging=options["judging"],
            seed=options["seed"],
        )
        for sentence in made.notes:
            note(sentence)
        if options["statistics"]:
            _show_statistics(made, reader, collection, options)
        if options["output"]:
            write_pool(made.blind() if options["blind"] else made, options["output"])
        note(_summary(made, collection, options["output"]))
    return 1 if reader.skipped or offered.unknown else 0


def _summary(made: Pool, collection: Collection | None, output: str | None) -> str:
    """Say how large a pool is, and where."""
    sizes: list[int] = made.documents.group_by("topic").len()["len"].to_list()
    few, most = (min(sizes), max(sizes)) if sizes else (0, 0)
    per_topic = f" ({few:,} to {most:,} a topic)" if few < most else f" ({few:,} a topic)"
    told = f"{counted(made.documents.height, 'document')} of {counted(len(sizes), 'topic')}{per_topic}"
    told += f", {counted(made.parts.height, 'part')} retrieved from them"
    if collection is not None:
        of = collection.documents.select("doc", "characters")
        told += f", {int(made.documents.join(of, on='doc')['characters'].sum()):,} characters to read"
    return f"{told}; written to {output}" if output else told


def _show_estimate(offered: Offered, collection: Collection | None, options: dict[str, Any]) -> None:
    from doxel.pooling.estimate import depths_up_to, estimate

    deepest = min(options["depth"] or _DEEPEST, int(offered.results["step"].max() or 1))  # type: ignore[arg-type]
    table = estimate(offered, depths_up_to(deepest), documents=options["documents"], collection=collection)
    for sentence in offered.notes:
        note(sentence)
    if options["layout"] == "json":
        click.echo(json.dumps({"count": options["count"], "estimate": table.to_dicts()}, indent=1))
        return
    _show_frame(table, f"Pools by depth in {options['count']}")


def _show_statistics(
    made: Pool, reader: RunReader, collection: Collection | None, options: dict[str, Any]
) -> None:
    from doxel.assessments.selecting import of_topics
    from doxel.pooling.statistics import pool_statistics

    judged = _judged(options["assessments"], collection)
    found = pool_statistics(made, judged)
    left_out = None
    if options["measures"]:
        if judged is None:
            raise click.UsageError("-m is scored against assessments: name them with -a.")
        counting = of_topics(judged, options["assessed"]) if options.get("assessed") else judged
        left_out = _left_out(made, reader.named(), counting, collection, options)
    if options["layout"] == "json":
        click.echo(_as_json(found, left_out))
        return
    _show_found(found)
    if left_out is not None:
        _show_left_out(left_out)


def _show_found(found: PoolStatistics) -> None:
    """Show what there is to say of the pool, in tables that fit on a terminal."""
    of_parts = ("topics", "parts", "unique_parts", "reached")
    _show_frame(found.runs.drop(of_parts), "Documents that each run contributed")
    _show_frame(
        found.runs.select("run", *of_parts), "Parts of them, and the deepest rank that it was read to"
    )
    _show_frame(found.nearest, "How far runs agree: shares of what either of two contributed that both did")
    if found.coverage is not None:
        _show_frame(found.coverage, "What was judged")


def _show_left_out(table: pl.DataFrame) -> None:
    """Show what each run would lose, measure by measure."""
    for some in table.partition_by("measure", maintain_order=True):
        shown = some.select("run", "score", "without", "change", "place", "place_without")
        _show_frame(shown, f"{some['measure'][0]} without what the run alone contributed")
        for run, measure, topics, left in some.select("run", "measure", "topics", "topics_left").iter_rows():
            if left < topics:
                note(
                    f"{run}: {measure} without it is a mean of {counted(left, 'topic')} instead of {topics:,}"
                )


def _judged(paths: tuple[str, ...], collection: Collection | None) -> Assessments | None:
    from doxel.assessments import read_assessments
    from doxel.assessments.resolve import resolve

    if not paths:
        return None
    read = read_assessments(one_or_many(paths))
    return read if collection is None else resolve(read, collection)


def _left_out(
    made: Pool,
    runs: list[Run],
    judged: Assessments,
    collection: Collection | None,
    options: dict[str, Any],
) -> pl.DataFrame:
    from doxel.pooling.leaving_out import leave_one_out

    with ticks("leave one run out", total=len(runs)) as tick:
        return leave_one_out(
            runs,
            made,
            judged,
            list(options["measures"]),
            collection=collection,
            order=options["order"],
            progress=tick,
        )


def _show_frame(frame: pl.DataFrame, title: str) -> None:
    names = [name.replace("_", " ") for name in frame.columns]
    show_table(names, [list(row) for row in frame.iter_rows()], title=title)


def _as_json(found: PoolStatistics, left_out: pl.DataFrame | None) -> str:
    tables = {
        "runs": found.runs,
        "overlap": found.overlap,
        "coverage": found.coverage,
        "left_out": left_out,
    }
    content = {
        name: None if table is None else table.fill_nan(None).to_dicts() for name, table in tables.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False)
