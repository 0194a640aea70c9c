"""Saving and loading results, and the fingerprints of their inputs."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from doxel import load_result
from doxel.documents import read_collection
from doxel.documents.collection import TextCollection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.evaluation.saved_results import describe_changed_inputs, fingerprint_inputs
from evaluation.small_inputs import GOLD, NOTHING, RUN, rows

TEXTS = {"a": "x" * 20, "b": "y" * 20, "c": "z" * 20}


@pytest.fixture
def result():
    gold = [*rows(GOLD), *NOTHING]
    return evaluate({"mine": RUN}, gold, ["char_rec@5", "read(recall=1)"], collection=TEXTS)


def test_a_loaded_result_is_the_saved_one(result, tmp_path):
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert_frame_equal(loaded.scores, result.scores)
    assert_frame_equal(loaded.means, result.means)
    assert loaded.parameters == dict(result.parameters)
    assert loaded.warnings == result.warnings
    assert loaded.tasks == result.tasks
    assert loaded.inputs.fingerprints == result.inputs.fingerprints
    scores = result.scores["score"]
    assert scores.is_nan().any()
    assert scores.is_infinite().any()


def test_a_saved_result_may_be_compressed_and_is_saved_again_unchanged(result, tmp_path):
    result.save(tmp_path / "a.json.gz")
    load_result(tmp_path / "a.json.gz").save(tmp_path / "b.json")
    result.save(tmp_path / "c.json")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "c.json").read_bytes()


def test_a_topic_that_is_called_all_is_a_topic(tmp_path):
    saved = evaluate(
        [("all", "a", 0, 5), ("1", "a", 0, 10)], [("all", "a", 0, 10), ("1", "a", 0, 10)], "char_rec@5"
    )
    saved.save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").scores["topic"].to_list() == ["all", "1"]
    assert load_result(tmp_path / "result.json").means["score"].to_list() == [0.75]


def test_means_that_are_not_those_of_topics_stay(tmp_path):
    overall = pl.DataFrame({"run": ["mine"], "measure": ["m"], "score": [0.9]})
    scores = pl.DataFrame({"run": "mine", "topic": ["1"], "measure": "m", "score": [0.5]})
    from doxel.evaluation import Evaluation

    Evaluation(scores, overall=overall).save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").means["score"].to_list() == [0.9]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "line 1: a saved result: wanted JSON of result.save"),
        ("[1]", "a saved result: wanted the JSON of"),
        ('{"scores": 3}', "scores of a saved result: wanted a list, found 3"),
        ('{"scores": [{"run": "a"}]}', "wanted rows with run, topic, measure and score"),
        ('{"scores": [{"run": "a", "topic": "1", "measure": "m", "score": "x"}]}', "wanted rows with run"),
        ('{"scores": [{"run": "a", "topic": "all", "measure": "m", "score": 1}]}', "wanted scores per topic"),
        ('{"scores": [], "parameters": 1}', "parameters of a saved result: wanted a dict, found 1"),
        ('{"scores": [], "fingerprints": {"x": 1}}', "fingerprints of a saved result: wanted assessments"),
    ],
)
def test_a_file_that_is_not_a_result_is_an_error(content, words, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(content)
    with pytest.raises(InputError, match=words) as error:
        load_result(path)
    assert error.value.file == str(path)


def test_a_result_that_cannot_be_written_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    path.write_text("old")
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        result.save(path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]


def fingerprint(gold, texts=None):
    return fingerprint_inputs(as_assessments(gold), None if texts is None else TextCollection(texts))


def test_a_fingerprint_covers_every_judgement():
    whole = fingerprint(rows(GOLD), TEXTS)
    changed = [*rows(GOLD[:-1]), {"topic": "3", "doc": "c", "start": 0, "end": 11}]
    for gold in (rows(GOLD[:-1]), [*rows(GOLD), *NOTHING], changed):
        assert fingerprint(gold, TEXTS).assessments != whole.assessments
    assert fingerprint(rows(GOLD)[::-1], TEXTS) == whole
    assert {
        topic for topic, digest in fingerprint(changed).topics.items() if digest != whole.topics[topic]
    } == {"3"}


def test_a_fingerprint_covers_names_and_texts_of_documents():
    whole = fingerprint(rows(GOLD), TEXTS)
    for texts in (
        {**TEXTS, "a": "other"},
        {**TEXTS, "d": ""},
        {"A": TEXTS["a"], "b": TEXTS["b"], "c": TEXTS["c"]},
    ):
        assert fingerprint(rows(GOLD), texts).collection != whole.collection
    unjudged = {**TEXTS, "d": "new"}
    assert fingerprint(rows(GOLD), unjudged).judged == whole.judged


def test_texts_and_an_ingested_collection_have_the_same_fingerprint(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "texts" / f"{name}.txt").write_text(text)
    ingest(tmp_path / "texts", tmp_path / "collection")
    collection = read_collection(tmp_path / "collection")
    assert collection.fingerprint == TextCollection(TEXTS).fingerprint
    ingested = fingerprint_inputs(as_assessments(rows(GOLD)), collection)
    assert ingested == fingerprint(rows(GOLD), TEXTS)


def test_equal_fingerprints_describe_no_change():
    assert describe_changed_inputs(fingerprint(rows(GOLD)), fingerprint(rows(GOLD))) == []


def test_scores_are_saved_with_full_precision(tmp_path):
    saved = evaluate([("1", "a", 0, 1)], [("1", "a", 0, 3)], "char_rec@5")
    saved.save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").scores["score"].to_list() == [1 / 3]
    assert not math.isnan(saved.scores["score"][0])


def test_gold_and_results_that_are_quoted_without_their_document_are_saved(tmp_path):
    result = evaluate({"q": ["ripe"]}, {"q": ["ripe apples"]}, "char_rec", collection={"a": "ripe apples"})
    result.save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").means["score"].to_list() == [4 / 11]


def test_an_aspect_changes_the_fingerprint_of_its_topic_only():
    gold = [{"topic": topic, "doc": "a", "start": 0, "end": 9} for topic in "12"]
    plain = fingerprint_inputs(as_assessments(gold), None)
    named = fingerprint_inputs(as_assessments([{**gold[0], "aspect": "x"}, gold[1]]), None)
    weight = {"topic": "1", "aspects": {"x": {"weight": 2}}}
    weighed = fingerprint_inputs(as_assessments([{**gold[0], "aspect": "x"}, gold[1], weight]), None)
    assert len({plain.topics["1"], named.topics["1"], weighed.topics["1"]}) == 3
    assert plain.topics["2"] == named.topics["2"] == weighed.topics["2"]


def test_residuals_and_ranges_over_assessors_are_saved_and_loaded(tmp_path):
    gold = [("1", "a", 0, 10), ("2", "a", 0, 10)]
    run = [("1", "a", 0, 10), ("1", "z", 0, 10)]
    names = ["char_prec", "judged_chars"]
    result = evaluate(run, gold, names, residual=True, assessors=[gold[:1]])
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert loaded.scores.columns == result.scores.columns
    assert loaded.scores.equals(result.scores.fill_null(float("nan")), null_equal=True)
    assert loaded.means.select("score", "residual").equals(result.means.select("score", "residual"))
