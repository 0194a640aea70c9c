"""``doxel align``: find the spans of documents that texts come from."""

from __future__ import annotations

import sys

import click

from doxel.cli.options import SectionedCommand

__all__ = ["command"]


@click.command("align", cls=SectionedCommand)
@click.argument("texts", metavar="TEXTS")
@click.option(
    "-c", "--collection", required=True, metavar="COLLECTION", help="The documents, made by 'doxel ingest'."
)
@click.option(
    "-o",
    "--out",
    default="-",
    metavar="FILE",
    help="Where to write the spans.  Default: - (standard output).",
)
@click.option(
    "--drop-unplaced",
    is_flag=True,
    help="Leave out texts that are not found.  Default: they keep their line, with the offset -1.",
)
def command(texts: str, collection: str, out: str, *, drop_unplaced: bool) -> None:
    """Find the spans of documents that retrieved or quoted texts come from.

    TEXTS is a run or assessments as JSON lines, with each text under the key "text".  Differences in case,
    accents, quotes, dashes, white space and mark-up do not matter; shortened, damaged and joined texts are
    found by what is left of them.  "doc" and "start", if present, decide between several places, else the
    first is taken.  Each line is written with "doc", "start" and "end", and with "how", "identity",
    "coverage" and "places".

    \b
    doxel align -c articles.doxel chunks.jsonl -o run.jsonl
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.alignment.aligner import UNPLACED, describe_alignments
    from doxel.alignment.alignment_files import align_file
    from doxel.cli.console import print_note
    from doxel.documents import read_collection
    from doxel.files import write_file

    data, table = align_file(texts, read_collection(collection), drop_unplaced=drop_unplaced)
    write_file(out, data)
    for sentence in describe_alignments(table):
        print_note(sentence)
    if (table["how"] == UNPLACED).any():
        sys.exit(1)
