"""The recipes of CONTRIBUTING are followed word for word, on a copy of the package."""

import os
import shutil
import subprocess
import sys

import pytest
from pagemaker.examples import ROOT
from pagemaker.fences import fences

PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
GOLD = '{"topic": "1", "doc": "a", "start": 0, "end": 10}\n'
RESULT = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1}\n'


def section(title):
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def apply_change(text, change):
    """Apply one part of a diff: its old lines must occur exactly once."""
    lines = [(line[:1] or " ", line[1:]) for line in change.splitlines()]
    old = "".join(f"{line}\n" for sign, line in lines if sign != "+")
    new = "".join(f"{line}\n" for sign, line in lines if sign != "-")
    assert text.count(old) == 1, f"the recipe changes lines that are not there:\n{old}"
    return text.replace(old, new)


@pytest.fixture
def follow(tmp_path):
    """Return a function that follows a recipe on a copy of the package, and then calls the copied doxel."""

    def follow_recipe(title):
        shutil.copytree(ROOT / "src", tmp_path / "src")  # with what is compiled, to start sooner
        blocks = [fence.content for fence in fences(section(title)) if fence.language == "diff"]
        assert blocks
        for block in blocks:
            head, _, body = block.partition("\n")
            path = tmp_path / head.removeprefix("+++ ")
            is_new = all(line.startswith("+") for line in body.splitlines())
            assert path.exists() != is_new, path
            text = "".join(f"{line[1:]}\n" for line in body.splitlines())
            if not is_new:
                text = path.read_text("utf-8")
                for change in body.split("@@\n"):
                    text = apply_change(text, change)
            path.write_text(text, "utf-8")
        return call

    def call(*words, status=0):
        outcome = subprocess.run(
            [sys.executable, "-m", "doxel", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path / "src"), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert outcome.returncode == status, outcome.stderr
        return outcome.stdout + outcome.stderr

    (tmp_path / "gold.jsonl").write_text(GOLD, "utf-8")
    (tmp_path / "a.jsonl").write_text(RESULT, "utf-8")
    return follow_recipe


def test_the_recipe_of_a_run_format_makes_it_readable_writable_and_checked(follow, tmp_path):
    doxel = follow("Add a run format")
    (tmp_path / "a.run").write_text("1,a,0,5\n1,a,20,30\n", "utf-8")
    assert "\tall\tchar_rec@1\t0.5" in doxel("evaluate", "-a", "gold.jsonl", "-m", "char_rec@1", "a.run")
    doxel("convert", "a.run", "b.jsonl", "--to", "jsonl")
    doxel("convert", "b.jsonl", "c.run", "--to", "comma", "--lossy")
    assert (tmp_path / "c.run").read_text("utf-8") == "1,a,0,5\n1,a,20,30\n"
    (tmp_path / "bad.run").write_text("1,a,0,5\n1,a,20\n", "utf-8")
    told = doxel("evaluate", "-a", "gold.jsonl", "-m", "char_rec@1", "bad.run", status=2)
    assert "bad.run, line 2" in told
    assert "topic,doc,start,end" in told


def test_the_recipe_of_a_command_puts_it_into_the_help(follow):
    doxel = follow("Add a command")
    assert "Count the results of runs." in doxel("--help")
    assert "per run" in doxel("count", "--help")
    assert doxel("count", "a.jsonl") == "a\t1\n"


def test_the_recipe_of_a_check_makes_it_report(follow):
    doxel = follow("Add a check")
    told = doxel("check", "a.jsonl")
    assert "R399" in told
    assert "the only result of the topic" in told
