"""Options that several commands share, and the help that groups them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = [
    "INEX_HEADING",
    "InexOption",
    "OrderedGroup",
    "SectionedCommand",
    "TaskName",
    "assessments_option",
    "assessor_option",
    "cluster_option",
    "collect_option_sections",
    "collection_option",
    "comparing_options",
    "drawing_options",
    "fol_end_option",
    "format_option",
    "jobs_option",
    "order_option",
    "scoring_options",
    "structure_option",
    "topics_option",
]

INEX_HEADING = "Options for INEX measures and files"
_ABOUT_INEX = "INEX was the yearly evaluation campaign for XML retrieval, 2002 to 2010."

_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "fetch-and-browse"]
_TASK_HELP = (
    "The kind of results that the run may return: thorough (all relevant elements, nested ones "
    "too), focused (no overlapping results), relevant-in-context (results grouped by document), "
    "best-in-context (one entry point per document), fetch-and-browse (documents, then elements in them).  "
)

_LONGEST_LINE = 300  # characters of the line about a command

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class InexOption(click.Option):
    """An option that matters only for INEX measures and files; the help lists it under its own heading."""


def collect_option_sections(
    command: click.Command, context: click.Context
) -> dict[str, list[tuple[str, str]]]:
    """Return the options of a command with their help, by heading."""
    sections: dict[str, list[tuple[str, str]]] = {"Options": [], INEX_HEADING: []}
    for parameter in command.get_params(context):
        if not isinstance(parameter, click.Option):
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            heading = INEX_HEADING if isinstance(parameter, InexOption) else "Options"
            sections[heading].append(record)
    return {heading: records for heading, records in sections.items() if records}


class SectionedCommand(click.Command):
    """A command whose help lists the options for INEX measures and files after the others."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        for heading, records in collect_option_sections(self, ctx).items():
            with formatter.section(heading):
                if heading == INEX_HEADING:
                    formatter.write_text(_ABOUT_INEX)
                    formatter.write_paragraph()
                formatter.write_dl(records)


class OrderedGroup(click.Group):
    """A group that lists its commands in the order in which they were added, each with a whole sentence."""

    command_class = SectionedCommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in order."""
        del ctx
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with the first sentences of their help, which click would cut off."""
        commands = [self.commands[name] for name in self.list_commands(ctx) if not self.commands[name].hidden]
        rows = [(command.name or "", command.get_short_help_str(limit=_LONGEST_LINE)) for command in commands]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class _Limit(click.ParamType):  # type: ignore[type-arg]
    """A number of results, or ``none``."""

    name = "N|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_number = str(value).isdecimal() and len(str(value)) < 10 and int(value) > 0
        if value != "none" and not is_number:
            self.fail(f"wanted a whole number from 1, or none, found {value!r}", param, ctx)
        return int(value) if is_number else value


class TaskName(click.Choice):  # type: ignore[type-arg]
    """A task by its name here or by any name that INEX gave it: Focussed, AllInContext."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the task with a name."""
        from doxel.runs.run import find_task

        task = find_task(str(value))
        return super().convert(task if task in self.choices else value, param, ctx)


def assessments_option(command: Command) -> Command:
    """Add ``-a``."""
    return click.option(
        "-a",
        "--assessments",
        multiple=True,
        required=True,
        metavar="ASSESSMENTS",
        help="Judgements of what is relevant: a file or folder.  Repeat to join several.",
    )(command)


def collection_option(command: Command) -> Command:
    """Add ``-c``."""
    return click.option(
        "-c",
        "--collection",
        metavar="COLLECTION",
        help="The documents, made by 'doxel ingest'.  Needed if results or gold are texts, pages or element "
        "paths.",
    )(command)


def topics_option(about: str) -> Decorator:
    """Make ``-t``; ``about`` is its help."""
    return click.option("-t", "--topic-file", "topic_files", multiple=True, metavar="TOPICS", help=about)


