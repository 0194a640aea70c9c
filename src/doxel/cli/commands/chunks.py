"""``doxel chunks``: compare ways of cutting documents into chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import choose_layout, print_note, show_table
from doxel.cli.options import (
    SectionedCommand,
    assessments_option,
    collection_option,
    format_option,
    unwrap_single,
)
from doxel.errors import InputError
from doxel.reports.output_files import to_plain
from doxel.wording import pluralise

if TYPE_CHECKING:
    from doxel.chunking import ChunkComparison

__all__ = ["command"]


@click.command("chunks", cls=SectionedCommand)
@click.argument("chunkings", nargs=-1, required=True, metavar="CHUNKING...")
@collection_option
@assessments_option
@click.option(
    "--cutoff",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="K",
    help="Number of chunks, the k of greedy_*@k.",
)
@click.option(
    "--recall",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    default=0.9,
    show_default=True,
    help="The recall to reach, for the column cost.",
)
@format_option("table", "tsv", "json")
@click.option(
    "--plot", metavar="FILE", help="Draw quality against context size to a .svg, .png or .pdf file."
)
@click.option(
    "--kind",
    type=click.Choice(["rec", "prec", "iou"]),
    default="rec",
    show_default=True,
    help="The quality in the picture: recall, precision, or intersection over union.",
)
@click.option(
    "--write",
    metavar="DIR",
    help="Write the chunks of each chunking to this folder, as JSON lines with texts.",
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
    """Compare ways of cutting documents into chunks, before any retrieval.

    A CHUNKING is NAME:SIZE:OVERLAP, your own function (FILE.py:NAME, from a text to spans or texts), or a
    file of chunks (JSON lines with doc, start and end).  NAME is characters, tokens, sentences, paragraphs or
    headings; the last three need no size.

    The table shows for each chunking the number and length of chunks; the share of relevant spans that no
    single chunk contains; the best possible scores of all relevant chunks (omega) and of the best k (greedy);
    and the fewest characters of context that reach the recall (cost).  No ranking can do better.

    \b
    doxel chunks -c handbook.doxel -a gold.jsonl characters:400 characters:400:200 paragraphs headings
    doxel chunks -c handbook.doxel -a gold.jsonl mine.py:split sentences:5:1 --plot chunks.svg
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.chunking import compare_chunkings

    if collection is None:
        raise InputError("no documents", wanted="a collection: -c COLLECTION")
    form = "" if plot is None else Path(plot).suffix.lstrip(".").lower()
    if plot is not None and form not in {"svg", "png", "pdf"}:
        raise InputError("--plot", wanted="a file that ends in .svg, .png or .pdf", found=repr(plot))
    comparison = compare_chunkings(
        collection, unwrap_single(assessments), _load_chunkings(chunkings, collection), **options
    )
    for sentence in comparison.notes:
        print_note(sentence)
    for name, short in comparison.table.select("chunking", "short").iter_rows():
        if short:
            topics = pluralise(short, "topic does", "topics do")
            print_note(f"{name}: {topics} not reach the recall; left out of its cost")
    _show_comparison(comparison, choose_layout(layout), options["recall"])
    if plot is not None:
        from doxel.files import write_file
        from doxel.reports.matplotlib_pictures import draw
        from doxel.reports.picture_data import build_chunk_picture

        write_file(plot, draw(build_chunk_picture(comparison, kind), form))
        print_note(f"{plot}: {kind} against context size")
    if write is not None:
        _write_chunks(comparison, collection, Path(write))


def _load_chunkings(names: tuple[str, ...], collection: str) -> Any:
    """Return the names of chunkers, or all chunkings as chunks if any of them is a file."""
    from doxel.chunking import cut_collection, find_chunker
    from doxel.documents import read_collection

    if len(set(names)) < len(names):
        raise InputError("chunkings", wanted="different ones", found="the same twice")
    files = [name for name in names if Path(name).suffix in {".jsonl", ".json", ".ndjson"}]
    if not files:
        return list(names)
    chunkers = {name: find_chunker(name) for name in names if name not in files}
    cuts = dict(zip(chunkers, cut_collection(read_collection(collection), chunkers.values()), strict=True))
    return {name: cuts.get(name, name) for name in names}


def _show_comparison(comparison: ChunkComparison, layout: str, recall: float) -> None:
    table = comparison.table.drop("short")
    if layout == "table":
        topics = pluralise(comparison.topics, "topic")
        title = f"{topics} with {comparison.gold:,.0f} characters of gold each; cost of recall {recall}"
        ceilings = [name for name in table.columns if name.startswith(("omega", "greedy"))]
        sizes = table.drop(ceilings)
        rounded = sizes.with_columns(
            sizes[name].round(0).cast(int)
            for name in ("mean", "median", "cost")
            if sizes[name].is_finite().all()
        )
        show_table(rounded.columns, rounded.rows(), title=title)
        for ceiling in ("omega", "greedy"):  # two tables, as one would be too wide for a terminal
            columns = ["chunking", *(name for name in ceilings if name.startswith(ceiling))]
            show_table(columns, table.select(columns).rows())
    elif layout == "json":
        whole = {
            "topics": comparison.topics,
            "gold": comparison.gold,
            "recall": recall,
            "chunkings": comparison.table.to_dicts(),
            "curve": comparison.curve.to_dicts(),
        }
        click.echo(json.dumps(to_plain(whole), ensure_ascii=False, indent=1))
    else:
        click.echo(comparison.table.write_csv(separator="\t"), nl=False)


def _write_chunks(comparison: ChunkComparison, collection: str, folder: Path) -> None:
    from doxel.chunking.chunkers import add_texts
    from doxel.documents import read_collection
    from doxel.files import write_file
    from doxel.reports.output_files import claim_name, make_safe_name

    folder.mkdir(parents=True, exist_ok=True)
    opened = read_collection(collection)
    taken: set[str] = set()
    for name, chunks in comparison.chunks.items():
        file = folder / f"{claim_name(make_safe_name(name).strip('-'), taken)}.jsonl"
        lines = (
            json.dumps(row, ensure_ascii=False) for row in add_texts(opened, chunks).iter_rows(named=True)
        )
        write_file(file, "".join(f"{line}\n" for line in lines).encode())
        print_note(f"{file}: {pluralise(chunks.height, 'chunk')}")
