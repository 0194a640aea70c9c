"""Submissions of ArchEHR-QA: cited sentences become elements of the case's note."""

import json

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.campaigns.archehr_submissions import ARCHEHR_SUBMISSIONS, list_citations

EVIDENCE = [{"case_id": "1", "prediction": ["5", "2", "5"]}, {"case_id": "2", "prediction": []}]
ALIGNMENT = [{"case_id": "1", "prediction": [{"answer_id": "1", "evidence_id": ["5", "2"]}]}]
ANSWERS = [{"case_id": "1", "answer": "It fell |5,x|\nIt rose | 2 |\nNo citation"}]


def read(cases, name="s.json"):
    return ARCHEHR_SUBMISSIONS.read(json.dumps(cases, indent=1).encode(), name)


@pytest.mark.parametrize("cases", [EVIDENCE, ALIGNMENT])
def test_each_sentence_counts_once_at_its_first_mention(cases):
    assert read(cases).results.select("topic", "doc", "rank", "path").rows() == [
        ("1", "1", 1, "/case[1]/sentence[5]"),
        ("1", "1", 2, "/case[1]/sentence[2]"),
    ]


def test_citations_stand_between_the_last_two_bars_of_a_line():
    assert list_citations("a |1| b |2,3|\n\nno\n|4|") == ["2", "3", "4"]
    assert read(ANSWERS).results.select("path", "start").rows() == [
        ("/case[1]/sentence[5]", None),
        (None, -1),  # no number: not found
        ("/case[1]/sentence[2]", None),
    ]


@pytest.mark.parametrize("cases", [EVIDENCE, ALIGNMENT, ANSWERS])
def test_an_unchanged_submission_is_written_as_it_was(cases):
    data = ARCHEHR_SUBMISSIONS.write(read(cases))
    assert json.loads(data) == cases
    assert ARCHEHR_SUBMISSIONS.recognises(data)


def test_other_results_are_written_as_sentence_ids_in_rank_order():
    rows = [
        {"topic": "1", "doc": "1", "rank": 2, "path": "/case[1]/sentence[3]"},
        {"topic": "1", "doc": "1", "rank": 1, "path": "/case/sentence[12]"},
    ]
    run = Run(
        "r", RESULTS.from_rows(rows), about={"archehr": json.dumps({"case_id": "9", "prediction": ["1"]})}
    )
    assert json.loads(ARCHEHR_SUBMISSIONS.write(run)) == [
        {"case_id": "9", "prediction": []},
        {"case_id": "1", "prediction": ["12", "3"]},
    ]


@pytest.mark.parametrize(
    "row", [{"path": "/case[1]"}, {"doc": "2", "path": "/case[1]/sentence[3]"}, {"start": 0, "end": 4}]
)
def test_other_places_than_sentences_of_the_case_are_rejected(row):
    with pytest.raises(InputError, match="cannot be written as archehr"):
        ARCHEHR_SUBMISSIONS.write(Run("r", RESULTS.from_rows([{"topic": "1", "doc": "1", **row}])))


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([{"case_id": 1, "prediction": []}], "line 2: the case_id of the case: wanted a text, found 1"),
        (
            [{"case_id": "1", "prediction": [1]}],
            "line 2: the prediction of the case: wanted ids of sentences, as text",
        ),
        (
            [{"case_id": "1", "prediction": "1"}],
            "line 2: the prediction of the case: wanted a list, found '1'",
        ),
        ([{"case_id": "1"}], "line 2: the answer of the case: wanted a text, found nothing"),
        ([EVIDENCE[1], EVIDENCE[1]], "line 6: '2' occurs twice"),
        (
            [{"case_id": "1", "prediction": [{"answer_id": "1"}]}],
            "the evidence_id of the prediction: wanted a list",
        ),
        ([], "empty file"),
        ({}, "the file: wanted a list of objects"),
    ],
)
def test_an_odd_file_is_an_error_with_its_line(cases, message):
    with pytest.raises(InputError) as caught:
        read(cases)
    assert message in str(caught.value)
