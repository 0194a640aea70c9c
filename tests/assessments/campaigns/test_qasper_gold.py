"""Gold of QASPER: evidence paragraphs of all annotators, as texts."""

import json

import pytest

from doxel.assessments.campaigns.qasper_gold import QASPER_GOLD
from doxel.errors import InputError


def paper(*annotators, **more):
    answers = [{"answer": {"unanswerable": False, "evidence": evidence, **more}} for evidence in annotators]
    question = {"question_id": "q", "question": "What?", "answers": answers}
    return {"p1": {"title": "T", "full_text": [], "qas": [question]}}


def read(content):
    return QASPER_GOLD.read(json.dumps(content, indent=1).encode(), "gold.json")


def test_paragraphs_of_all_annotators_are_highlights_once():
    gold = read(paper(["One.", "Two."], ["Two.", "FLOAT SELECTED: Table 1"]))
    assert gold.highlights.select("topic", "doc", "text").rows() == [("q", "p1", "One."), ("q", "p1", "Two.")]
    assert gold.notes == ("1 piece of evidence is a table or figure, which is not text, and is left out",)
    assert gold.questions == {"q": "What?"}


def test_an_unanswerable_question_has_nothing_relevant():
    gold = read(paper(["One."], unanswerable=True))
    assert (gold.highlights.height, gold.judged.height) == (0, 1)


def test_gold_is_recognised_by_its_keys():
    assert QASPER_GOLD.recognises(json.dumps(paper(["One."]), indent=1).encode())
    assert not QASPER_GOLD.recognises(b'{"q1": {"d1": 1}}')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"p": {"qas": [{"answers": []}]}}, "line 4: the question_id of the question"),
        (paper("One."), "the evidence of the answer: wanted a list, found 'One.'"),
        ({"p": {"qas": 1}}, "line 2: the qas of the paper: wanted a list, found 1"),
        ({"p": {"qas": []}}, "empty file: wanted papers with questions"),
        ([], "line 1: a QASPER file"),
    ],
)
def test_an_odd_file_is_an_error_with_its_line(content, message):
    with pytest.raises(InputError) as caught:
        read(content)
    assert message in str(caught.value)
