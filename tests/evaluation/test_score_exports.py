"""Scores in the shapes of other tools, and the hashes of what was scored."""

import hashlib
import json
import math

import pytest

from documents.commands import doxel as command
from doxel import evaluate, read_collection
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import Evaluation

GOLD = {"1": {"a": 1, "b": 1}, "2": {"a": 0, "b": 2}}
RUN = {"1": {"a": 0.9}, "2": {"a": 0.8, "b": 0.7}}


@pytest.fixture
def result():
    return evaluate(RUN, GOLD, "AP, RR")


def test_scores_by_topic_as_pytrec_eval_returns_them(result):
    assert result.to_pytrec_eval() == {"1": {"AP": 0.5, "RR": 1.0}, "2": {"AP": 0.5, "RR": 0.5}}


def test_scores_by_measure_as_ranx_keeps_them(result):
    assert result.to_ranx() == {"AP": {"1": 0.5, "2": 0.5}, "RR": {"1": 1.0, "2": 0.5}}


def test_scores_as_a_pandas_frame(result):
    frame = result.to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "score"]
    assert frame.set_index(["measure", "topic"])["score"].to_dict() == {
        ("AP", "1"): 0.5,
        ("AP", "2"): 0.5,
        ("RR", "1"): 1.0,
        ("RR", "2"): 0.5,
    }


def test_scores_as_metrics_of_ir_measures(result):
    ir_measures = pytest.importorskip("ir_measures")
    metrics = result.to_ir_measures()
    assert {(metric.query_id, metric.measure): metric.value for metric in metrics} == {
        ("1", ir_measures.AP): 0.5,
        ("2", ir_measures.AP): 0.5,
        ("1", ir_measures.RR): 1.0,
        ("2", ir_measures.RR): 0.5,
    }
    spans = evaluate([("1", "a", 0, 5)], [("1", "a", 0, 10)], "char_rec@5").to_ir_measures()
    provided = pytest.importorskip("doxel.ir_measures")
    assert [(metric.query_id, metric.measure, metric.value) for metric in spans] == [
        ("1", provided.char_rec @ 5, 0.5)
    ]


@pytest.mark.parametrize("method", ["to_pytrec_eval", "to_ranx", "to_ir_measures"])
def test_one_of_several_runs_must_be_named(method):
    pytest.importorskip("ir_measures")
    result = evaluate({"mine": RUN, "yours": RUN}, GOLD, "AP")
    assert getattr(result, method)("mine") == getattr(evaluate(RUN, GOLD, "AP"), method)()
    with pytest.raises(InputError, match="a run: wanted one of mine, yours, found none"):
        getattr(result, method)()
    with pytest.raises(InputError, match="a run: wanted one of mine, yours, found 'theirs'"):
        getattr(result, method)("theirs")


def test_undefined_scores_stay_undefined():
    result = evaluate({"1": {"a": 0.9}}, {"1": {"a": 1}, "2": {"a": 0}}, "AP")
    assert math.isnan(result.to_pytrec_eval()["2"]["AP"])


# ---- hashes


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_json_names_the_hash_of_every_input(demo):
    run, gold = demo.runs[0], demo.assessments["qrels"]
    outcome = command(
        *("evaluate", "-a", gold, "-t", demo.topics, "-c", demo.collection),
        *("-m", "char_rec", "-f", "json", run),
    )
    inputs = {row["role"]: row for row in json.loads(outcome.out)["inputs"]}
    assert list(inputs) == ["run", "assessments", "collection", "topics"]
    assert inputs["run"] == {"role": "run", "name": str(run), "sha256": sha(run)}
    assert inputs["assessments"]["sha256"] == sha(gold)
    collection = read_collection(demo.collection)
    same = evaluate(str(run), str(gold), "char_rec", collection=collection).hash_inputs()
    assert same[-1]["sha256"] == inputs["collection"]["sha256"]


def test_a_folder_has_one_hash_that_changes_with_its_files(tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    hashes = [evaluate([("1", "a", 0, 5)], folder, "char_rec").hash_inputs()[1]["sha256"] for _ in range(2)]
    assert hashes[0] == hashes[1]
    (folder / "b.jsonl").write_text('{"topic": "2", "doc": "a", "start": 0, "end": 5}\n')
    assert evaluate([("1", "a", 0, 5)], folder, "char_rec").hash_inputs()[1]["sha256"] != hashes[0]


def test_plain_data_have_the_hash_of_their_rows():
    gold = [("1", "a", 0, 5)]
    run, same, other = (
        [("1", "a", 0, 5)],
        [{"topic": 1, "doc": "a", "start": 0, "end": 5}],
        [("1", "a", 0, 4)],
    )
    hashes = [
        evaluate(data, gold, "char_rec", collection={"a": "abcdef"}).hash_inputs()
        for data in (run, same, other)
    ]
    assert hashes[0] == hashes[1]
    assert hashes[0][0]["sha256"] != hashes[2][0]["sha256"]
    assert [row["role"] for row in hashes[0]] == ["run", "assessments", "collection"]
    changed = evaluate(run, gold, "char_rec", collection={"a": "abcdeF"}).hash_inputs()
    assert changed[2]["sha256"] != hashes[0][2]["sha256"]


def test_scores_alone_have_no_inputs(result):
    assert Evaluation(result.scores).hash_inputs() == []
