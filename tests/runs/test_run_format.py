"""Writing a run and reading it again returns exactly the columns that the format holds."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.runs import RESULTS, RUN_FORMATS, Run, read_run, write_run
from doxel.runs.run_files import find_run_format
from runs.random_runs import runs

NAMES = [form.name for form in RUN_FORMATS]


def select_held_columns(run, form):
    """Return the results of a run with the columns that a format keeps."""
    return run.results.select(sorted(form.holds["results"]))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_columns_that_a_format_holds_survive_a_round_trip(name, data):
    form = find_run_format(name)
    run = data.draw(runs(name))
    again = form.read(form.write(run), "again")
    assert select_held_columns(again, form).equals(select_held_columns(run, form))
    assert again.id == run.id
    assert (again.task, dict(again.about)) == (run.task, dict(run.about))
    assert not form.losses(run.tables)
    assert again.format == name


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_written_file_is_recognised(name, data):
    written = find_run_format(name).write(data.draw(runs(name)))
    assert next(form.name for form in RUN_FORMATS if form.recognises(written)) == name


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_columns_that_a_format_does_not_hold_are_empty(name, data):
    form = find_run_format(name)
    again = form.read(form.write(data.draw(runs(name))), "again")
    others = set(RESULTS.schema) - form.holds["results"] - {"line"}
    assert all(again.results[column].null_count() == again.results.height for column in others)
    assert again.results.schema == pl.Schema(RESULTS.schema)


def test_results_have_the_lines_of_the_file():
    frame = RESULTS.from_rows([{"topic": "1", "doc": "d", "rank": rank, "rsv": 1.0} for rank in (1, 2, 3)])
    form = find_run_format("trec")
    assert form.read(form.write(Run("r", frame)), "r").results["line"].to_list() == [1, 2, 3]


def test_losses_list_columns_with_row_counts():
    results = RESULTS.from_rows(
        [
            {"topic": "1", "doc": "d", "rank": 1, "rsv": 0.5, "start": 3, "end": 9},
            {"topic": "1", "doc": "e", "rank": 2, "rsv": 0.4, "start": 3, "end": 9, "text": "a b c"},
        ]
    )
    run = Run("r", results, task="focused", about={"description": "by hand", "task": "Focused"})
    assert find_run_format("trec").losses(run.tables) == [
        "results.start (2 rows)",
        "results.end (2 rows)",
        "results.text (1 row)",
        "about.description (1 row)",
        "about.task (1 row)",
    ]
    assert find_run_format("inex-xml").losses(run.tables) == ["results.text (1 row)"]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("name", NAMES)
def test_files_are_compressed_by_their_suffix(tmp_path, name, suffix):
    places = {
        "span": {"start": 3, "end": 9},
        "point": {"start": 3},
        "element": {"path": "/a[1]"},
        "whole": {},
    }
    row = {"topic": "1", "doc": "d", "rank": 1, "rsv": 0.5, **places[find_run_format(name).says[0]]}
    path = tmp_path / f"a.run{suffix}"
    write_run(Run("mine", RESULTS.from_rows([row])), path, name)
    assert (path.read_bytes()[:2] in {b"\x1f\x8b", b"\xfd7", b"\x28\xb5"}) == bool(suffix)
    again = read_run(path)
    assert (again.id, again.format, again.file) == ("mine", name, str(path))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
