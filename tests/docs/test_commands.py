"""The reference of commands contains all of the commands' help, and is up to date."""

import click
import pytest
from pagemaker import commands
from pagemaker.examples import ROOT

from doxel.cli.main import COMMANDS

PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")


def section(name):
    """The part of the page about a command."""
    return PAGE.partition(f"\n## doxel {name}\n")[2].partition("\n## ")[0]


def options():
    for name, command, context in commands.all_commands():
        for parameter in command.get_params(context):
            if name and isinstance(parameter, click.Option):
                for spelling in parameter.opts:
                    yield pytest.param(name, spelling, parameter, id=f"{name} {spelling}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    assert section(name), f"doxel {name} is missing from docs/commands.md: run 'make docs'"
    assert f"(#doxel-{name})" in PAGE


@pytest.mark.parametrize(("name", "spelling", "option"), list(options()))
def test_every_option_is_documented(name, spelling, option):
    del option
    listed = [line for line in section(name).splitlines() if line.startswith("| `")]
    assert any(spelling in line.replace(",", " ").replace("`", " ").split() for line in listed), (
        f"{spelling} of doxel {name} is missing from docs/commands.md: run 'make docs'"
    )


@pytest.mark.parametrize(("name", "spelling", "option"), list(options()))
def test_every_option_has_a_description(name, spelling, option):
    explains_itself = isinstance(option.type, click.Choice)  # its values stand in the usage
    assert option.help or explains_itself, f"{spelling} of doxel {name} has no help text"


def test_the_page_is_not_stale():
    assert commands.reference() == PAGE, "docs/commands.md is stale: run 'make docs'"
