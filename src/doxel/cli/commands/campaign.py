"""``doxel campaign``: manage a campaign in a folder."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from doxel.cli.commands import evaluate as evaluating
from doxel.cli.commands import pool as pooling
from doxel.cli.commands import report as reporting
from doxel.cli.console import print_note, show_table
from doxel.cli.options import OrderedGroup, format_option
from doxel.errors import InputError
from doxel.wording import format_json

if TYPE_CHECKING:
    from doxel.campaign.campaign import Campaign

__all__ = ["command"]

_HERE = "."  # the default folder of a campaign


@click.group("campaign", cls=OrderedGroup)
def command() -> None:
    """Manage a campaign: a folder with a collection, topics, runs, a pool and assessments.

    DIR is the folder of the campaign, by default the current one.  Its configuration file, campaign.toml,
    names the parts of the campaign and the options for scoring.
    """


@command.command("init")
@click.argument("folder", metavar="DIR")
@click.option("--name", help="The name of the campaign.  Default: the name of the folder.")
def init(folder: str, name: str | None) -> None:
    """Create a campaign in a folder.

    Write a configuration with a comment on every key, and create a folder for each part.  Existing files are
    left unchanged.  It is an error if the folder already contains a campaign.
    """
    from doxel.campaign.configuration import create_campaign

    campaign = create_campaign(folder, name=name)
    print_note(f"created the campaign {campaign.name!r} in {folder}; edit its configuration:")
    click.echo(campaign.file)


@command.command("status", short_help="List the parts of the campaign and their state.")
@click.argument("folder", default=_HERE, metavar="[DIR]")
@format_option("table", "json", default="table", about="Print a table, or everything as JSON.")
@click.option(
    "--verify",
    is_flag=True,
    help="Read all files of the collection as well, as 'doxel collection --verify' does, and compare the "
    "configured fingerprint with the one computed from the texts.",
)
def status(folder: str, layout: str, *, verify: bool) -> int:
    """List the parts of the campaign that exist, are missing, or no longer match the others.

    The exit status is 1 if a part is stale (made from something that has changed since) or wrong.  Missing
    parts are not errors.
    """
    from doxel.campaign.campaign_status import inspect_campaign
    from doxel.campaign.configuration import read_campaign

    summary = inspect_campaign(read_campaign(folder), verify=verify)
    if layout == "json":
        click.echo(format_json({**asdict(summary), "fits": summary.fits}, indent=1))
    else:
        rows = [[part.part, part.state, _describe_counts(part.counts), part.where] for part in summary.parts]
        show_table(["part", "state", "content", "path"], rows, title=summary.name)
        if fingerprint := summary["collection"].counts.get("fingerprint"):
            print_note(f"the collection's fingerprint is {fingerprint}")
        for part in summary.parts:
            for problem in part.matters:
                print_note(f"{part.part}: {problem}")
        for todo in dict.fromkeys(part.todo for part in summary.parts if part.todo):
            print_note(f"next: {todo}")
    return 0 if summary.fits else 1


def _describe_counts(counts: Mapping[str, int | str]) -> str:
    cells = {name: count for name, count in counts.items() if name != "fingerprint"}  # too long for a cell
    return ", ".join(
        f"{count:,} {name}" if isinstance(count, int) else f"{name}: {count}" for name, count in cells.items()
    )


def _make_like(of: click.Command, **optional: str) -> Callable[[Callable[..., int]], click.Command]:
    """Make a command with the options of another; those in ``optional`` get a new help and a default."""

    def make(callback: Callable[..., int]) -> click.Command:
        folder = click.Argument(["folder"], required=False, default=_HERE, metavar="[DIR]")
        runs = click.Argument(["runs"], nargs=-1, required=False, metavar="[RUN]...")
        options: list[click.Parameter] = []
        for parameter in of.params:
            if not isinstance(parameter, click.Option):
                continue
            option = copy.copy(parameter)
            if option.name in optional:
                option.required, option.help, option.show_default = False, optional[option.name], False
            elif option.name in _CONFIGURED:
                option.show_default = False  # the default is in the configuration
            options.append(option)
        subcommand = command.command(callback.__name__.strip("_"))(click.pass_context(callback))
        subcommand.params = [folder, runs, *options]
        return subcommand

    return make


_CONFIGURED = {"count", "judging", "seed", "topics", "order", "on_invalid"}
_FROM_CONFIGURATION = {
    "assessments": "Assessments.  Default: those of the campaign, for its assessed topics.",
    "collection": "The documents.  Default: the collection of the campaign.",
    "topic_files": "The topics.  Default: the topics of the campaign.",
    "measures": "A measure or named set; can be repeated.  Default: the measures of the campaign.",
}


@_make_like(
    pooling.command,
    output="The pool to write.  Default: the pool of the campaign; none with --estimate or --statistics.",
    assessments="For --next and --statistics: the judgements.  Default: those of the campaign.",
    collection="The documents.  Default: the collection of the campaign.",
    topic_files="The topics to pool.  Default: the selected topics of the campaign.",
)
def _pool(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Pool the runs of the campaign.

    The pool lists the documents to judge for each topic.  If RUNs are given, only these are pooled.  All
    options of 'doxel pool' are accepted and override the configuration.
    """
    from doxel.campaign.configuration import read_campaign
    from doxel.topics import read_topics

    campaign = read_campaign(folder)
    settings = {**asdict(campaign.pooling), **campaign.ranking}
    if options["depth"] or options["documents"]:
        # sizes on the command line replace both sizes of the configuration
        settings = {**settings, "depth": options["depth"], "documents": options["documents"]}
    options = _fill_defaults(context, options, settings)
    options["collection"] = options["collection"] or _find_collection(campaign)
    if not (options["output"] or options["estimate"] or options["statistics"]):
        campaign.pool.parent.mkdir(parents=True, exist_ok=True)
        options["output"] = str(campaign.pool)
    if not options["assessments"]:
        options |= {"assessments": tuple(map(str, campaign.assessment_files)), "assessed": campaign.assessed}
    topics = campaign.selected or None
    if options["topic_files"]:
        topics = tuple(read_topics(list(options["topic_files"])).ids)
    elif campaign.topic_files:
        topics = tuple(campaign.read_selected().ids)
    return pooling.run_pooling(_find_runs(campaign, runs), None if topics is None else list(topics), options)


