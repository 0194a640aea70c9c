"""The views of users: entry points, reading on, targets of browsing, and results that share text."""

from __future__ import annotations

import pytest

from doxel.errors import MeasureError
from doxel.evaluation.views.user_view_builders import (
    build_encounters,
    build_entry_distances,
    build_isolation,
    build_readings,
    list_targets,
)
from evaluation.laid_out import IDEAL_RULES, grade_elements, lay_out, results_of

A, B, C, E = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/c[1]/e[1]"
GOLD = [("1", "d", 0, 10), ("1", "d", 20, 25)]
DEFAULTS = {
    "p": 0.5,
    "exponents": "printed",
    "A": None,
    "L": None,
    "quant": "spec",
    "base": "ideal",
    "exclude_tags": None,
    **IDEAL_RULES,
}


def encounters(ranked, model="identity", **changes):
    return build_encounters(ranked, model=model, ties="rank", **{**DEFAULTS, **changes})


def entries_of(view):
    columns = (view.entries.rank, view.entries.target, view.entries.chance)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_nearness_falls_with_the_distance_from_the_best_entry_point():
    gold = [{"topic": "1", "doc": doc, "bep": 40} for doc in "de"]
    run = [("1", "d", 40, 40), ("1", "e", 60, 60), ("1", "z", 40, 40)]
    view = build_entry_distances(lay_out(run, gold), A=2.0, L=100.0)
    # BEPD (001): A x L / (A x L + distance), 0 in a document without an entry point
    assert view.nearness.tolist() == [[1, 200 / 220, 0]]
    assert view.total.tolist() == [2]


def readings(run, gold=(("1", "d", 20, 30), ("1", "d", 50, 60)), tolerance=15):
    view = build_readings(lay_out(run, list(gold)), T=tolerance, ties="rank")
    return view.success.tolist(), view.passages.tolist()


@pytest.mark.parametrize(("start", "is_success"), [(0, 0), (5, 0), (6, 1), (29, 1), (30, 0), (36, 1)])
def test_a_reader_succeeds_if_fewer_irrelevant_characters_than_tolerated_come_first(start, is_success):
    assert readings([("1", "d", start, start + 1)]) == ([[is_success]], [2])


def test_a_tolerance_may_be_a_fraction():
    assert readings([("1", "d", 6, 7)], tolerance=14.5)[0] == [[1]]  # 14 irrelevant characters
    assert readings([("1", "d", 6, 7)], tolerance=13.5)[0] == [[0]]


def test_a_passage_is_found_once_and_a_reader_goes_on_to_the_next():
    run = [("1", "d", 18, 19), ("1", "d", 19, 20), ("1", "d", 45, 46), ("1", "d", 45, 46)]
    # the second reader would have to read 1 + 20 irrelevant characters to the passage that is new
    assert readings(run)[0] == [[1, 0, 1, 0]]
    assert readings(run, tolerance=22)[0] == [[1, 1, 0, 0]]


def test_an_element_leads_to_itself_and_near_misses_to_its_relatives(trees):
    ranked = lay_out(results_of(C, B), GOLD, trees)
    view = encounters(ranked)  # b and e are the targets
    assert (view.target_topic.tolist(), view.weight.tolist()) == ([0, 0], [1, 1])
    assert entries_of(view) == [(2, 0, 1)]
    # e is a child of c, which leads to it with probability p
    assert entries_of(encounters(ranked, "child", p=0.25)) == [(1, 1, 0.25), (2, 0, 1)]


def test_a_repeated_result_leads_nowhere(trees):
    assert entries_of(encounters(lay_out(results_of(B, E, B), GOLD, trees))) == [(1, 0, 1), (2, 1, 1)]


def test_in_the_full_base_every_relevant_element_is_a_target(trees):
    ranked = lay_out(results_of(C), GOLD, trees)
    view = encounters(ranked, base="full")
    assert view.weight.tolist() == [15 / 25, 1, 5 / 15, 1]
    assert entries_of(view) == [(1, 2, 1)]
    parameters = {**DEFAULTS, "base": "full"}
    targets = list_targets(ranked, 0, model="identity", **parameters)
    assert targets["path"].to_list() == [B, E, A, C]


def test_without_elements_gold_spans_are_the_targets():
    ranked = lay_out([("1", "x", 0, 5)], [("1", "x", 3, 9), ("1", "x", 8, 12), ("1", "y", 0, 1)])
    targets = list_targets(ranked, 0, model="identity", **DEFAULTS)
    assert targets.select("doc", "path", "start", "end", "gain").rows() == [
        ("x", None, 3, 12, 1),
        ("y", None, 0, 1, 1),
    ]


def test_the_targets_of_2002_are_the_outermost_elements_of_exact_coverage(trees):
    # e is inside c; a is too large
    grades = grade_elements("2002", a=("3", "L"), b=("3", "E"), c=("2", "E"), e=("3", "E"))
    ranked = lay_out(results_of(B, E), grades, trees)
    targets = list_targets(ranked, 0, model="inex2003", **{**DEFAULTS, "quant": "gen2002"})
    assert targets.select("path", "gain").rows() == [(B, 1), (C, 0.5)]
    with pytest.raises(MeasureError, match="needs grades of relevance and coverage"):
        encounters(lay_out(results_of(B), GOLD, trees), "inex2003")


def test_an_unknown_model_and_a_missing_distance_are_errors(trees):
    gold = [{"topic": "1", "doc": "d", "bep": 3}]
    with pytest.raises(MeasureError, match="unknown user model 'cat'; available: identity"):
        encounters(lay_out(results_of(B), GOLD, trees), "cat")
    with pytest.raises(MeasureError, match="'bep_distance' needs A, the distance from which"):
        encounters(lay_out([("1", "d", 4, 4)], gold), "bep_distance", L=100.0)


def test_isolation_lists_the_pairs_of_different_results_that_share_text(trees):
    view = build_isolation(
        lay_out(results_of(C, B, E, C), GOLD, trees),
        summary="path",
        ties="rank",
        quant="spec",
        exclude_tags=None,
        **IDEAL_RULES,
    )
    # c and its repeat share text with e; no pair has a repeat as its second member
    pairs = set(zip(view.result.tolist(), view.other.tolist(), strict=True))
    assert pairs == {(0, 2), (2, 0), (3, 2)}
    assert view.levels.relevance.tolist() == [[5 / 15, 1, 1, 0]]
