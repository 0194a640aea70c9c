"""``doxel demo``: run all steps on the bundled campaign."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxel.cli.console import print_note
from doxel.cli.options import SectionedCommand
from doxel.files import write_folder

if TYPE_CHECKING:
    from doxel.campaign.demo_campaign import DemoFiles

__all__ = ["command"]

_REPORT = "report"


@click.command("demo", cls=SectionedCommand)
@click.option(
    "-o",
    "--out",
    default="doxel-demo",
    show_default=True,
    metavar="DIR",
    help="The folder to write to.",
)
def command(out: str) -> None:
    """Run all steps on a bundled example campaign, and keep its files.

    The collection is a handbook of structured retrieval evaluation; topics, assessments in the formats of
    all INEX years and the runs of a dozen systems come with it.  Each step prints the command that does it;
    the last one writes a page to open in a browser.
    """
    began = time.monotonic()
    with write_folder(out, last=_REPORT, replace=True) as folder, contextlib.chdir(folder):
        print_note(f"writing a campaign to {out}; the commands below are run in that folder")
        for title, arguments in _list_steps(_write_files()):
            click.echo()
            print_note(title)
            print_note(f"  $ doxel {shlex.join(arguments)}")
            _run_command(arguments)
    print_note(f"done in {time.monotonic() - began:.1f} s; everything is in {out}")
    print_note(f"open this page in a browser: {(Path(out) / _REPORT / 'index.html').resolve().as_uri()}")


def _write_files() -> DemoFiles:
    """Write the files of the campaign to the present folder, and list them."""
    from doxel.campaign import write_demo

    demo = write_demo(".")
    report = demo.ingested
    print_note(f"its {report.documents} articles were read into a collection:")
    print_note(f"  $ doxel ingest {demo.handbook} -o {demo.collection}")
    print_note(
        f"  {report.documents} documents, {report.elements:,} elements, {report.characters:,} characters"
    )
    print_note(f"the same articles as Markdown are in {demo.markdown}; their relevant spans are in")
    print_note(f"  {demo.markdown_gold}")
    return demo


def _list_steps(demo: DemoFiles) -> Sequence[tuple[str, list[str]]]:
    """Return the steps of the demo, each with a title and a command."""
    runs = {path.stem: str(path) for path in demo.runs}
    focused = [runs["bm25-focused"], runs["lm-focused"], runs["windows-disjoint"]]

    def evaluate(assessments: str, measures: str, *names: str) -> list[str]:
        inputs = ["-c", str(demo.collection), "-a", str(demo.assessments[assessments])]
        return ["evaluate", *inputs, "-m", measures, "-f", "table", *(runs[name] for name in names)]

    inputs = ["-c", str(demo.collection), "-a", str(demo.assessments["qrels"])]
    windows = ("windows-overlapping", "windows-disjoint")
    return [
        (
            "look at an element",
            ["collection", str(demo.collection), "overlap", "/article[1]/head[1]/title[1]"],
        ),
        (
            "check the runs before scoring them",
            ["check", *inputs, "-t", str(demo.topics), runs["bm25-focused"], runs["focused-invalid"]],
        ),
        (
            "score Focused runs (no overlapping results) with the official INEX measures of 2009",
            evaluate("qrels", "inex2009-focused", "bm25-focused", "lm-focused", "windows-disjoint"),
        ),
        (
            "score Thorough runs (overlap allowed) with the official INEX measures of 2005",
            evaluate("inex2005", "inex2005-thorough", "bm25-elements", "bm25-sections", "tfidf-leaves"),
        ),
        (
            "score a Relevant in Context run (results grouped by document) with those of 2010",
            evaluate("qrels", "inex2010-relevant-in-context", "bm25-context"),
        ),
        (
            "score Best in Context runs (one entry point per document) with those of 2006",
            evaluate("qrels", "inex2006-best-in-context", "bm25-entry", "article-start"),
        ),
        (
            "score runs against the grades of 2002 with the measure inex_eval",
            evaluate("inex2002", "inex2002", "bm25-elements", "bm25-sections"),
        ),
        (
            "score sliding windows as chunks",
            evaluate("jsonl", "char_rec@1,3,5,10, char_prec@5, char_iou@5", *windows),
        ),
        (
            "test whether the differences are significant",
            ["compare", *inputs, "-m", "MAiP", "-f", "table", *focused],
        ),
        (
            "write all results to one page, with the documents",
            [
                *("report", *inputs, "-t", str(demo.topics), "-m", "inex2009-focused", "-m", "char_rec@5"),
                *("--title", "Focused runs on the handbook", "-o", _REPORT),
                *(*focused, runs["bm25-articles"]),
            ],
        ),
    ]


def _run_command(arguments: Sequence[str]) -> None:
    """Run a command; findings of a check and rejected runs are part of the demo."""
    from doxel.cli.main import cli

    cli.main(list(arguments), prog_name="doxel", standalone_mode=False)
