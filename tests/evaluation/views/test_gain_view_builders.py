"""The views of gains, worked out by hand on one small tree and on bare spans.

The tree is a[0,25) > b[0,10) c[10,25) > e[20,25); with b and e highlighted, q (the highlighted share) is
a 15/25, b 1, c 5/15, e 1, and b and e are ideal.
"""

from __future__ import annotations

import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation.views.gain_view_builders import (
    build_article_gains,
    build_browse_gains,
    build_concept_space,
    build_gain_vectors,
    build_ranked_relevance,
    build_tied_levels,
    list_ideal_articles,
    list_ideal_elements,
)
from evaluation.laid_out import IDEAL_RULES, grade_elements, lay_out, results_of

A, B, C, E = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/c[1]/e[1]"
GOLD = [("1", "d", 0, 10), ("1", "d", 20, 25)]
GAINS = {"quant": "spec", "overlap": "on", "partial": "children", "cap": "auto", "exclude_tags": None}
GRADES = {"b": ("3", "3"), "c": ("2", "1"), "a": ("3", "2")}


def gain_vectors(ranked, *, task="focused", alpha=1.0, **changes):
    return build_gain_vectors(ranked, task=task, alpha=alpha, **{**GAINS, **IDEAL_RULES, **changes})


def test_in_focused_the_gains_of_relatives_share_the_room_of_the_ideal_elements(trees):
    # a leaves b (charged first, in document order) 2/5 of its room; a second showing is worth nothing
    view = gain_vectors(lay_out(results_of(A, B, E), GOLD, trees))
    assert view.gains.tolist() == [[0.6, 0, 0]]
    assert view.ideal.tolist() == [[1, 1]]
    assert view.divisor.tolist() == [2]
    details = view.details()
    assert details["q"].tolist() == [[0.6, 1, 1]]
    assert details["overlap"].tolist() == [[0, 1, 1]]
    assert details["room"][0].tolist() == pytest.approx([2, 0.4, 1])


def test_without_overlap_every_result_has_its_full_gain(trees):
    ranked = lay_out(results_of(A, B, E), GOLD, trees)
    view = gain_vectors(ranked, overlap="off")
    assert view.gains.tolist() == [[0.6, 1, 1]]
    assert view.divisor.tolist() == [3]  # more ranks gain than there are ideal elements
    assert set(view.details()) == {"q", "overlap"}


@pytest.mark.parametrize(
    ("cap", "alpha", "of_b"),
    # a has used 0.6 of the room of b; half of the gain of b is left if it was seen before
    [("auto", 0.5, 0.4), ("off", 0.5, 0.5), ("on", 0.5, 0.4), ("auto", 0.0, 1), ("on", 0.0, 0.4)],
)
def test_the_cap_limits_gains_if_overlap_counts_or_always_or_never(trees, cap, alpha, of_b):
    view = gain_vectors(lay_out(results_of(A, B), GOLD, trees), alpha=alpha, cap=cap)
    assert view.gains[0].tolist() == pytest.approx([0.6, of_b])


def test_in_thorough_every_relevant_element_is_ideal(trees):
    view = gain_vectors(lay_out(results_of(E, B, B), GOLD, trees), task="thorough", alpha=0.0)
    assert view.gains.tolist() == [[1, 1, 0]]  # the repeat gains nothing
    assert view.ideal.tolist() == [[1, 1, 15 / 25, 5 / 15]]
    assert view.divisor.tolist() == [4]


def test_thorough_counts_overlap_by_alpha_alone(trees):
    ranked = lay_out(results_of(A, B), GOLD, trees)
    assert gain_vectors(ranked, task="thorough", alpha=1.0, overlap="off").gains.tolist() == [[0.6, 0]]


def test_without_elements_gold_spans_that_overlap_are_one_ideal_unit():
    gold = [("1", "x", 0, 10), ("1", "x", 5, 20), ("1", "y", 0, 4)]
    view = gain_vectors(lay_out([("1", "x", 0, 40), ("1", "x", 10, 20), ("1", "z", 0, 4)], gold))
    assert view.gains.tolist() == [[20 / 40, 0, 0]]
    assert view.ideal.tolist() == [[1, 1]]
    assert view.divisor.tolist() == [2]


def test_a_chunk_draws_only_on_the_gold_spans_with_which_it_shares_text():
    gold = [("1", "x", 0, 10), ("1", "x", 10, 20)]
    assert gain_vectors(lay_out([("1", "x", 10, 12), ("1", "x", 0, 10)], gold)).gains.tolist() == [[1, 1]]


def test_chunks_that_gain_count_in_the_divisor_if_they_outnumber_the_gold_spans():
    # the second chunk is all relevant, but the first has used half of the only gold span
    view = gain_vectors(lay_out([("1", "x", 5, 15), ("1", "x", 0, 5)], [("1", "x", 0, 10)]))
    assert view.gains.tolist() == [[0.5, 0.5]]
    assert view.divisor.tolist() == [2]


