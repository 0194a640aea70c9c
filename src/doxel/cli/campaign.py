"""``doxel campaign``."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from doxel.cli import evaluate as evaluating
from doxel.cli import pool as pooling
from doxel.cli import report as reporting
from doxel.cli.console import note, show_table
from doxel.cli.options import format_option
from doxel.errors import InputError

if TYPE_CHECKING:
    from doxel.campaign.campaign import Campaign

__all__ = ["command"]

_HERE = "."  # the folder of a campaign where none is named


class _InOrder(click.Group):
    """Lists its commands in the order in which a campaign needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return ["init", "status", "pool", "evaluate", "report"]


@click.group("campaign", cls=_InOrder)
def command() -> None:
    """Keep a collection, topics, runs, a pool and assessments together in a folder.

    DIR is the folder; without it, the current one.  Its configuration, campaign.toml, says where the parts
    are and how they are scored.
    """


@command.command("init")
@click.argument("folder", metavar="DIR")
@click.option("--name", help="The name of the campaign.  Default: that of the folder.")
def init(folder: str, name: str | None) -> None:
    """Lay out a new campaign in a folder.

    It gets a configuration with a comment on every key, and a folder for each part.  What is in the folder
    already is left as it is; a folder that holds a campaign is refused.
    """
    from doxel.campaign.template import init_campaign

    made = init_campaign(folder, name=name)
    note(f"the campaign {made.name!r} is laid out in {folder}; its configuration:")
    click.echo(made.file)


@command.command("status")
@click.argument("folder", default=_HERE, metavar="[DIR]")
@format_option("table", "json", default="table", about="A table to read, or everything as JSON.")
def status(folder: str, layout: str) -> int:
    """Say what is there, what is missing, and what no longer fits.

    The exit status is 1 when something is stale (made from what has changed since) or wrong; what is not
    there yet is no mistake.
    """
    from doxel.campaign.configuration import read_campaign
    from doxel.campaign.inspecting import campaign_status

    found = campaign_status(read_campaign(folder))
    if layout == "json":
        click.echo(json.dumps({**asdict(found), "fits": found.fits}, indent=1, ensure_ascii=False))
    else:
        rows = [[one.part, one.state, _counted(one.counts), one.where] for one in found.parts]
        show_table(["part", "state", "what is there", "where"], rows, title=found.name)
        if fingerprint := found["collection"].counts.get("fingerprint"):
            note(f"the collection's fingerprint is {fingerprint}")
        for one in found.parts:
            for matter in one.matters:
                note(f"{one.part}: {matter}")
        for todo in dict.fromkeys(one.todo for one in found.parts if one.todo):
            note(f"to do: {todo}")
    return 0 if found.fits else 1


def _counted(counts: Mapping[str, int | str]) -> str:
    shown = {name: count for name, count in counts.items() if name != "fingerprint"}  # too long for a cell
    return ", ".join(
        f"{count:,} {name}" if isinstance(count, int) else f"{name}: {count}" for name, count in shown.items()
    )


def _like(of: click.Command, **optional: str) -> Callable[[Callable[..., int]], click.Command]:
    """Make a command with the options of another, of which some are optional here, with another help."""

    def make(callback: Callable[..., int]) -> click.Command:
        folder = click.Argument(["folder"], required=False, default=_HERE, metavar="[DIR]")
        runs = click.Argument(["runs"], nargs=-1, required=False, metavar="[RUN]...")
        options: list[click.Parameter] = []
        for given in of.params:
            if not isinstance(given, click.Option):
                continue
            option = copy.copy(given)
            if option.name in optional:
                option.required, option.help, option.show_default = False, optional[option.name], False
            elif option.name in _CONFIGURED:
                option.show_default = False  # the configuration has the say
            options.append(option)
        named = command.command(callback.__name__.strip("_"))(click.pass_context(callback))
        named.params = [folder, runs, *options]
        return named

    return make


_CONFIGURED = {"count", "judging", "seed", "topics", "order", "on_invalid"}
_FROM_CONFIGURATION = {
    "assessments": "Default: those of the campaign, as far as their topics count.",
    "collection": "Default: that of the campaign.",
    "topic_files": "Default: the topics of the campaign.",
    "measures": "Default: those of the campaign.  Repeat at will.",
}


