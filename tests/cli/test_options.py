"""Options that several commands share: values, and errors for invalid ones."""

from __future__ import annotations

import re

import click
import pytest

from cli.structured_topics import options
from documents.commands import doxel, write_files
from doxel.cli.commands import compare, pool, search, simulate
from doxel.cli.commands import evaluate as evaluate_command
from doxel.cli.main import cli
from doxel.cli.options import INEX_HEADING, InexOption, SectionedCommand
from doxel.pooling.pool_candidates import DEPTH_UNITS
from doxel.pooling.pool_making import JUDGING_ORDERS
from doxel.runs.run import TASK_NAMES
from doxel.search.element_ranking import OVERLAPS, SEARCH_TASKS
from doxel.statistics.significance import TESTS
from doxel.studies import SYSTEMS


@pytest.fixture
def files(tmp_path):
    return write_files(
        tmp_path,
        {"gold.qrels": "1 Q0 a 10 100 0 0:10\n", "a.run": "1 Q0 a 1 1.0 a 0 5\n1 Q0 a 2 0.5 a 5 5\n"},
    )


def evaluate(files, *options):
    return doxel("evaluate", "-a", files / "gold.qrels", "-m", "char_rec", *options, files / "a.run")


@pytest.mark.parametrize(("limit", "recall"), [("1", "0.5"), ("2", "1.0"), ("none", "1.0"), ("٢", "1.0")])
def test_the_limit_cuts_results(files, limit, recall):
    outcome = doxel(
        "evaluate", "-a", files / "gold.qrels", "-m", "char_rec", "--limit", limit, files / "a.run"
    )
    assert outcome.out.splitlines()[1].split("\t")[-1] == recall


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "²", "all", ""])
def test_an_invalid_limit_is_rejected(files, limit):
    outcome = doxel(
        "evaluate", "-a", files / "gold.qrels", "-m", "char_rec", "--limit", limit, files / "a.run"
    )
    assert outcome.status == 2
    assert f"wanted a whole number from 1, or none, found {limit!r}" in outcome.err


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_seed_is_not_negative(files, command):
    out = ["-o", files / "out"] if command == "report" else []
    run = files / "a.run"
    outcome = doxel(command, "-a", files / "gold.qrels", "-m", "char_rec", "--seed", "-1", *out, run, run)
    assert outcome.status == 2
    assert "'--seed'" in outcome.err


def choices(command, option):
    (parameter,) = [parameter for parameter in command.params if parameter.name == option]
    return list(parameter.type.choices)


def test_choices_listed_for_a_fast_start_equal_the_declared_ones():
    assert choices(simulate.command, "system") == list(SYSTEMS)
    assert choices(evaluate_command.command, "task") == list(TASK_NAMES)
    assert choices(search.command, "task") == list(SEARCH_TASKS)
    assert choices(search.command, "overlap") == list(OVERLAPS)
    assert choices(pool.command, "judging") == list(JUDGING_ORDERS)
    assert choices(pool.command, "count") == list(DEPTH_UNITS)
    assert choices(compare.command, "test") == [*TESTS, "tukey"]


@pytest.mark.parametrize("written", ["Focussed", "CO.Focussed", "FOCUSED", "focused"])
def test_a_task_may_have_an_inex_name(files, written):
    outcome = evaluate(files, "--task", written)
    assert outcome.status == 0, outcome.err


def test_an_unknown_task_is_rejected_with_a_list_of_tasks(files):
    outcome = evaluate(files, "--task", "searching")
    assert outcome.status == 2
    assert "'searching' is not one of 'thorough', 'focused'" in outcome.err


def test_an_enormous_limit_is_rejected(files):
    assert evaluate(files, "--limit", "9" * 5000).status == 2


def all_commands(command=cli, name="doxel", parent=None):
    """Yield every command that is not a group, as the words that call it and its context."""
    context = click.Context(
        command, parent=parent, info_name=name, **(command.context_settings if parent is None else {})
    )
    if not isinstance(command, click.Group):
        yield context.command_path, context
        return
    for child in command.list_commands(context):
        yield from all_commands(command.get_command(context, child), child, context)


