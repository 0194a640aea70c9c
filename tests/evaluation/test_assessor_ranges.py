"""The range of scores over assessors: per topic, and of means."""

import math

import pytest

from doxel.errors import InputError
from doxel.evaluation import evaluate

GOLD = [("1", "d", 0, 100), ("2", "d", 0, 10)]
RUN = [("1", "d", 0, 50), ("2", "d", 0, 5)]
NAMES = ["run", "topic", "score", "assessors_low", "assessors_high"]


def test_a_topic_has_the_lowest_and_the_highest_score_over_its_assessors():
    others = [[("1", "d", 0, 200)], [("1", "d", 0, 50)]]
    result = evaluate(RUN, GOLD, "char_rec", assessors=others)
    assert result.scores.select(NAMES).rows() == [("run", "1", 0.5, 0.25, 1.0), ("run", "2", 0.5, 0.5, 0.5)]


def test_the_range_of_a_mean_takes_the_lowest_and_the_highest_of_each_topic():
    others = [[("1", "d", 0, 200), ("2", "d", 0, 5)], [("1", "d", 0, 50), ("2", "d", 0, 20)]]
    (mean,) = evaluate(RUN, GOLD, "char_rec", assessors=others).means.iter_rows(named=True)
    assert (mean["score"], mean["assessors_low"], mean["assessors_high"]) == (0.5, 0.25, 1.0)


def test_judgements_under_which_a_topic_is_undefined_do_not_count():
    nothing = [{"topic": "1", "doc": "d"}]
    result = evaluate(RUN, [{"topic": "3", "doc": "d"}, *_rows(GOLD)], "char_rec", assessors=[nothing])
    rows = {row["topic"]: row for row in result.scores.iter_rows(named=True)}
    assert (rows["1"]["assessors_low"], rows["1"]["assessors_high"]) == (0.5, 0.5)
    assert math.isnan(rows["3"]["assessors_low"])
    assert result.means["assessors_low"].to_list() == [0.5]


def test_the_note_counts_the_topics_with_several_assessors():
    result = evaluate(RUN, GOLD, "char_rec", assessors=[[("1", "d", 0, 50)]])
    (note,) = (warning for warning in result.warnings if warning.code == "S125")
    assert (note.topics, note.effect) == (1, "none")
    assert note.startswith("1 topic was judged by several assessors")


def test_the_official_measures_of_each_run_are_those_of_the_assessments():
    result = evaluate(RUN, GOLD, assessors=[GOLD])
    assert (result.scores["assessors_low"] == result.scores["score"]).all()
    assert result.scores["measure"].n_unique() > 5


def test_a_further_assessor_needs_a_topic_of_the_assessments():
    with pytest.raises(InputError, match="wanted topics of the assessments, found the topics 9"):
        evaluate(RUN, GOLD, "char_rec", assessors=[[("9", "d", 0, 50)]])


def test_assessors_are_a_list():
    with pytest.raises(InputError, match="assessors: wanted a sequence"):
        evaluate(RUN, GOLD, "char_rec", assessors="other.jsonl")


def test_residuals_are_those_of_the_first_assessments():
    run = [*RUN, ("1", "z", 0, 50)]
    alone, both = (
        evaluate(run, GOLD, "char_prec", residual=True, **more) for more in ({}, {"assessors": [GOLD]})
    )
    assert both.scores["residual"].to_list() == alone.scores["residual"].to_list() == [0.5, 0.0]


def _rows(spans):
    return [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in spans]
