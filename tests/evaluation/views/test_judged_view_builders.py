"""The views of judged text, from a run: text is read once, and unjudged documents are skipped."""

import numpy as np

from doxel.evaluation import evaluate

GOLD = [{"topic": "1", "doc": "A", "start": 100, "end": 200}, {"topic": "1", "doc": "B"}]


def score(run, measure, gold=GOLD, **options):
    return evaluate(run, gold, measure, **options).scores["score"].to_list()


def test_text_that_was_read_before_counts_once():
    run = [("1", "A", 0, 100), ("1", "A", 50, 150), ("1", "Z", 0, 50)]
    assert score(run, "judged_chars@1,2,3") == [1, 1, 0.75]


def test_a_result_without_place_counts_by_its_document():
    run = [("1", "A", -1, -1), ("1", "Z", -1, -1), ("1", "B", 0, 10)]
    assert score(run, "judged_results@1,2,3") == [1, 1 / 2, 2 / 3]
    assert np.isnan(score(run, "judged_chars@2")).all()


def test_the_rank_of_a_result_and_its_start_decide_what_is_read_first():
    # [150, 180) is read at rank 1; rank 2 starts with 50 characters that are not relevant
    run = [("1", "A", 150, 180), ("1", "Z", 0, 999), ("1", "A", 50, 150)]
    assert score(run, "bpref_chars") == [(30 + 50 * (1 - 50 / 100)) / 100]


def test_topics_do_not_charge_each_other():
    gold = [*GOLD, {"topic": "2", "doc": "A", "start": 0, "end": 10}]
    run = [("1", "B", 0, 60), ("1", "A", 100, 200), ("2", "A", 0, 10)]
    assert score(run, "bpref_chars", gold) == [1 - 60 / 100, 1]


def test_judged_results_need_no_positions():
    run = [
        {"topic": "1", "doc": "A", "path": "/article[1]"},
        {"topic": "1", "doc": "Z", "path": "/article[1]"},
    ]
    assert score(run, "judged_results") == [0.5]
