"""Pools as JSON lines: written, read, and refused when they are wrong."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.pooling import Pool, pool, read_pool, write_pool
from doxel.runs import RESULTS, Run

names = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=4)
places = st.one_of(
    st.builds(lambda path: {"path": f"/a[1]/{path}[1]"}, st.sampled_from("bcd")),
    st.builds(
        lambda start, size: {"start": start, "end": start + size}, st.integers(0, 9), st.integers(0, 9)
    ),
    st.just({}),
)
results = st.lists(st.tuples(names, names, places), min_size=1, max_size=12)


def made_of(rows, **options):
    runs = [
        Run(
            name,
            RESULTS.from_rows(
                {"topic": topic, "doc": doc, "rank": rank, **place}
                for rank, (topic, doc, place) in enumerate(rows, 1)
            ),
        )
        for name in ("x", "y")
    ]
    return pool(runs, depth=20, **options)


@settings(deadline=None)
@given(results)
def test_what_is_written_is_read_again(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl.gz"
    made = made_of(rows)
    write_pool(made, path)
    read = read_pool(path)
    assert read.documents.equals(made.documents)
    assert list(read) == list(made)
    keys = ["run", "topic", "rank"]
    assert read.contributions.sort(keys).equals(made.contributions.sort(keys))
    assert read.runs == made.runs
    assert read.fingerprint is None
    write_pool(made.blind(), path)
    assert not read_pool(path).contributions.height


LINE = {
    "topic": "1",
    "doc": "a",
    "order": 2,
    "fingerprint": "f0",
    "elements": [{"path": "/a[1]", "start": 0, "end": 9}],
    "passages": [{"start": 3, "end": 5}, {"start": 0, "end": 4}],
    "contributions": [
        {"run": "r", "rank": 4, "passage": 0},
        {"run": "s", "rank": 1, "element": 0},
        {"run": "s", "rank": 7},
    ],
}


def written(folder, *lines):
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_a_line_as_the_documentation_has_it(tmp_path):
    read = read_pool(written(tmp_path, LINE, {"topic": 1, "doc": "b", "order": 1, "fingerprint": "f0"}))
    assert read.fingerprint == "f0"
    assert [(one.topic, one.doc, one.order) for one in read] == [("1", "b", 1), ("1", "a", 2)]
    assert [(one.path, one.start, one.end) for one in read.of("1")[1].parts] == [
        ("/a[1]", 0, 9),
        (None, 0, 4),
        (None, 3, 5),
    ]
    assert sorted(read.contributions.select("run", "rank", "part").rows()) == [
        ("r", 4, 2),
        ("s", 1, 0),
        ("s", 7, None),
    ]


def test_contributions_come_last_and_can_be_left_away(tmp_path):
    path = written(tmp_path, LINE)
    write_pool(read_pool(path), path)
    assert list(json.loads(path.read_text("utf-8")))[-1] == "contributions"
    write_pool(read_pool(path).blind(), path)
    assert '"r"' not in path.read_text("utf-8")
    assert "rank" not in path.read_text("utf-8")


def test_other_keys_are_counted(tmp_path):
    read = read_pool(written(tmp_path, {**LINE, "colour": "red"}))
    assert read.notes == ("1 value left out: 'colour'",)


def test_without_an_order_it_is_that_of_the_lines(tmp_path):
    read = read_pool(written(tmp_path, *({"topic": "1", "doc": doc} for doc in "cab")))
    assert [(one.doc, one.order) for one in read] == [("c", 1), ("a", 2), ("b", 3)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topic": None}, "topic: wanted a string that is not empty, found nothing"),
        ({"doc": ""}, "doc: wanted a string that is not empty"),
        ({"order": 0}, "order: wanted a whole number from 1, found 0"),
        ({"order": "1"}, "order: wanted a whole number from 1, found '1'"),
        ({"fingerprint": "f1"}, "fingerprint: wanted that of the lines before, f0, found f1"),
        ({"fingerprint": None}, "fingerprint: wanted that of the lines before, f0, found none"),
        ({"fingerprint": 7}, "fingerprint: wanted a string"),
        ({"elements": "all"}, "elements: wanted a list of objects, found 'all'"),
        ({"elements": [{"start": 0, "end": 3}]}, "elements, number 0: wanted"),
        ({"elements": [{"path": "/a", "start": 0}]}, "elements, number 0: wanted"),
        ({"elements": [{"path": "/a", "start": 4, "end": 3}]}, "elements, number 0: wanted"),
        (
            {"elements": [{"path": "/a", "start": -1, "end": 3}]},
            "start: wanted a whole number from 0, found -1",
        ),
        ({"passages": [{"path": "/a", "start": 0, "end": 3}]}, "passages, number 0: wanted"),
        ({"passages": [{}]}, "passages, number 0: wanted"),
        ({"contributions": [{"rank": 1}]}, "a contribution: run: wanted"),
        ({"contributions": [{"run": "r"}]}, "a contribution: rank: wanted a whole number from 1"),
        ({"contributions": [{"run": "r", "rank": 1, "element": 1}]}, "wanted a number below 1"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, change, message):
    with pytest.raises(InputError, match=message) as caught:
        read_pool(written(tmp_path, LINE, {**LINE, "doc": "b", **change}))
    assert caught.value.line == 2
    assert caught.value.file.endswith("pool.jsonl")


def test_a_document_that_is_pooled_twice(tmp_path):
    with pytest.raises(InputError, match=r"a second time.*the first in .*pool\.jsonl, line 1"):
        read_pool(written(tmp_path, LINE, LINE))


def test_a_fingerprint_that_comes_late(tmp_path):
    with pytest.raises(InputError, match="wanted none, as in the lines before, found f0"):
        read_pool(written(tmp_path, {"topic": "1", "doc": "z"}, LINE))


def test_what_is_no_pool(tmp_path):
    path = tmp_path / "pool.jsonl"
    path.write_text("topic 1\n")
    with pytest.raises(InputError, match="wanted a JSON object"):
        read_pool(path)
    with pytest.raises(InputError, match="no such topic in the pool: wanted one of 1, found '2'"):
        read_pool(written(tmp_path, LINE)).of("2")


def test_an_empty_pool_is_one():
    empty = Pool(pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "order": pl.Int64}))
    assert list(empty) == []
    assert empty.topics == []
