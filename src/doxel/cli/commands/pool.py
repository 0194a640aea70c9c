"""``doxel pool``: list the documents to judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.commands.evaluate import show_notes
from doxel.cli.console import print_note, show_table, show_ticks
from doxel.cli.options import (
    SectionedCommand,
    collection_option,
    fol_end_option,
    format_option,
    order_option,
    topics_option,
)
from doxel.errors import InputError
from doxel.wording import format_json, pluralise

if TYPE_CHECKING:
    import polars as pl

    from doxel.assessments import Assessments
    from doxel.documents import Collection
    from doxel.pooling.document_pool import Pool
    from doxel.pooling.pool_candidates import PoolCandidates, RunReader
    from doxel.pooling.pool_statistics import PoolStatistics
    from doxel.runs import Run

__all__ = ["command", "run_pooling"]

_DEEPEST = 1500  # of an estimate without a depth: the length of INEX runs
_SHOWN_NEXT = 50  # rows of a table


@click.command("pool", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="Pool the first N documents (or results) of each run per topic.",
)
@click.option(
    "--count",
    type=click.Choice(["documents", "results"]),
    default="documents",
    show_default=True,
    help="What --depth counts: documents or results.",
)
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop at N documents per topic.  Runs take turns, each adding its next document.",
)
@collection_option
@topics_option("The topics to pool.  Default: all topics of the runs.")
@click.option("-o", "--output", metavar="POOL", help="The pool to write, as JSON lines.")
@click.option(
    "--blind",
    is_flag=True,
    help="Leave out which runs contributed what, so that assessors may see the pool.",
)
@click.option(
    "--judging",
    type=click.Choice(["shuffled", "pooled", "collection"]),
    default="shuffled",
    show_default=True,
    help="The order of judging: shuffled, which hides the ranks; in order of pooling; or in order of the "
    "collection.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the shuffled order, any whole number; the same seed gives the same order.",
)
@click.option(
    "--next",
    "lists_next",
    is_flag=True,
    help="List the unjudged documents to judge next (-a): first those that reduce the residuals of the runs "
    "most.  A residual is how far a score could rise if unjudged text were relevant.  With -o, also write "
    "them as a pool.",
)
@click.option("--estimate", is_flag=True, help="Print the size of pools by depth, and write none.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Print what each run contributed and how much runs overlap; with -a, also how much was judged.",
)
@click.option(
    "-a",
    "--assessments",
    multiple=True,
    metavar="ASSESSMENTS",
    help="For --next: the judgements made so far.  For --statistics: judgements, to count judged and "
    "relevant documents of the pool.",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE|SET",
    help="For --next: the measures whose residuals are reduced, with a cutoff.  Default: char_prec@10.  "
    "For --statistics with -a: how the score of each run would change if the documents that only it "
    "contributed had not been judged.",
)
@order_option
@fol_end_option
@format_option("table", "json", default="table", about="Print lists and statistics as tables or JSON.")
def command(runs: tuple[str, ...], **options: Any) -> int:
    """Pool the results of runs: list the documents to judge for each topic.

    RUNs are files, or folders and archives of them.  The pool has one JSON line per topic and document, with
    the elements and passages that runs retrieved from it and the fingerprint of the collection.  A run that
    cannot be read, and results with unknown documents, are reported and left out, and the exit status is 1.

    \b
    doxel pool -c wikipedia.doxel --depth 100 --estimate runs/
    doxel pool -c wikipedia.doxel -t topics.xml --documents 500 -o pool.jsonl runs/
    doxel pool -c wikipedia.doxel --depth 50 --statistics -a inex.qrels -m MAiP runs/
    doxel pool -c wikipedia.doxel --next -a inex.qrels -m char_prec@20 --documents 10 -o next.jsonl runs/
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    if not any(options[name] for name in ("output", "estimate", "statistics", "lists_next")):
        raise click.UsageError(
            "Nothing to do: pass a file to write (-o), --estimate, --statistics or --next."
        )
    if options["lists_next"] and not options["assessments"]:
        raise click.UsageError("--next needs the judgements made so far: pass them with -a.")
    topics = None
    if options["topic_files"]:
        from doxel.topics import read_topics

        topics = read_topics(list(options["topic_files"])).ids
    return run_pooling(runs, topics, options)


