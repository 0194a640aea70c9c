"""``doxel report``: write the page about runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxel.cli.commands.evaluate import build_scoring_keywords, show_notes
from doxel.cli.console import print_note, show_ticks
from doxel.cli.options import (
    SectionedCommand,
    assessor_option,
    comparing_options,
    drawing_options,
    scoring_options,
)
from doxel.errors import InputError
from doxel.wording import pluralise

if TYPE_CHECKING:
    from doxel.evaluation.analysis.findings import Findings, ReportSettings, SourceFile

__all__ = ["command"]

_SHOWN_OPTIONS = (
    "quant",
    "sizes",
    "limit",
    "topic_files",
    "models",
    "fol_end",
    "structure",
    "chunks",
    "tokenisers",
    "unjudged",
    "assessors",
)
_NOT_FOR_EXPLAIN = {"measures", "depth", "jobs", "cluster", "assessors"}
_SETTINGS = ("baseline", "test", "correction", "level", "resamples", "seed", "depth", "width")


@click.command("report", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options
@click.option("-o", "--out", required=True, metavar="DIR", help="The folder to write to; created if needed.")
@click.option("--title", default="Report", show_default=True, help="The title of the page.")
@click.option(
    "--curve",
    "curves",
    multiple=True,
    metavar="NAME",
    help="A curve such as ep/gr or nxCG; can be repeated.  Default: the curves of the first measures.",
)
@click.option(
    "--show",
    metavar="TOPICS",
    help="Comma-separated topics whose documents are shown, or none.  "
    "Default: the 3 topics in which the runs differ most.",
)
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    metavar="N",
    default=5,
    show_default=True,
    help="Number of documents to show per topic.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    default=100,
    show_default=True,
    help="Number of results per topic that are marked in documents and compared between runs.",
)
@assessor_option
@drawing_options
@comparing_options(baseline="the first run")
def command(runs: tuple[str, ...], out: str, title: str, **options: Any) -> int:
    """Write an HTML page about runs: scores, curves, differences, and the documents.

    DIR/index.html is self-contained and opens from disk, without a network.  It shows a leaderboard with
    three separate uncertainties (topics, unjudged text, assessors), curves, scores per topic, tested
    differences to a baseline, the agreement of measures, the overlap of runs, and the text of documents with
    the highlights of the assessors and the results of each run.  All tests of a page are of one kind; --test
    tukey groups runs by letters instead of testing pairs.  DIR also gets the figures as CSV, LaTeX, Parquet
    and JSON, and the curves as pictures.  Runs of different tasks are compared separately: each task has its
    own leaderboard, curves and tests.

    \b
    doxel report -a inex.qrels -c wikipedia.doxel -m inex2009-focused -o report a.run b.run
    doxel report -a inex.qrels -c wikipedia.doxel -m MAep --curve ep/gr --show 2009001 -o report *.run
    doxel report -a inex.qrels -m MAiP --runs best:5,baseline --width two -o report *.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.reports.report_folder import write_report

    scoring = build_scoring_keywords(runs, options)
    findings = _examine_runs(runs, options, scoring)
    report = write_report(
        findings,
        out,
        title=title,
        files=_list_sources(runs, options, findings),
        topic_titles=None if (inputs := findings.evaluation.inputs) is None else inputs.topic_texts,
        options={name: value for name, value in options.items() if name in _SHOWN_OPTIONS and value},
        explain_command=_build_explain_command(options),
    )
    show_notes(findings.evaluation)
    for message in report.notes:
        print_note(message)
    print_note(f"{pluralise(len(report.files), 'file')} written; open the page in a browser:")
    click.echo(report.page)
    return 1 if findings.evaluation.rejected else 0


def _examine_runs(runs: tuple[str, ...], options: dict[str, Any], scoring: dict[str, Any]) -> Findings:
    from doxel.documents import read_collection
    from doxel.evaluation.analysis.findings import examine_runs

    collection = read_collection(options["collection"]) if options["collection"] else None
    if collection is None and options["show"] not in {None, "none"}:
        print_note("--show has no effect: the text of documents needs a collection (-c)")
    with show_ticks("report", total=len(runs)) as tick:
        return examine_runs(
            list(runs),
            options["assessments"],
            options["measures"] or None,
            collection=collection,
            settings=_build_settings(options),
            progress=tick,
            **scoring,
        )


def _build_settings(options: dict[str, Any]) -> ReportSettings:
    from doxel.evaluation.analysis.findings import ReportSettings

    show: tuple[str, ...] | None = None
    if options["show"] is not None:
        topics = [topic.strip() for topic in options["show"].split(",") if topic.strip()]
        show = () if topics == ["none"] else tuple(topics)
        if not topics:
            raise InputError("--show", wanted="comma-separated topics, or none", found="nothing")
    settings = {name: options[name] for name in _SETTINGS}
    return ReportSettings(
        **settings,
        curves=options["curves"],
        show=show,
        shown_documents=options["documents"],
        runs=options["drawn_runs"],
    )


def _list_sources(runs: tuple[str, ...], options: dict[str, Any], findings: Findings) -> list[SourceFile]:
    from doxel.evaluation.analysis.findings import hash_source_files

    skipped = {rejection.run for rejection in findings.evaluation.rejected if rejection.measure == "all"}
    models = [model.rpartition(":")[0] for model in options["models"]]
    return [
        *hash_source_files("run", [run for run in runs if run not in skipped]),
        *hash_source_files("assessments", options.get("assessment_files", options["assessments"])),
        *hash_source_files("further assessor", options["assessors"]),
        *hash_source_files("topics", options["topic_files"]),
        *hash_source_files("user model", models),
    ]


def _build_explain_command(options: dict[str, Any]) -> str:
    """Return the command that explains a score with the same options, without topic, measure and run."""
    import shlex

    from doxel.cli.commands.explain import command as explain

    files = {"assessments": options.get("assessment_files", options["assessments"])}
    words = ["doxel", "explain"]
    for option in explain.params:
        value: Any = {**options, **files}.get(str(option.name))
        is_set = value not in (None, (), False, option.default)
        if not isinstance(option, click.Option) or not is_set or option.name in _NOT_FOR_EXPLAIN:
            continue
        flag = option.opts[0]
        if option.is_flag:
            words.append(flag)
        else:
            values = value if option.multiple else [value]
            words += [word for item in values for word in (flag, str(item))]
    return shlex.join(words)
