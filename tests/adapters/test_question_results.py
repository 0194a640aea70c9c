"""The answers to one question, as libraries wrap them."""

import pytest

from adapters.library_objects import chroma
from doxel.adapters.adapter_table import list_results
from doxel.adapters.question_results import is_chroma_result, list_chroma_results
from doxel.errors import InputError


class Response:
    def __init__(self, **attributes):
        vars(self).update(attributes)


@pytest.mark.parametrize(
    "answer",
    [
        ["a", "b"],
        ("a", "b"),
        (text for text in "ab"),
        Response(source_nodes=["a", "b"]),
        Response(points=["a", "b"]),
        {"documents": ["a", "b"]},
        {"query": "?", "source_documents": ["a", "b"], "result": "yes"},
        {"input": "?", "context": ["a", "b"], "answer": "yes"},
        {"took": 3, "hits": {"total": 2, "hits": ["a", "b"]}},
    ],
)
def test_the_results_are_taken_out_of_their_wrapping(answer):
    assert list_results(answer, "an answer") == ["a", "b"]


def test_the_results_of_a_chroma_query_are_rows():
    result = chroma([[("r", 3, 6, "abc")]])
    assert is_chroma_result(result)
    assert list_results(result, "an answer") == [
        {"id": "r-3", "metadata": {"source": "r", "start_index": 3}, "text": "abc", "distance": 0.1}
    ]


def test_chroma_results_may_lack_parts_that_were_not_included():
    result = {"ids": [["a"], []], "documents": None, "metadatas": None, "distances": [[0.5], []]}
    assert list_chroma_results(result) == [[{"id": "a", "metadata": {}, "text": None, "distance": 0.5}], []]


@pytest.mark.parametrize("answer", ["a text", None, 5, {"answer": "yes"}])
def test_an_answer_without_results_is_an_error(answer):
    with pytest.raises(InputError, match=r"^an answer: wanted a list of results, found"):
        list_results(answer, "an answer")
