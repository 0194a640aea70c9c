"""Questions of BioASQ task b, phase A, with documents and snippets, in gold and answers alike.

``{"questions": [{"id", "body", "documents": [url], "snippets": [{"document", "beginSection", "endSection",
"offsetInBeginSection", "offsetInEndSection", "text"}]}]}``; the order of the lists is the ranking.

Offsets count inside a section, so a snippet names document and section: ``11/abstract`` for the
abstract of .../pubmed/11, ``11/title..abstract`` for a snippet that begins in the title and ends in the
abstract.  In a collection of articles, doxel finds ``11/abstract`` inside document 11.  Spans are half-open;
the official scorer counts one character more (``--compat bioasq``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from doxel.errors import InputError
from doxel.files.json_records import JsonFile, load_records
from doxel.runs.campaigns.cited_elements import encode_objects
from doxel.runs.run import NOT_FOUND_OFFSET
from doxel.wording import quote_value

__all__ = ["SNIPPET_COLUMNS", "list_documents", "list_snippets", "read_questions", "write_questions"]

SNIPPET_COLUMNS = ("topic", "doc", "start", "end", "text")
"""The columns of a snippet, in gold and answers."""

_URL = "http://www.ncbi.nlm.nih.gov/pubmed/"
_WANTED = 'an object {"questions": [...]}'


def read_questions(data: bytes, name: str) -> tuple[JsonFile, list[dict[str, Any]]]:
    """Return the questions of a file, after checking their ids."""
    file = JsonFile(data, name, wanted=_WANTED)
    questions = file.take_objects(file.content, "questions", owner="file")
    file.check_unique(questions, file.read_id)
    if not questions:
        raise InputError("empty file", file=name, wanted="questions", found="none")
    return file, questions


def list_documents(file: JsonFile, question: dict[str, Any]) -> list[str]:
    """Return the documents of a question by the last part of their address, each once."""
    urls = file.take_texts(question, "documents", [], owner="question")
    return list(dict.fromkeys(map(_shorten_url, urls)))


def list_snippets(file: JsonFile, question: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the snippets of a question as rows of topic, doc, start, end, text, line."""
    topic = file.read_id(question)
    rows = []
    for snippet in file.take_objects(question, "snippets", [], owner="question"):
        begin = file.take(snippet, "beginSection", str, owner="snippet")
        end = file.take(snippet, "endSection", str, begin, owner="snippet")
        document = _shorten_url(file.take(snippet, "document", str, owner="snippet"))
        start, stop = (
            file.take(snippet, key, int, owner="snippet")
            for key in ("offsetInBeginSection", "offsetInEndSection")
        )
        if not (document and begin and end) or "/" in begin + end:
            names = ", ".join(map(quote_value, (document, begin, end)))
            raise file.fail(snippet, "a snippet", wanted="a document, and sections without /", found=names)
        if stop < start and begin == end:
            found = f"offsets {start} and {stop}"
            raise file.fail(snippet, "a snippet", wanted="an end after its start", found=found)
        if stop < start:  # the length of the first section is unknown
            start = stop = NOT_FOUND_OFFSET
        section = begin if begin == end else f"{begin}..{end}"
        place = {"topic": topic, "doc": f"{document}/{section}", "start": start, "end": stop}
        text = file.take(snippet, "text", str, "", owner="snippet") or None
        rows.append({**place, "text": text, "line": file.find_line(snippet)})
    return rows


def _shorten_url(url: str) -> str:
    return url.strip().rstrip("/").rpartition("/")[2]


def write_questions(
    about: Mapping[str, str],
    snippets: Sequence[tuple[str, str, int, int, str | None]],
    documents: Sequence[tuple[str, str]],
) -> bytes:
    """Return the file with these snippets and documents; the other keys of questions come from ``about``.

    ``snippets`` are topic, doc, start, end and text, in the order of the ranking.  A question without
    documents, in ``about`` and in ``documents``, lists those of its snippets.
    """
    questions = {str(question["id"]).strip(): question for question in load_records(about.get("bioasq", ""))}
    originals: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for topic, question in questions.items():
        file = JsonFile(json.dumps(question).encode(), topic, wanted=_WANTED)
        rows = list_snippets(file, file.content)
        for row, snippet in zip(rows, question.get("snippets") or [], strict=True):
            place = tuple(row[column] for column in SNIPPET_COLUMNS)
            originals.setdefault(place, []).append(snippet)
    output: dict[str, dict[str, Any]] = {
        topic: {**question, "snippets": []} for topic, question in questions.items()
    }
    documents_by_topic: dict[str, dict[str, None]] = {}
    for topic, doc in documents:
        documents_by_topic.setdefault(topic, {})[doc] = None
    for topic, doc, start, end, text in snippets:
        question = output.setdefault(topic, {"id": topic, "snippets": []})
        original_snippets = originals.get((topic, doc, start, end, text))
        question["snippets"].append(
            original_snippets.pop(0) if original_snippets else _build_snippet(doc, start, end, text)
        )
    for topic in dict.fromkeys((*output, *documents_by_topic)):
        question = output.setdefault(topic, {"id": topic, "snippets": []})
        if topic in questions and "documents" in questions[topic]:
            continue
        names = documents_by_topic.get(topic) or {
            snippet["document"]: None for snippet in question["snippets"]
        }
        question["documents"] = [_lengthen_id(name) for name in names]
    return encode_objects({"questions": list(output.values())})


def _build_snippet(doc: str, start: int, end: int, text: str | None) -> dict[str, Any]:
    if start < 0:
        problem, wanted = f"document {doc}: a snippet cannot be written as bioasq", "offsets of 0 or more"
        raise InputError(problem, wanted=wanted, found=str(start))
    document, _, sections = doc.partition("/")
    begin, _, last = sections.partition("..")
    return {
        "document": _lengthen_id(document),
        "beginSection": begin,
        "endSection": last or begin,
        "offsetInBeginSection": start,
        "offsetInEndSection": end,
        "text": text or "",
    }


def _lengthen_id(document: str) -> str:
    return document if "/" in document else f"{_URL}{document}"
