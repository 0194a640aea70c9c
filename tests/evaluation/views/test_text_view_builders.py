"""The views of text: characters read, values of results, scores of articles, and plain arrays."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation.views.text_view_builders import (
    build_read_text,
    build_topic_arrays,
    build_valued_text,
    score_articles,
)
from evaluation.laid_out import IDEAL_RULES, grade_elements, lay_out, results_of

GOLD = [("1", "d", 10, 30), ("2", "e", 0, 10)]


def value(run, gold=GOLD, collection=None, *, alpha=1.0, task="focused", quant="spec"):
    return build_valued_text(
        lay_out(run, gold, collection), task=task, alpha=alpha, quant=quant, **IDEAL_RULES
    )


def score(run, gold, by, *, collection=None, beta=1.0, n=100.0, tolerance=10.0):
    """Return the score of each article of a run that holds relevant text."""
    ranked = lay_out(run, gold, collection)
    group = np.flatnonzero(ranked.article_pair >= 0)
    return score_articles(
        ranked, group, ranked.first_of_article[group], by, beta=beta, n=n, tolerance=tolerance
    ).tolist()


def test_text_that_was_shown_before_is_not_new():
    view = build_read_text(lay_out([("1", "d", 0, 20), ("1", "d", 15, 40), ("2", "e", 5, 15)], GOLD))
    assert view.size.tolist() == [[20, 25], [10, 0]]
    assert view.relevant.tolist() == [[10, 15], [5, 0]]
    assert view.new_size.tolist() == [[20, 20], [10, 0]]
    assert view.new_relevant.tolist() == [[10, 10], [5, 0]]
    assert view.total.tolist() == [20, 10]


def test_each_topic_has_its_results_and_gold_as_columns():
    gold = [*GOLD, ("1", "x", 3, 9)]
    view = build_topic_arrays(lay_out([("1", "d", 0, 20), ("1", "z", 0, 5), ("2", "e", 5, 15)], gold))
    first, second = view.results
    assert first.doc.tolist() == ["d", "z"]
    assert (first.start.tolist(), first.end.tolist()) == ([0, 0], [20, 5])
    assert np.isnan(first.grade[1])  # z was not judged
    assert second.relevant.tolist() == [5]
    assert (view.gold[0].doc.tolist(), view.gold[0].size.tolist()) == (["d", "x"], [20, 6])
    assert [part.total for part in view.gold] == [26, 10]


def test_highlighted_text_is_worth_less_the_second_time():
    run = [("1", "d", 10, 20), ("1", "d", 0, 25), ("1", "d", 12, 18), ("1", "d", 10, 20)]
    # the second contains the first, worth 10; the third was shown in full; the fourth is a repeat
    assert value(run, alpha=0.0).value[0].tolist() == [10, 15, 6, 0]
    assert value(run, alpha=1.0).value[0].tolist() == [10, 5, 0, 0]
    assert value(run, alpha=0.5).value[0].tolist() == [10, 15 - 0.5 * 10, 0.5 * 6, 0]


def test_a_result_that_crosses_an_earlier_one_loses_the_characters_they_share():
    # [5, 15) and [12, 22) share [12, 15), which is relevant
    run = [("1", "d", 5, 15), ("1", "d", 12, 22)]
    assert value(run, alpha=0.5).value[0].tolist() == [5, 10 - 0.5 * 3]


def test_in_thorough_the_relevant_text_of_all_elements_is_the_total(trees):
    gold = [("1", "d", 0, 10)]  # in a and in b
    assert value(results_of("/a[1]"), gold, trees, task="thorough").total.tolist() == [20]
    assert value(results_of("/a[1]"), gold, trees).total.tolist() == [10]


def test_values_from_grades_are_specificity_times_size(trees):
    grades = grade_elements("2003", b=("3", "3"), c=("2", "1"))
    run = results_of("/a[1]/c[1]", "/a[1]/b[1]")
    view = value(run, grades, trees, quant="gen2003", alpha=0.0)
    assert view.value.tolist() == [[15 / 3, 10]]
    assert view.total.tolist() == [15 / 3 + 10]
    # only b is ideal; in Thorough a counts, too
    nested = grade_elements("2003", b=("3", "3"), a=("1", "1"))
    assert value(run, nested, trees, quant="gen2003").total.tolist() == [10]
    thorough = value(run, nested, trees, quant="gen2003", task="thorough")
    assert thorough.total.tolist() == pytest.approx([10 + 25 / 3])
    # e is seen in full with c
    exact = grade_elements("2003", e=("3", "3"), c=("2", "1"))
    run = results_of("/a[1]/c[1]", "/a[1]/c[1]/e[1]")
    assert value(run, exact, trees, quant="gen2003", alpha=0.25).value.tolist() == [[15 / 3, 0.75 * 5]]
    grades_of_2002 = grade_elements("2002", b=("3", "E"))
    with pytest.raises(MeasureError, match="the coverage of 2002 is not a scale"):
        value(run, grades_of_2002, trees, quant="gen2002")


def test_f_beta_weighs_the_precision_and_recall_of_an_article():
    # 10 of 25 characters are relevant, of 20 in all: P 0.4, R 0.5
    run = [("1", "d", 0, 15), ("1", "d", 10, 15), ("1", "d", 25, 35)]
    assert score(run, GOLD, "f") == [pytest.approx(2 * 0.4 * 0.5 / 0.9)]
    assert score(run, GOLD, "f", beta=2.0) == [pytest.approx(5 * 0.4 * 0.5 / (4 * 0.4 + 0.5))]


def test_an_entry_point_loses_with_its_distance_from_the_best_one():
    gold = [{"topic": "1", "doc": doc, "bep": 50} for doc in "dexy"]
    run = [("1", "d", 30, 30), ("1", "e", 150, 150), ("1", "x", 50, 50), ("1", "y", 400, 400)]
    assert score(run, gold, "bep", n=100.0) == [1 - 20 / 100, 0, 1, 0]


@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [
        (5, 0),  # the reader gives up before the first relevant character
        (6, 6 / (6 + 6)),  # [5, 8) and [14, 17) after 5 irrelevant characters, and one more
        (100, 12 / 25),  # the whole document
    ],
)
def test_retrieved_text_is_read_first_and_then_the_gaps(trees, tolerance, expected):
    # d has 25 characters; [5, 17) is relevant; [0, 8) and [14, 20) are retrieved
    run, gold = [("1", "d", 0, 8), ("1", "d", 14, 20)], [("1", "d", 5, 17)]
    assert score(run, gold, "t2i", collection=trees, tolerance=tolerance) == [expected]


def test_an_article_whose_results_were_not_found_is_not_read(trees):
    gold = [("1", "d", 0, 25)]
    assert score(results_of("/a[1]/z[1]"), gold, "t2i", collection=trees) == [0]
    assert score(results_of("/a[1]/b[1]"), gold, "t2i", collection=trees) == [1]


def test_tolerance_needs_the_size_of_each_document():
    with pytest.raises(InputError, match='score="t2i" needs the size of each document'):
        score([("1", "d", 0, 15)], GOLD, "t2i")
    assert score([], GOLD, "t2i") == []