def run_pooling(runs: tuple[str, ...], topics: list[str] | None, options: dict[str, Any]) -> int:
    """Print an estimate, or make a pool and print its statistics, as the options request."""
    from doxel.documents import read_collection
    from doxel.pooling.pool_candidates import RunReader, collect_candidates
    from doxel.pooling.pool_files import write_pool
    from doxel.pooling.pool_making import check_pool_size, make_pool

    limits = {name: options[name] for name in ("depth", "documents")}
    if not options["estimate"] and not options["lists_next"]:
        check_pool_size(**limits)
    collection = read_collection(options["collection"]) if options["collection"] else None
    if options["lists_next"]:
        return _list_next(RunReader(runs, on_error="skip", fol_end=options["fol_end"]), collection, options)
    if collection is None:
        print_note("no collection (-c): paths and offsets are not checked, and the pool has no fingerprint")
    reader = RunReader(runs, on_error="skip", fol_end=options["fol_end"])
    with show_ticks("pool") as tick:
        offered = collect_candidates(
            reader,
            collection=collection,
            count=options["count"],
            order=options["order"],
            topics=topics,
            **limits,
            progress=tick,
        )
    for error in reader.skipped:
        print_note(f"skipped: {error}")
    if options["estimate"]:
        _show_estimate(offered, collection, options)
    else:
        pool = make_pool(
            offered,
            **limits,
            collection=collection,
            topics=topics,
            judging=options["judging"],
            seed=options["seed"],
        )
        for sentence in pool.notes:
            print_note(sentence)
        if options["statistics"]:
            _show_statistics(pool, reader, collection, options)
        if options["output"]:
            if not pool.documents.height:  # an old pool in its place is worth more
                raise InputError(
                    "an empty pool is not written", wanted="runs with documents of the collection and topics"
                )
            write_pool(pool.blind() if options["blind"] else pool, options["output"])
        print_note(_summarise(pool, collection, options["output"]))
    return 1 if reader.skipped or offered.unknown else 0


def _list_next(reader: RunReader, collection: Collection | None, options: dict[str, Any]) -> int:
    """Print the documents to judge next, and write them as a pool if requested."""
    from doxel.pooling.judging_priorities import DEFAULT_MEASURE, list_next_documents
    from doxel.pooling.pool_candidates import collect_candidates
    from doxel.pooling.pool_files import write_pool
    from doxel.pooling.pool_making import make_pool

    runs = reader.list_runs()
    for error in reader.skipped:
        print_note(f"skipped: {error}")
    measures = list(options["measures"]) or [DEFAULT_MEASURE]
    table, evaluation = list_next_documents(
        runs,
        options["assessments"],
        measures,
        documents=options["documents"],
        collection=collection,
        order=options["order"],
        on_error="skip" if len(runs) > 1 else "raise",
    )
    show_notes(evaluation)
    if options["layout"] == "json":
        click.echo(format_json({"measures": measures, "next": table.to_dicts()}, indent=1))
    elif not table.height:
        print_note("nothing to judge next: no unjudged document could raise the score of a run")
    else:
        _show_frame(table.head(_SHOWN_NEXT), "Documents to judge next")
        more = table.height - _SHOWN_NEXT
        if more > 0:
            print_note(f"... and {pluralise(more, 'more document')}; -f json and -o list all of them")
    if not table.height:
        print_note("nothing is left to judge: all documents up to the cutoff are judged")
    if options["output"]:
        offered = collect_candidates(runs, collection=collection, order=options["order"], depth=_DEEPEST)
        chosen_results = offered.results.join(table, on=["topic", "doc"], how="semi", maintain_order="left")
        topics = table["topic"].unique(maintain_order=True).to_list()
        settings = {name: options[name] for name in ("judging", "seed")}
        pool = make_pool(
            replace(offered, results=chosen_results),
            depth=_DEEPEST,
            collection=collection,
            topics=topics,
            **settings,
        )
        write_pool(pool.blind() if options["blind"] else pool, options["output"])
        print_note(_summarise(pool, collection, options["output"]))
    return 1 if reader.skipped or evaluation.rejected else 0


def _summarise(pool: Pool, collection: Collection | None, output: str | None) -> str:
    """Return a sentence with the size of a pool and its file."""
    sizes: list[int] = pool.documents.group_by("topic").len()["len"].to_list()
    fewest, most = (min(sizes), max(sizes)) if sizes else (0, 0)
    per_topic = f" ({fewest:,} to {most:,} per topic)" if fewest < most else f" ({fewest:,} per topic)"
    message = f"{pluralise(pool.documents.height, 'document')} of {pluralise(len(sizes), 'topic')}{per_topic}"
    message += f", {pluralise(pool.parts.height, 'part')} retrieved from them"
    if collection is not None:
        lengths = collection.documents.select("doc", "characters")
        characters = int(pool.documents.join(lengths, on="doc")["characters"].sum())
        message += f", {characters:,} characters to read"
    return f"{message}; written to {output}" if output else message