@_like(evaluating.command, **_FROM_CONFIGURATION)
def _evaluate(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Score the runs of the campaign.

    RUNs that are named are scored instead of its own.  All options of 'doxel evaluate' can be given, and
    then count instead of the configuration.
    """
    campaign, runs, options = _configured(context, folder, runs, options)
    if options["compat"] and not isinstance(options["assessments"][0], str):
        raise InputError(
            "--compat inex_eval scores all topics of the assessments",
            file=str(campaign.file),
            wanted="no list of assessed topics, or assessments of their own (-a)",
        )
    return _call(evaluating.command, runs=runs, **options)


@_like(
    reporting.command,
    **_FROM_CONFIGURATION,
    out="Where to write.  Default: the folder of the configuration.",
    title="The title of the page.  Default: the name of the campaign.",
)
def _report(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Write the page about the runs of the campaign.

    RUNs that are named are shown instead of its own.  All options of 'doxel report' can be given, and
    then count instead of the configuration.
    """
    campaign, runs, options = _configured(context, folder, runs, options)
    options["out"] = options["out"] or str(campaign.report)
    if context.get_parameter_source("title") is ParameterSource.DEFAULT:
        options["title"] = campaign.name
    return _call(reporting.command, runs=runs, **options)


@_like(
    pooling.command,
    output="The pool to write.  Default: that of the campaign, but with --estimate and --statistics none.",
    assessments="For --statistics.  Default: those of the campaign.",
    collection="Default: that of the campaign.",
    topic_files="The topics to pool.  Default: the selected topics of the campaign.",
)
def _pool(context: click.Context, folder: str, runs: tuple[str, ...], **options: Any) -> int:
    """Pool the runs of the campaign.

    The pool says which documents are to be judged for each topic.  RUNs that are named are pooled instead
    of the campaign's own.  All options of 'doxel pool' can be given, and then count instead of the
    configuration.
    """
    from doxel.campaign.configuration import read_campaign
    from doxel.topics import read_topics

    campaign = read_campaign(folder)
    settings = {**asdict(campaign.pooling), **campaign.ranking}
    if options["depth"] or options["documents"]:
        # a size that is asked for is the size, not one bound more
        settings = {**settings, "depth": options["depth"], "documents": options["documents"]}
    options = _with_defaults(context, options, settings)
    options["collection"] = options["collection"] or _collection_of(campaign)
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
    return pooling.make(_runs_of(campaign, runs), None if topics is None else list(topics), options)


def _configured(
    context: click.Context, folder: str, runs: tuple[str, ...], options: dict[str, Any]
) -> tuple[Campaign, tuple[str, ...], dict[str, Any]]:
    """Return the campaign, its runs, and the options with what its configuration says."""
    from doxel.campaign.configuration import read_campaign

    campaign = read_campaign(folder)
    chosen = _with_defaults(context, options, campaign.scoring)
    chosen["measures"] = options["measures"] or campaign.measures
    chosen["collection"] = options["collection"] or _collection_of(campaign)
    chosen["topic_files"] = options["topic_files"] or tuple(map(str, campaign.topic_files))
    if not options["assessments"]:
        files = tuple(map(str, campaign.assessment_files))
        judged = campaign.read_assessments() if campaign.assessed or not files else None
        # what was read is handed on where only a part of it counts; the files are still to be named
        chosen |= {"assessments": files if judged is None else (judged,), "assessment_files": files}
    return campaign, _runs_of(campaign, runs), chosen


def _with_defaults(
    context: click.Context, options: dict[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return options in which settings stand where the command line says nothing."""
    silent = {name for name in settings if context.get_parameter_source(name) is ParameterSource.DEFAULT}
    return {**options, **{name: settings[name] for name in silent}}


def _runs_of(campaign: Campaign, runs: tuple[str, ...]) -> tuple[str, ...]:
    found = runs or tuple(map(str, campaign.run_files))
    if not found:
        listed = ", ".join(map(str, campaign.runs))
        raise InputError("the campaign has no runs yet", wanted=f"files in {listed}", found="none")
    return found


def _collection_of(campaign: Campaign) -> str | None:
    """Return the collection of a campaign if there is one, after a look at its fingerprint."""
    if not Path(campaign.collection).exists():
        return None
    campaign.read_collection()
    return str(campaign.collection)


def _call(other: click.Command, **options: Any) -> int:
    if other.callback is None:
        raise InputError(f"doxel {other.name} does nothing")
    return int(other.callback(**options))
