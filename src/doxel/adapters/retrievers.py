"""Ask a retriever all questions: an object with ``invoke``, ``retrieve`` or a similar method, or a function.

Asynchronous retrievers are awaited one question after the other; inside a running event loop, as in a
notebook, this happens in a separate thread with its own loop.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from doxel.adapters.adapter_table import list_results
from doxel.adapters.column_names import QUESTION_NAMES, normalise_name
from doxel.adapters.csv_records import is_csv_table, read_csv_records
from doxel.adapters.result_tables import TABLE_ADAPTERS
from doxel.arguments import check_arguments
from doxel.errors import InputError
from doxel.files import read_bytes
from doxel.topics.topic_files import read_topics
from doxel.topics.topics import Topics
from doxel.wording import quote_value

__all__ = ["run_retriever"]

_HEAD_BYTES = 65_536  # a table is recognised from this many bytes
_METHODS = ("invoke", "retrieve", "get_relevant_documents", "search", "run")
_ASYNC_METHODS = {
    "invoke": "ainvoke",
    "retrieve": "aretrieve",
    "get_relevant_documents": "aget_relevant_documents",
}
_COUNT_NAMES = ("k", "top_k", "n_results", "limit")
_IDS = ("id", "_id", "topic", "topic_id", "query_id", "qid", "question_id", "num")
_TEXTS = (*QUESTION_NAMES, "text", "title")


@check_arguments
def run_retriever(retriever: Any, questions: Any, k: int = 20) -> dict[str, list[Any]]:
    """Ask a retriever all questions, and return its results by question, the best first.

    Parameters
    ----------
    retriever
        An object with ``invoke`` (LangChain), ``retrieve`` (LlamaIndex), ``get_relevant_documents``,
        ``search`` or ``run`` (Haystack), their asynchronous forms, or a function from a question to results.
    questions
        Texts by id; a list of texts, which are their own ids; rows with an id and a text; ``Topics``, or a
        file of topics, whose titles are asked; a CSV file of gold with a column ``question``.
    k
        The number of results to keep per question.  A function with a parameter ``k``, ``top_k``,
        ``n_results`` or ``limit`` is asked for this number; other retrievers decide themselves how many they
        return.

    Returns
    -------
    dict
        For each question the results as the retriever returned them; ``doxel.evaluate`` takes it as a run.

    Examples
    --------
    >>> run_retriever(lambda question: [("report", 0, len(question))], {"q1": "Who was hurt?"})
    {'q1': [('report', 0, 13)]}
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError("k", wanted="a whole number, 1 or more", found=quote_value(k))
    ask = _find_method(retriever, k)
    answers = _ask_all(ask, _list_questions(questions))
    return {
        topic: list_results(answer, f"the retriever's answer to question {topic!r}")[:k]
        for topic, answer in answers.items()
    }


def _find_method(retriever: Any, k: int) -> Callable[[str], Any]:
    """Return a function that asks one question, and returns its answer or a coroutine."""
    for name in _METHODS:
        asynchronous = getattr(retriever, _ASYNC_METHODS.get(name, ""), None)
        method = getattr(retriever, name, asynchronous)
        if callable(method):
            return _build_call(method, asynchronous, k, is_named=name == "run")
    if callable(retriever):
        return _build_call(retriever, None, k)
    raise InputError(
        "a retriever",
        wanted=f"an object with {', '.join(_METHODS)}, or a function",
        found=type(retriever).__name__,
    )


def _build_call(
    method: Callable[..., Any], asynchronous: Callable[..., Any] | None, k: int, *, is_named: bool = False
) -> Callable[[str], Any]:
    keywords = {name: k for name in _COUNT_NAMES if name in _list_parameters(method)}
    keywords = dict(list(keywords.items())[:1])

    def ask(question: str) -> Any:
        try:
            return method(query=question, **keywords) if is_named else method(question, **keywords)
        except NotImplementedError:  # a retriever that is asynchronous only
            if asynchronous is None or asynchronous is method:
                raise
            return asynchronous(question)

    return ask


def _list_parameters(function: Callable[..., Any]) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a function in C
        return frozenset()


