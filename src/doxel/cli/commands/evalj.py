"""``doxel evalj``: score runs from configuration files of EvalJ."""

from __future__ import annotations

import click

from doxel.cli.commands.evaluate import show_scores
from doxel.cli.console import print_note, show_ticks
from doxel.cli.options import SectionedCommand
from doxel.errors import InputError
from doxel.wording import pluralise

__all__ = ["command"]


@click.command("evalj", cls=SectionedCommand)
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option(
    "-config",
    "--config",
    "config",
    required=True,
    metavar="FILE",
    help="A configuration of EvalJ: a property file (XCG metrics) or an XML file (EPRUM, BEPD).",
)
@click.option(
    "-e",
    "all_topics",
    is_flag=True,
    help="Give assessed topics without results the score 0.  Default: leave them out.",
)
@click.option("-q", "per_topic", is_flag=True, help="Also print the score of each topic.")
@click.option("-gnu", "--gnu", "gnuplot", is_flag=True, help="Write graphs for gnuplot: .dat and .gp files.")
@click.option("-jfree", "--jfree", "jfree", is_flag=True, help="Write graphs as .png files.")
@click.option(
    "-a",
    "--assessments",
    multiple=True,
    metavar="ASSESSMENTS",
    help="Assessments, instead of ASSESSMENTS_DIR.  Repeat to join several.",
)
@click.option("-c", "--collection", metavar="COLLECTION", help="The collection, instead of INEXDOCCOLL_DIR.")
@click.option("-o", "--out", "out", metavar="DIR", help="The folder to write to, instead of RESULTS_DIR.")
def command(
    runs: tuple[str, ...],
    config: str,
    all_topics: bool,
    per_topic: bool,
    gnuplot: bool,
    jfree: bool,
    assessments: tuple[str, ...],
    collection: str | None,
    out: str | None,
) -> int:
    """Score runs from configuration files of EvalJ, the evaluation tool of INEX 2005 and 2006.

    Results are written to RESULTS_DIR, one file per run and metric, and to stdout as tsv.  RUN, -a, -c and
    -o replace the data that a property file names.  They are required with an XML file, which names no data.

    \b
    doxel evalj -config focused.prop -e -q
    doxel evalj -config bic.xml -gnu -a 2006/ -c wikipedia.doxel -o results bic.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.evaluation.compat.evalj.evalj_configuration import read_plan
    from doxel.evaluation.compat.evalj.evalj_runner import run_plan
    from doxel.reports.evalj_files import write_evalj_files

    plan = read_plan(config)
    with show_ticks("evalj") as tick:
        outcome = run_plan(
            plan,
            runs=runs,
            assessments=assessments,
            collection=collection,
            results=out,
            all_topics=all_topics,
            graphs=gnuplot or jfree,
            progress=tick,
        )
    unreadable = [rejection for rejection in outcome.scored.rejected if rejection.measure == "all"]
    if unreadable and not outcome.scored.scores.height:
        raise InputError("no run could be read; the first error: " + unreadable[0].reason)
    paths = write_evalj_files(outcome, per_topic=per_topic, gnuplot=gnuplot, jfree=jfree)
    show_scores(outcome.scored, "tsv", per_topic=per_topic)
    print_note(f"{pluralise(len(paths), 'file')} written to {outcome.results}")
    return 1 if outcome.scored.rejected else 0
