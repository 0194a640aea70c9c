"""The results and the gold of a topic as plain arrays have the data of the run and the assessments."""

import math

import numpy as np
import pytest

import doxel
from doxel.errors import InputError

pytestmark = pytest.mark.usefixtures("own_table")

GOLD = [("1", "a", 10, 30), ("1", "a", 20, 40), ("1", "b", 0, 5), ("2", "c", 0, 9)]
RUN = [("1", "a", 0, 20), ("1", "a", 15, 50), ("1", "x", 0, 10), ("1", "b", 0, 5)]


@pytest.fixture
def topics():
    """Return the results and the gold of each topic, as a function gets them."""
    arrays = {}

    @doxel.measure
    def looks(results, gold):
        arrays[len(arrays) + 1] = (results, gold)
        return 0.0

    doxel.evaluate(RUN, GOLD, looks)
    return arrays


def test_results_have_places_sizes_and_new_text(topics):
    results, _ = topics[1]
    assert len(results) == 4
    assert results.doc.tolist() == ["a", "a", "x", "b"]
    assert results.start.tolist() == [0, 15, 0, 0]
    assert results.end.tolist() == [20, 50, 10, 5]
    assert results.size.tolist() == [20, 35, 10, 5]
    assert results.relevant.tolist() == [10, 25, 0, 5]  # the relevant text of a is 10 to 40
    assert results.new_size.tolist() == [20, 30, 10, 5]
    assert results.new_relevant.tolist() == [10, 20, 0, 5]
    assert results.grade.tolist()[:2] == [1, 1]
    assert math.isnan(results.grade[2])  # x was not judged
    assert np.isnan(results.score).all()


def test_gold_has_spans_as_assessed_and_judged_documents(topics):
    _, gold = topics[1]
    assert len(gold) == 3
    assert [gold.doc.tolist(), gold.start.tolist(), gold.end.tolist()] == [
        ["a", "a", "b"],
        [10, 20, 0],
        [30, 40, 5],
    ]
    assert gold.size.tolist() == [20, 20, 5]
    assert dict(zip(gold.documents, gold.grades, strict=True)) == {"a": 1, "b": 1}
    assert gold.total == 35


def test_a_topic_without_results_has_empty_arrays(topics):
    results, gold = topics[2]
    assert len(results) == len(results.size) == 0
    assert gold.total == 9


def test_the_head_of_results_is_cut_and_stays_within_its_topic(topics):
    assert topics[1][0].head(2).size.tolist() == [20, 35]
    assert len(topics[1][0].head(99)) == len(topics[1][0].head(None)) == 4


def test_arrays_are_read_only_because_other_measures_share_them(topics):
    with pytest.raises(ValueError, match="read-only"):
        topics[1][0].size[0] = 0


def test_grades_of_documents_need_no_positions_and_sizes_say_that_they_do():
    @doxel.measure
    def grades(results, gold):
        return float(np.nansum(results.grade) / gold.grades.sum())

    @doxel.measure
    def sizes(results, gold):
        return float(results.size.sum() / gold.total)

    run, qrels = {"1": {"a": 2.0, "b": 1.0, "x": 0.5}}, {"1": {"a": 2, "b": 0, "c": 2}}
    assert doxel.evaluate(run, qrels, grades).scores["score"].to_list() == [0.5]
    with pytest.raises(InputError, match=r"wanted a collection \(-c\), to find them in its documents"):
        doxel.evaluate(run, qrels, sizes)
    assert doxel.evaluate(run, qrels, [grades]).explain("run", "1", "grades").frame["grade"].to_list() == [
        2,
        0,
        None,
    ]
