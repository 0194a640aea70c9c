"""Options that several commands share: what is scored, against what, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from doxel.errors import InputError

if TYPE_CHECKING:
    from doxel.topics import Topics

__all__ = [
    "TaskName",
    "assessments_option",
    "cluster_option",
    "collection_option",
    "comparing_options",
    "fol_end_option",
    "format_option",
    "jobs_option",
    "limit_value",
    "one_or_many",
    "order_option",
    "scoring_options",
    "structure_option",
    "topics_of",
    "topics_option",
]

_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "fetch-and-browse"]

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class _Limit(click.ParamType):  # type: ignore[type-arg]
    """A number of results, or ``none``."""

    name = "N|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_number = str(value).isdecimal() and len(str(value)) < 10 and int(value) > 0
        if value != "none" and not is_number:
            self.fail(f"wanted a whole number from 1, or none, found {value!r}", param, ctx)
        return int(value) if is_number else value


class TaskName(click.Choice):  # type: ignore[type-arg]
    """A task by our name for it, or by any that a year gave it: Focussed, AllInContext."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the task that a name means."""
        from doxel.runs.tasks import task_named

        known = task_named(str(value))
        return super().convert(known if known in self.choices else value, param, ctx)


def limit_value(limit: int | str | None) -> dict[str, Any]:
    """Return the keyword that ``--limit`` stands for: nothing where it was not given."""
    return {} if limit is None else {"limit": None if limit == "none" else limit}


def assessments_option(command: Command) -> Command:
    """Add ``-a``."""
    return click.option(
        "-a",
        "--assessments",
        multiple=True,
        required=True,
        metavar="ASSESSMENTS",
        help="What was judged relevant: a file or folder; repeat to join several.",
    )(command)


def collection_option(command: Command) -> Command:
    """Add ``-c``."""
    return click.option(
        "-c",
        "--collection",
        metavar="COLLECTION",
        help="The documents, as made by 'doxel ingest'.  Needed where results or assessments are paths.",
    )(command)


def topics_option(command: Command) -> Command:
    """Add ``-t``."""
    return click.option(
        "-t",
        "--topic-file",
        "topic_files",
        multiple=True,
        metavar="TOPICS",
        help="The topics that were asked.",
    )(command)


def structure_option(command: Command) -> Command:
    """Add ``--structure``."""
    return click.option(
        "--structure",
        metavar="target=strict,support=vague",
        help="How the structure of the topics' queries (-t) is taken: what does not conform gains nothing.  "
        "What is left out is vague; a sub-task such as SCAS will do as well.  Default: all vague.",
    )(command)


order_option = click.option(
    "--order",
    type=click.Choice(["rank", "file", "score"]),
    default="rank",
    show_default=True,
    help="What the ranking is taken from.",
)
fol_end_option = click.option(
    "--fol-end", is_flag=True, help="The last column of 8-column runs is an end, not a length."
)


def format_option(*layouts: str, default: str | None = None, about: str | None = None) -> Decorator:
    """Make ``-f``; without a default a table on a terminal and tsv in a pipe."""
    return click.option(
        "-f",
        "--format",
        "layout",
        type=click.Choice(layouts),
        default=default,
        show_default=default is not None,
        help=about or "Default: table on a terminal, tsv in a pipe.",
    )


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes to use.  Default: all cores, if it pays.",
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask scheduler do it (tcp://host:8786), over a folder that all share.",
)

_SCORING = (
    topics_option,
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE|SET",
        help="A measure such as iP@0.01, a list of them, or a named set; repeat at will.  "
        "Default: the official set of each run's task.",
    ),
    click.option(
        "--topics",
        type=click.Choice(["assessed", "run"]),
        default="assessed",
        show_default=True,
        help="Average over all assessed topics (one that a run lacks scores 0), or over the run's own.",
    ),
    click.option("--task", type=TaskName(_TASKS), help="The task.  Default: what the run declares."),
    click.option(
        "--quant", metavar="NAME", help="The quantisation, where a measure names none.  Default: gen."
    ),
    click.option("--limit", type=_Limit(), help="Results of a topic that count.  Default: 1500."),
    order_option,
    click.option(
        "--sizes",
        type=click.Choice(["declared", "collection"]),
        help="Sizes as the assessments declare them, or recomputed (the default with a collection).",
    ),
    click.option(
        "--on-invalid",
        type=click.Choice(["reject", "repair"]),
        default="reject",
        show_default=True,
        help="What to do with a run that lacks what a measure requires.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="FILE.py:NAME",
        help="A user model of your own, for model=NAME in GR, EPRUM and PRUM.",
    ),
    click.option(
        "--chunks",
        metavar="FILE",
        help="All chunks there are to retrieve, as JSON lines with doc, start and end, for omega and greedy.",
    ),
    click.option(
        "--tokeniser",
        "tokenisers",
        multiple=True,
        metavar="FILE.py:NAME",
        help="A function from a text to spans, for tokens=NAME in the token measures.",
    ),
    structure_option,
    fol_end_option,
    jobs_option,
    cluster_option,
)


def comparing_options(*, baseline: str) -> Decorator:
    """Make everything that says how runs are compared; ``baseline`` is what is compared without one."""
    options = (
        click.option(
            "--baseline", metavar="RUN-ID", help=f"Compare all runs with this one.  Default: {baseline}."
        ),
        click.option(
            "--test",
            type=click.Choice(["randomisation", "t", "wilcoxon", "bootstrap", "tukey"]),
            default="randomisation",
            show_default=True,
            help="The paired test.",
        ),
        click.option(
            "--correction",
            type=click.Choice(["holm", "bonferroni", "benjamini-hochberg", "none"]),
            default="holm",
            show_default=True,
            help="For many comparisons.",
        ),
        click.option(
            "--level",
            type=click.FloatRange(0.5, 0.999),
            default=0.95,
            show_default=True,
            metavar="SHARE",
            help="How sure intervals are.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(min=100),
            default=10_000,
            show_default=True,
            metavar="N",
            help="How often tests and intervals draw anew.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            metavar="N",
            help="The same seed gives the same figures.",
        ),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def scoring_options(command: Command) -> Command:
    """Add everything that says how runs are scored."""
    for option in reversed(_SCORING):
        command = option(command)
    return assessments_option(collection_option(command))


def topics_of(topic_files: tuple[str, ...]) -> Topics | None:
    """Return the topics of some files as one set, or None where none are named."""
    if not topic_files:
        return None
    from doxel.topics import read_topics

    return read_topics(list(topic_files))


def one_or_many(paths: tuple[str, ...]) -> Any:
    """Return the path, or the list of several."""
    if not paths:
        raise InputError("no file", wanted="at least one")
    return paths[0] if len(paths) == 1 else list(paths)
