"""``doxel chunks``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, or_default, show_table
from doxel.cli.options import assessments_option, collection_option, format_option, one_or_many
from doxel.errors import InputError
from doxel.reports.plain import plain
from doxel.wording import counted

if TYPE_CHECKING:
    from doxel.chunking import ChunkComparison

__all__ = ["command"]


@click.command("chunks")
@click.argument("chunkings", nargs=-1, required=True, metavar="CHUNKING...")
@collection_option
@assessments_option
@click.option(
    "--cutoff",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="K",
    help="The k of greedy_*@k.",
)
@click.option(
    "--recall",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    default=0.9,
    show_default=True,
    help="The recall that the cost is paid for.",
)
@format_option("table", "tsv", "json")
@click.option("--plot", metavar="FILE", help="A picture, quality against context size: .svg, .png or .pdf.")
@click.option(
    "--kind",
    type=click.Choice(["rec", "prec", "iou"]),
    default="rec",
    show_default=True,
    help="What the picture shows: recall, precision, or intersection over union.",
)
@click.option(
    "--write", metavar="DIR", help="Write the chunks of each chunking as JSON lines, with their texts."
)
def command(
    chunkings: tuple[str, ...],
    collection: str | None,
    assessments: tuple[str, ...],
    layout: str | None,
    plot: str | None,
    kind: str,
    write: str | None,
    **options: Any,
) -> None:
    """Compare ways of cutting documents against gold spans, before anything is retrieved.

    A CHUNKING is NAME:SIZE:OVERLAP, a function of your own (FILE.py:NAME, from a text to spans or to texts),
    or a file of chunks (JSON lines with doc, start and end).  Names are characters, tokens, sentences,
    paragraphs and headings; the last three need no size.

    For each: how many chunks and how long; the share of gold spans that no single chunk holds; what all
    chunks with relevant text reach (omega), and the best k (greedy); and the characters that a context must
    hold, at best, to reach the recall.  A ranker can only do worse.

    \b
    doxel chunks -c handbook.doxel -a gold.jsonl characters:400 characters:400:200 paragraphs headings
    doxel chunks -c handbook.doxel -a gold.jsonl mine.py:split sentences:5:1 --plot chunks.svg
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.chunking import compare_chunkings

    if collection is None:
        raise InputError("chunkings of documents", wanted="the documents: -c COLLECTION", found="none")
    form = "" if plot is None else Path(plot).suffix.lstrip(".").lower()
    if plot is not None and form not in {"svg", "png", "pdf"}:
        raise InputError("--plot", wanted="a file that ends in .svg, .png or .pdf", found=repr(plot))
    found = compare_chunkings(
        collection, one_or_many(assessments), _chunkings(chunkings, collection), **options
    )
    for sentence in found.notes:
        note(sentence)
    for name, short in found.table.select("chunking", "short").iter_rows():
        if short:
            topics = counted(short, "topic never reaches", "topics never reach")
            note(f"{name}: {topics} the recall: left out of its cost")
    _show(found, or_default(layout), options["recall"])
    if plot is not None:
        from doxel.files import write_file
        from doxel.reports.chunk_pictures import chunk_picture
        from doxel.reports.plots import draw

        write_file(plot, draw(chunk_picture(found, kind), form))
        note(f"{plot}: {kind} against context size")
    if write is not None:
        _write(found, collection, Path(write))


def _chunkings(named: tuple[str, ...], collection: str) -> Any:
    """Return chunkers, or all chunkings as chunks where some are files."""
    from doxel.chunking import chunker_named, cut
    from doxel.documents import read_collection

    if len(set(named)) < len(named):
        raise InputError("chunkings", wanted="each once", found="the same twice")
    files = [one for one in named if Path(one).suffix in {".jsonl", ".json", ".ndjson"}]
    if not files:
        return list(named)
    chunkers = {one: chunker_named(one) for one in named if one not in files}
    cuts = dict(zip(chunkers, cut(read_collection(collection), chunkers.values()), strict=True))
    return {one: cuts.get(one, one) for one in named}


def _show(found: ChunkComparison, layout: str, recall: float) -> None:
    table = found.table.drop("short")
    if layout == "table":
        topics = counted(found.topics, "topic")
        title = f"{topics} with {found.gold:,.0f} characters of gold each; cost of recall {recall}"
        ceilings = [name for name in table.columns if name.startswith(("omega", "greedy"))]
        sizes = table.drop(ceilings)
        rounded = sizes.with_columns(
            sizes[name].round(0).cast(int)
            for name in ("mean", "median", "cost")
            if sizes[name].is_finite().all()
        )
        show_table(rounded.columns, rounded.rows(), title=title)
        for ceiling in ("omega", "greedy"):  # side by side they would be wider than a terminal
            columns = ["chunking", *(name for name in ceilings if name.startswith(ceiling))]
            show_table(columns, table.select(columns).rows())
    elif layout == "json":
        whole = {
            "topics": found.topics,
            "gold": found.gold,
            "recall": recall,
            "chunkings": found.table.to_dicts(),
            "curve": found.curve.to_dicts(),
        }
        click.echo(json.dumps(plain(whole), ensure_ascii=False, indent=1))
    else:
        click.echo(found.table.write_csv(separator="\t"), nl=False)


def _write(found: ChunkComparison, collection: str, folder: Path) -> None:
    from doxel.chunking.cutting import with_texts
    from doxel.documents import read_collection
    from doxel.files import write_file
    from doxel.reports.files import free_name, safe_name

    folder.mkdir(parents=True, exist_ok=True)
    opened = read_collection(collection)
    taken: set[str] = set()
    for name, chunks in found.chunks.items():
        file = folder / f"{free_name(safe_name(name).strip('-'), taken)}.jsonl"
        lines = (
            json.dumps(row, ensure_ascii=False) for row in with_texts(opened, chunks).iter_rows(named=True)
        )
        write_file(file, "".join(f"{line}\n" for line in lines).encode())
        note(f"{file}: {counted(chunks.height, 'chunk')}")
