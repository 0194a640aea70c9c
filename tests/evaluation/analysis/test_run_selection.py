"""Runs are chosen by name, by pattern, by rank, and as the baseline."""

from __future__ import annotations

import polars as pl
import pytest

from doxel.errors import InputError
from doxel.evaluation.analysis.run_selection import MOST_DRAWN, choose_drawn_runs, choose_runs, rank_runs
from doxel.evaluation.evaluation_result import Evaluation


def make_result(measure="char_rec@5", **scores):
    rows = [(run, "1", measure, float(score)) for run, score in scores.items()]
    return Evaluation(pl.DataFrame(rows, schema=["run", "topic", "measure", "score"], orient="row"))


RESULT = make_result(
    **{"bm25": 0.3, "bm25-rm3": 0.5, "dense": 0.9, "a,b": 0.1, "best:1": 0.2, "none": float("nan")}
)


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        ("dense", ["dense"]),
        ("dense, bm25", ["bm25", "dense"]),
        ("bm25*", ["bm25", "bm25-rm3"]),
        ("bm25-*,best:2", ["bm25-rm3", "dense"]),
        (["best:2", "a,b"], ["bm25-rm3", "dense", "a,b"]),
        ("best:1", ["best:1"]),
        ("baseline", ["bm25"]),
        ("*", ["bm25", "bm25-rm3", "dense", "a,b", "best:1", "none"]),
        ("best:99", ["bm25", "bm25-rm3", "dense", "a,b", "best:1"]),
        ("d?nse", ["dense"]),
    ],
)
def test_a_selection_names_runs_in_the_order_of_the_result(selection, chosen):
    assert choose_runs(RESULT, selection) == chosen


def test_the_baseline_may_be_named():
    assert choose_runs(RESULT, "baseline", baseline="dense") == ["dense"]


def test_the_best_of_a_measure_of_cost_is_the_lowest():
    costs = make_result("read(recall=1)", a=3, b=1, c=2)
    assert rank_runs(costs) == ["b", "c", "a"]
    assert choose_runs(costs, "best:2") == ["b", "c"]


def test_the_measure_of_the_best_can_be_chosen():
    both = Evaluation(pl.concat([make_result(a=1, b=2).scores, make_result("P@5", a=2, b=1).scores]))
    assert rank_runs(both) == ["b", "a"]
    assert rank_runs(both, "P@5") == ["a", "b"]


def test_runs_of_other_tasks_are_no_error_and_are_not_chosen():
    assert choose_runs(RESULT, "dense, other", elsewhere=["other"]) == ["dense"]
    assert choose_runs(RESULT, "o*", elsewhere=["other"]) == []


@pytest.mark.parametrize(
    ("selection", "message"),
    [("bm52", "found 'bm52'; did you mean bm25?"), ("x*", "wanted a run (bm25, "), (" , ", "found none")],
)
def test_a_selection_without_runs_is_an_error(selection, message):
    with pytest.raises(InputError) as caught:
        choose_runs(RESULT, selection)
    assert message in str(caught.value)


def test_an_error_lists_each_known_run_once():
    with pytest.raises(InputError, match=r"\(bm25, bm25-rm3, dense, a,b, best:1, \.\.\.\)"):
        choose_runs(RESULT, "zzz", elsewhere=["dense", "bm25"])
    two = make_result(x=1, y=2)
    with pytest.raises(InputError, match=r"wanted a run \(x, y\), a pattern"):
        choose_runs(two, "zzz", elsewhere=["x", "y"])


def test_few_runs_are_all_drawn_and_of_many_the_best_with_the_baseline():
    assert choose_drawn_runs(RESULT, None) == (["bm25", "bm25-rm3", "dense", "a,b", "best:1", "none"], [])
    many = make_result(**{f"run{number}": number for number in range(MOST_DRAWN + 2)})
    drawn, behind = choose_drawn_runs(many, ())
    assert drawn == ["run0", *(f"run{number}" for number in range(3, 10))]
    assert len(drawn) == MOST_DRAWN
    assert behind == ["run1", "run2"]
    assert choose_drawn_runs(many, "*") == ([*many.scores["run"]], [])
