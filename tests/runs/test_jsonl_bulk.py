"""The bulk reader of JSON lines gives the same results as the line reader, or leaves the file to it."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs import jsonl_runs
from doxel.runs.jsonl_runs import read_bulk

VALUES = {
    "topic": st.sampled_from(["1", " q 2 ", 3, 10**18, None, "", "é🙂", True, 1.5]),
    "doc": st.sampled_from(["a", "b c", 7, "x/y.xml"]),
    "start": st.sampled_from([0, 5, -1, None, 2.0, "3", 10**19]),
    "end": st.sampled_from([9, 5, None, False]),
    "rank": st.sampled_from([1, 2, None, 1.0]),
    "score": st.sampled_from([1, 0.5, -2, None, "0.5", 1e400]),
    "rsv": st.sampled_from([0.25, None]),
    "run": st.sampled_from(["mine", 5]),
    "text": st.sampled_from(["one\ttwo", "\ud800", "é"]),
    "path": st.sampled_from(["/a[1]", "/a[1]/b"]),
    "colour": st.sampled_from(["red", {"deep": [1]}]),
}
USUAL = st.fixed_dictionaries(
    {"topic": st.sampled_from(["1", "2"]), "doc": st.sampled_from(["a", 7])},
    optional={
        "start": st.just(0), "end": st.integers(0, 9), "rank": st.integers(1, 3), "score": st.floats(-5, 5),
    },
)  # fmt: skip
ODD = st.fixed_dictionaries({}, optional=VALUES)


def outcome(read, data):
    """Return the run, or the message of the error."""
    try:
        return read(data, "a.jsonl")
    except InputError as error:
        return str(error)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(USUAL | USUAL | USUAL | ODD, min_size=1, max_size=6), st.sampled_from(["", "\n", "\n\n", " \n"])
)
def test_both_readers_give_the_same_run_or_error(records, ending):
    data = ("\n".join(json.dumps(record) for record in records) + ending).encode()
    actual = outcome(jsonl_runs._read, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl_runs, "read_bulk", lambda _: None)
        expected = outcome(jsonl_runs._read, data)
    if isinstance(expected, str) or isinstance(actual, str):
        assert actual == expected
    else:
        assert actual.results.equals(expected.results)
        assert (actual.id, actual.notes) == (expected.id, expected.notes)


REGULAR = b'{"topic":"1","doc":"a","start":0,"end":5}\n{"topic":"2","doc":"b","start":3,"end":9,"score":1}\n'


def test_regular_files_are_read_in_bulk():
    table = read_bulk(REGULAR)
    assert table.select("topic", "doc", "start", "end", "score", "line").rows() == [
        ("1", "a", 0, 5, None, 1),
        ("2", "b", 3, 9, 1.0, 2),
    ]
    assert table.schema["score"] == pl.Float64


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"start":3', b'"start":"3"'),
        (b'"start":3', b'"start":3.0'),
        (b'"start":3', b'"start":10000000000000000000'),
        (b'"score":1', b'"score":true'),
        (b'"score":1', b'"score":NaN'),
        (b'"score":1', b'"colour":1'),
        (b'"doc":"b"', b'"doc":"\\ud800"'),
        (b'"doc":"b"', b'"doc":null,"x":{"y":1}'),
        (b"\n{", b"\n\n{"),
        (b"\n{", b"\r\n{"),
        (b'{"topic":"2"', b'{"topic":2'),
        (b'{"topic":"2"', b'{"topic":2.5'),
        (b'{"topic":"2"', b'{"topic":true'),
        (b'{"topic":"2"', b'["topic","2"'),
        (b'{"topic":"1"', b'\xef\xbb\xbf{"topic":"1"'),
        (b'"doc":"b"', b'"doc":"\xff"'),
    ],
)
def test_an_irregular_file_is_left_to_the_line_reader(old, new):
    assert REGULAR.count(old) == 1
    assert read_bulk(REGULAR.replace(old, new)) is None


def test_both_readers_have_the_same_keys_and_types():
    from doxel.runs.jsonl_runs import _TYPES

    python = {str: pl.String, int: pl.Int64, float: pl.Float64}
    for name, key in jsonl_runs._KEYS.items():
        types, dtype = _TYPES[name]
        assert types == {python[python_type] for python_type in key.types}
        assert dtype == key.dtype
    assert list(_TYPES) == list(jsonl_runs._KEYS)
