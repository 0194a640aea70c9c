"""Results that are kept with the scores of a run, compared with measures."""

from __future__ import annotations

import polars as pl

import doxel

GOLD = [("1", "d", 10, 30), ("1", "d", 40, 50), ("1", "e", 0, 100), ("2", "d", 0, 10)]


def test_counts_of_kept_results_equal_those_of_the_measures():
    run = [("1", "d", 0, 20), ("1", "d", 15, 45), ("1", "e", 50, 60), ("2", "x", 0, 9), ("3", "d", 0, 1)]
    result = doxel.evaluate(run, GOLD, ["char_rec@2", "char_rec@3", "char_prec@3"], keep=3)
    results = result.results
    assert results is not None
    assert results["topic"].to_list() == ["1", "1", "1", "2"]  # topic 3 was not assessed
    first = results.filter(topic="1")
    scores = dict(result.scores.filter(topic="1").select("measure", "score").iter_rows())
    assert first["new_relevant"].head(2).sum() / 130 == scores["char_rec@2"]
    assert first["new_relevant"].sum() / 130 == scores["char_rec@3"]
    assert first["new_relevant"].sum() / first["new"].sum() == scores["char_prec@3"]
    assert first["relevant"].to_list() == [10, 20, 10]  # counted by hand
    assert doxel.evaluate(run, GOLD, "char_rec@2", keep=1).results["rank"].to_list() == [1, 1]
    assert doxel.evaluate(run, GOLD, "char_rec@2").results is None


def test_an_entry_point_is_kept_as_an_empty_span():
    gold = [{"topic": "1", "doc": "d", "bep": 3}]
    results = doxel.evaluate([("1", "d", 4, 4)], gold, "BEPD(A=1, L=100)", keep=2).results
    assert results.select("start", "end", "new").row(0) == (4, 4, 0)


def evaluated(results, gold, collection=None):
    result = doxel.evaluate(results, gold, "char_rec@5", collection=collection, keep=10)
    return result.results


def test_kept_results_have_declared_columns():
    from doxel.evaluation.run_scorer import KEPT_RESULTS

    results = evaluated([("1", "d", 5, 50)], [("1", "d", 10, 30)])
    assert dict(results.schema) == KEPT_RESULTS.schema
    assert results.select(pl.all().is_null().sum()).row(0) == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0)  # no path


def test_a_run_of_the_focused_task_that_overlaps_itself_is_named():
    from evaluation.small_inputs import run_of

    spans = [("1", "d", 0, 20), ("1", "d", 15, 45)]
    message = (
        "mine: the focused task allows no overlap, "
        "but results overlap earlier ones: 1 result, first in topic 1 at rank 2"
    )
    assert message in doxel.evaluate(run_of(*spans, task="focused"), GOLD, "char_rec@5").warnings
    assert message in doxel.evaluate(run_of(*spans), GOLD, "char_rec@5", task="focused").warnings
    for run in (run_of(*spans, task="thorough"), run_of(*spans), run_of(*spans[:1], task="focused")):
        assert not any("focused" in warning for warning in doxel.evaluate(run, GOLD, "char_rec@5").warnings)
