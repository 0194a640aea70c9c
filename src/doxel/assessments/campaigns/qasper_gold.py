"""Gold of QASPER: the paragraphs of a paper that annotators gave as evidence for each question.

``{paper_id: {"title", "full_text", "qas": [{"question_id", "question", "answers": [{"answer":
{"unanswerable", "evidence": [texts]}}]}]}}``.

Evidence is text without offsets, so a collection is needed to place it; ``doxel ingest`` reads the papers
from the same file.  The highlights of a question are the paragraphs of all its annotators, each once.  Tables
and figures (``FLOAT SELECTED: ...``) are no text of the paper and left out; the official figure counts them
unless the set is ``qasper-text``.
"""

from __future__ import annotations

from typing import Any

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, AssessmentFormat, Assessments
from doxel.errors import InputError
from doxel.files.file_format import refuse_writing
from doxel.files.json_records import JsonFile, dump_records
from doxel.topics.campaign_topics import is_qasper
from doxel.wording import pluralise

__all__ = ["FLOAT_MARK", "QASPER_GOLD"]

FLOAT_MARK = "FLOAT SELECTED"
_WANTED = 'papers with questions: {paper_id: {"full_text", "qas": [...]}}'


def _read(data: bytes, name: str) -> Assessments:
    file = JsonFile(data, name, wanted=_WANTED)
    if not isinstance(file.content, dict) or not file.content:
        raise InputError("a QASPER file", file=name, line=1, wanted=_WANTED, found="none")
    judged, highlights, kept = [], [], []
    questions: dict[str, str] = {}
    floats = 0
    for paper, record in file.content.items():
        for question in file.take_objects(record, "qas", owner="paper"):
            topic, line = file.read_id(question, "question_id"), file.find_line(question)
            if topic in questions:
                raise file.fail(question, f"question {topic}", wanted="each once", found="it again")
            questions[topic] = str(question.get("question") or topic)
            place = {"topic": topic, "doc": paper, "line": line}
            judged.append({**place, "file": name})
            evidence = _list_evidence(file, question)
            kept.append({"question_id": topic, "evidence": evidence})
            texts = dict.fromkeys(text for annotator in evidence for text in annotator if text.strip())
            floats += sum(FLOAT_MARK in text for text in texts)
            highlights += [{**place, "text": text} for text in texts if FLOAT_MARK not in text]
    if not judged:
        raise InputError("empty file", file=name, wanted=_WANTED, found="no questions")
    note = pluralise(
        floats,
        "piece of evidence is a table or figure, which is no text, and is left out",
        "pieces of evidence are tables or figures, which are no text, and are left out",
    )
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(judged),
        highlights=HIGHLIGHTS.from_rows(highlights),
        file=name,
        format="qasper",
        about={"qasper": dump_records(kept)},
        notes=(note,) if floats else (),
        questions={topic: text for topic, text in questions.items() if text != topic},
    )


def _list_evidence(file: JsonFile, question: dict[str, Any]) -> list[list[str]]:
    """Return the evidence of each annotator; an unanswerable question has none."""
    evidence = []
    for annotation in file.take_objects(question, "answers", owner="question"):
        answer = file.take(annotation, "answer", dict, owner="annotation")
        texts = file.take_texts(answer, "evidence", [], owner="answer")
        evidence.append([] if answer.get("unanswerable") else texts)
    return evidence


QASPER_GOLD = AssessmentFormat(
    name="qasper",
    about='{paper_id: {"full_text", "qas"}}: evidence paragraphs as texts, as QASPER',
    scale="2006",
    recognises=is_qasper,
    read=_read,
    write=refuse_writing("qasper"),
    holds={},
    campaign=True,
)
