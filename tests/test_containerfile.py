"""The container of the assessment server: its parts exist, it is linted, and built where an engine runs."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from documents.commands import doxel

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "Containerfile").read_text("utf-8")


def test_the_server_knows_the_options_of_the_entry_point():
    (words,) = re.findall(r"^ENTRYPOINT (\[.*\])$", TEXT, re.MULTILINE)
    command, *arguments = json.loads(words)
    assert command == "doxel"
    help_text = doxel(*arguments[:2], "--help").out
    options = [argument for argument in arguments if argument.startswith("--")]
    assert [option for option in options if option not in help_text] == []


def test_the_copied_files_and_the_extras_exist():
    copied = [name for names in re.findall(r"^COPY (.*) \S+$", TEXT, re.MULTILINE) for name in names.split()]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (installed,) = re.findall(r"\.\[(.*?)\]", TEXT)
    assert {*installed.split(",")} <= {*extras}


@pytest.mark.integration
def test_the_linter_finds_nothing():
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("hadolint is not installed: make test-integrations installs it")
    process = subprocess.run([linter, "Containerfile"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (process.returncode, process.stdout) == (0, "")


@pytest.mark.integration
def test_the_image_is_built_where_an_engine_runs():
    for engine in ("podman", "docker"):
        if (
            shutil.which(engine)
            and subprocess.run([engine, "info"], capture_output=True, check=False).returncode == 0
        ):
            build = [engine, "build", "--tag", "doxel-assess-test", "--file", "Containerfile", "."]
            process = subprocess.run(build, capture_output=True, text=True, check=False, cwd=ROOT)
            assert process.returncode == 0, process.stderr
            return
    pytest.skip("neither podman nor docker can build here")
