"""The recipes of CONTRIBUTING are followed word for word, on a copy of the package."""

import os
import shutil
import subprocess
import sys

import pytest

import recipes

GOLD = '{"topic": "1", "doc": "a", "start": 0, "end": 10}\n'
RESULT = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1}\n'


@pytest.fixture
def follow(tmp_path):
    """Return a function that follows a recipe on a copy of the package, and then calls the copied doxel."""

    def follow_recipe(title, *others):
        """Follow a recipe; ``others`` are files and folders that it needs beside the package."""
        for name in ("src", *others):  # the package with what is compiled, to start sooner
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (recipes.ROOT / name).is_dir() else shutil.copy
            copy(recipes.ROOT / name, tmp_path / name)
        recipes.follow_recipe(title, tmp_path)
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
    output = doxel("evaluate", "-a", "gold.jsonl", "-m", "char_rec@1", "bad.run", status=2)
    assert "bad.run, line 2" in output
    assert "topic,doc,start,end" in output


def test_the_recipe_of_a_command_puts_it_into_the_help(follow):
    doxel = follow("Add a command")
    assert "Count the results of runs." in doxel("--help")
    assert "per run" in doxel("count", "--help")
    assert doxel("count", "a.jsonl") == "a\t1\n"


def test_the_recipe_of_a_check_makes_it_report(follow):
    doxel = follow("Add a check")
    output = doxel("check", "a.jsonl")
    assert "R399" in output
    assert "the only result of the topic" in output


@pytest.mark.integration
def test_the_recipe_of_a_measure_takes_four_files_and_passes_the_common_tests(follow, tmp_path):
    common, own = "tests/properties/test_every_measure.py", "tests/measures/chunks/test_any_relevant.py"
    doxel = follow(
        "Add a measure", "CHANGELOG.md", common, "tests/measures", "tests/oracle", "tests/random_share.py"
    )
    assert recipes.find_recipe("Add a measure").count("```diff\n+++ ") == 4  # files
    assert "any_relevant@cutoff" in doxel("measures")
    output = doxel("explain", "-a", "gold.jsonl", "-m", "any_relevant@3", "--topic", "1", "a.jsonl")
    assert "any_relevant@3 = sum of first\n" in output
    outcome = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-v", "-c", os.devnull, "--rootdir", str(tmp_path)),
            *("--import-mode=importlib", "-p", "no:cacheprovider"),
            *(common, own, "-k", "any_relevant"),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(tmp_path / "tests")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout[-3000:]
    for test in ("terms_in_rank_order_divided_once_give_the_score", "every_measure_has_an_ideal_run"):
        assert f"test_{test}[any_relevant] PASSED" in outcome.stdout
    assert "test_a_later_result_is_enough PASSED" in outcome.stdout
