"""Gold in the shape of SQuAD 1.1 and 2.0, and of CUAD: answers as spans of a context.

``{"version", "data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
"answer_start"}], "is_impossible"}]}]}]}``; offsets are code points of the context, and checked against it.

SQuAD: the document is ``title:position`` of the paragraph, counted from 0, and the answers of a question are
alternatives.  CUAD: the document is the title, a contract of one paragraph, and every answer is to be found;
a file is one of CUAD if its ids are ``title__Clause``.  A question with ``is_impossible`` has nothing
relevant; ``plausible_answers`` are not gold.
"""

from __future__ import annotations

from typing import Any

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.files.json_records import JsonFile
from doxel.topics.campaign_topics import SQUAD
from doxel.wording import quote_value

__all__ = ["SQUAD_GOLD"]

_WANTED = 'an object {"data": [{"title", "paragraphs": [...]}]}'
_ALTERNATIVES = "answer"


def _read(data: bytes, name: str) -> Assessments:
    file = JsonFile(data, name, wanted=_WANTED)
    articles = file.take_objects(file.content, "data", owner="file")
    from doxel.documents.parsing.campaign_documents import are_contracts, iterate_contexts

    is_cuad = are_contracts(file, articles)
    gold = GoldTables(name, "squad")
    for doc, context, paragraph in iterate_contexts(file, articles, is_cuad=is_cuad):
        for question in file.take_objects(paragraph, "qas", owner="paragraph"):
            topic, line = file.read_id(question), file.find_line(question)
            if topic in gold.topics:
                earlier = f"another in line {gold.topics[topic]}"
                raise file.fail(question, f"question {topic}", wanted="each question once", found=earlier)
            gold.judge(topic, doc, line, question.get("question"))
            for span in _list_spans(file, question, context):
                gold.highlight(topic, doc, line, **span, aspect=None if is_cuad else _ALTERNATIVES)
    return gold.build(wanted=_WANTED)


def _list_spans(file: JsonFile, question: dict[str, Any], context: str) -> list[dict[str, Any]]:
    """Return the distinct spans of the answers, after checking their texts in the context."""
    if question.get("is_impossible"):
        return []
    spans: dict[tuple[int, int], dict[str, Any]] = {}
    for answer in file.take_objects(question, "answers", owner="question"):
        text = file.take(answer, "text", str, owner="answer")
        start = file.take(answer, "answer_start", int, owner="answer")
        end = start + len(text)
        if context[start:end] != text:
            found = quote_value(context[start:end])
            raise file.fail(answer, f"the text at {start}", wanted=quote_value(text), found=found)
        spans.setdefault((start, end), {"start": start, "end": end, "text": text or None})
    return list(spans.values())


SQUAD_GOLD = declare_gold(
    "squad",
    '{"data": [...]}: answers as spans of paragraphs or contracts, as SQuAD and CUAD',
    SQUAD,
    _read,
)
