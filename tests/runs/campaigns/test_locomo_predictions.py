"""Predictions for LoCoMo: retrieved turns and sessions become elements of the conversation."""

import json

import pytest

from documents.commands import doxel
from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.campaigns.locomo_predictions import LOCOMO_PREDICTIONS

QUESTIONS = [
    {"question": "Who?", "evidence": ["D1:3"], "category": 4, "prediction_context": ["D1:3", "S2", "D"]},
    {"question": "When?", "evidence": [], "category": 1},
]
SAMPLE = {"sample_id": "conv-1", "qa": QUESTIONS}


def read(content):
    return LOCOMO_PREDICTIONS.read(json.dumps(content, indent=1).encode(), "p.json")


@pytest.mark.parametrize("content", [SAMPLE, [SAMPLE, {"sample_id": "conv-2", "qa": []}]])
def test_turns_and_sessions_are_elements(content):
    assert read(content).results.select("topic", "doc", "rank", "path", "start").rows() == [
        ("conv-1:0", "conv-1", 1, "/conversation[1]/session[1]/turn[3]", None),
        ("conv-1:0", "conv-1", 2, "/conversation[1]/session[2]", None),
        ("conv-1:0", "conv-1", 3, None, -1),
    ]


@pytest.mark.parametrize("key", ["prediction", "gpt_prediction"])
def test_predictions_without_context_are_recognised_but_gold_is_not(key):
    question = {"question": "Who?", "evidence": ["D1:3"], "category": 4}
    for qa, is_run in (([{**question, key: "Ann"}], True), ([question], False)):
        assert LOCOMO_PREDICTIONS.recognises(json.dumps({"sample_id": "c", "qa": qa}).encode()) is is_run


def test_a_context_may_bear_the_name_of_its_system():
    question = {"evidence": ["D1:1"], "gpt_prediction_context": ["D1:1"]}
    assert read({"sample_id": "c", "qa": [question]}).results.height == 1


@pytest.mark.parametrize("content", [SAMPLE, [SAMPLE, {"sample_id": "conv-2", "qa": []}]])
def test_unchanged_predictions_are_written_as_they_were(content):
    data = LOCOMO_PREDICTIONS.write(read(content))
    assert json.loads(data) == content
    assert LOCOMO_PREDICTIONS.recognises(data)


def test_other_results_replace_the_contexts():
    rows = [
        {"topic": "conv-1:1", "doc": "conv-1", "rank": 2, "path": "/conversation[1]/session[2]"},
        {"topic": "conv-1:1", "doc": "conv-1", "rank": 1, "path": "/conversation[1]/session[1]/turn[7]"},
        {"topic": "new:1", "doc": "new", "rank": 1, "path": "/conversation[1]/session[4]/turn[2]"},
    ]
    run = Run("r", RESULTS.from_rows(rows), about=read(SAMPLE).about)
    first, second = json.loads(LOCOMO_PREDICTIONS.write(run))
    assert [question.get("prediction_context") for question in first["qa"]] == [None, ["D1:7", "S2"]]
    assert first["qa"][0]["question"] == "Who?"
    assert second == {
        "sample_id": "new",
        "qa": [{"evidence": []}, {"evidence": [], "prediction_context": ["D4:2"]}],
    }


@pytest.mark.parametrize(
    "row",
    [
        {"topic": "c:0", "path": "/conversation[1]"},
        {"topic": "d:0", "path": "/conversation[1]/session[1]"},
        {"topic": "c", "path": "/conversation[1]/session[1]"},
    ],
)
def test_other_places_than_turns_of_the_conversation_are_rejected(row):
    with pytest.raises(InputError, match="cannot be written as locomo"):
        LOCOMO_PREDICTIONS.write(Run("r", RESULTS.from_rows([{"doc": "c", **row}])))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"qa": []}, "line 1: the sample_id of the conversation"),
        ({"sample_id": "c"}, "line 1: the qa of the conversation: wanted a list, found nothing"),
        (
            {"sample_id": "c", "qa": [{"prediction_context": "D1:1"}]},
            "line 4: the prediction_context of the question: wanted a list, found 'D1:1'",
        ),
        (
            {"sample_id": "c", "qa": [{"prediction_context": [], "x_prediction_context": []}]},
            "line 4: the question: wanted one prediction_context, found prediction_context, x_",
        ),
        ([SAMPLE, SAMPLE], "'conv-1' occurs twice"),
        ([], "empty file"),
    ],
)
def test_an_odd_file_is_an_error_with_its_line(content, message):
    with pytest.raises(InputError) as caught:
        read(content)
    assert message in str(caught.value)


def test_spans_of_a_collection_are_handed_in_as_turns(tmp_path):
    turns = [
        {"speaker": "Ann", "dia_id": f"D1:{number}", "text": text}
        for number, text in ((1, "Hello."), (2, "Yes."))
    ]
    gold = {
        "sample_id": "c",
        "conversation": {"session_1": turns},
        "qa": [{"question": "?", "evidence": ["D1:2"]}],
    }
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "run.jsonl").write_text('{"topic": "c:0", "doc": "c", "start": 7, "end": 11}\n')
    assert doxel("ingest", tmp_path / "gold.json", "-o", tmp_path / "c.doxel").status == 0
    outcome = doxel(
        *("convert", tmp_path / "run.jsonl", tmp_path / "out.json", "--from", "runs:jsonl", "--to", "locomo"),
        *("-c", tmp_path / "c.doxel", "--lossy"),
    )
    assert outcome.status == 0, outcome.err
    assert json.loads((tmp_path / "out.json").read_text())["qa"][0]["prediction_context"] == ["D1:2"]
    scored = doxel(
        "evaluate", "-a", tmp_path / "gold.json", "--compat", "locomo", "-f", "tsv", tmp_path / "out.json"
    )
    assert "out\tall\trecall_acc\t1.0" in scored.out