def test_relevance_is_a_probability_and_only_ideal_elements_count_in_the_ideal_base(trees):
    ranked = lay_out(results_of(C, B, B), GOLD, trees)
    options = {"quant": "spec", "exclude_tags": None, **IDEAL_RULES}
    full = build_ranked_relevance(ranked, base="full", **options)
    assert full.relevance.tolist() == [[5 / 15, 1, 0]]
    assert full.total.tolist() == pytest.approx([15 / 25 + 1 + 5 / 15 + 1])
    ideal = build_ranked_relevance(ranked, base="ideal", **options)
    assert ideal.relevance.tolist() == [[0, 1, 0]]
    assert ideal.total.tolist() == [2]


def test_results_with_the_same_rank_form_a_level(trees):
    run = [row | {"rank": rank} for row, rank in zip(results_of(B, C, B), (1, 1, 2), strict=True)]
    options = {"quant": "spec", "base": "full", "exclude_tags": None, **IDEAL_RULES}
    view = build_tied_levels(lay_out(run, GOLD, trees), ties="rank", **options)
    assert view.first.tolist() == [[0, 0, 2]]
    assert view.last.tolist() == [[1, 1, 2]]
    assert (view.length.tolist(), view.distinct.tolist()) == ([3], [2])


def test_the_concept_space_has_grades_between_0_and_1(trees):
    # exhaustivity and specificity from 0 to 3: c is (2, 1), a is (3, 2), b is (3, 3)
    ranked = lay_out(results_of(C, A, C), grade_elements("2003", **GRADES), trees)
    view = build_concept_space(ranked, grades="normalised", exclude_tags=None)
    assert view.exhaustivity.tolist() == [[2 / 3, 1, 0]]
    assert view.specificity.tolist() == [[1 / 3, 2 / 3, 0]]
    assert view.size.tolist() == [[15, 25, 15]]
    assert view.seen.tolist() == [[0, 15 / 25, 1]]
    assert view.total.tolist() == pytest.approx([(2 + 3 + 3) / 3])
    strict = build_concept_space(ranked, grades="strict", exclude_tags="b")
    assert strict.exhaustivity.tolist() == [[0, 1, 0]]
    assert strict.total.tolist() == [1]


def test_the_concept_space_needs_grades_of_two_dimensions(trees):
    ranked = lay_out(results_of(A), GOLD, trees)
    with pytest.raises(MeasureError, match="these assessments are on the scale of 2006"):
        build_concept_space(ranked, grades="normalised", exclude_tags=None)


def test_articles_gain_by_their_roots_in_order_of_first_occurrence(trees):
    gold = [*GOLD, ("1", "f", 0, 5)]
    run = [*results_of(E), *results_of("/a[1]/b[1]", doc="f"), *results_of(B)]
    view = build_article_gains(lay_out(run, gold, trees), quant="spec", exclude_tags=None)
    assert view.gains.tolist() == [[15 / 25, 1]]
    assert view.ideal.tolist() == [[1, 15 / 25]]


def test_browsing_ranks_the_results_inside_each_relevant_article(trees):
    gold = [*GOLD, ("1", "f", 0, 5)]
    run = [*results_of(C), *results_of("/a[1]", doc="f"), *results_of(B)]
    view = build_browse_gains(lay_out(run, gold, trees), quant="spec", exclude_tags=None)
    assert view.articles.gains.tolist() == [[5 / 15, 1], [1, 0]]
    assert view.rank.tolist() == [[1, 3], [2, 0]]
    assert view.articles.ideal.tolist() == [[1, 1, 15 / 25, 5 / 15], [1, 1, 0, 0]]
    assert view.spread(view.articles.gains).tolist() == [[5 / 15, 1, 1]]


def test_ideal_rankings_list_elements_articles_or_gold_spans_by_gain(trees):
    ranked = lay_out(results_of(A), GOLD, trees)
    options = {"quant": "spec", "exclude_tags": None}
    focused = list_ideal_elements(ranked, 0, task="focused", **options, **IDEAL_RULES)
    assert focused.select("path", "start", "end", "gain").rows() == [(B, 0, 10, 1), (E, 20, 25, 1)]
    thorough = list_ideal_elements(ranked, 0, task="thorough", **options, **IDEAL_RULES)
    assert thorough["path"].to_list() == [B, E, A, C]
    assert list_ideal_articles(ranked, 0, **options).select("path", "gain").rows() == [(A, 15 / 25)]
    bare = list_ideal_elements(
        lay_out([("1", "x", 0, 1)], [("1", "x", 3, 9)]), 0, task="focused", **options, **IDEAL_RULES
    )
    assert bare.select("doc", "path", "start", "end", "gain").rows() == [("x", None, 3, 9, 1)]


def test_article_gains_need_elements():
    with pytest.raises(InputError, match="element measures need the elements of the judged documents"):
        build_article_gains(lay_out([("1", "x", 0, 1)], [("1", "x", 3, 9)]), quant="spec", exclude_tags=None)
