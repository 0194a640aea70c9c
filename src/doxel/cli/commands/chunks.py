"""``doxel chunks``: compare ways of cutting documents into chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import check_picture_name, choose_layout, print_note, show_table
from doxel.cli.options import (
    RUNS_CODE,
    SectionedCommand,
    assessments_option,
    collection_option,
    format_option,
)
from doxel.errors import InputError
from doxel.reports.output_files import to_plain
from doxel.wording import format_json, pluralise

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
@click.option(
    "--unit",
    type=click.Choice(["chars", "words", "tokens"]),
    default="chars",
    show_default=True,
    help="What cost and budgets count: characters, words, or tokens (see --tokeniser).",
)
@click.option(
    "--tokeniser",
    metavar="FILE.py:NAME",
    help=f"Your own tokeniser for --unit tokens, a function from a text to spans.  {RUNS_CODE}",
)
@format_option("table", "tsv", "json")
@click.option(
    "--plot", metavar="FILE", help="Draw the greedy choice against context size to a .svg, .png or .pdf file."
)
@click.option(
    "--budgets",
    is_flag=True,
    help="With --plot: draw the choice for budgets of 1, 2, 5, 10, 20, 50, ... units.",
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
    budgets: bool,
    kind: str,
    write: str | None,
    **options: Any,
) -> None:
    """Compare ways of cutting documents into chunks, before any retrieval.

    A CHUNKING is NAME:SIZE:OVERLAP, your own splitter (FILE.py:NAME), or a file of chunks (JSON lines with
    doc, start and end).  NAME is characters, tokens, sentences, paragraphs or headings; the last three need
    no size.

    FILE.py:NAME runs the code of the file: pass only files that you trust.  The name in it is a function from
    a text to a list of texts or of spans (start, end), or a splitter of LangChain, LlamaIndex, chonkie or
    semchunk.

    The table shows for each chunking the number and length of chunks, the share of relevant spans that no
    single chunk contains, and the scores of two reference choices that know the relevant text: all chunks
    with relevant text (omega), and k chunks chosen one by one by most new relevant text (greedy).  No ranking
    exceeds omega_rec; none of k chunks exceeds greedy_rec if the chunks do not overlap.  The other figures
    are not maxima.  cost is the size of the greedy choice that reaches the recall, in --unit.

    \b
    doxel chunks -c handbook.doxel -a gold.jsonl characters:400 characters:400:200 paragraphs headings
    doxel chunks -c handbook.doxel -a gold.jsonl mine.py:splitter sentences:5:1 --plot chunks.svg
    doxel chunks -c handbook.doxel -a gold.jsonl tokens:200 sentences:5 --unit words --plot b.svg --budgets
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.chunking import compare_chunkings

    if collection is None:
        raise InputError("no documents", wanted="a collection: -c COLLECTION")
    form = check_picture_name(plot)
    if budgets and plot is None:
        print_note("--budgets has no effect without --plot FILE")
    comparison = compare_chunkings(collection, assessments, _name_chunkings(chunkings), **options)
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

        write_file(plot, draw(build_chunk_picture(comparison, kind, budgets=budgets), form))
        print_note(f"{plot}: {kind} against {'budgets' if budgets else 'context size'}")
    if write is not None:
        _write_chunks(comparison, collection, Path(write))


def _name_chunkings(names: tuple[str, ...]) -> list[str] | dict[str, str]:
    """Return the names of chunkers, or a mapping if any of them is a file of chunks."""
    from doxel.chunking.chunk_comparison import CHUNK_FILES

    if len(set(names)) < len(names):
        raise InputError("chunkings", wanted="different ones", found="the same twice")
    has_files = any(Path(name).suffix in CHUNK_FILES for name in names)
    return {name: name for name in names} if has_files else list(names)


def _show_comparison(comparison: ChunkComparison, layout: str, recall: float) -> None:
    if layout == "table":
        _show_tables(comparison, recall)
    elif layout == "json":
        chunkings = [
            {**row, "maxima": comparison.list_maxima(row["chunking"])} for row in comparison.table.to_dicts()
        ]
        content = {
            "topics": comparison.topics,
            "gold": comparison.gold,
            "recall": recall,
            "unit": comparison.unit,
            "chunkings": chunkings,
            "curve": comparison.curve.to_dicts(),
            "budgets": comparison.budgets.to_dicts(),
        }
        click.echo(format_json(to_plain(content), indent=1))
    else:
        from doxel.reports.score_tables import format_tsv_table

        click.echo(format_tsv_table(comparison.table), nl=False)


def _show_tables(comparison: ChunkComparison, recall: float) -> None:
    """Print the sizes, and one table per reference choice, as one would be too wide for a terminal."""
    table = comparison.table.drop("short", "disjoint")
    topics = pluralise(comparison.topics, "topic")
    references = [name for name in table.columns if name.startswith(("omega", "greedy"))]
    sizes = table.drop(references)
    rounded = sizes.with_columns(
        sizes[name].round(0).cast(int) for name in ("mean", "median", "cost") if sizes[name].is_finite().all()
    )
    unit = "" if comparison.unit == "chars" else f" in {comparison.unit}"
    title = f"{topics} with {comparison.gold:,.0f} characters of gold each; cost of recall {recall}{unit}"
    show_table(rounded.columns, rounded.rows(), title=title)
    greedy_rec = next(name for name in references if name.startswith("greedy_rec@"))
    disjoint = comparison.table.filter("disjoint")["chunking"].to_list()
    titles = {
        "omega": "omega, a reference choice: all chunks with relevant text; omega_rec is a maximum",
        "greedy": "greedy, a reference choice that knows the gold; "
        + (f"{greedy_rec} is a maximum for {', '.join(disjoint)}" if disjoint else "no maximum"),
    }
    for choice, title in titles.items():
        columns = ["chunking", *(name for name in references if name.startswith(choice))]
        click.echo(title)  # the title of a table is wrapped to its width
        show_table(columns, table.select(columns).rows())


def _write_chunks(comparison: ChunkComparison, collection: str, folder: Path) -> None:
    from doxel.chunking.chunkers import add_texts
    from doxel.documents import read_collection
    from doxel.files import write_file, write_folder
    from doxel.reports.output_files import claim_name, make_safe_name

    opened = read_collection(collection)
    names: set[str] = set()
    with write_folder(folder) as out:
        for name, chunks in comparison.chunks.items():
            file = f"{claim_name(make_safe_name(name).strip('-'), names)}.jsonl"
            rows = add_texts(opened, chunks).iter_rows(named=True)
            lines = (json.dumps(row, ensure_ascii=False) for row in rows)
            write_file(out / file, "".join(f"{line}\n" for line in lines).encode())
            print_note(f"{folder / file}: {pluralise(chunks.height, 'chunk')}")
