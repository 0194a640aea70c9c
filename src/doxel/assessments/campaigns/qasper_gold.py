"""Gold of QASPER: the paragraphs of a paper that annotators gave as evidence for each question.

``{paper_id: {"title", "full_text", "qas": [{"question_id", "question", "answers": [{"answer":
{"unanswerable", "evidence": [texts]}}]}]}}``.

Evidence is text without offsets, so a collection is needed to place it; ``doxel ingest`` reads the papers
from the same file.  The highlights of a question are the paragraphs of all its annotators, each once.  Tables
and figures (``FLOAT SELECTED: ...``) are not text of the paper and are left out; the official figure counts
them unless the set is ``qasper-text``.
"""

from __future__ import annotations

from typing import Any

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.errors import InputError
from doxel.files.json_records import JsonFile
from doxel.topics.campaign_topics import QASPER
from doxel.wording import pluralise

__all__ = ["FLOAT_MARK", "QASPER_GOLD"]

FLOAT_MARK = "FLOAT SELECTED"
_WANTED = 'papers with questions: {paper_id: {"full_text", "qas": [...]}}'


def _read(data: bytes, name: str) -> Assessments:
    file = JsonFile(data, name, wanted=_WANTED)
    if not isinstance(file.content, dict) or not file.content:
        raise InputError("a QASPER file", file=name, line=1, wanted=_WANTED, found="none")
    gold = GoldTables(name, "qasper")
    question_records = []
    floats = 0
    for paper, record in file.content.items():
        for question in file.take_objects(record, "qas", owner="paper"):
            topic, line = file.read_id(question, "question_id"), file.find_line(question)
            if topic in gold.topics:
                raise file.fail(
                    question, f"question {topic}", wanted="each question once", found="a second one"
                )
            gold.judge(topic, paper, line, question.get("question"))
            evidence = _list_evidence(file, question)
            question_records.append({"question_id": topic, "evidence": evidence})
            texts = dict.fromkeys(text for annotator in evidence for text in annotator if text.strip())
            floats += sum(FLOAT_MARK in text for text in texts)
            for text in texts:
                if FLOAT_MARK not in text:
                    gold.highlight(topic, paper, line, text=text)
    note = pluralise(
        floats,
        "piece of evidence is a table or figure, which is not text, and is left out",
        "pieces of evidence are tables or figures, which are not text, and are left out",
    )
    return gold.build(question_records, note if floats else "", wanted=_WANTED)


def _list_evidence(file: JsonFile, question: dict[str, Any]) -> list[list[str]]:
    """Return the evidence of each annotator; an unanswerable question has none."""
    evidence = []
    for annotation in file.take_objects(question, "answers", owner="question"):
        answer = file.take(annotation, "answer", dict, owner="annotation")
        texts = file.take_texts(answer, "evidence", [], owner="answer")
        evidence.append([] if answer.get("unanswerable") else texts)
    return evidence


QASPER_GOLD = declare_gold(
    "qasper", '{paper_id: {"full_text", "qas"}}: evidence paragraphs as texts, as QASPER', QASPER, _read
)
