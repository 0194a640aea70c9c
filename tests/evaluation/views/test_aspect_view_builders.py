"""Aspects of a run: results that touch spans, ideal lists of spans, and the text that each result adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.evaluation.views.aspect_view_builders import (
    build_aspect_text,
    build_shown_aspects,
    find_touched_spans,
    list_ideal_gains,
    list_shown_aspects,
)
from evaluation import laid_out

SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), max_size=7)


def lay_out(gold, run=(("1", "a", 0, 1),)):
    return laid_out.lay_out(run, gold)


def name(doc, start, end, aspect=None, topic="1"):
    return {"topic": topic, "doc": doc, "start": start, "end": end, "aspect": aspect}


@given(results=SPANS.filter(bool), gold=SPANS.filter(bool))
def test_touched_spans_are_all_pairs_that_share_text(results, gold):
    run = [("1", "a", start, start + size) for start, size in results]
    ranked = lay_out([("1", "a", start, start + size) for start, size in gold], run)
    spans = ranked.assessed.aspects.spans
    touched = list(zip(*(column.tolist() for column in find_touched_spans(ranked, spans)), strict=True))
    expected = [
        (number, place, shared)
        for number, (_, _, start, end) in enumerate(run)
        for place, (first, size) in enumerate(gold)
        if (shared := min(end, first + size) - max(start, first)) > 0
    ]
    assert touched == expected


@pytest.mark.parametrize(("alpha", "gains"), [(0.5, [3, 1.5, 1, 0.75]), (1, [3, 1]), (0, [3, 3, 3, 1])])
def test_the_ideal_list_takes_the_span_that_gains_most(alpha, gains):
    """y weighs 2; three spans have the aspects x and y, and z lies elsewhere."""
    gold = [
        *(name("a", start, start + 10, aspect) for start in (0, 20, 40) for aspect in "xy"),
        name("b", 0, 5, "z"),
        {"topic": "1", "aspects": {"y": {"weight": 2}}},
    ]
    ideal_gains = list_ideal_gains(lay_out(gold).assessed, alpha=alpha, share=0.5)
    assert ideal_gains.tolist() == [gains]


def test_of_equal_gains_the_shorter_span_comes_first():
    """Two spans of x gain 3.  After the longer one, z would complete y at once and gain 3 instead of 2."""
    gold = [
        name("a", 0, 10, "x"),
        name("a", 90, 110, "x"),
        name("a", 100, 130, "y"),
        name("a", 120, 140, "z"),
        {"topic": "1", "aspects": {"x": {"weight": 3}, "z": {"weight": 2}}},
    ]
    ideal = list_ideal_gains(lay_out(gold).assessed, alpha=0.5, share=0.6)
    assert ideal.tolist() == [[3, 2, 2.5, 0.5]]


def test_spans_that_complete_an_aspect_together_gain_it():
    """left and right show two thirds of whole, neither of them enough of it by itself, nor whole of them."""
    gold = [
        name("a", 0, 20, "left"),
        name("a", 30, 50, "right"),
        name("a", 10, 40, "whole"),
        {"topic": "1", "aspects": {"left": {"weight": 5}, "right": {"weight": 5}}},
    ]
    ideal = list_ideal_gains(lay_out(gold).assessed, alpha=0.5, share=0.6)
    assert ideal.tolist() == [[5, 6, 0.5]]


def test_results_are_redundant_once_all_that_they_touch_was_shown():
    gold = [name("a", 0, 10, "x"), name("a", 20, 30, "x"), name("a", 25, 35, "y")]
    run = [("1", "a", 0, 10), ("1", "a", 20, 24), ("1", "a", 26, 27), ("1", "b", 0, 9), ("1", "a", 0, 10)]
    view = build_shown_aspects(lay_out(gold, run), min=0.5)
    assert view.is_redundant.tolist() == [[0, 1, 0, 0, 1]]
    assert view.reached.tolist() == [[1, 0]]


def test_the_text_of_an_aspect_is_that_of_its_shortest_span():
    gold = [name("a", 0, 100, "x"), name("b", 0, 10, "x")]
    run = [("1", "a", 0, 50), ("1", "b", 0, 4), ("1", "b", 0, 10), ("1", "a", 50, 100)]
    view = build_aspect_text(lay_out(gold, run))
    assert view.gained.tolist() == [[5, 0, 5, 0]]
    assert view.total.tolist() == [10]


def test_aspects_of_topics_are_apart():
    gold = [name("a", 0, 10, "x"), name("a", 0, 10, "x", topic="2"), ("2", "a", 20, 30)]
    gold = [row if isinstance(row, dict) else name(*row[1:], topic=row[0]) for row in gold]
    view = build_shown_aspects(lay_out(gold, [("2", "a", 0, 10)]), min=0.5)
    assert view.reached.tolist() == [[0, 0], [1, 0]]
    assert view.weight.tolist() == [[1, 0], [1, 1]]


def test_the_aspects_of_a_run_are_listed_with_the_rank_that_shows_them():
    gold = [name("a", 0, 10, "x"), name("b", 0, 10, "x"), name("a", 50, 60), name("a", 70, 80, "y")]
    run = [("1", "a", 50, 60), ("1", "b", 0, 5)]
    table = list_shown_aspects("mine", lay_out(gold, run))
    assert table.select("topic", "aspect", "place", "rank").rows() == [
        ("1", "x", "a 0 to 10", 2),
        ("1", None, "a 50 to 60", 1),
        ("1", "y", "a 70 to 80", None),
    ]