def _ask_all(ask: Callable[[str], Any], questions: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer to each question; from the first asynchronous answer on, in an event loop."""
    answers: dict[str, Any] = {}
    open_questions = dict(questions)
    for topic, question in questions.items():
        with _name_question(topic):
            answer = ask(question)
        if inspect.isawaitable(answer) or hasattr(answer, "__aiter__"):
            return answers | _run_in_loop(partial(_await_all, ask, open_questions, answer))
        answers[topic] = answer
        del open_questions[topic]
    return answers


async def _await_all(ask: Callable[[str], Any], questions: Mapping[str, str], first: Any) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for number, (topic, question) in enumerate(questions.items()):
        with _name_question(topic):
            answer = ask(question) if number else first
            if inspect.isawaitable(answer):
                answer = await answer
            answers[topic] = [result async for result in answer] if hasattr(answer, "__aiter__") else answer
    return answers


@contextmanager
def _name_question(topic: str) -> Iterator[None]:
    """Add the question to an error of the retriever."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by the retriever for question {topic!r}")
        raise


def _run_in_loop(build_task: Callable[[], Any]) -> dict[str, Any]:
    """Run a coroutine to its end, in a thread if this one has a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return dict(asyncio.run(build_task()))
    outcome: list[dict[str, Any]] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(build_task()))
        except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=run, name="doxel-retriever")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]


def _list_questions(questions: Any) -> dict[str, str]:
    """Return the texts of questions by id."""
    if isinstance(questions, str | os.PathLike):
        questions = _read_table(questions) or read_topics(questions)
    if isinstance(questions, Topics):
        pairs: Iterable[tuple[Any, Any]] = [(topic.id, topic.title or topic.query) for topic in questions]
    elif isinstance(questions, Mapping):
        pairs = questions.items()
    else:
        pairs = [_read_question(row, number) for number, row in enumerate(_list_rows(questions), 1)]
    texts: dict[str, str] = {}
    for topic, text in pairs:
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"question {topic!r}", wanted="its text", found=quote_value(text))
        if str(topic) in texts:
            raise InputError(
                "questions", wanted="each question once", found=f"{quote_value(str(topic))} twice"
            )
        texts[str(topic)] = text
    return texts


def _read_table(path: str | os.PathLike[str]) -> dict[Any, Any] | None:
    """Return the questions of a CSV file by id, such as a table of gold; None for other files."""
    data = read_bytes(path) if Path(path).is_file() else b""
    if not is_csv_table(data[:_HEAD_BYTES]):
        return None
    pairs = [_read_question(row, line) for line, row in read_csv_records(data, os.fspath(path))]
    texts = dict(pairs)
    ambiguous_topic = next((topic for topic, text in pairs if texts[topic] != text), None)
    if ambiguous_topic is not None:
        raise InputError(
            "questions",
            file=os.fspath(path),
            wanted="one text per id",
            found=f"two for {quote_value(ambiguous_topic)}",
        )
    return texts


def _list_rows(questions: Any) -> list[Any]:
    if isinstance(questions, list | tuple) and all(isinstance(question, str) for question in questions):
        return list(questions)
    adapter = next((adapter for adapter in TABLE_ADAPTERS if adapter.recognises(questions)), None)
    if adapter is None:
        wanted = "texts by id, a list of texts, rows with an id and a text, or topics"
        raise InputError("questions", wanted=wanted, found=quote_value(questions))
    return adapter.convert(questions, False).to_dicts()


def _read_question(row: Any, number: int) -> tuple[Any, Any]:
    """Return id and text of a row; a row without an id is named by its text."""
    if isinstance(row, str):
        return row, row
    by_name = {normalise_name(name): value for name, value in row.items()}
    text = next((by_name[name] for name in _TEXTS if by_name.get(name) is not None), None)
    topic = next((by_name[name] for name in map(normalise_name, _IDS) if by_name.get(name) is not None), text)
    if text is None:
        found = ", ".join(map(str, row))
        raise InputError(f"question {number}", wanted="a column question, query or text", found=found)
    return topic, text
