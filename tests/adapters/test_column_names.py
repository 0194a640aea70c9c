"""The names that people give to columns."""

import pytest

from doxel.adapters.column_names import (
    COLUMN_NAMES,
    adopt_names,
    has_foreign_grade,
    has_foreign_names,
    select_columns,
)


@pytest.mark.parametrize(
    ("columns", "selected"),
    [
        (["qid", "docno", "label"], {"topic": ["qid"], "doc": ["docno"], "grade": ["label"]}),
        (["query-id", "corpus-id", "score"], {"topic": ["query-id"], "doc": ["corpus-id"], "rsv": ["score"]}),
        (
            ["qid", "docid", "docno", "rank", "score", "query"],  # as PyTerrier: docid is its own number
            {"topic": ["qid", "query"], "doc": ["docno", "docid"], "rank": ["rank"], "rsv": ["score"]},
        ),
        (
            ["question", "Start Index", "END_INDEX"],
            {"topic": ["question"], "start": ["Start Index"], "end": ["END_INDEX"]},
        ),
        (["colour"], {}),
    ],
)
def test_columns_are_found_by_the_names_people_use(columns, selected):
    assert select_columns(columns) == selected


def test_a_name_belongs_to_one_column_only():
    names = [name for aliases in COLUMN_NAMES.values() for name in aliases]
    assert len(set(names)) == len(names)


CHUNK = {"page_content": "Because.", "metadata": {"source": "/data/a.txt", "start_index": 4, "page": 3}}


@pytest.mark.parametrize(
    ("record", "is_foreign"),
    [
        ({"question": "Why?", **CHUNK}, True),
        ({"topic": "1", **CHUNK}, True),
        ({"topic": "1", "doc": "a", "start_index": 4, "end_index": 9}, True),
        ({"topic": "1", "doc": "a", "start": 4, "end": 9, "source": "x", "content": "y"}, False),
        ({"topic": "1", "doc": "a", "metadata": {"colour": "red"}}, False),
        ({"topic": "1", "doc": "a"}, False),
        ({"topic": "1", "doc": "a", "start": 4}, False),
        ({"topic": "1", "doc": "a", "start": 4, "stop": 9}, True),
        ({"topic": "1", "doc": "a", "start": 4, "length": 5}, True),
        ({"topic": "1", "doc": "a", "from": 4, "to": 9}, True),
        ({"topic": "1", "doc": "a", "from": "Anna", "to": "Ben"}, False),
        ({"id": "1", "text": "a topic"}, False),
        ({"doc": "a", "start": 0, "end": 5}, False),
    ],
)
def test_foreign_names_are_distinguished_from_doxels(record, is_foreign):
    assert has_foreign_names(record) == is_foreign


@pytest.mark.parametrize(
    ("record", "adopted"),
    [
        ({"qid": 7, **CHUNK}, {"topic": 7, "doc": "/data/a.txt", "start": 4, "text": "Because.", "end": 12}),
        (
            {"qid": "7", "docid": "a", "offset": 3, "length": 5},
            {"topic": "7", "doc": "a", "start": 3, "end": 8},
        ),
        ({"topic": "7", "doc": "a", "start": 3, "stop": 8}, {"topic": "7", "doc": "a", "start": 3, "end": 8}),
        ({"topic": "7", "doc": "a", "from": 3, "to": 8}, {"topic": "7", "doc": "a", "start": 3, "end": 8}),
        (
            {"topic": "7", "doc": "a", "char_start": 3, "char_end": 8, "from": "Anna"},
            {"topic": "7", "doc": "a", "start": 3, "end": 8, "from": "Anna"},
        ),
        ({"query": "Q", "id": "0" * 32, "url": "b"}, {"topic": "Q", "doc": "b"}),
        ({"qid": "7", "question": "Q", "doc": "a"}, {"topic": "7", "doc": "a", "question": "Q"}),
        ({"qid": "7", "doc": "a", "relevance": 0.5}, {"topic": "7", "doc": "a", "score": 0.5}),
    ],
)
def test_names_of_a_record_are_adopted(record, adopted):
    assert adopt_names(record) == adopted


def test_gold_keeps_grades_and_drops_unknown_places():
    record = {"qid": "7", "doc": "a", "label": 2, "start_index": -1, "end_index": -1, "content": "x"}
    assert adopt_names(record, gold=True) == {"topic": "7", "doc": "a", "text": "x", "grade": 2}


@pytest.mark.parametrize(("name", "value"), [("label", 0), ("relevant", False), ("Is Relevant", 0.0)])
def test_gold_that_is_not_relevant_has_the_grade_0_under_any_name(name, value):
    record = {"topic": "7", "doc": "a", "start": 3, "end": 8, name: value}
    assert has_foreign_grade(record)
    place = {"topic": "7", "doc": "a", "start": 3, "end": 8}
    assert adopt_names(record, gold=True) == {**place, "grade": 0.0}


def test_whether_a_result_is_relevant_is_not_its_score():
    record = {"qid": "7", "doc": "a", "relevant": True}
    assert adopt_names(record) == {"topic": "7", "doc": "a", "relevant": True}