@_make_like(evaluating.command, **_FROM_CONFIGURATION)
def _evaluate(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Score the runs of the campaign.

    Runs of different tasks cannot be compared: each task has its own table.  Runs that declare no task count
    as focused.  If RUNs are given, only these are scored.  All options of 'doxel evaluate' are accepted and
    override the configuration.
    """
    campaign, runs, options = _complete_options(context, folder, runs, options)
    if options["compat"] and not isinstance(options["assessments"], tuple):
        raise InputError(
            f"--compat {options['compat']} scores all topics of the assessments",
            file=str(campaign.file),
            wanted="no list of assessed topics, or other assessments (-a)",
        )
    return _call_command(evaluating.command, runs=runs, by_task=True, **options)


@_make_like(
    reporting.command,
    **_FROM_CONFIGURATION,
    out="The folder to write to.  Default: the report folder of the campaign.",
    title="The title of the page.  Default: the name of the campaign.",
)
def _report(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Write a page about the runs of the campaign.

    If RUNs are given, only these are shown.  All options of 'doxel report' are accepted and override the
    configuration.
    """
    campaign, runs, options = _complete_options(context, folder, runs, options)
    options["out"] = options["out"] or str(campaign.report)
    if context.get_parameter_source("title") is ParameterSource.DEFAULT:
        options["title"] = campaign.name
    return _call_command(reporting.command, runs=runs, **options)


def _complete_options(
    context: click.Context, folder: str, runs: tuple[str, ...], options: dict[str, Any]
) -> tuple[Campaign, tuple[str, ...], dict[str, Any]]:
    """Return the campaign, its runs, and the options completed from its configuration."""
    from doxel.campaign.configuration import read_campaign

    campaign = read_campaign(folder)
    completed = _fill_defaults(context, options, campaign.scoring)
    completed["measures"] = options["measures"] or campaign.measures
    completed["collection"] = options["collection"] or _find_collection(campaign)
    completed["topic_files"] = options["topic_files"] or tuple(map(str, campaign.topic_files))
    if not options["assessments"]:
        files = tuple(map(str, campaign.assessment_files))
        assessments = campaign.read_assessments() if campaign.assessed or not files else None
        # if only some topics are scored, pass the assessments that were read, and the files for the report
        completed |= {"assessments": files if assessments is None else assessments, "assessment_files": files}
    return campaign, _find_runs(campaign, runs), completed


def _fill_defaults(
    context: click.Context, options: dict[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options, with settings for those that are not on the command line."""
    unset = {name for name in settings if context.get_parameter_source(name) is ParameterSource.DEFAULT}
    return {**options, **{name: settings[name] for name in unset}}


def _find_runs(campaign: Campaign, runs: tuple[str, ...]) -> tuple[str, ...]:
    files = runs or tuple(map(str, campaign.run_files))
    if not files:
        listed = ", ".join(map(str, campaign.runs))
        raise InputError("the campaign has no runs yet", wanted=f"files in {listed}", found="none")
    return files


def _find_collection(campaign: Campaign) -> str | None:
    """Return the collection of a campaign after checking its fingerprint, or None if it does not exist."""
    if not Path(campaign.collection).exists():
        print_note(f"without a collection: {campaign.collection} does not exist yet")
        return None
    campaign.read_collection()
    return str(campaign.collection)


def _call_command(other: click.Command, **options: Any) -> int:
    if other.callback is None:
        raise InputError(f"doxel {other.name} does nothing")
    return int(other.callback(**options))
