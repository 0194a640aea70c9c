"""``doxel cite``: BibTeX for the measures and the software behind a result."""

from __future__ import annotations

import click

from doxel.cli.console import print_note, redirect_output
from doxel.cli.options import SectionedCommand
from doxel.wording import join_words

__all__ = ["command"]


@click.command("cite", cls=SectionedCommand)
@click.argument("result", metavar="RESULT.json")
@click.option("-o", "--output", metavar="FILE", help="Write the entries to a file.  Default: stdout.")
def command(result: str, output: str | None) -> None:
    """Print BibTeX entries for the measures of a result and for doxel.

    RESULT.json is a file of result.save() or of 'doxel evaluate -f json'.  Comments before the entries name
    the versions of the programs and the SHA-256 of the result and of all its inputs; the entry of doxel has
    the version that computed the scores.

    \b
    doxel evaluate -a inex.qrels -m MAiP,iP@0.01 -o result.json a.run b.run
    doxel cite result.json -o references.bib
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.evaluation.analysis.result_citation import cite_saved_result

    citation = cite_saved_result(result)
    with redirect_output(output):
        click.echo(citation.bibtex, nl=False)
    if citation.unknown:
        print_note(f"no source is known for {join_words(citation.unknown)}: add its paper yourself")
