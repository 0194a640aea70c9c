"""Evidence F1 of QASPER's evaluator."""

import json

import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.qasper_figures import compute_evidence_f1


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        (["a", "b"], ["a"], 2 / 3),
        (["a", "a"], ["a"], 2 / 3),  # repeats are in the denominator
        (["a"], ["a", "a"], 2 / 3),
        ([], [], 1),
        (["a"], [], 0),
        ([], ["a"], 0),
    ],
)
def test_f1_against_one_annotator(predicted, gold, f1):
    assert compute_evidence_f1(predicted, gold) == pytest.approx(f1, rel=1e-15)


@pytest.fixture
def gold(tmp_path):
    def answer(*evidence, unanswerable=False):
        return {"answer": {"unanswerable": unanswerable, "evidence": list(evidence)}}

    answers = [answer("One.", "FLOAT SELECTED: x"), answer("Two."), answer("ignored", unanswerable=True)]
    qas = [{"question_id": name, "question": "?", "answers": answers} for name in ("q1", "q2")]
    (tmp_path / "gold.json").write_text(json.dumps({"p": {"full_text": [], "qas": qas}}))
    return tmp_path / "gold.json"


@pytest.mark.parametrize(("name", "score"), [("qasper", 2 / 3), ("qasper-text", 1.0)])
def test_the_best_annotator_counts_and_an_unanswered_question_is_0(gold, tmp_path, name, score):
    (tmp_path / "p.jsonl").write_text(
        json.dumps({"question_id": "q1", "predicted_evidence": ["One."]}) + "\n"
    )
    result = doxel.evaluate(tmp_path / "p.jsonl", gold, name)
    assert result.scores["score"].to_list() == [pytest.approx(score), 0]
    assert result.means["score"][0] == pytest.approx(score / 2)


def test_results_with_texts_are_enough_and_spans_are_not(gold):
    assert (
        doxel.evaluate([{"topic": "q1", "text": "Two.", "doc": "p"}], gold, "evidence_F1").scores["score"][0]
        == 1
    )
    with pytest.raises(InputError, match="wanted predictions of QASPER, or results with the texts"):
        doxel.evaluate([("q1", "p", 0, 5)], gold, "qasper")
