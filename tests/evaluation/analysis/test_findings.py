"""Findings for a report: its measures, its baseline, and the hashes of its files."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

import doxel
from documents.commands import write_files
from doxel.documents.collection import TextCollection
from doxel.errors import InputError
from doxel.evaluation.analysis.findings import ReportSettings, examine_runs, hash_source_files
from doxel.evaluation.inputs.input_tables import as_assessments


def test_a_report_without_scores_raises_an_error():
    twice = [("1", "d", 0, 9), ("1", "d", 0, 5)]
    with pytest.raises(InputError, match="no run has a score: found run: results overlap"):
        examine_runs(twice, [("1", "d", 10, 30)], ["MAiP"])


def test_points_of_curves_are_not_reported_as_measures():
    gold = [("1", "d", 10, 30), ("2", "d", 0, 5)]
    runs = {"a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 9)]}
    findings = examine_runs(
        runs, gold, ["MAiP", "iP@0.5"], settings=ReportSettings(curves=("iP",), resamples=100)
    )
    assert findings.measures == ("MAiP", "iP@0.5")
    assert findings.points.curve("iP").height == 2 * 2 * 101
    assert findings.baseline == "a"
    by_hand = doxel.evaluate(runs, gold, ["MAiP", "iP@0.5"], residual=True)
    assert findings.evaluation.scores.equals(by_hand.scores)
    assert findings.agreement is not None
    assert findings.intervals.height == 4


def test_a_folder_has_one_hash(tmp_path):
    folder = write_files(tmp_path / "in", {"a.txt": "one", "b/c.txt": "two"})
    (source,) = hash_source_files("assessments", [folder])
    digests = [hashlib.sha256(text).hexdigest() for text in (b"one", b"two")]
    listed = f"a.txt\0{digests[0]}\nb/c.txt\0{digests[1]}\n"
    assert (source.bytes, source.sha256) == (6, hashlib.sha256(listed.encode()).hexdigest())
    write_files(folder, {"b/c.txt": "too"})
    assert hash_source_files("assessments", [folder])[0].sha256 != source.sha256


def test_the_main_measure_is_one_that_most_runs_have():
    gold = [("1", "d", 10, 30), ("2", "d", 0, 5)]
    runs = {"twice": [("1", "d", 0, 9), ("1", "d", 0, 5)], "a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 9)]}
    settings = ReportSettings(resamples=100)
    findings = examine_runs(runs, gold, ["MAiP", "char_rec@5", "char_rec@1"], settings=settings)
    assert findings.main == "char_rec@5"  # MAiP rejects results that overlap
    assert findings.baseline == "twice"
    without = examine_runs(runs, gold, ["MAiP"], settings=settings)
    assert (without.main, without.baseline) == ("MAiP", "a")
    assert without.all_runs == ("twice", "a", "b")


GOLD = [("1", "d", 10, 30), ("2", "d", 0, 5), ("3", "d", 0, 5)]
RUNS = {"a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 9)]}


def examine(**settings):
    measures = ["MAiP", "char_rec@1"]
    return examine_runs(RUNS, GOLD, measures, settings=ReportSettings(resamples=100, **settings))


def test_the_scores_of_shown_topics_are_explained():
    findings = examine(show=("2", "1"))
    explained = [(each.run, each.measure, each.topic) for each in findings.explanations]
    measures = ("MAiP", "char_rec@1")
    assert explained == [(run, name, topic) for run in "ab" for name in measures for topic in ("2", "1")]
    scores = {
        row[:3]: row[3]
        for row in findings.evaluation.scores.select("run", "measure", "topic", "score").iter_rows()
    }
    assert all(each.score == scores[each.run, each.measure, each.topic] for each in findings.explanations)
    assert examine(show=()).explanations == []
    assert len({each.topic for each in examine(shown_topics=2).explanations}) == 2


def test_of_many_runs_only_the_main_measure_is_explained(monkeypatch):
    monkeypatch.setattr("doxel.evaluation.analysis.findings._MOST_EXPLANATIONS", 7)
    findings = examine(show=("1", "2"))
    assert {each.measure for each in findings.explanations} == {findings.main} == {"MAiP"}


def test_of_many_runs_only_those_in_colour_are_explained():
    runs = {f"run{end}": [("1", "d", 5, end)] for end in range(12, 24)}
    findings = examine_runs(runs, GOLD, ["char_rec@1"], settings=ReportSettings(resamples=100, show=("1",)))
    explained = [each.run for each in findings.explanations]
    assert explained == ["run12", *(f"run{end}" for end in range(17, 24))]  # the baseline and the best seven
    of_two_runs = replace(findings, settings=ReportSettings(show=("1",), runs=("run13", "run15")))
    assert [each.run for each in of_two_runs.explanations] == ["run13", "run15"]


def test_the_file_of_a_run_is_known_if_there_is_one(tmp_path):
    write_files(tmp_path, {"x.jsonl": '{"topic": "1", "doc": "d", "start": 5, "end": 50}\n'})
    file = str(tmp_path / "x.jsonl")
    findings = examine_runs({"a": file, "b": RUNS["b"]}, GOLD, ["MAiP"])
    assert [findings.find_file(run) for run in ("a", "b", "c")] == [file, None, None]


def test_the_file_of_a_run_with_passage_ids_is_known(tmp_path):
    write_files(tmp_path, {"x.run": "1 Q0 d:5-50 1 0.5 x\n"})
    file = str(tmp_path / "x.run")
    findings = examine_runs(file, GOLD, ["char_rec@1"], passage_ids=True)
    assert findings.find_file("x") == file


def test_each_task_has_its_own_baseline_and_curves():
    from evaluation.small_inputs import run_of

    gold = [("1", "d", 10, 30), ("2", "d", 0, 5)]
    runs = [
        run_of(("1", "d", 5, 50), id="a", task="focused"),
        run_of(("2", "d", 0, 9), id="b", task="thorough"),
        run_of(("2", "d", 0, 4), id="c", task="thorough"),
    ]
    settings = ReportSettings(resamples=100, baseline="c")
    findings = examine_runs(runs, gold, ["MAiP", "char_rec@5"], settings=settings)
    assert {task: part.runs for task, part in findings.tasks.items()} == {
        "focused": ("a",),
        "thorough": ("b", "c"),
    }
    assert {task: part.baseline for task, part in findings.tasks.items()} == {"focused": "a", "thorough": "c"}
    assert findings.tasks["thorough"].comparisons["MAiP"].runs == ("b", "c")
    assert findings.tasks["focused"].comparisons == {}
    assert [curve.name for curve in findings.tasks["thorough"].curves] == ["iP", "char_rec"]
    other_findings = examine_runs(runs[1:], gold, ["MAiP"], settings=settings)
    assert other_findings.tasks == {}


def test_without_measures_each_task_has_the_curves_of_its_own_set():
    from evaluation.small_inputs import run_of

    gold = replace(as_assessments([("1", "d", 10, 30), ("2", "d", 0, 5)]), format="qrels")
    runs = [
        run_of(("1", "d", 5, 50), id="a", task="focused"),
        run_of(("2", "d", 0, 9), id="b", task="relevant-in-context"),
    ]
    documents = TextCollection({"d": "x" * 100})
    findings = examine_runs(runs, gold, collection=documents, settings=ReportSettings(resamples=100))
    names = {task: {curve.name for curve in part.curves} for task, part in findings.tasks.items()}
    assert names["focused"] == {"iP"}
    assert all("gP" in name for name in names["relevant-in-context"])


def test_quoted_gold_is_found_in_the_collection():
    texts = TextCollection({"d": "All ripe apples are red."})
    findings = examine_runs(
        {"a": [("1", "d", 4, 15)]},
        [{"topic": "1", "doc": "d", "text": "ripe apples"}],
        ["char_rec"],
        collection=texts,
    )
    assert findings.evaluation.means["score"].to_list() == [1.0]
