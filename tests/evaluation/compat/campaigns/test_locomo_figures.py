"""The recall of LoCoMo's program, with its faults."""

import json

import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.locomo_figures import compute_recall


@pytest.mark.parametrize(
    ("evidence", "context", "recall"),
    [
        (["D1:3", "D2:2"], ["D2:2", "D2:3"], 0.5),
        (["D1:1", "D1:1", "D2:1"], ["D1:1"], 2 / 3),  # a repeated turn counts twice
        ([], ["D1:1"], 1),
        (["D1:1"], None, 1),
        (["D1:1"], [], 1),
        (["D1:2", "D2:5"], ["S1"], 0.5),
        (["D1:2"], ["D1:1", "S1"], 0),  # the first entry decides that these are turns
        (["D1:1; D2:2"], ["D1:1", "D2:2"], 0),
    ],
)
def test_recall_of_a_question(evidence, context, recall):
    assert compute_recall(evidence, context) == recall


def test_questions_that_the_predictions_lack_are_left_out(tmp_path):
    turns = [{"dia_id": f"D1:{number}", "text": "x"} for number in (1, 2)]
    questions = [{"question": "?", "evidence": ["D1:1"]}, {"question": "!", "evidence": ["D1:2"]}]
    gold = {"sample_id": "c", "conversation": {"session_1": turns}, "qa": questions}
    run = {"sample_id": "c", "qa": [{**questions[0], "prediction_context": ["D1:2"]}]}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "run.json").write_text(json.dumps(run))
    result = doxel.evaluate(tmp_path / "run.json", tmp_path / "gold.json", compat="locomo")
    assert result.means["score"].to_list() == [0.0]
    assert any(
        "1 assessed topic has no answer (c:1) and is left out of the mean" in text for text in result.warnings
    )
    element = [{"topic": "c:1", "doc": "c", "path": "/conversation[1]/session[1]/turn[2]"}]
    result = doxel.evaluate(element, tmp_path / "gold.json", compat="locomo")
    assert result.scores["score"].to_list()[1] == 1.0


def test_gold_of_another_format_is_refused():
    with pytest.raises(InputError, match="wanted gold of LoCoMo"):
        doxel.evaluate([("1", "1", 0, 5)], [("1", "1", 0, 5)], compat="locomo")
