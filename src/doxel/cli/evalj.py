"""``doxel evalj``."""

from __future__ import annotations

import click

from doxel.cli.console import note, ticks
from doxel.cli.evaluate import show
from doxel.errors import InputError
from doxel.wording import counted

__all__ = ["command"]


@click.command("evalj")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option(
    "-config",
    "--config",
    "config",
    required=True,
    metavar="FILE",
    help="A property file (XCG metrics) or an XML file (EPRUM, BEPD) of EvalJ.",
)
@click.option(
    "-e",
    "all_topics",
    is_flag=True,
    help="Score assessed topics without results 0.  Default: leave them out.",
)
@click.option("-q", "per_topic", is_flag=True, help="Scores of single topics too.")
@click.option("-gnu", "--gnu", "gnuplot", is_flag=True, help="Graphs for gnuplot: .dat and .gp files.")
@click.option("-jfree", "--jfree", "jfree", is_flag=True, help="Graphs as .png files.")
@click.option(
    "-a",
    "--assessments",
    multiple=True,
    metavar="ASSESSMENTS",
    help="In the place of ASSESSMENTS_DIR; repeat to join several.",
)
@click.option("-c", "--collection", metavar="COLLECTION", help="In the place of INEXDOCCOLL_DIR.")
@click.option("-o", "--out", "out", metavar="DIR", help="In the place of RESULTS_DIR.")
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
    """Score runs as EvalJ did, from its own configuration files.

    Results are written to RESULTS_DIR, a file a run and metric, and to stdout as tsv.  RUN, -a, -c and
    -o take the place of what a property file names; an XML file names no data, so that they are needed.

    \b
    doxel evalj -config focused.prop -e -q
    doxel evalj -config bic.xml -gnu -a 2006/ -c wikipedia.doxel -o results bic.run
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.evaluation.evalj import read_plan
    from doxel.evaluation.evalj.running import run_plan
    from doxel.reports.evalj import write_evalj

    plan = read_plan(config)
    with ticks("evalj") as tick:
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
    unread = [one for one in outcome.scored.rejected if one.measure == "all"]
    if unread and not outcome.scored.scores.height:
        raise InputError("no run could be read; the first: " + unread[0].reason)
    written = write_evalj(outcome, per_topic=per_topic, gnuplot=gnuplot, jfree=jfree)
    show(outcome.scored, "tsv", per_topic=per_topic)
    note(f"{counted(len(written), 'file was', 'files were')} written to {outcome.results}")
    return 1 if outcome.scored.rejected else 0
