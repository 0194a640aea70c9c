"""Options that several commands share: what is out of range is refused in words."""

from __future__ import annotations

import pytest

from documents.commands import doxel, write_files
from doxel.cli import compare, pool, search, simulate
from doxel.cli import evaluate as evaluate_command
from doxel.pooling.gathering import COUNTS
from doxel.pooling.making import JUDGING
from doxel.runs.tasks import TASKS
from doxel.search.options import OVERLAPS
from doxel.search.options import TASKS as SEARCH_TASKS
from doxel.statistics.paired import TESTS
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
def test_the_limit_of_results(files, limit, recall):
    outcome = doxel(
        "evaluate", "-a", files / "gold.qrels", "-m", "char_rec", "--limit", limit, files / "a.run"
    )
    assert outcome.out.splitlines()[1].split("\t")[-1] == recall


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "²", "all", ""])
def test_what_is_no_limit_is_refused(files, limit):
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
    (found,) = [one for one in command.params if one.name == option]
    return list(found.type.choices)


def test_words_that_commands_list_for_a_fast_start_are_those_that_are_declared():
    assert choices(simulate.command, "system") == list(SYSTEMS)
    assert choices(evaluate_command.command, "task") == list(TASKS)
    assert choices(search.command, "task") == list(SEARCH_TASKS)
    assert choices(search.command, "overlap") == list(OVERLAPS)
    assert choices(pool.command, "judging") == list(JUDGING)
    assert choices(pool.command, "count") == list(COUNTS)
    assert choices(compare.command, "test") == [*TESTS, "tukey"]


@pytest.mark.parametrize("written", ["Focussed", "CO.Focussed", "FOCUSED", "focused"])
def test_a_task_may_have_the_name_of_its_year(files, written):
    outcome = evaluate(files, "--task", written)
    assert outcome.status == 0, outcome.err


def test_what_is_no_task_is_refused_with_all_tasks(files):
    outcome = evaluate(files, "--task", "searching")
    assert outcome.status == 2
    assert "'searching' is not one of 'thorough', 'focused'" in outcome.err


def test_a_limit_without_end_is_refused(files):
    assert evaluate(files, "--limit", "9" * 5000).status == 2
