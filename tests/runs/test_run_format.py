"""Formats of runs: they keep the columns that they declare, and reject results that they cannot express."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs import RESULTS, RUN_FORMATS, Run, read_run, write_run
from doxel.runs.result_order import find_ties, order_results
from doxel.runs.run_files import find_run_format
from random_share import count_cases
from runs.random_runs import runs
from runs.small_runs import RANKED, run_of

NAMES = [form.name for form in RUN_FORMATS if not form.campaign and not form.is_read_only]  # tested apart


def select_held_columns(run, form):
    """Return the results of a run with the columns that a format keeps."""
    return run.results.select(sorted(form.holds["results"]))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=count_cases(150), deadline=None)
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
@settings(max_examples=count_cases(60), deadline=None)
def test_a_written_file_is_recognised(name, data):
    content = find_run_format(name).write(data.draw(runs(name)))
    assert next(form.name for form in RUN_FORMATS if form.recognises(content)) == name


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=count_cases(40), deadline=None)
def test_columns_that_a_format_does_not_hold_are_empty(name, data):
    form = find_run_format(name)
    again = form.read(form.write(data.draw(runs(name))), "again")
    columns = set(RESULTS.schema) - form.holds["results"] - {"line"}
    assert all(again.results[column].null_count() == again.results.height for column in columns)
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
    row = {"topic": "1", "doc": "d", "rank": 1, "rsv": 0.5, **places[find_run_format(name).result_kinds[0]]}
    path = tmp_path / f"a.run{suffix}"
    write_run(Run("mine", RESULTS.from_rows([row])), path, name)
    assert (path.read_bytes()[:2] in {b"\x1f\x8b", b"\xfd7", b"\x28\xb5"}) == bool(suffix)
    again = read_run(path)
    run_id = "mine" if "about" in find_run_format(name).holds else "a"  # else it is named after its file
    assert (again.id, again.format, again.file) == (run_id, name, str(path))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "row", "wanted", "found"),
    [
        ("fol", {}, "offset length", "a whole document"),
        ("fol", {"start": 5}, "offset length", "an entry point"),
        ("fol", {"path": "/a"}, "offset length", "an element"),
        ("fol", {"text": "a"}, "offset length", "a quotation"),
        ("fol", {"start": 5, "end": 4}, "0 or more", "'-1'"),
        ("bep", {"path": "/a"}, "offset", "an element"),
        ("paths", {"start": 5, "end": 9}, "path", "a span"),
        ("paths", {"path": "a"}, "steps such as", "'a'"),
        ("inex-xml", {}, "a path, or an offset and a length", "a whole document"),
        ("inex-xml", {"text": "a"}, "a path, or an offset and a length", "a quotation"),
        ("inex-xml", {"path": "/a", "start": 5, "end": 9}, "a path, or an offset", "both"),
        ("inex-xml", {"path": "/a/text()[1].3"}, "steps such as", "'/a/text()[1].3'"),
        ("inex-xml", {"path": "/a", "doc": "a\x01"}, "characters that XML allows", "'a\\x01'"),
        ("inex-xml", {"path": "/a", "doc": " a"}, "without white space", "' a'"),
        ("inex-xml", {"path": "/a", "rsv": float("nan")}, "a number", "nan"),
        ("trec", {"rsv": float("nan")}, "a number", "nan"),
    ],
)
def test_a_result_that_a_format_cannot_express_is_rejected(name, row, wanted, found):
    with pytest.raises(InputError) as caught:
        find_run_format(name).write(run_of({**RANKED, **row}))
    assert f"cannot be written as {name}" in caught.value.problem
    assert wanted in caught.value.wanted
    assert found in caught.value.found


@pytest.mark.parametrize("name", ["trec", "fol", "bep", "paths"])
@pytest.mark.parametrize("field", ["id", "topic", "doc"])
def test_ids_in_columns_cannot_contain_white_space(name, field):
    place = {"fol": {"start": 1, "end": 2}, "bep": {"start": 1}, "paths": {"path": "/a"}}.get(name, {})
    run = run_of({**RANKED, **place, **({} if field == "id" else {field: "two words"})})
    run = Run("two words", run.results) if field == "id" else run
    with pytest.raises(InputError, match="wanted an id without white space, found 'two words'"):
        find_run_format(name).write(run)


@pytest.mark.parametrize("name", ["trec", "jsonl", "inex-xml"])
def test_a_run_without_results_cannot_be_written(name):
    with pytest.raises(InputError, match="wanted results, found none"):
        find_run_format(name).write(Run("r", RESULTS.empty()))


ORDERS = [
    [{"rank": 3}, {"rank": 1}, {"rank": 1}, {"rank": 2}],
    [{"rsv": 0.1}, {"rsv": 0.7}, {"rsv": 0.7}, {"rsv": 0.3}],
    [{}, {}, {}],
]


@pytest.mark.parametrize("rows", ORDERS)
@pytest.mark.parametrize("name", ["trec", "inex-xml"])
def test_missing_ranks_and_rsv_are_filled_in_without_changing_the_ranking(rows, name):
    place = {"path": "/a"} if name == "inex-xml" else {}
    run = run_of(*({**row, **place, "doc": f"d{number}"} for number, row in enumerate(rows)))
    form = find_run_format(name)
    again = form.read(form.write(run), "again")
    before, after = order_results(run.results), order_results(again.results)
    assert after["doc"].to_list() == before["doc"].to_list()
    assert find_ties(after).to_list() == find_ties(before).to_list()
    if name == "trec":  # tools that use only the rsv see the same ranking
        assert order_results(again.results, "score")["doc"].to_list() == before["doc"].to_list()


@pytest.mark.parametrize("column", ["rank", "rsv"])
def test_a_ranking_with_gaps_is_rejected(column):
    rows = [{"rank": 1, "rsv": 0.5}, {"rank": 2, "rsv": 0.4, column: None}]
    with pytest.raises(InputError, match=f"wanted a {column} for all results of topic 1, or for none"):
        find_run_format("trec").write(run_of(*rows))
