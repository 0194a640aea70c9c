"""Runs as JSON lines."""

import json

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run, read_run
from doxel.runs.run_files import find_run_format


@pytest.fixture
def read(tmp_path):
    def from_records(*records):
        path = tmp_path / "chunks.jsonl"
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return read_run(path)

    return from_records


def test_one_file_may_have_all_kinds_of_results(read):
    run = read(
        {"topic": "1", "doc": "a", "start": 5, "end": 9, "rank": 1, "score": 0.5, "run": "mine"},
        {"topic": "1", "doc": "b", "start": 5},
        {"topic": "1", "doc": "c", "path": "/a[1]/p[2]"},
        {"topic": "1", "doc": "d", "path": "/a[1]/p[2]", "path_end": "/a[1]/p[3]/text()[1].4"},
        {"topic": "1", "doc": "e", "text": "to be 😀"},
        {"topic": "1", "doc": "f"},
        {"topic": "1", "doc": "g", "start": -1, "end": 7},
    )
    assert (run.id, run.format) == ("mine", "jsonl")
    assert run.results.drop("topic", "doc").rows() == [
        (1, 0.5, None, None, 5, 9, None, 1),
        (None, None, None, None, 5, None, None, 2),
        (None, None, "/a[1]/p[2]", None, None, None, None, 3),
        (None, None, "/a[1]/p[2]", "/a[1]/p[3]/text()[1].4", None, None, None, 4),
        (None, None, None, None, None, None, "to be 😀", 5),
        (None, None, None, None, None, None, None, 6),
        (None, None, None, None, -1, -1, None, 7),
    ]


def test_ids_may_be_numbers_and_have_white_space_around_them(read):
    run = read(
        {"topic": 2009001, "doc": 851, "score": 3, "path": None}, {"topic": " 1 ", "doc": "a", "rsv": 0.25}
    )
    assert run.results.select("topic", "doc", "rsv", "path").rows() == [
        ("2009001", "851", 3.0, None),
        ("1", "a", 0.25, None),
    ]
    assert run.id == "chunks"  # no line names a run


def test_unknown_keys_are_left_out_and_counted(read):
    record = {"topic": "1", "doc": "a"}
    run = read({**record, "title": "x", "metadata": {"page": [1, 2]}}, {**record, "title": "y"}, record)
    assert run.notes == ("keys left out: title (2), metadata (1)",)
    assert run.results.height == 3
    assert read(record).notes == ()


def test_blank_lines_count_as_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\r\n{"topic": "1", "doc": "a"}\r\n\r\n  {"topic": "1", "doc": "b"}  ')
    assert read_run(path).results.select("doc", "line").rows() == [("a", 2), ("b", 4)]


def test_a_text_may_contain_unicode_line_separators(read):
    text = "one\u2028two\x85three\x0bfour\nfive"
    assert read({"topic": "1", "doc": "a", "text": text}).results["text"].item() == text


def test_an_infinite_score_cannot_be_written():
    results = RESULTS.from_rows([{"topic": "1", "doc": "a", "rsv": float("inf")}])
    with pytest.raises(
        InputError, match="cannot be written as jsonl: wanted an rsv that is a number, found inf"
    ):
        find_run_format("jsonl").write(Run("r", results))


def test_missing_values_are_not_written():
    results = RESULTS.from_rows([{"topic": "1", "doc": "a", "start": 5, "end": 9}])
    assert find_run_format("jsonl").write(Run("r", results)) == (
        b'{"topic":"1","doc":"a","start":5,"end":9,"run":"r"}\n'
    )
