"""Predictions for QASPER: texts of paragraphs, searched in all papers."""

import json

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.campaigns.qasper_predictions import QASPER_PREDICTIONS

LINES = [
    {"question_id": "q1", "predicted_answer": "a", "predicted_evidence": ["One.", "One.", "Two."]},
    {"question_id": "q2", "predicted_answer": "b", "predicted_evidence": [], "extra": 1},
]


def encode(records):
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def test_texts_are_quotations_without_a_document():
    run = QASPER_PREDICTIONS.read(encode(LINES), "p.jsonl")
    assert run.results.select("topic", "rank", "text", "line").rows() == [
        ("q1", 1, "One.", 1),
        ("q1", 2, "One.", 1),
        ("q1", 3, "Two.", 1),
    ]


def test_predictions_are_written_as_they_were():
    data = QASPER_PREDICTIONS.write(QASPER_PREDICTIONS.read(encode(LINES), "p.jsonl"))
    assert [json.loads(line) for line in data.splitlines()] == LINES
    assert QASPER_PREDICTIONS.recognises(data)


def test_results_without_text_are_rejected():
    run = Run("r", RESULTS.from_rows([{"topic": "1", "doc": "d", "start": 0, "end": 5}]))
    with pytest.raises(InputError, match="wanted texts of paragraphs, found a span"):
        QASPER_PREDICTIONS.write(run)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"predicted_evidence": []}, "line 3: the question_id"),
        (
            {"question_id": "q3", "predicted_evidence": "x"},
            "line 3: the predicted_evidence: wanted a list of texts",
        ),
        ({"question_id": "q3"}, "line 3: the predicted_evidence: wanted a list of texts"),
        (LINES[0], "line 3: question q1: wanted one line, found another in line 1"),
    ],
)
def test_an_odd_line_is_an_error_with_its_number(record, message):
    with pytest.raises(InputError) as caught:
        QASPER_PREDICTIONS.read(encode([*LINES, record]), "p.jsonl")
    assert message in str(caught.value)


def test_lines_of_doxel_are_not_taken_for_predictions():
    assert not QASPER_PREDICTIONS.recognises(b'{"question_id": "1", "doc": "a", "text": "x"}')
