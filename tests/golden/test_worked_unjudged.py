"""Worked numbers of unjudged text: section 13 of measures.md, marked (exact) there."""

import pytest

from doxel.evaluation import evaluate
from measures.arrays import F

GOLD = [{"topic": "1", "doc": "A", "start": 100, "end": 200}, {"topic": "1", "doc": "B"}]
RUN = [("1", "Z", 0, 50), ("1", "A", 50, 150), ("1", "B", 0, 100), ("1", "A", 100, 300)]


def exactly(*values):
    return [pytest.approx(float(value), rel=1e-12, abs=1e-15) for value in values]


def scores(run, gold, names, **options):
    return evaluate(run, gold, names, **options).scores["score"].to_list()


def optimistic(run, gold, names, **options):
    frame = evaluate(run, gold, names, residual=True, **options).scores
    pairs = frame.select("score", "optimistic", "residual").rows()
    assert [residual for _, _, residual in pairs] == exactly(*(hope - score for score, hope, _ in pairs))
    return [value for score, hope, _ in pairs for value in (score, hope)]


def test_the_judged_shares_equal_the_worked_ones():
    assert scores(RUN, GOLD, "judged_chars@1,2, judged_chars") == exactly(0, F(2, 3), F(7, 8))
    assert scores(RUN, GOLD, "judged_results@1,2, judged_results") == exactly(0, F(1, 2), F(3, 4))


def test_precision_with_and_without_unjudged_results_equals_the_worked_one():
    names = "char_prec@1,2, char_prec"
    assert scores(RUN, GOLD, names) == exactly(0, F(1, 3), F(1, 4))
    assert scores(RUN, GOLD, names, unjudged="nonrelevant") == exactly(0, F(1, 3), F(1, 4))
    removed = exactly(F(1, 2), F(1, 4), F(2, 7))
    assert scores(RUN, GOLD, names, unjudged="remove") == removed
    assert scores(RUN, GOLD, "char_prec(unjudged=remove)@1,2, char_prec(unjudged=remove)") == removed


def test_optimistic_scores_equal_the_worked_ones():
    names = "char_prec, char_rec@1,2, char_f1, MAiP(task=thorough)"
    worked = (F(1, 4), F(3, 8), 0, F(1, 3), F(1, 2), F(2, 3), F(2, 5), F(6, 11), F(59, 202), F(275, 404))
    assert optimistic(RUN, GOLD, names) == exactly(*worked)


def test_bpref_equals_the_worked_one():
    assert scores(RUN, GOLD, "bpref_chars") == exactly(F(1, 4))


def test_a_residual_is_negative_where_the_recall_base_swells():
    gold = [{"topic": "1", "doc": "A", "start": 0, "end": 100}, {"topic": "1", "doc": "B"}]
    run = [("1", doc, 0, 100) for doc in "ABZ"]
    worked = (1, F(2, 3), 1, F(253, 303), 1, F(5, 6), 1, 0.9197207891)
    hopes = optimistic(run, gold, "iP@1, MAiP, AP, nDCG")
    assert hopes[:-1] == exactly(*worked[:-1])
    assert hopes[-1] == pytest.approx(worked[-1], abs=1e-10)
    # unjudged text after the cutoff does not count: with all of Z, char_rec@1 would fall to 1/2
    assert optimistic(run, gold, "char_rec@1") == [1, 1]


def test_the_first_gold_span_found_is_not_a_bound():
    gold = [{"topic": "1", "doc": "A", "start": 0, "end": 100}]
    run = [("1", "Z", 0, 10), ("1", "Z", 10, 100)]
    assert optimistic(run, gold, "span_RR", on_mismatch="score") == exactly(0, F(1, 2))
    # were only [0, 10) relevant, it would be 1
    assert scores(run, [*gold, {"topic": "1", "doc": "Z", "start": 0, "end": 10}], "span_RR") == [1]
