"""BioASQ task b, phase A: questions with documents and snippets, in gold and answers alike.

``{"questions": [{"id", "body", "documents": [url], "snippets": [{"document", "beginSection", "endSection",
"offsetInBeginSection", "offsetInEndSection", "text"}]}]}``; the order of the lists is the ranking.

Offsets count inside a section, so the text of a snippet is document and section: ``11/abstract`` for the
abstract of .../pubmed/11, ``11/title..abstract`` for a snippet that begins in the title and ends in the
abstract.  In a collection of articles, doxel finds ``11/abstract`` inside document 11.  Spans are half-open;
the official scorer counts one character more (``--compat bioasq``).

The documents of a question and all other keys are kept beside the results; a file without any snippet is a
run of whole documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from doxel.errors import InputError
from doxel.files.json_records import JsonFile, dump_records, load_records
from doxel.runs.result_order import order_results
from doxel.runs.run import NOT_FOUND_OFFSET, RESULTS, Run
from doxel.runs.run_format import RunFormat, build_writing_error, check_result_values, require_result_columns
from doxel.topics.campaign_topics import is_bioasq

__all__ = ["BIOASQ_ANSWERS", "list_documents", "list_snippets", "read_questions", "write_questions"]

_URL = "http://www.ncbi.nlm.nih.gov/pubmed/"
_TEXT_ID = r"^[^/]+/[^/]+$"
_PLACE = ("topic", "doc", "start", "end", "text")
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
            raise file.fail(snippet, "a snippet", wanted="a document and its sections", found="an odd name")
        if stop < start and begin == end:
            found = f"offsets {start} and {stop}"
            raise file.fail(snippet, "a snippet", wanted="an end after its begin", found=found)
        if stop < start:  # the length of the first section is unknown
            start = stop = NOT_FOUND_OFFSET
        section = begin if begin == end else f"{begin}..{end}"
        place = {"topic": topic, "doc": f"{document}/{section}", "start": start, "end": stop}
        text = file.take(snippet, "text", str, "", owner="snippet") or None
        rows.append({**place, "text": text, "line": file.find_line(snippet)})
    return rows


def _shorten_url(url: str) -> str:
    return url.strip().rstrip("/").rpartition("/")[2]


def _list_results(file: JsonFile, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    snippets = [list_snippets(file, question) for question in questions]
    if not any(snippets):
        snippets = [
            [
                {"topic": file.read_id(question), "doc": doc, "line": file.find_line(question)}
                for doc in documents
            ]
            for question in questions
            if (documents := list_documents(file, question))
        ]
    return [{**row, "rank": rank} for rows in snippets for rank, row in enumerate(rows, 1)]


def _read(data: bytes, name: str) -> Run:
    file, questions = read_questions(data, name)
    results = RESULTS.from_rows(_list_results(file, questions))
    return Run("", results, file=name, format="bioasq", about={"bioasq": dump_records(questions)})


def _write(run: Run) -> bytes:
    if not (run.results.height or run.about.get("bioasq")):
        require_result_columns(run, run.results, (), format_name="bioasq", wanted="results")
    is_snippet = run.results["start"].is_not_null()
    docs = run.results["doc"].zip_with(is_snippet, pl.Series(["a/b"]))
    wanted = "a document and a section, such as 11/abstract"
    check_result_values(run, docs, _TEXT_ID, format_name="bioasq", wanted=wanted)
    for result in run.results.filter(is_snippet & run.results["end"].is_null()).head(1).iter_rows(named=True):
        raise build_writing_error(run, result, format_name="bioasq", wanted="an end as well")
    ordered = order_results(run.results)
    snippets = ordered.filter(pl.col("start").is_not_null())
    listed = ordered.filter(pl.col("start").is_null())
    return write_questions(run.about, snippets.select(_PLACE).rows(), listed.select("topic", "doc").rows())


def write_questions(
    about: Mapping[str, str],
    snippets: Sequence[tuple[str, str, int, int, str | None]],
    documents: Sequence[tuple[str, str]],
) -> bytes:
    """Return the file with these snippets and documents; what ``about`` keeps of questions stays.

    ``snippets`` are topic, doc, start, end and text, in the order of the ranking.  A question without kept or
    given documents lists those of its snippets.
    """
    questions = {str(question["id"]).strip(): question for question in load_records(about.get("bioasq", ""))}
    originals: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for topic, question in questions.items():
        file = JsonFile(json.dumps(question).encode(), topic, wanted=_WANTED)
        rows = list_snippets(file, file.content)
        for row, snippet in zip(rows, question.get("snippets") or [], strict=True):
            originals.setdefault((topic, *(row[column] for column in _PLACE[1:])), []).append(snippet)
    written: dict[str, dict[str, Any]] = {
        topic: {**question, "snippets": []} for topic, question in questions.items()
    }
    listed: dict[str, dict[str, None]] = {}
    for topic, doc in documents:
        listed.setdefault(topic, {})[doc] = None
    for topic, doc, start, end, text in snippets:
        question = written.setdefault(topic, {"id": topic, "snippets": []})
        kept = originals.get((topic, doc, start, end, text))
        question["snippets"].append(kept.pop(0) if kept else _build_snippet(doc, start, end, text))
    for topic in dict.fromkeys((*written, *listed)):
        question = written.setdefault(topic, {"id": topic, "snippets": []})
        if topic in questions and "documents" in questions[topic]:
            continue
        names = listed.get(topic) or {snippet["document"]: None for snippet in question["snippets"]}
        question["documents"] = [_lengthen_id(name) for name in names]
    return json.dumps({"questions": list(written.values())}, ensure_ascii=False, indent=1).encode() + b"\n"


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


BIOASQ_ANSWERS = RunFormat(
    name="bioasq",
    about='{"questions": [...]} with documents and snippets, as BioASQ task b, phase A',
    recognises=is_bioasq,
    read=_read,
    write=_write,
    says=("span", "whole"),
    holds={"results": frozenset({*_PLACE, "rank"}), "about": frozenset({"bioasq"})},
    campaign=True,
    combines=True,
)
