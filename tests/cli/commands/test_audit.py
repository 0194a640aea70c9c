"""``doxel audit``: formats, exit statuses and the folder of counterexamples."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from auditing import broken_scorers
from doxel.auditing.laws import LAWS
from doxel.cli.main import main
from random_share import take_some

BROKEN = Path(broken_scorers.__file__)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return a function that runs an audit and returns its exit status, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main(["audit", *arguments])
        printed = capsys.readouterr()
        return ending.value.code, printed.out, printed.err

    return run


def test_a_sound_scorer_is_acquitted_and_nothing_is_written(call, tmp_path):
    status, output, errors = call("--function", f"{BROKEN}:recall", "--cases", "30")
    assert status == 0
    assert output.endswith("30 random cases, seed 0.\nNo law was broken.\n")
    assert errors == ""
    assert list(tmp_path.iterdir()) == []


def test_counterexamples_are_written_to_a_folder_by_default(call, tmp_path):
    status, output, errors = call("--function", f"{BROKEN}:off_by_one", "--cases", "30")
    assert status == 1
    assert "off_by_one breaks 'touching'" in output
    assert "doxel-audit/counterexamples/off_by_one-touching/README.txt" in errors
    assert (tmp_path / "doxel-audit/counterexamples/off_by_one-touching/case.json").is_file()
    assert (tmp_path / "doxel-audit/audit.html").is_file()


@pytest.mark.integration
def test_a_command_is_audited_from_its_output(call, tmp_path):
    command = f"{sys.executable} {BROKEN} recall_counting_twice {{gold}} {{run}}"
    status, output, _ = call(
        *("--command", command, "--figure", "figure: ([0-9.]+)", "--cases", "2", "--seconds", "600"),
        *("-o", "found"),
    )
    assert status == 1
    assert "figure breaks 'repeat'" in output
    lines = (tmp_path / "found/counterexamples/figure-repeat/README.txt").read_text()
    assert "found/counterexamples/figure-repeat/gold-after.jsonl" in lines


@pytest.mark.parametrize("layout", take_some(["markdown", "html", "json"], 1))
def test_the_output_has_other_formats(call, layout):
    status, output, _ = call("-m", "char_rec,chroma_rec", "--cases", "20", "-f", layout)
    assert status == 1
    if layout == "json":
        assert len(json.loads(output)["findings"]) == 2 * len(LAWS)
    else:
        assert output.startswith("20 random cases" if layout == "markdown" else "<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the scorer: wanted one of --command, --function, -m, found none"),
        (["-m", "char_rec", "--function", "a.py:f"], "found --function and -m"),
        (["--command", "cat {gold} {run}"], "a command prints its figures: wanted --figure"),
        (["-m", "char_rec", "--figure", "(.)"], "wanted --command (in Python command=) as well"),
        (["--command", "true {gold} {run}"], "a command prints its figures: wanted --figure"),
        (["--command", "true", "--figure", "(.)"], "wanted {gold} and {run}"),
        (["--function", "missing.py:f"], "wanted a Python file, found no such file"),
        (["-m", "char_wreck"], "there is no measure 'char_wreck'"),
    ],
)
def test_a_wrong_call_is_explained(call, arguments, message):
    status, output, errors = call(*arguments)
    assert (status, output) == (2, "")
    assert message in errors


def test_the_help_warns_that_code_is_run(call):
    status, output, _ = call("--help")
    assert status == 0
    assert "is executed: pass only files that you trust" in " ".join(output.split())
