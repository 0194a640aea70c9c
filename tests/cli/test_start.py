"""The start of the command line: fast, with help, and with hints for typing errors."""

import json
import re
import subprocess
import sys

import pytest

import doxel as package
from documents.commands import doxel, doxel_process
from doxel.cli.main import COMMANDS, SECTIONS, cli

HEAVY = {"numpy", "polars", "lxml", "rich"}

REPORT = """
import json, sys
from doxel.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    print(json.dumps([left.code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.mark.parametrize("argument", ["--version", "--help", "-h"])
def test_nothing_heavy_is_imported_before_it_is_needed(argument):
    done = subprocess.run(
        [sys.executable, "-c", REPORT, argument], capture_output=True, check=True, text=True
    )
    status, modules = json.loads(done.stderr)
    assert status == 0
    assert "doxel" in modules
    assert HEAVY & set(modules) == set()


def test_heavy_modules_are_detected():
    done = subprocess.run(
        [sys.executable, "-c", REPORT, "collection", "--help"], capture_output=True, check=True, text=True
    )
    _, modules = json.loads(done.stderr)
    assert {"numpy", "polars"} <= set(modules)


def test_importing_the_package_loads_no_heavy_modules():
    code = "import sys, doxel; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert HEAVY & {name.partition(".")[0] for name in done.stdout.split()} == set()


def test_the_version_is_printed():
    assert doxel("--version").out == f"doxel, version {package.__version__}\n"
    assert doxel_process("--version").out == f"doxel, version {package.__version__}\n"


def test_help_lists_every_command():
    outcome = doxel("--help")
    assert outcome.status == 0
    for name, (_, line) in COMMANDS.items():
        assert f"  {name}" in outcome.out
        assert line in outcome.out


def test_help_lists_each_command_once_under_its_heading():
    sections = re.findall(r"^(\w+):\n((?:  .*\n)+)", doxel("--help").out, re.MULTILINE)
    listed = {heading: re.findall(r"^  (\w+) ", lines, re.MULTILINE) for heading, lines in sections}
    assert {heading: list(names) for heading, names in SECTIONS.items()} == {
        heading: names for heading, names in listed.items() if heading != "Options"
    }
    names = [name for names in SECTIONS.values() for name in names]
    assert sorted(names) == sorted(set(names)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    command = cli.get_command(None, name)
    assert command.name == name
    outcome = doxel(name, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(f"Usage: doxel {name} ")
    assert command.help


def test_a_mistyped_command_gets_a_hint():
    outcome = doxel("ingset", "x")
    assert outcome.status == 2
    assert "No such command 'ingset'. Did you mean 'ingest'?" in outcome.err
    assert "Traceback" not in outcome.err


def test_an_unknown_option_is_rejected():
    outcome = doxel("ingest", "--fast", "x", "-o", "c")
    assert outcome.status == 2
    assert "No such option" in outcome.err


def test_no_command_prints_the_help():
    outcome = doxel()
    assert outcome.status == 2
    assert "Usage: doxel" in outcome.err
