"""Frames under doxel's column names."""

import json

import polars as pl
import pytest

from doxel.adapters.column_shapes import rename_columns
from doxel.errors import InputError


def rename(columns, *, gold=False):
    return rename_columns(pl.DataFrame(columns), gold=gold, owner="a table")


def test_a_distance_becomes_a_score():
    frame = rename({"qid": ["1", "1"], "docno": ["a", "b"], "distance": [2, 1]})
    assert frame["rsv"].to_list() == [-2.0, -1.0]
    assert "distance" not in frame.columns


def test_a_score_and_a_distance_must_agree():
    columns = {"qid": ["1", "1"], "docno": ["a", "b"], "distance": [2, 1], "score": [0.1, 0.9]}
    assert rename(columns)["rsv"].to_list() == [0.1, 0.9]
    with pytest.raises(
        InputError, match=r"a table: wanted a score or a distance, .*, found different orders"
    ):
        rename({**columns, "score": [0.9, 0.1]})
    assert rename({**columns, "score": [0.9, 0.1], "rank": [1, 2]})["rsv"].to_list() == [0.9, 0.1]


def test_distances_that_are_not_numbers_are_an_error():
    with pytest.raises(InputError, match="a table: wanted a distance as a number, found distance String"):
        rename({"qid": ["1"], "docno": ["a"], "distance": ["near"]})


def test_an_end_follows_from_a_length_or_from_the_text():
    assert rename({"qid": ["1"], "doc": ["a"], "offset": [5], "length": [3]})["end"].to_list() == [8]
    assert rename({"qid": ["1"], "doc": ["a"], "start": [5], "content": ["é€😀"]})["end"].to_list() == [8]
    assert "end" not in rename({"qid": ["1"], "doc": ["a"], "start": [5]}).columns  # an entry point


def test_a_column_from_is_a_start_only_if_it_has_numbers():
    places = {"topic": ["1"], "doc": ["a"]}
    assert rename({**places, "from": [3], "to": [9]}).select("start", "end").rows() == [(3, 9)]
    assert not {"start", "end"} & set(rename({**places, "from": ["Anna"], "to": ["Ben"]}).columns)


def test_relevance_is_a_score_in_a_run_and_a_grade_in_gold():
    columns = {"qid": ["1"], "docno": ["a"], "relevance": [2]}
    assert rename(columns)["rsv"].to_list() == [2]
    assert rename(columns, gold=True)["grade"].to_list() == [2]


def test_the_score_of_a_gold_span_is_not_its_grade():
    columns = {"qid": ["1"], "docno": ["a"], "start": [0], "end": [1], "score": [0.5]}
    assert "grade" not in rename(columns, gold=True).columns


def test_all_names_of_a_document_are_kept():
    frame = rename({"qid": ["1", "2"], "doc_id": ["x", None], "file_name": ["a.md", "b.md"]})
    assert frame["names"].to_list() == [["x", "a.md"], ["b.md"]]
    assert frame["doc"].to_list() == ["x", "b.md"]


def test_fields_of_metadata_are_columns():
    frame = rename({"qid": ["1"], "page_content": ["abc"], "metadata": [{"source": "r", "start_index": 4}]})
    assert frame.select("doc", "start", "end").rows() == [("r", 4, 7)]


def test_questions_stand_for_their_ids():
    assert rename({"question": ["Why?"], "docno": ["a"]}).select("topic", "question").rows() == [
        ("Why?", "Why?")
    ]
    frame = rename({"qid": ["7"], "query": ["Why?"], "docno": ["a"]})
    assert frame.select("topic", "question").rows() == [("7", "Why?")]


def test_contexts_of_ragas_become_rows():
    columns = {
        "user_input": ["Why?", "How?"],
        "retrieved_contexts": [["a", "b"], []],
        "reference_contexts": [["c"], ["d"]],
    }
    run = rename(columns)
    assert run.select("topic", "text", "rank").rows() == [("Why?", "a", 1), ("Why?", "b", 2)]
    gold = rename(columns, gold=True)
    assert gold.select("topic", "text").rows() == [("Why?", "c"), ("How?", "d")]


def test_ids_of_contexts_name_their_documents():
    columns = {
        "user_input": ["Why?"],
        "retrieved_contexts": [["a", "b"]],
        "retrieved_context_ids": [["x", "y"]],
    }
    assert rename(columns).select("text", "doc").rows() == [("a", "x"), ("b", "y")]


def test_a_question_that_ragas_has_twice_is_an_error():
    with pytest.raises(
        InputError, match=r"a table: wanted each question once, or ids .*, found 'Why\?' twice"
    ):
        rename({"user_input": ["Why?", "Why?"], "retrieved_contexts": [["a"], ["b"]]})


REFERENCES = [
    {"content": "abc", "start_index": 4, "end_index": 7},
    {"content": "d", "start_index": 9, "end_index": 10},
]


@pytest.mark.parametrize("references", [json.dumps(REFERENCES), REFERENCES])
def test_questions_of_chroma_are_counted_from_1(references):
    frame = rename({"question": ["Why?"], "references": [references], "corpus_id": ["wiki"]}, gold=True)
    columns = ("topic", "question", "doc", "start", "end", "text")
    assert frame.select(columns).rows() == [
        ("1", "Why?", "wiki", 4, 7, "abc"),
        ("1", "Why?", "wiki", 9, 10, "d"),
    ]


@pytest.mark.parametrize("references", ["[{]", "5", "[5]"])
def test_references_that_cannot_be_read_are_an_error_with_their_row(references):
    with pytest.raises(InputError, match=r"^a table, line 1: a question: wanted references such as"):
        rename({"question": ["Why?"], "references": [references], "corpus_id": ["wiki"]}, gold=True)


def test_the_results_of_a_question_may_be_rows_in_a_list():
    rows = [
        {
            "question": "why?",
            "results": [{"page_content": "b", "source": "b"}, {"page_content": "a", "source": "a"}],
        }
    ]
    frame = rename_columns(pl.DataFrame(rows), gold=False, owner="a run")
    assert frame.select("topic", "rank", "doc", "text").rows() == [
        ("why?", 1, "b", "b"),
        ("why?", 2, "a", "a"),
    ]


def test_a_list_beside_a_text_is_not_a_list_of_results():
    frame = rename({"topic": ["1"], "text": ["a"], "documents": [["b", "c"]]})
    assert frame["text"].to_list() == ["a"]
