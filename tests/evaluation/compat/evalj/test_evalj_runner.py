"""A plan of EvalJ: its data is opened, and its runs are grouped by task and scored."""

from __future__ import annotations

import json

import pytest

from doxel.errors import InputError
from doxel.evaluation.compat.evalj.evalj_configuration import parse_properties, parse_xml_configuration
from doxel.evaluation.compat.evalj.evalj_runner import run_plan

# d is a[0,25) > b[0,10) c[10,25); [0, 10) is relevant: b gains 1, a 10/25, c nothing; b alone is ideal
SOURCE = "<a><b>0123456789</b><c>abcdefghijklmno</c></a>"
GOLD = {"topic": "1", "doc": "d", "start": 0, "end": 10}
RUNS = {"best": ["/a[1]/b[1]"], "second": ["/a[1]/c[1]", "/a[1]/b[1]"]}
METRICS = "METRICS: nxCG\nDCV: 1, 2\nOVERLAP: on\n"


def write_run(path, name, paths, task=None):
    """Write a run of topic 1 in the format of INEX; without a task as JSON lines."""
    if task is None:
        lines = [json.dumps({"topic": "1", "doc": "d", "path": element}) for element in paths]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return
    results = "".join(
        f"<result><file>d</file><path>{element}</path><rank>{rank}</rank></result>"
        for rank, element in enumerate(paths, 1)
    )
    path.write_text(
        f'<inex-submission participant-id="1" run-id="{name}" task="{task}" query="automatic">'
        f'<topic topic-id="1">{results}</topic></inex-submission>',
        "utf-8",
    )


