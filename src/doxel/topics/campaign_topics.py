"""Questions of living campaigns as topics, from the files that also hold their gold.

============  ========================================================================================
``bioasq``    ``{"questions": [{"id", "body"}]}``; the type of a question is kept in ``about``
``squad``     ``{"data": [{"paragraphs": [{"qas": [{"id", "question"}]}]}]}``, SQuAD and CUAD
``qasper``    ``{paper_id: {"qas": [{"question_id", "question"}]}}``
``locomo``    ``{"sample_id", "qa": [{"question"}]}``, one or a list; the id is ``sample_id:position``
============  ========================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from doxel.errors import InputError
from doxel.files.file_format import FileFormat, WritingRefusal
from doxel.files.json_records import JsonFile
from doxel.topics.topics import TOPICS, Topics

__all__ = ["BIOASQ", "CAMPAIGN_TOPICS", "LOCOMO", "QASPER", "SQUAD"]

# how the files of each campaign begin, those of questions, gold and submissions alike
_SCALARS = rb'\{\s*(?:"[^"]*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-0-9.]+|null|true|false)\s*,\s*)*'
BIOASQ = _SCALARS + rb'"questions"\s*:\s*\['
SQUAD = _SCALARS + rb'"data"\s*:\s*\[\s*\{(?=.*"paragraphs"\s*:)'
QASPER = rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{(?=.*"(?:full_text|qas)"\s*:\s*\[)'
LOCOMO = rb'[{\[](?=.*"qa")(?=.*"evidence")'

_Question = tuple[str, dict[str, Any], str]
"""The id of a question, its object, and the key of its text."""


def _list_bioasq(file: JsonFile) -> Iterator[_Question]:
    for question in file.take_objects(file.content, "questions", owner="file"):
        yield file.read_id(question), question, "body"


def _list_squad(file: JsonFile) -> Iterator[_Question]:
    for article in file.take_objects(file.content, "data", owner="file"):
        for paragraph in file.take_objects(article, "paragraphs", owner="article"):
            for question in file.take_objects(paragraph, "qas", owner="paragraph"):
                yield file.read_id(question), question, "question"


def _list_qasper(file: JsonFile) -> Iterator[_Question]:
    for paper in file.content.values() if isinstance(file.content, dict) else ():
        for question in file.take_objects(paper, "qas", owner="paper"):
            yield file.read_id(question, "question_id"), question, "question"


def _list_locomo(file: JsonFile) -> Iterator[_Question]:
    samples = [file.content] if isinstance(file.content, dict) else file.content
    for sample in file.check_objects(samples, file.content, "the file"):
        name = file.read_id(sample, "sample_id", owner="conversation")
        for position, question in enumerate(file.take_objects(sample, "qa", owner="conversation")):
            yield f"{name}:{position}", question, "question"


def _read(
    data: bytes, name: str, *, format_name: str, list_questions: Callable[[JsonFile], Iterator[_Question]]
) -> Topics:
    file = JsonFile(data, name, wanted="questions")
    rows: list[dict[str, object]] = []
    for topic, question, key in list_questions(file):
        text = file.take(question, key, str, owner="question").strip()
        kind = question.get("type")
        about = json.dumps({"type": kind}) if isinstance(kind, str) else None
        line = file.find_line(question)
        rows.append({"id": topic, "title": text or None, "about": about, "file": name, "line": line})
    if not rows:
        raise InputError("empty file", file=name, wanted="questions", found="none")
    return Topics(TOPICS.from_rows(rows), format=format_name)


def _declare(
    name: str,
    about: str,
    begins: bytes,
    list_questions: Callable[[JsonFile], Iterator[_Question]],
) -> FileFormat[Topics]:
    return FileFormat(
        name=name,
        about=about,
        begins=begins,
        read=partial(_read, format_name=name, list_questions=list_questions),
        write=WritingRefusal(name),
        holds={"topics": frozenset({"id", "title"})},
        campaign=True,
    )


CAMPAIGN_TOPICS: tuple[FileFormat[Topics], ...] = (
    _declare("bioasq", '{"questions": [{"id", "body"}]}, as BioASQ', BIOASQ, _list_bioasq),
    _declare("squad", '{"data": [...]} with qas, as SQuAD and CUAD', SQUAD, _list_squad),
    _declare("qasper", "{paper_id: {qas}}, as QASPER", QASPER, _list_qasper),
    _declare("locomo", '{"sample_id", "qa"}, as LoCoMo', LOCOMO, _list_locomo),
)