def structure_option(command: Command) -> Command:
    """Add ``--structure``."""
    return click.option(
        "--structure",
        cls=InexOption,
        metavar="target=strict,support=vague",
        help="How to read the structure in the topics' queries (-t): the element to return (target) and the "
        "elements around it (support).  strict: results that do not match gain nothing; vague, the default "
        "of both: a hint that excludes nothing.  Names of INEX sub-tasks such as SCAS are accepted.",
    )(command)


assessor_option = click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="ASSESSMENTS",
    help="Judgements of the same topics by another assessor, such as an export of one assessor; can be "
    "repeated.  Scores get the range over all assessors of a topic.",
)
order_option = click.option(
    "--order",
    type=click.Choice(["rank", "file", "score"]),
    default="rank",
    show_default=True,
    help="Rank the results by their rank, by their order in the file, or by their score.",
)
fol_end_option = click.option(
    "--fol-end",
    cls=InexOption,
    is_flag=True,
    help="Read the last column of 8-column runs (document, offset, length) as an end offset instead of a "
    "length.",
)


def format_option(*layouts: str, default: str | None = None, about: str | None = None) -> Decorator:
    """Make ``-f``; without a default, a table on a terminal and tsv in a pipe."""
    return click.option(
        "-f",
        "--format",
        "layout",
        type=click.Choice(layouts),
        default=default,
        show_default=default is not None,
        help=about or "Output format.  Default: table on a terminal, tsv in a pipe.",
    )


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes.  Default: all cores if the input is large enough for them to pay off.",
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Address of a Dask scheduler (tcp://host:8786, or tls:// with Dask's configuration of certificates) "
    "whose workers do the work; all share one folder.",
)

RUNS_CODE = "The code in FILE.py is executed: pass only files that you trust."