def _show_estimate(offered: PoolCandidates, collection: Collection | None, options: dict[str, Any]) -> None:
    from doxel.pooling.pool_making import estimate_pools, list_depths

    deepest = min(options["depth"] or _DEEPEST, int(offered.results["step"].max() or 1))  # type: ignore[arg-type]
    table = estimate_pools(
        offered, list_depths(deepest), documents=options["documents"], collection=collection
    )
    for sentence in offered.notes:
        print_note(sentence)
    if options["layout"] == "json":
        click.echo(format_json({"count": options["count"], "estimate": table.to_dicts()}, indent=1))
        return
    _show_frame(table, f"Pools by depth in {options['count']}")


def _show_statistics(
    pool: Pool, reader: RunReader, collection: Collection | None, options: dict[str, Any]
) -> None:
    from doxel.assessments.assessments import select_topics
    from doxel.pooling.pool_statistics import compute_pool_statistics

    assessments = _read_judged(options["assessments"], collection)
    statistics = compute_pool_statistics(pool, assessments)
    left_out = None
    if options["measures"]:
        if assessments is None:
            raise click.UsageError("-m needs assessments: pass them with -a.")
        scored_assessments = (
            select_topics(assessments, options["assessed"]) if options.get("assessed") else assessments
        )
        left_out = _leave_runs_out(pool, reader.list_runs(), scored_assessments, collection, options)
    if options["layout"] == "json":
        click.echo(_format_json(statistics, left_out))
        return
    _show_tables(statistics)
    if left_out is not None:
        _show_left_out(left_out)


def _show_tables(statistics: PoolStatistics) -> None:
    """Print the statistics of a pool, in tables that fit on a terminal."""
    of_parts = ("topics", "parts", "unique_parts", "reached")
    _show_frame(statistics.runs.drop(of_parts), "Documents contributed by each run")
    _show_frame(
        statistics.runs.select("run", *of_parts), "Parts contributed by each run, and the last rank read"
    )
    _show_frame(statistics.nearest, "Overlap of runs: share of contributions that both have")
    if statistics.coverage is not None:
        _show_frame(statistics.coverage, "Judged documents")


def _show_left_out(table: pl.DataFrame) -> None:
    """Print how the score of each run would change, by measure."""
    for rows in table.partition_by("measure", maintain_order=True):
        cells = rows.select("run", "score", "without", "change", "place", "place_without")
        _show_frame(cells, f"{rows['measure'][0]} without the run's own documents")
        for run, measure, topics, topics_left in rows.select(
            "run", "measure", "topics", "topics_left"
        ).iter_rows():
            if topics_left < topics:
                remaining = f"{pluralise(topics_left, 'topic')} instead of {topics:,}"
                print_note(f"{run}: without its documents, {measure} is the mean of {remaining}")


def _read_judged(paths: tuple[str, ...], collection: Collection | None) -> Assessments | None:
    from doxel.assessments import read_assessments
    from doxel.assessments.assessment_spans import resolve_assessments

    if not paths:
        return None
    assessments = read_assessments(paths)
    return assessments if collection is None else resolve_assessments(assessments, collection)


def _leave_runs_out(
    pool: Pool,
    runs: list[Run],
    assessments: Assessments,
    collection: Collection | None,
    options: dict[str, Any],
) -> pl.DataFrame:
    from doxel.pooling.pool_statistics import leave_one_out

    with show_ticks("leave one run out", total=len(runs)) as tick:
        return leave_one_out(
            runs,
            pool,
            assessments,
            list(options["measures"]),
            collection=collection,
            order=options["order"],
            progress=tick,
        )


def _show_frame(frame: pl.DataFrame, title: str) -> None:
    names = [name.replace("_", " ") for name in frame.columns]
    show_table(names, [list(row) for row in frame.iter_rows()], title=title)


def _format_json(statistics: PoolStatistics, left_out: pl.DataFrame | None) -> str:
    tables = {
        "runs": statistics.runs,
        "overlap": statistics.overlap,
        "coverage": statistics.coverage,
        "left_out": left_out,
    }
    content = {
        name: None if table is None else table.fill_nan(None).to_dicts() for name, table in tables.items()
    }
    return format_json(content, indent=1)
