"""The views of text: what was read and found so far, and what a topic needs to count."""

import numpy as np
import pytest

from doxel.measures.text_views import (
    SHARE_SHOWN,
    Articles,
    DocumentRanking,
    GoldSpans,
    MarkedText,
    OverlapRanks,
    ReadingOrder,
    ReadText,
    RetrievedArticles,
    ValuedText,
    reach_grade,
)
from measures.arrays import each, overlapping_chunks, rows


def quantities_of(view):
    """Return the quantities of a view by name, for its first topic."""
    return {quantity.symbol: quantity.compute(view, {})[0].tolist() for quantity in view.quantities}


def test_text_is_read_and_found_once_but_paid_each_time():
    view = overlapping_chunks(ReadText)  # sizes 100 100 100, of which 100 50 100 are new; relevant 50 50 0
    assert view.read.tolist() == [[100, 150, 250]]
    assert view.paid.tolist() == [[100, 200, 300]]
    assert view.found.tolist() == [[50, 100, 100]]
    assert quantities_of(view)["P[r]"] == [1 / 2, 100 / 150, 100 / 250]
    assert quantities_of(view)["R[r]"] == [1 / 2, 1, 1]


def test_the_best_precision_is_that_of_the_best_rank_from_here_on():
    assert overlapping_chunks(ReadText).best_precision.tolist() == [[100 / 150, 100 / 150, 100 / 250, 0]]


def test_values_are_shared_by_what_was_read_and_by_all_relevant_text():
    view = ValuedText(value=rows([30, 10]), size=rows([40, 40]), total=each(50))
    assert quantities_of(view) == {"rval": [30, 10], "P(k)": [30 / 40, 40 / 80], "R(k)": [30 / 50, 40 / 50]}


def test_generalised_precision_is_the_mean_score_so_far():
    view = Articles(score=rows([1, 0, 0.5]), relevant=rows([1, 0, 1]), length=each(3), total=each(4))
    assert view.generalised_precision.tolist() == [[1, 1 / 2, 1.5 / 3]]
    assert quantities_of(view)["gR"] == [1 / 4, 1 / 4, 2 / 4]


def test_gold_spans_are_counted_at_the_rank_that_finds_them():
    view = GoldSpans(reached=rows([2, 0, 2, 3], [1, 0, 0, 0]), spans=each(4, 1))
    assert view.found.tolist() == [[0, 2, 1], [1, 0, 0]]
    assert quantities_of(view)["f(k)"] == [0, 2, 3]
    assert GoldSpans(rows([0]), each(1)).found.shape == (1, 0)


@pytest.mark.parametrize(
    "view",
    [
        ReadText(rows([1], [1]), rows([1], [1]), rows([1], [1]), rows([1], [1]), each(0, 5)),
        ValuedText(rows([1], [1]), rows([1], [1]), each(0, 5)),
        Articles(rows([1], [1]), rows([1], [1]), each(1, 1), each(0, 5)),
        RetrievedArticles(rows([1], [1]), each(1, 1), each(0, 5)),
        GoldSpans(rows([1], [1]), each(0, 5)),
        ReadingOrder(rows([1], [1]), rows([1], [1]), each(0, 5), rows([1], [1]), rows([1], [1])),
        MarkedText(rows([1], [1]), rows([1], [1]), rows([1], [1]), each(0, 5)),
    ],
    ids=lambda view: type(view).__name__,
)
def test_a_topic_counts_if_it_has_something_relevant(view):
    assert view.defined.tolist() == [False, True]


def test_every_topic_counts_for_overlap_and_no_overlap_is_shown_as_undefined():
    view = OverlapRanks(overlaps_from=rows([2, np.inf]), length=each(2))
    assert view.defined.tolist() == [True]
    first, never = quantities_of(view)["overlaps from"]
    assert first == 2
    assert np.isnan(never)


def test_a_document_is_relevant_from_the_grade_of_the_measure_on():
    assert reach_grade(rows([0, 1, 2]), {}).tolist() == [[False, True, True]]
    assert reach_grade(rows([0, 1, 2]), {"rel": 2}).tolist() == [[False, False, True]]
    # topic 1 has its only document of grade 2 among those that were not retrieved
    view = DocumentRanking(grade=rows([1], [1], [0]), missed=rows([], [2], [0]))
    assert view.defined.tolist() == [True, True, False]
    assert view.find_defined({"rel": 2}).tolist() == [False, True, False]
    assert view.find_defined({"rel": 3}).tolist() == [False, False, False]


def test_relevant_articles_retrieved_are_counted_per_topic():
    assert RetrievedArticles(rows([1, 0, 1], [0]), each(3, 1), each(2, 2)).found.tolist() == [2, 0]


def test_the_limit_counts_articles_where_articles_are_ranked():
    assert [view.limited_by for view in (Articles, DocumentRanking, ReadText)] == ["articles"] * 2 + [
        "results"
    ]


def test_half_of_a_gold_span_is_enough_by_default():
    assert SHARE_SHOWN.default == 0.5
    assert SHARE_SHOWN in GoldSpans.parameters
