"""The data of a report: everything by index, plain values only, and one part per task."""

from __future__ import annotations

import json

import pytest

from doxel.evaluation.analysis.findings import ReportSettings, SourceFile, examine_runs
from doxel.reports.report_data import REPORT_FORMAT, build_report_data, select_task
from evaluation.small_inputs import run_of

GOLD = [("1", "d", 10, 30), ("2", "d", 0, 5), ("3", "e", 0, 5)]
RUNS = {"a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 10), ("3", "e", 0, 5)], "c": [("1", "d", 10, 30)]}
OVERLAPPING = {"twice": [("1", "d", 0, 9), ("1", "d", 0, 5)], **RUNS}
TASKS = [
    run_of(("1", "d", 0, end), ("2", "d", 0, end), id=name, task=task)
    for name, task, end in (
        ("a", "focused", 9),
        ("b", "thorough", 5),
        ("c", "focused", 30),
        ("d", "thorough", 30),
    )
]


def examine(runs=RUNS, measures=("MAiP", "char_rec@1"), **settings):
    return examine_runs(runs, GOLD, list(measures), settings=ReportSettings(resamples=100, **settings))


@pytest.fixture(scope="module")
def data():
    """The data of a report of three runs, with titles of two topics and one file."""
    return build_report_data(
        examine(show=("2",), baseline="b"),
        title="A page",
        files=[SourceFile("run", "a.run", 9, "00")],
        topic_titles={"1": "apples", "2": "pears"},
        options={"limit": 5, "path": ("x", float("inf"))},
        explain_command="doxel explain -a gold",
    )


def test_the_data_are_plain_json(data):
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert (data["format"], data["title"]) == (REPORT_FORMAT, "A page")


def test_scores_are_by_measure_run_and_topic(data):
    assert data["runs"] == ["a", "b", "c"]
    assert data["topics"] == [
        {"id": "1", "title": "apples"},
        {"id": "2", "title": "pears"},
        {"id": "3", "title": None},
    ]
    assert data["measures"] == ["MAiP", "char_rec@1"]
    assert data["scores"][1] == [[1, 0, 0], [0, 1, 1], [1, 0, 0]]
    assert [mean["score"] for mean in data["means"][1]] == pytest.approx([1 / 3, 2 / 3, 1 / 3])
    assert [mean["topics"] for mean in data["means"][1]] == [3, 3, 3]


def test_a_rejected_run_has_no_scores_but_a_reason():
    data = build_report_data(examine(OVERLAPPING, curves=("iP",)), title="")
    assert data["runs"][0] == "twice"
    rejecting = data["measures"].index("MAiP")
    assert (data["scores"][rejecting][0], data["means"][rejecting][0]) == (None, None)
    assert data["scores"][1 - rejecting][0] is not None
    (row,) = data["skipped"]
    assert (row["run"], row["what"]) == ("twice", ["MAiP", "the curve iP"])
    assert "overlap" in row["reason"]


def test_runs_of_a_pair_are_indices(data):
    assert data["baseline"] == 1
    for comparison in data["comparisons"]:
        assert [(pair["run"], pair["other"]) for pair in comparison["pairs"]] == [(0, 1), (2, 1)]


def test_letters_are_shown_for_tukeys_test_only(data):
    assert data["comparisons"][0]["groups"] == {}
    tukey = build_report_data(examine(test="tukey"), title="")
    assert set(tukey["comparisons"][0]["groups"]) == {"0", "1", "2"}


def test_agreement_has_one_row_and_column_per_measure(data):
    for name in ("tau", "rbo"):
        matrix = data["agreement"][name]
        assert [matrix[0][0], matrix[1][1]] == [1, 1]
    assert data["agreement"]["tau"][0][1] == data["agreement"]["tau"][1][0]
    alone = build_report_data(examine({"a": RUNS["a"]}), title="")
    assert (alone["agreement"], alone["overlap"], alone["comparisons"]) == (None, None, [None, None])


def test_documents_and_explanations_refer_to_runs_by_index(data):
    (document,) = data["documents"]
    assert (document["topic"], document["title"], document["doc"]) == ("2", "pears", "d")
    assert document["highlights"] == [[0, 5]]
    assert list(document["results"]) == ["1"]  # only b has results for the topic
    (result,) = document["results"]["1"]
    row = dict(zip(document["columns"], result, strict=True))
    assert (row["rank"], row["start"], row["end"], row["relevant"]) == (1, 0, 10, 5)
    assert data["explain"]["before"] == "doxel explain -a gold"
    assert data["explain"]["files"] == [None, None, None]
    cells = {(cell["run"], cell["topic"], cell["measure"]) for cell in data["explain"]["cells"]}
    assert cells == {(run, "2", measure) for run in range(3) for measure in range(2)}


def test_files_and_options_are_in_the_data(data):
    assert data["files"] == [{"role": "run", "name": "a.run", "bytes": 9, "sha256": "00"}]
    assert data["options"] == {"limit": 5, "path": ["x", None]}
    assert (data["parameters"]["baseline"], data["parameters"]["resamples"]) == ("b", 100)
    assert data["collection"] is None


def test_a_task_is_selected_with_its_own_indices():
    data = build_report_data(examine(TASKS, ["char_rec@1", "char_prec@1"]), title="")
    thorough, focused = data["tasks"]
    assert [task["name"] for task in data["tasks"]] == ["thorough", "focused"]
    assert (focused["runs"], thorough["runs"]) == ([0, 2], [1, 3])
    assert data["comparisons"] == [None, None]  # runs of different tasks are not compared
    part = select_task(data, thorough)
    assert (part["task"], part["runs"], part["baseline"]) == ("thorough", ["b", "d"], 0)
    assert part["means"][0] == [data["means"][0][1], data["means"][0][3]]
    (pair,) = part["comparisons"][0]["pairs"]
    assert (pair["run"], pair["other"]) == (1, 0)


def test_a_task_without_comparison_or_baseline_is_selected():
    report = {"runs": ["a", "b"], "means": [[1, 2]], "title": "kept"}
    task = {"name": "focused", "runs": [1], "baseline": None, "comparisons": [None]}
    assert select_task(report, task) == {
        "runs": ["b"],
        "means": [[2]],
        "title": "kept",
        "task": "focused",
        "baseline": None,
        "comparisons": [None],
    }
