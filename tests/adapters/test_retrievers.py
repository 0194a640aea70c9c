"""Retrievers of all kinds, asked all questions."""

import asyncio
import functools

import pandas as pd
import pytest

from adapters.running_loops import run_loop
from doxel import Topic, Topics, evaluate, run_retriever
from doxel.errors import InputError

TEXTS = {"report": "All is well. The pump was replaced in May."}


def search(question):
    return [f"{question} {number}" for number in range(30)]


async def search_later(question):
    await asyncio.sleep(0)
    return search(question)


class Invoke:
    def invoke(self, question, config=None, **kwargs):  # noqa: ARG002 -- as in LangChain
        return search(question)

    async def ainvoke(self, question):
        raise AssertionError(question)


class Retrieve:
    def retrieve(self, question):
        return search(question)


class GetRelevantDocuments:
    def get_relevant_documents(self, question):
        return search(question)


class Run:
    def run(self, query, top_k=3):
        return {"documents": search(query)[:top_k]}


class Call:
    def __call__(self, question):
        return search(question)


class AsyncInvoke:
    async def invoke(self, question):
        return await search_later(question)


class AsyncOnly:
    async def ainvoke(self, question):
        return await search_later(question)


class AsyncBeside:
    """LangChain's retrievers have both methods, and one may not be implemented."""

    def invoke(self, question):
        raise NotImplementedError

    async def ainvoke(self, question):
        return await search_later(question)


class AsyncRetrieve:
    async def aretrieve(self, question):
        return await search_later(question)


class AsyncCall:
    async def __call__(self, question):
        return await search_later(question)


async def stream(question):
    for result in search(question):
        yield result


RETRIEVERS = [
    *(Invoke(), Retrieve(), GetRelevantDocuments(), Run(), Call(), search, functools.partial(search)),
    *(AsyncInvoke(), AsyncOnly(), AsyncBeside(), AsyncRetrieve(), AsyncCall(), search_later, stream),
]


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda retriever: type(retriever).__name__)
def test_any_retriever_is_asked_all_questions(retriever):
    expected = {"1": ["a 0", "a 1"], "2": ["b 0", "b 1"]}
    assert run_retriever(retriever, {"1": "a", 2: "b"}, k=2) == expected


@pytest.mark.parametrize("retriever", [Invoke(), AsyncOnly(), search_later, stream])
def test_a_retriever_is_asked_inside_a_running_event_loop(retriever):
    async def in_a_notebook():
        return run_retriever(retriever, {"1": "a"}, k=1)

    assert run_loop(in_a_notebook()) == {"1": ["a 0"]}


def test_errors_of_a_retriever_are_raised_from_any_loop():
    async def fail(question):
        raise KeyError(question)

    async def in_a_notebook():
        run_retriever(fail, ["a"])

    with pytest.raises(KeyError, match="a"):
        run_retriever(fail, ["a"])
    with pytest.raises(KeyError, match="a"):
        run_loop(in_a_notebook())


def fail_for_b(question):
    return search(question) if question == "a" else [1 / 0]


async def fail_later_for_b(question):
    return fail_for_b(question)


async def stream_until_b(question):
    for result in fail_for_b(question):
        yield result


@pytest.mark.parametrize("retriever", [fail_for_b, fail_later_for_b, stream_until_b])
def test_an_error_of_a_retriever_names_the_question(retriever):
    with pytest.raises(ZeroDivisionError) as caught:
        run_retriever(retriever, {"1": "a", "2": "b", "3": "a"})
    assert caught.value.__notes__ == ["raised by the retriever for question '2'"]


def test_a_function_with_a_number_of_results_is_asked_for_k():
    numbers = []

    def retrieve(question, top_k=5):
        numbers.append(top_k)
        return search(question)[:top_k]

    assert len(run_retriever(retrieve, ["a"])["a"]) == 20
    assert numbers == [20]


@pytest.mark.parametrize(
    "questions",
    [
        {"7": "Why?"},
        [{"id": 7, "question": "Why?"}],
        [{"_id": "7", "text": "Why?"}],
        pd.DataFrame({"qid": ["7"], "query": ["Why?"]}),
        Topics.of([Topic("7", title="Why?")]),
    ],
)
def test_questions_have_ids(questions):
    assert run_retriever(lambda question: [question], questions) == {"7": ["Why?"]}


def test_questions_without_ids_are_their_own():
    assert run_retriever(lambda question: [question], ["Why?"]) == {"Why?": ["Why?"]}
    assert run_retriever(lambda question: [question], [{"question": "Why?"}]) == {"Why?": ["Why?"]}


def test_questions_may_be_in_a_file(tmp_path):
    (tmp_path / "topics.tsv").write_text("7\tWhy?\n")
    assert run_retriever(lambda question: [question], tmp_path / "topics.tsv") == {"7": ["Why?"]}


def test_the_answers_are_a_run():
    run = run_retriever(lambda _: ["The pump was replaced"], {"1": "When?"})
    gold = {"1": ["The pump was replaced in May."]}
    assert evaluate(run, gold, "char_rec", collection=TEXTS).scores["score"].to_list() == [
        pytest.approx(21 / 29)
    ]


@pytest.mark.parametrize(
    ("retriever", "questions", "k", "sentence"),
    [
        (5, ["a"], 5, "a retriever: wanted an object with invoke, retrieve, .* or a function, found int"),
        (search, ["a"], 0, "k: wanted a whole number, 1 or more, found 0"),
        (search, ["a"], 2.5, "k: wanted a whole number"),
        (search, {"1": ""}, 5, "question '1': wanted its text, found ''"),
        (search, ["a", "a"], 5, "questions: wanted each question once, found 'a' twice"),
        (search, [{"colour": "red"}], 5, "question 1: wanted a column question, query or text, found colour"),
        (search, 5, 5, "questions: wanted texts by id, .* found 5"),
        (lambda _: None, ["a"], 5, "the retriever's answer to question 'a': wanted a list of results"),
    ],
)
def test_invalid_questions_and_retrievers_are_errors(retriever, questions, k, sentence):
    with pytest.raises(InputError, match=sentence):
        run_retriever(retriever, questions, k=k)


def test_the_questions_of_gold_in_a_table_are_asked_once(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("question,text\nWhy?,one\nHow?,two\nWhy?,three\n")
    assert list(run_retriever(lambda _question: [], path)) == ["Why?", "How?"]
    path.write_text("query_id,question,text\n1,Why?,one\n1,How?,two\n")
    with pytest.raises(InputError, match=r"gold\.csv: .*wanted one text per id, found two for '1'"):
        run_retriever(lambda _question: [], path)
