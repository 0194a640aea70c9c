"""Judged shares and bpref (section 13), on topics written as arrays."""

import numpy as np
import pytest

from doxel.measures.chunks.judged_text import bpref_chars, judged_chars, judged_results
from doxel.measures.judged_views import JudgedReading, JudgedResults, JudgedText
from measures.arrays import F, each, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "judged_chars, judged_chars@1, judged_results, judged_results@2, bpref_chars")]

# (exact) run Z [0,50), A [50,150), B [0,100), A [100,300); Z is not judged
TEXT = JudgedText(rows([50, 100, 100, 150]), rows([0, 100, 100, 150]))
RESULTS = JudgedResults(rows([0, 1, 1, 1]), each(4))


def test_the_judged_shares_at_each_rank_equal_those_computed_by_hand():
    shares = [judged_chars(TEXT, cutoff=rank).item() for rank in (1, 2, None)]
    assert shares == exactly([0, F(2, 3), F(7, 8)])
    shares = [judged_results(RESULTS, cutoff=rank).item() for rank in (1, 2, 4, 9, None)]
    assert shares == exactly([0, F(1, 2), F(3, 4), F(3, 4), F(3, 4)])


def test_a_topic_without_text_or_results_has_no_share():
    empty = np.zeros((1, 0))
    assert np.isnan(judged_chars(JudgedText(empty, empty), cutoff=5)).all()
    assert np.isnan(judged_chars(JudgedText(rows([0, 10]), rows([0, 10])), cutoff=1)).all()
    assert np.isnan(judged_results(JudgedResults(empty, each(0)), cutoff=None)).all()


@pytest.mark.parametrize(("nonrelevant", "score"), [(0, F(1, 2)), (50, F(1, 4)), (100, 0), (1000, 0)])
def test_bpref_charges_at_most_as_many_characters_as_there_are_relevant_ones(nonrelevant, score):
    # 50 of 100 relevant characters, after so many non-relevant ones
    view = JudgedReading(rows([50]), rows([nonrelevant]), rows([3]), each(100))
    assert bpref_chars(view).tolist() == exactly([score])


def test_bpref_adds_up_stretches_of_one_rank_and_of_several():
    # 10 characters after 0, 20 after 5 of the same result, 10 after 40 of a later one; R = 40
    view = JudgedReading(rows([10, 20, 10]), rows([0, 5, 40]), rows([1, 1, 2]), each(40))
    assert bpref_chars(view).tolist() == exactly([(10 + 20 * F(35, 40)) / 40])
