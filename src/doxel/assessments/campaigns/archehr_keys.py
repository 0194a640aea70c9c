"""Keys of ArchEHR-QA: which sentences of a note are essential or supplementary for a case.

``[{"case_id": "1", "answers": [{"sentence_id": "1", "relevance": "essential"}],
"clinician_answer_sentences": [{"id": "1", "citations": ["2"]}]}]``; ``answers`` lists every sentence.

Essential sentences are the highlights, by their path in the note (see
:mod:`doxel.runs.campaigns.archehr_submissions`).  Supplementary sentences are judged, but need
not be found; the official figures use both.
"""

from __future__ import annotations

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.runs.campaigns.archehr_submissions import build_sentence_path, read_cases
from doxel.wording import quote_value

__all__ = ["ARCHEHR_KEYS", "RELEVANCES"]

RELEVANCES = ("essential", "supplementary", "not-relevant")


def _read(data: bytes, name: str) -> Assessments:
    file, cases = read_cases(data, name)
    gold = GoldTables(name, "archehr")
    for case in cases:
        topic = file.read_id(case, "case_id")
        gold.judge(topic, topic, file.find_line(case))
        answers = file.take_objects(case, "answers", owner="case")
        file.check_unique(answers, lambda answer: file.take(answer, "sentence_id", str, owner="answer"))
        for answer in answers:
            relevance = answer.get("relevance")
            if relevance not in RELEVANCES:
                wanted, found = f"one of {', '.join(RELEVANCES)}", quote_value(relevance)
                raise file.fail(answer, "the relevance of the answer", wanted=wanted, found=found)
            path = build_sentence_path(answer["sentence_id"])
            if path is None:
                found = quote_value(answer["sentence_id"])
                raise file.fail(
                    answer, "the sentence_id", wanted="a whole number from 1, as text", found=found
                )
            if relevance == "essential":
                gold.highlight(topic, topic, file.find_line(answer), path=path)
        for sentence in file.take_objects(case, "clinician_answer_sentences", [], owner="case"):
            file.take(sentence, "id", str, owner="answer sentence")
            file.take_texts(sentence, "citations", owner="answer sentence")
    return gold.build(cases)


ARCHEHR_KEYS = declare_gold(
    "archehr",
    '[{"case_id", "answers"}]: sentences of clinical notes with their relevance, as ArchEHR-QA',
    rb'\[\s*\{(?=[^\[]*"case_id")(?=.{0,16000}"answers"\s*:\s*\[)',
    _read,
)
