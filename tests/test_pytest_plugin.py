"""The plugin for pytest: the fixture and marker ``doxel_gate``, and how cheap its import is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TEST = """
import doxel
import pytest

GOLD = [(str(topic), "a", 0, 100) for topic in range(8)]

def result(end):
    return doxel.evaluate([(str(topic), "a", 0, end) for topic in range(8)], GOLD, "char_rec@5")

{tests}
"""
GATED = """
@pytest.mark.doxel_gate("base.json", max_drop=0.05)
def test_{name}(doxel_gate):
    doxel_gate(result({end}))
"""


def run_pytest(folder, tests, *options):
    """Run pytest on a test file in a folder; return its exit status and output."""
    (folder / "test_it.py").write_text(TEST.format(tests=tests))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "doxel.pytest_plugin",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
        "--basetemp",  # else it would remove the folders that other runs of pytest left
        str(folder / "temporary"),
    ]
    # the entry point, if it is installed, would register the plugin a second time
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(
        [*command, *options, "."], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout


def test_the_plugin_is_an_entry_point_of_pytest():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"doxel": "doxel.pytest_plugin"}


def test_importing_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, pytest; old = {*sys.modules}; import doxel.pytest_plugin; print(*{*sys.modules} - old)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ended.stdout.split()
    assert sorted(name for name in loaded if not name.startswith("_")) == [
        "doxel",
        "doxel._version",
        "doxel.pytest_plugin",
    ]


def test_a_gate_is_stored_then_passes_then_fails_for_a_worse_run(tmp_path):
    assert run_pytest(tmp_path, GATED.format(name="first", end=80), "--doxel-update")[0] == 0
    assert json.loads((tmp_path / "base.json").read_text())["scores"][0]["score"] == 0.8
    little, much = (GATED.format(name=name, end=end) for name, end in (("little", 76), ("much", 70)))
    status, out = run_pytest(tmp_path, little + much)
    assert status == 1
    assert "1 failed, 1 passed" in out
    assert "test_much - Failed: doxel_gate: fail" in out
    assert "char_rec@5: the mean fell by 0.1000, at 0.95 confidence by at least 0.1000; allowed: 0.05" in out
    assert "char_rec@5, topic 0: 0.8000 -> 0.7000" in out


def test_missing_baselines_are_sentences_and_arguments_of_the_call_win(tmp_path):
    tests = """
@pytest.mark.doxel_gate("no.json")
def test_missing(doxel_gate):
    doxel_gate(result(80))

def test_unnamed(doxel_gate):
    doxel_gate(result(80))

@pytest.mark.doxel_gate("no.json", minimum=0.9)
def test_changed(doxel_gate):
    result(80).save("other.json")
    assert doxel_gate(result(80), "other.json", minimum=0.7).status == "pass"
    doxel_gate(result(80), "other.json")

def test_invalid(doxel_gate, tmp_path):
    (tmp_path / "x.json").write_text("x")
    doxel_gate(result(80), tmp_path / "x.json")

@pytest.mark.doxel_gate("other.json", max_dorp=0.2)
def test_misspelt(doxel_gate):
    doxel_gate(result(80))
"""
    status, out = run_pytest(tmp_path, tests)
    assert status == 1
    assert "no.json does not exist; pytest --doxel-update writes it" in out
    assert "wanted the file of the baseline, in the marker or in the call" in out
    assert "the mean 0.8000 is below the minimum 0.9" in out
    assert "x.json, line 1: a saved result: wanted JSON" in out
    assert (
        "wanted the arguments measures, minimum, max_drop, level, run, baseline_run, found 'max_dorp'" in out
    )
    assert "5 failed" in out


@pytest.mark.parametrize("option", ["--markers", "--fixtures"])
def test_marker_and_fixture_are_documented(option, tmp_path):
    assert "doxel_gate" in run_pytest(tmp_path, "", option)[1]