EVERY_COMMAND = dict(all_commands())


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_options_for_inex_measures_have_their_own_heading(name):
    context = EVERY_COMMAND[name]
    command = context.command
    assert isinstance(command, SectionedCommand)
    text = command.get_help(context)
    general, heading, inex = text.partition(f"\n{INEX_HEADING}:\n")
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert bool(heading) == any(isinstance(option, InexOption) for option in options)
    for option in options:
        section = inex if isinstance(option, InexOption) else general
        assert re.search(rf"^  .*{re.escape(option.opts[-1])}\b", section, re.MULTILINE), option.name


def test_the_options_of_a_chunk_user_come_first():
    evaluate_options = EVERY_COMMAND["doxel evaluate"].command.params
    general = [option.name for option in evaluate_options if type(option) is click.Option]
    assert {"assessments", "measures", "limit", "per_topic", "layout", "compat"} <= set(general)
    assert not {"task", "quant", "structure"} & set(general)


def test_the_options_of_a_search_for_documents_come_first():
    options = EVERY_COMMAND["doxel search"].command.params
    inex = [option.name for option in options if isinstance(option, InexOption)]
    assert inex == ["field", "structure"]  # queries with structure; every search needs a task


@pytest.mark.parametrize("command", ["check", "evaluate", "recallbase"])
def test_structure_needs_topics(structured, command):
    arguments = [
        "-a",
        structured / "gold.jsonl",
        "-c",
        structured / "c.doxel",
        "--structure",
        "target=strict",
    ]
    runs = [] if command == "recallbase" else [structured / "a.run"]
    outcome = doxel(command, *arguments, *runs)
    assert (outcome.status, outcome.out) == (2, "")
    assert "wanted topics (-t)" in outcome.err


def test_an_invalid_structure_is_rejected(structured):
    outcome = doxel("check", *options(structured), "--structure", "target=strickt", structured / "a.run")
    assert outcome.status == 2
    assert "wanted strict or vague, found 'strickt'" in outcome.err


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("evaluate", "a set that suits the assessments and the run's task"),
        ("gate", "those of the baseline"),
        ("study power", "those of the study"),
        ("campaign evaluate", "the measures of the campaign"),
    ],
)
def test_the_help_of_each_command_describes_its_own_default_measures(name, default):
    parameters = EVERY_COMMAND[f"doxel {name}"].command.params
    (option,) = [parameter for parameter in parameters if parameter.name == "measures"]
    assert option.help.endswith(f"Default: {default}.")
    assert "'doxel gate'" not in option.help


def test_a_collection_has_the_same_placeholder_in_every_command():
    placeholders = {
        name: parameter.metavar
        for name, context in EVERY_COMMAND.items()
        for parameter in context.command.params
        if parameter.opts[0] == "-c"
    }
    assert len(placeholders) > 10
    assert set(placeholders.values()) == {"COLLECTION"}


def test_the_help_of_options_that_execute_code_has_a_warning():
    mentions = 0
    for command in walk_commands(cli, click.Context(cli)):
        helps = [getattr(parameter, "help", None) or "" for parameter in command.params]
        metavars = [parameter.metavar or "" for parameter in command.params]
        texts = [f"{metavar} {text}" for metavar, text in zip(metavars, helps, strict=True)]
        for text in [command.help or "", *texts]:
            if ".py:NAME" in text:
                mentions += 1
                assert "pass only files that you trust" in " ".join(text.split()), command.name
    assert (
        mentions >= 10
    )  # evaluate, compare, report and others take --model and --tokeniser; chunks a function


def walk_commands(command, context):
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from walk_commands(command.get_command(context, name), context)


@pytest.mark.parametrize("group", ["assess", "assess user", "assess assignment", "campaign", "study"])
def test_the_help_of_a_group_cuts_no_line_off(group):
    help_text = doxel(*group.split(), "--help").out
    commands = help_text.partition("\nCommands:\n")[2]
    assert len(commands.splitlines()) > 4
    assert "..." not in commands