@pytest.fixture
def folder(tmp_path):
    """A folder with sources, assessments and runs, as a configuration names them."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "d.xml").write_text(SOURCE, "utf-8")
    (tmp_path / "gold.jsonl").write_text(json.dumps(GOLD) + "\n", "utf-8")
    (tmp_path / "runs").mkdir()
    for name, paths in RUNS.items():
        write_run(tmp_path / "runs" / f"{name}.jsonl", name, paths)
    (tmp_path / "runs" / ".hidden").write_text("not a run", "utf-8")
    return tmp_path


def plan_of(folder, *lines, runs="runs", metrics=METRICS):
    data = {
        "ASSESSMENTS_DIR": folder / "gold.jsonl",
        "SUBMISSIONRUNS_DIR": f"{folder}/{runs}",
        "RESULTS_DIR": folder / "results",
        "INEXDOCCOLL_DIR": folder / "sources",
    }
    return parse_properties(
        metrics + "".join(f"{key}: {value}\n" for key, value in data.items()) + "\n".join(lines), "evalj.prop"
    )


def scores_of(outcome):
    table = outcome.scored.scores.select("run", "measure", "score")
    return {(run, measure.rpartition("@")[2]): score for run, measure, score in table.rows()}


EXPECTED = {("best", "1"): 1, ("best", "2"): 1, ("second", "1"): 0, ("second", "2"): 1}


def test_the_runs_of_a_folder_are_scored_on_a_temporary_collection(folder):
    outcome = run_plan(plan_of(folder))
    assert scores_of(outcome) == EXPECTED
    assert outcome.results == folder / "results"
    notes = [str(warning) for warning in outcome.scored.warnings]
    assert f"{folder}/sources: 1 document was read into a temporary collection" in notes


@pytest.mark.parametrize(
    ("runs", "names"),
    [("runs/*", {"best", "second"}), ("runs/se*", {"second"}), ("runs/best.jsonl", {"best"})],
)
def test_runs_are_a_pattern_that_ends_with_a_star_or_a_file(folder, runs, names):
    assert {run for run, _ in scores_of(run_plan(plan_of(folder, runs=runs)))} == names


def test_arguments_replace_the_data_of_the_configuration(folder):
    (folder / "other.jsonl").write_text(json.dumps({**GOLD, "start": 10, "end": 25}) + "\n", "utf-8")
    outcome = run_plan(
        plan_of(folder),
        runs=[str(folder / "runs" / "second.jsonl")],
        assessments=[str(folder / "other.jsonl")],
        results=str(folder / "elsewhere"),
    )
    assert scores_of(outcome) == {("second", "1"): 1, ("second", "2"): 1}
    assert outcome.results == folder / "elsewhere"


def test_the_recall_base_is_written_once_and_then_read(folder):
    plan = plan_of(folder, f"EXPANDED_FULLRB: {folder}/cached/base.frb")
    first, second = run_plan(plan), run_plan(plan)
    assert scores_of(first) == scores_of(second) == EXPECTED
    written, read = (" ".join(map(str, outcome.scored.warnings)) for outcome in (first, second))
    assert f"the full recall base was written to {folder}/cached/base.frb" in written
    assert f"the full recall base was read from {folder}/cached/base.frb" in read


def test_points_of_graphs_are_drawn_but_not_reported(folder):
    plain, graphs = run_plan(plan_of(folder)), run_plan(plan_of(folder), graphs=True)
    assert scores_of(graphs) == scores_of(plain)
    drawn = set(graphs.drawn.scores["measure"])
    assert set(graphs.scored.scores["measure"]) < drawn
    assert any(measure.endswith("@50") for measure in drawn)


def test_topics_without_results_count_if_all_do(folder):
    lines = [GOLD, {**GOLD, "topic": "2"}]
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert set(run_plan(plan_of(folder)).scored.scores["topic"]) == {"1"}
    every = run_plan(plan_of(folder), all_topics=True).scored.scores.filter(topic="2")
    assert every["score"].to_list() == [0] * 4


def test_metrics_apply_to_the_runs_of_their_task_and_to_those_without(folder):
    write_run(folder / "runs" / "thorough.xml", "deep", RUNS["best"], task="Thorough")
    write_run(folder / "runs" / "focused.xml", "sharp", RUNS["best"], task="Focused")
    outcome = run_plan(plan_of(folder, metrics=METRICS + "TASK: Focused\n"))
    assert {run for run, _ in scores_of(outcome)} == {"best", "second", "sharp"}
    assert "deep: 1 metric left out because the run's task is thorough" in map(str, outcome.scored.warnings)
    with pytest.raises(InputError, match="no run is of the configured task") as refusal:
        run_plan(plan_of(folder, metrics=METRICS + "TASK: Focused\n", runs="runs/thorough.xml"))
    assert refusal.value.found == "runs of thorough"


def test_an_unreadable_run_is_rejected_unless_it_is_the_only_one(folder):
    (folder / "runs" / "bad.run").write_text("this is not a run\n", "utf-8")
    for metrics in (METRICS, METRICS + "TASK: Focused\n"):
        outcome = run_plan(plan_of(folder, metrics=metrics))
        assert scores_of(outcome) == EXPECTED
        (rejection,) = outcome.scored.rejected
        assert rejection.measure == "all"
        assert "bad.run" in rejection.reason
        with pytest.raises(InputError, match=r"bad\.run"):
            run_plan(plan_of(folder, metrics=metrics, runs="runs/bad.run"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "the configuration does not name runs: wanted RUN..., or SUBMISSIONRUNS_DIR"),
        ({"runs": ["a.run"]}, "does not name a folder for the results: wanted -o DIR, or RESULTS_DIR"),
        ({"runs": ["a.run"], "results": "out"}, "does not name assessments: wanted -a ASSESSMENTS"),
    ],
)
def test_data_that_nothing_names_is_an_error(arguments, message):
    plan = parse_xml_configuration('<metrics><BEPD id="b"><a value="1"/></BEPD></metrics>', "evalj.xml")
    with pytest.raises(InputError, match=message):
        run_plan(plan, **arguments)


def test_a_folder_without_runs_is_an_error(folder):
    for runs in ("sources/x*", "nowhere/*", "results"):
        (folder / "results").mkdir(exist_ok=True)
        with pytest.raises(InputError, match="SUBMISSIONRUNS_DIR: wanted runs, found none in"):
            run_plan(plan_of(folder, runs=runs))