def _measure_option(default: str) -> Decorator:
    """Make ``-m``; ``default`` describes the measures without it."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE|SET",
        help="A measure such as char_rec@5, a comma-separated list, or a named set; can be repeated.  'doxel "
        "measures' lists them.  FILE.py:NAME is a measure of your own, with a cutoff FILE.py:NAME@5.  "
        f"{RUNS_CODE}  Default: {default}.",
    )


_SUITABLE_SET = "a set that suits the assessments and the run's task"
_SCORING = (
    click.option(
        "--topics",
        type=click.Choice(["assessed", "run"]),
        help="Average over all assessed topics, where topics missing from a run score 0, or over the topics "
        "of the run.  Default: assessed, and run with --compat trec_eval.",
    ),
    click.option(
        "--limit",
        type=_Limit(),
        metavar="N|none",
        help="Score only the first N results per topic, or all of them (none).  Default: 1500 for the "
        "measures of INEX, none for measures of characters, tokens, chunks and documents.",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(["nonrelevant", "remove"]),
        help="Results in documents that nobody judged for the topic: count them as not relevant, or remove "
        "them, so that later results move up.  Default: nonrelevant.",
    ),
    order_option,
    click.option(
        "--on-mismatch",
        type=click.Choice(["error", "score"]),
        default="error",
        show_default=True,
        help="What to do with a run if none of its topics or documents is in the assessments, because the "
        "ids differ.  error: do not score it (exit status 1); score: its scores are 0.",
    ),
    click.option(
        "--no-guessing",
        is_flag=True,
        help="Do not score runs whose scores would rest on a guess (exit status 1); without this option a "
        "warning is printed.",
    ),
    click.option(
        "--silence",
        multiple=True,
        metavar="CODE",
        help="Hide the warnings with this code, such as R402; can be repeated.  'doxel check --codes' lists "
        "them.  With --no-guessing, these guesses are allowed.",
    ),
    click.option(
        "--chunks",
        metavar="FILE",
        help="All chunks that could be retrieved, as JSON lines with doc, start and end; needed by the "
        "measures omega_* and greedy_*.",
    ),
    click.option(
        "--tokeniser",
        "tokenisers",
        multiple=True,
        metavar="FILE.py:NAME",
        help="Your own tokeniser, a function from a text to spans, for tokens=NAME in the token measures.  "
        f"{RUNS_CODE}",
    ),
    jobs_option,
    cluster_option,
    click.option(
        "--task",
        cls=InexOption,
        type=TaskName(_TASKS),
        help=f"{_TASK_HELP}Default: the task that the run declares.",
    ),
    click.option(
        "--quant",
        cls=InexOption,
        metavar="NAME",
        help="Quantisation: how relevance grades become gains, for measures that name none; gen (graded), "
        "strict (only the highest grade) or one of a year.  Default: gen.",
    ),
    click.option(
        "--sizes",
        cls=InexOption,
        type=click.Choice(["declared", "collection"]),
        help="Take element sizes from the assessments, or compute them from the collection (the default "
        "with -c).",
    ),
    click.option(
        "--on-invalid",
        cls=InexOption,
        type=click.Choice(["reject", "repair"]),
        default="reject",
        show_default=True,
        help="If a run does not meet the requirements of a measure (such as no overlap): do not score it, "
        "or drop and regroup results first.",
    ),
    click.option(
        "--model",
        "models",
        cls=InexOption,
        multiple=True,
        metavar="FILE.py:NAME",
        help=f"Your own user model, for model=NAME in the measures GR, EPRUM and PRUM.  {RUNS_CODE}",
    ),
    structure_option,
    fol_end_option,
    click.option(
        "--passage-ids",
        is_flag=True,
        help="Read document ids as ids of passages: doc:start-end is a span of doc, doc#passage the whole "
        "document doc.",
    ),
)


def comparing_options(*, baseline: str) -> Decorator:
    """Make the options for comparing runs; ``baseline`` describes the default comparison."""
    options = (
        click.option(
            "--baseline", metavar="RUN-ID", help=f"Compare all runs with this one.  Default: {baseline}."
        ),
        click.option(
            "--test",
            type=click.Choice(["randomisation", "t", "wilcoxon", "bootstrap", "tukey"]),
            default="randomisation",
            show_default=True,
            help="Paired significance test.",
        ),
        click.option(
            "--correction",
            type=click.Choice(["holm", "bonferroni", "benjamini-hochberg", "none"]),
            default="holm",
            show_default=True,
            help="Correction of p-values for multiple comparisons.",
        ),
        click.option(
            "--level",
            type=click.FloatRange(0.5, 0.999),
            default=0.95,
            show_default=True,
            metavar="SHARE",
            help="Confidence level of intervals.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(min=100),
            default=10_000,
            show_default=True,
            metavar="N",
            help="Number of random samples for tests and intervals.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            metavar="N",
            help="Seed of the random samples; the same seed gives the same figures.",
        ),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def drawing_options(command: Command) -> Command:
    """Add the options of pictures: the runs that they show, and their width."""
    runs = click.option(
        "--runs",
        "drawn_runs",
        multiple=True,
        metavar="SELECTION",
        help="The runs that pictures show: names, patterns such as 'bm25*', best:N or baseline, separated by "
        "commas; can be repeated.  Default: all; if there are lines of more than 8 runs, the best 7 and the "
        "baseline, with the others in grey.",
    )
    width = click.option(
        "--width",
        type=click.Choice(["one", "two"]),
        default="one",
        show_default=True,
        help="The width of pictures: one column of a paper (3.4 inches) or two (7 inches).",
    )
    return runs(width(command))


def scoring_options(command: Command, *, default_measures: str = _SUITABLE_SET) -> Command:
    """Add all options for scoring runs; ``default_measures`` describes the measures without ``-m``."""
    topics = topics_option(
        "The topics (queries).  Their titles are shown beside scores; --structure needs their queries."
    )
    for option in reversed((topics, _measure_option(default_measures), *_SCORING)):
        command = option(command)
    return assessments_option(collection_option(command))
