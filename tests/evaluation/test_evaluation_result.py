"""The result of an evaluation: its tables, its repr, and what it leaves unchanged."""

import dataclasses

import pytest

from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.inputs.input_tables import as_assessments
from evaluation.small_inputs import GOLD, RUN, run_of


class TestTables:
    def test_rows_are_ordered_by_run_measure_and_assessed_topic(self):
        gold = [("10", "a", 0, 10), ("9", "a", 0, 10), ("x", "a", 0, 10)]
        runs = {"z": [("9", "a", 0, 5)], "a": [("x", "a", 0, 5)]}
        result = evaluate(runs, gold, ["char_rec", "char_prec"])
        assert result.scores.select("run", "measure", "topic").rows() == [
            (run, measure, topic)
            for run in ("z", "a")
            for measure in ("char_rec", "char_prec")
            for topic in ("10", "9", "x")
        ]
        assert result.means.select("run", "measure").rows() == [
            (run, measure) for run in ("z", "a") for measure in ("char_rec", "char_prec")
        ]
        assert result.scores.columns == ["run", "topic", "measure", "score"]
        assert result.means.columns == ["run", "measure", "score", "topics", "undefined"]

    def test_an_evaluation_is_frozen_and_has_a_repr(self):
        result = evaluate(RUN, GOLD, "char_rec@1,2")
        assert isinstance(result, Evaluation)
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.scores = None
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.rejected = ()
        assert repr(result) == "<Evaluation: runs 1, measures 2>"

    def test_printing_an_evaluation_shows_the_means(self):
        result = evaluate(RUN, GOLD, "char_rec@1,2")
        assert str(result) == f"<Evaluation: runs 1, measures 2>\n{result.means}"

    def test_inputs_are_not_modified(self):
        run, gold = run_of(*RUN), as_assessments(GOLD)
        before = run.results.clone(), gold.highlights.clone(), gold.judged.clone()
        evaluate(run, gold, ["char_rec", "MAgP"], on_invalid="repair")
        assert run.results.equals(before[0])
        assert gold.highlights.equals(before[1])
        assert gold.judged.equals(before[2])


class TestTasks:
    def test_runs_are_divided_by_the_task_they_were_scored_for(self):
        runs = [
            run_of(*RUN, id="a", task="thorough"),
            run_of(*RUN, id="b"),
            run_of(*RUN, id="c", task="focused"),
            run_of(*RUN, id="d", task="thorough", about={"task": "VCAS"}),
        ]
        result = evaluate(runs, GOLD, "char_rec")
        assert result.tasks == {"a": "thorough", "b": "focused", "c": "focused", "d": "VCAS"}
        parts = result.by_task()
        assert {task: part.means["run"].to_list() for task, part in parts.items()} == {
            "thorough": ["a"],
            "focused": ["b", "c"],
            "VCAS": ["d"],
        }
        assert not any(warning.startswith(("a: ", "d: ")) for warning in parts["focused"].warnings)
        assert any(warning.startswith("d: ") for warning in parts["VCAS"].warnings)

    def test_a_task_option_holds_for_all_runs(self):
        runs = [run_of(*RUN, id="a", task="thorough"), run_of(*RUN, id="b")]
        assert set(evaluate(runs, GOLD, "char_rec", task="focused").tasks.values()) == {"focused"}
