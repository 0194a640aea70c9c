"""Keys of ArchEHR-QA: essential sentences are the highlights."""

import json

import pytest

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.archehr_keys import ARCHEHR_KEYS
from doxel.errors import InputError

ANSWERS = [
    {"sentence_id": "1", "relevance": "essential"},
    {"sentence_id": "2", "relevance": "supplementary"},
    {"sentence_id": "3", "relevance": "not-relevant"},
]
CASES = [{"case_id": "1", "answers": ANSWERS}, {"case_id": "2", "answers": ANSWERS[2:]}]


def read(cases) -> Assessments:
    return ARCHEHR_KEYS.read(json.dumps(cases, indent=1).encode(), "key.json")


def test_essential_sentences_are_highlights_of_the_note():
    key = read(CASES)
    assert key.highlights.select("topic", "doc", "path", "line").rows() == [
        ("1", "1", "/case[1]/sentence[1]", 5)
    ]
    assert key.judged.select("topic", "doc").rows() == [("1", "1"), ("2", "2")]


def test_a_key_is_recognised_and_only_read():
    assert ARCHEHR_KEYS.recognises(json.dumps(CASES, indent=1).encode())
    assert not ARCHEHR_KEYS.recognises(b'[{"case_id": "1", "prediction": ["1"]}]')
    with pytest.raises(InputError, match="archehr is a format that doxel only reads"):
        ARCHEHR_KEYS.write(read(CASES))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"relevance": "vital"},
            "line 5: the relevance of the answer: wanted one of essential, supplementary",
        ),
        ({"sentence_id": 1}, "line 5: the sentence_id of the answer: wanted a text, found 1"),
        ({"sentence_id": "0"}, "line 5: the sentence_id: wanted a whole number from 1, as text, found '0'"),
    ],
)
def test_an_odd_answer_is_an_error_with_its_line(change, message):
    with pytest.raises(InputError) as caught:
        read([{"case_id": "1", "answers": [{**ANSWERS[0], **change}]}])
    assert message in str(caught.value)


def test_citations_are_checked():
    sentence = {"id": "1", "citations": [2]}
    with pytest.raises(
        InputError, match="the citations of the answer sentence: wanted a list of texts, found 2"
    ):
        read([{"case_id": "1", "answers": ANSWERS, "clinician_answer_sentences": [sentence]}])
