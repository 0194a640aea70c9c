"""``doxel ingest``: read documents into a collection."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from doxel.cli.console import print_note, show_progress
from doxel.cli.options import SectionedCommand, cluster_option, jobs_option
from doxel.documents.ingestion import IngestReport, ingest
from doxel.documents.manifest import Ids
from doxel.wording import pluralise

__all__ = ["command"]


@click.command("ingest", cls=SectionedCommand)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "-o", "--output", required=True, metavar="COLLECTION", help="The collection to create or add to."
)
@click.option(
    "--ids",
    type=click.Choice(["name", "path"]),
    help="Take document ids from file names, or from paths below the source folder.  Default: file names if "
    "they are unique.  Fixed when the collection is created.",
)
@click.option(
    "--dtd",
    multiple=True,
    metavar="FILE",
    help="A file with entity declarations (DTD, .ent); can be repeated.  No other declarations are read.",
)
@click.option(
    "--entities", type=click.Choice(["html"]), help="Define the HTML character entities (&eacute;)."
)
@click.option("--strict", is_flag=True, help="Stop at the first document that cannot be read.")
@jobs_option
@cluster_option
def command(
    *,
    sources: tuple[str, ...],
    output: str,
    ids: Ids | None,
    dtd: tuple[str, ...],
    entities: str | None,
    strict: bool,
    jobs: int | None,
    cluster: str | None,
) -> int:
    """Read XML, HTML, Markdown, PDF or plain text into a collection.

    A SOURCE is a file, a folder or an archive (.zip, .tar, .tar.gz, .tar.xz); hidden files in folders and
    archives are left out.  The type of a file is recognised by its suffix, and types may be mixed: .xml and
    similar, .html, .md, .txt, .pdf, and .jsonl with one document {"id": ..., "text": ...} per line, or as in
    BEIR {"_id": ..., "title": ..., "text": ...}.  A SOURCE may also be ir_datasets:NAME, a data set of that
    library.

    Documents that are already in the collection are skipped, so repeat the command after an interruption, or
    pass new sources to add documents.  A document that cannot be read is reported and skipped, pages of a PDF
    file without text are listed, and the exit status is then 1.

    \b
    doxel ingest articles/ -o articles.doxel
    doxel ingest reports/*.pdf -o reports.doxel
    doxel ingest wikipedia.tar.gz --entities html -o wikipedia.doxel
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    total = _count_bytes(sources)
    with show_progress("ingest", total=total) as bar:

        def advance(documents: int, size: int) -> None:
            if bar is not None:
                task = bar.tasks[0]
                documents_read = task.fields.get("documents", 0) + documents
                bar.update(
                    task.id, advance=size, documents=documents_read, detail=f"{documents_read:,} documents"
                )

        report = ingest(
            sources,
            output,
            ids=ids,
            dtd=dtd,
            entities=entities,
            strict=strict,
            jobs=jobs,
            cluster=cluster,
            progress=advance,
        )
    _show_report(report, output)
    return 1 if report.refused or report.losses else 0


def _count_bytes(sources: tuple[str, ...]) -> int | None:
    """Return the number of bytes to read, or None if it is unknown before reading."""
    if not sys.stderr.isatty() or not all(map(os.path.isdir, sources)):
        return None
    try:
        return sum(
            path.stat().st_size for source in sources for path in Path(source).rglob("*") if path.is_file()
        )
    except OSError:  # reading will report it
        return None


def _show_report(report: IngestReport, output: str) -> None:
    from doxel.documents import read_collection
    from doxel.documents.parsing.sources import SOURCE_KINDS_BY_NAME
    from doxel.documents.parsing.xml import XML

    for error in report.refused:
        print_note(f"skipped: {error}")
    for sentence in report.losses:
        print_note(sentence)
    for suffix, count in sorted(report.ignored.items()):
        print_note(f"ignored: {pluralise(count, 'file of unknown type', 'files of unknown type')} ({suffix})")
    for key, count in sorted(report.left_out.items()):
        print_note(
            f"ignored: {pluralise(count, 'value')} of {key!r}; JSON lines may have only id, text and format"
        )
    if report.already_there:
        print_note(f"already in the collection: {pluralise(report.already_there, 'document')}")
    if set(report.rules) - {XML.rule}:
        types = [
            f"{report.rules[kind.rule]:,} {kind.name}"
            for kind in SOURCE_KINDS_BY_NAME.values()
            if kind.rule in report.rules
        ]
        print_note(f"read as: {', '.join(types)}")
    if not report.documents and not Path(output).exists():
        skipped = pluralise(len(report.refused), "document was", "documents were")
        print_note(f"no collection was written to {output}: no document could be read; {skipped} skipped")
        return
    tags = len(read_collection(output).tags()) if report.documents else 0
    print_note(
        f"{pluralise(report.documents, 'document')}, {pluralise(report.elements, 'element')} with "
        f"{pluralise(tags, 'tag')}, {pluralise(report.characters, 'character')} "
        f"added to {output} in {report.seconds:.1f} s"
        + (f"; {len(report.refused):,} skipped" if report.refused else "")
    )
