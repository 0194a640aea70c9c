"""Pools as JSON lines: writing, reading, and errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.pooling import pool, read_pool, write_pool
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


def pool_of(rows, **options):
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
def test_a_pool_survives_a_round_trip(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl.gz"
    new_pool = pool_of(rows)
    write_pool(new_pool, path)
    loaded_pool = read_pool(path)
    assert loaded_pool.documents.equals(new_pool.documents)
    assert list(loaded_pool) == list(new_pool)
    keys = ["run", "topic", "rank"]
    assert loaded_pool.contributions.sort(keys).equals(new_pool.contributions.sort(keys))
    assert loaded_pool.runs == new_pool.runs
    assert loaded_pool.fingerprint is None
    write_pool(new_pool.blind(), path)
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


def write_lines(folder, *lines):
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_the_line_of_the_documentation_is_read(tmp_path):
    loaded_pool = read_pool(
        write_lines(tmp_path, LINE, {"topic": 1, "doc": "b", "order": 1, "fingerprint": "f0"})
    )
    assert loaded_pool.fingerprint == "f0"
    assert [(document.topic, document.doc, document.order) for document in loaded_pool] == [
        ("1", "b", 1),
        ("1", "a", 2),
    ]
    assert [(part.path, part.start, part.end) for part in loaded_pool.of("1")[1].parts] == [
        ("/a[1]", 0, 9),
        (None, 0, 4),
        (None, 3, 5),
    ]
    assert sorted(loaded_pool.contributions.select("run", "rank", "part").rows()) == [
        ("r", 4, 2),
        ("s", 1, 0),
        ("s", 7, None),
    ]


def test_contributions_come_last_and_can_be_left_out(tmp_path):
    path = write_lines(tmp_path, LINE)
    write_pool(read_pool(path), path)
    assert list(json.loads(path.read_text("utf-8")))[-1] == "contributions"
    write_pool(read_pool(path).blind(), path)
    assert '"r"' not in path.read_text("utf-8")
    assert "rank" not in path.read_text("utf-8")


def test_unknown_keys_are_counted(tmp_path):
    loaded_pool = read_pool(write_lines(tmp_path, {**LINE, "colour": "red"}))
    assert loaded_pool.notes == ("1 value left out: 'colour'",)


def test_the_default_order_is_that_of_the_lines(tmp_path):
    loaded_pool = read_pool(write_lines(tmp_path, *({"topic": "1", "doc": doc} for doc in "cab")))
    assert [(document.doc, document.order) for document in loaded_pool] == [("c", 1), ("a", 2), ("b", 3)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topic": None}, "topic: wanted a string that is not empty, found nothing"),
        ({"doc": ""}, "doc: wanted a string that is not empty"),
        ({"order": 0}, "order: wanted a whole number from 1, found 0"),
        ({"order": "1"}, "order: wanted a whole number from 1, found '1'"),
        ({"fingerprint": "f1"}, "fingerprint: wanted f0, as in the lines before, found f1"),
        ({"fingerprint": None}, "fingerprint: wanted f0, as in the lines before, found none"),
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
def test_a_wrong_line_is_reported_with_its_number(tmp_path, change, message):
    with pytest.raises(InputError, match=message) as caught:
        read_pool(write_lines(tmp_path, LINE, {**LINE, "doc": "b", **change}))
    assert caught.value.line == 2
    assert caught.value.file.endswith("pool.jsonl")


def test_a_document_pooled_twice_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"a second time.*the first in .*pool\.jsonl, line 1"):
        read_pool(write_lines(tmp_path, LINE, LINE))


def test_a_fingerprint_missing_in_the_first_line_is_an_error(tmp_path):
    with pytest.raises(InputError, match="wanted none, as in the lines before, found f0"):
        read_pool(write_lines(tmp_path, {"topic": "1", "doc": "z"}, LINE))


def test_a_file_that_is_not_a_pool_is_an_error(tmp_path):
    path = tmp_path / "pool.jsonl"
    path.write_text("topic 1\n")
    with pytest.raises(InputError, match="wanted a JSON object"):
        read_pool(path)
