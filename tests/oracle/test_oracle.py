"""Every exact number of sections 0, 7, 8 and 12 of measures.md, and numbers that follow from the tool's.

The tool's own figures are asserted only where its rules agree with the clean rules.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F  # noqa: N817 - there are a hundred of them
from math import inf, isclose
from typing import TYPE_CHECKING

import pytest

from . import MEASURES, Case, Document, Refused, Result, grow, plant
from .cases import qrels_case, spans, tree_a
from .helpers import at, mean_over, score
from .hixeval import rvals
from .rules import Seen, levels, ordered, sort

if TYPE_CHECKING:
    from collections.abc import Sequence


def passages(*columns: tuple[int | None, int | None]) -> list[Result]:
    """Passages of one document, told apart by their start, with (rank, rsv)."""
    return [Result("d", i, i + 1, None, rank, rsv) for i, (rank, rsv) in enumerate(columns)]


def starts(results: Sequence[Result]) -> list[int | None]:
    return [each.start for each in results]


# ---- section 0


def test_results_are_ordered_by_rank_then_by_rsv_then_by_file() -> None:
    both = passages((2, 9), (1, 1), (1, 5))
    assert starts(sort(both)) == [1, 2, 0]
    assert starts(sort(both, "score")) == [0, 2, 1]
    assert starts(sort(both, "file")) == [0, 1, 2]
    assert starts(sort(passages((None, 1), (None, 3), (None, 3)))) == [1, 2, 0]
    assert starts(sort(passages((None, None), (None, None)))) == [0, 1]


def test_tied_results_form_levels() -> None:
    falling = passages((1, 5), (2, 5), (3, 4), (3, 4))
    assert levels(falling) == [2, 2]
    assert levels(falling, ties="rank") == [1, 1, 2]
    assert levels(falling, order="file") == [1, 1, 1, 1]
    rising = passages((1, 4), (2, 5), (2, 5))
    assert levels(rising) == [1, 2]  # rsv rise in rank order: equal rank decides
    assert levels(passages((1, None), (1, None))) == [2]
    assert levels(passages((None, None), (None, None))) == [1, 1]


def test_lists_are_cut_at_the_limit_and_the_budgets() -> None:
    case = spans([(0, 10)], [(0, 10), (20, 30), (40, 50)])
    assert len(ordered(case, limit=2)) == 2
    assert len(ordered(case, limit=None)) == 3
    assert [(each.start, each.end) for each in ordered(case, chars=15)] == [(0, 10), (20, 25)]
    assert [(each.start, each.end) for each in ordered(case, article_chars=20)] == [(0, 10), (20, 30)]
    assert MEASURES["char_prec"](case, chars=15) == F(10, 15)


def test_empty_elements_overlap_by_their_place_in_the_tree() -> None:
    root = plant(grow("a", 0, 10, grow("b", 5, 5), grow("c", 5, 10)))
    case = Case([Document("d", 10, root)])
    whole, empty, part = (Result("d", e.start, e.end, e.path) for e in (root, *root.children))
    seen = Seen(case)
    assert seen.overlap(empty) == 0
    seen.add(part)
    assert seen.overlap(empty) == 0
    assert seen.overlap(whole) == F(1, 2)
    seen.add(whole)
    assert seen.overlap(empty) == 1
    assert seen.again(whole)
    assert not seen.again(empty)


def test_parent_and_only_child_are_two_elements() -> None:
    root = plant(grow("a", 0, 10, grow("b", 0, 10)))
    case = Case([Document("d", 10, root)], {"d": [(0, 10)]})
    parent, child = Result("d", 0, 10, "/a[1]"), Result("d", 0, 10, "/a[1]/b[1]")
    assert rvals(case, [parent, child, child], F(1, 2)) == [10, 5, 0]
    assert rvals(case, [parent, parent], F(0)) == [10, 0]  # a repeat has rval 0 whatever alpha


# ---- section 7


def test_hixeval_on_tree_a_equals_the_worked_numbers() -> None:
    case = tree_a("p4 S2 p1")
    assert at("HiXEval_P", case, [1, 2, 3], alpha=1) == [F(1, 2), F(1, 2), F(13, 22)]
    assert at("HiXEval_R", case, [1, 2, 3], alpha=1) == [F(3, 13), F(9, 13), 1]
    assert at("HiXEval_F", case, [3]) == [2 * F(13, 22) / (1 + F(13, 22))]
    assert rvals(case, tree_a("p4 S2 A").results, F(1, 2))[2] == F(775, 2)


def test_hixeval_thorough_counts_every_element() -> None:
    # rsize: p1 200, S1 200, p3 300, p4 150, S2 450, A 650 = 1950
    assert MEASURES["HiXEval_R"](tree_a("A", task="thorough"), at=1) == F(650, 1950)


def test_a_passage_that_crosses_elements_has_a_hixeval_score() -> None:
    case = spans([(0, 100)], [(0, 50), (40, 80)])
    assert rvals(case, case.results, F(1, 2)) == [50, 35]


def test_the_overlap_of_a_run_equals_the_worked_numbers() -> None:
    case = tree_a("p4 S2 p1")
    assert at("overlap", case, [1, 2, 3, 9]) == [0, 1, F(2, 3), F(2, 3)]


# ---- section 8

FOCUSED_1 = [("A", 100, 200), ("C", 0, 100), ("B", 0, 400)]
FOCUSED_2 = [("F", 0, 50), ("E", 0, 100)]
RIC_1 = [("A", 100, 100), ("A", 220, 80), ("C", 0, 100), ("B", 0, 400)]
BIC_1 = [("A", 100, 0), ("C", 0, 0), ("B", 400, 0), ("D", 520, 0)]


def test_focused_scores_agree_with_the_tool() -> None:
    first, second, third = qrels_case("1", FOCUSED_1), qrels_case("2", FOCUSED_2), qrels_case("3", [])
    scores = [score("MAiP", case) for case in (first, second, third)]
    assert scores == [F(89, 101) * F(4, 7), F(8, 15), 0]
    assert isclose(scores[0], 0.5035360678925033, rel_tol=1e-15)
    assert isclose(sum(scores[:2]) / 2, 0.5184347006129182, rel_tol=1e-15)
    assert isclose(sum(scores) / 3, 0.3456231337419455, rel_tol=1e-15)
    precisions = [score("char_prec", case) for case in (first, second, third)]
    assert isclose(sum(precisions) / 3, 0.3682539682539683, rel_tol=1e-15)


def test_overlap_is_rejected_in_focused_and_counted_once_in_thorough() -> None:
    case = qrels_case("1", [("A", 100, 200), ("A", 150, 20)])
    for name, point in (("iP", 0), ("MAiP", None)):
        with pytest.raises(Refused):
            MEASURES[name](case, at=point)
    thorough = score("MAiP", case, task="thorough")
    assert isclose(thorough, 0.11386138613861387, rel_tol=1e-15)


def test_repeats_in_thorough_count_once() -> None:
    case = qrels_case("1", [("C", 0, 100), ("C", 0, 100), ("B", 0, 200)], task="thorough")
    assert MEASURES["iP"](case, at=0) == F(2, 3)
    assert MEASURES["MAiP"](case) == F(45, 101) * F(2, 3)


def test_unresolved_results_have_size_0() -> None:
    case = qrels_case("1", [("A", None, 0), ("B", 0, 200)])
    assert MEASURES["iP"](case, at=0) == 1


def test_relevant_in_context_agrees_with_the_tool() -> None:
    cases = qrels_case("1", RIC_1), qrels_case("2", FOCUSED_2)
    assert isclose(mean_over("MAgP", cases, beta=0.25), 0.34608636268958815, rel_tol=1e-14)
    assert isclose(mean_over("MAgP", cases), 0.3968253968253968, rel_tol=1e-14)
    assert isclose(mean_over("MAgP", cases, score="t2i"), 0.2972222222222222, rel_tol=1e-14)
    assert isclose(mean_over("MAgP", cases, score="t2i", T=60), 0.36971916971916974, rel_tol=1e-14)


def test_best_in_context_agrees_with_the_tool() -> None:
    cases = qrels_case("1", BIC_1), qrels_case("2", [("E", 10, 0)])
    assert isclose(mean_over("MAgP", cases, score="bep"), 0.7569444444444444, rel_tol=1e-14)
    assert isclose(mean_over("MAgP", cases, score="bep", n=1000), 0.8298611111111112, rel_tol=1e-14)


def tiny(run: Sequence[tuple[str, int, int]]) -> Case:
    """Topic 1 of the hand-sized case that comes with the tool's outputs."""
    return Case(
        [Document("100", 1000), Document("200", 400), Document("300", 500)],
        {"100": [(100, 300), (500, 600)], "200": [(0, 100)], "300": []},
        [Result(doc, start, start + length) for doc, start, length in run],
        {"100": 50, "200": 0},
    )


def test_the_tiny_case_agrees_with_the_tool() -> None:
    case = tiny([("100", 100, 100), ("100", 450, 100), ("300", 0, 500), ("200", 50, 150)])
    names = ["art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1"]
    assert [MEASURES[name](case) for name in names] == [F(2, 3), 1, F(4, 5), F(4, 17), F(1, 2), F(8, 25)]
    assert isclose(score("MAiP", case), 0.3768200349446708, rel_tol=1e-14)
    gp = at("gP", case, [1, 2, 3], beta=0.25)
    assert gp == pytest.approx([0.7285714285714285, 0.36428571428571427, 0.35619047619047617])
    assert isclose(score("MAgP", case, beta=0.25), 0.5423809523809524, rel_tol=1e-14)
    assert at("gP", case, [10, 10], beta=1, pad=False)[0] == MEASURES["gP"](case, at=3, beta=1)
    assert MEASURES["gP"](case, at=6) == score("gP", case, at=3) / 2
    assert at("gR", case, [1, 2, 3, 5]) == [F(1, 2), F(1, 2), 1, 1]
    assert isclose(score("MAgP", case, score="t2i"), 0.3446969696969697, rel_tol=1e-14)
    igp = at("igP", case, [0, 0.5, 0.6, 1], score="t2i")
    assert igp == pytest.approx([0.45454545454545453] * 2 + [0.23484848484848486] * 2)
    entry = tiny([("300", 0, 1), ("100", 150, 1), ("200", 600, 1)])
    assert at("gP", entry, [1, 2, 3], score="bep") == [0, F(2, 5), F(4, 15)]
    assert MEASURES["MAgP"](entry, score="bep") == F(1, 3)


def test_in_context_measures_reject_invalid_runs() -> None:
    interleaved = qrels_case("1", [("A", 0, 5), ("B", 0, 5), ("A", 10, 5)])
    overlapping = qrels_case("1", [("A", 0, 5), ("A", 4, 5)])
    for case in (interleaved, overlapping):
        for name, point in (("MAgP", None), ("gP", 1), ("gR", 1), ("igP", 0)):
            with pytest.raises(Refused):
                MEASURES[name](case, at=point)
    with pytest.raises(Refused):
        MEASURES["MAgP"](qrels_case("1", [("A", 0, 5), ("A", 10, 5)]), score="bep")


# ---- section 12


def test_spans_are_counted_once_or_charged() -> None:
    case = spans([(100, 200)], [(50, 150), (100, 200), (300, 400)])
    ranks = [1, 2, 3]
    assert at("char_rec", case, ranks) == [F(1, 2), 1, 1]
    assert at("char_rec", case, ranks, repeats="charged") == [F(1, 2), 1, 1]
    assert at("char_prec", case, ranks) == [F(1, 2), F(2, 3), F(2, 5)]
    assert at("char_prec", case, ranks, repeats="charged") == [F(1, 2), F(1, 2), F(1, 3)]
    assert at("char_iou", case, ranks) == [F(1, 3), F(2, 3), F(2, 5)]
    assert at("char_iou", case, ranks, repeats="charged") == [F(1, 3), F(1, 2), F(1, 3)]
    assert at("char_f1", case, ranks) == [F(1, 2), F(4, 5), F(4, 7)]
    assert at("char_f1", case, ranks, repeats="charged") == [F(1, 2), F(2, 3), F(1, 2)]
    assert MEASURES["read"](case, recall=0.9) == 140
    assert MEASURES["span_RR"](case, min=0.5) == 1
    assert MEASURES["char_f1"](case) == F(4, 7)  # without @: the whole list


def test_overlapping_chunks_are_not_counted_twice() -> None:
    case = spans([(0, 100)], [(0, 50), (25, 75), (50, 100)])
    for name in ("char_rec", "char_prec", "char_iou", "char_f1"):
        assert MEASURES[name](case) == 1
    assert MEASURES["char_prec"](case, repeats="charged") == F(2, 3)
    assert MEASURES["char_iou"](case, repeats="charged") == F(2, 3)


def test_gold_spans_are_counted_singly() -> None:
    case = spans([(0, 10), (20, 40)], [(0, 4), (25, 36), (4, 5)])
    assert at("span_rec", case, [1, 2, 3]) == [0, F(1, 2), 1]
    assert at("hit", case, [1, 2]) == [0, 1]
    assert MEASURES["span_RR"](case) == F(1, 2)
    assert MEASURES["span_RR"](case, min=1) == 0
    assert MEASURES["read"](case, recall=1) == inf


def test_a_token_belongs_to_the_text_with_its_first_character() -> None:
    case = Case([Document("d", 11, text="aa bb cc dd")], {"d": [(1, 8)]}, [Result("d", 0, 7)])
    # in G begin bb, cc; in C aa, bb, cc
    assert MEASURES["token_rec"](case) == 1
    assert MEASURES["token_prec"](case) == F(2, 3)
    assert MEASURES["token_iou"](case) == F(2, 3)
    assert MEASURES["token_f1"](case) == F(4, 5)


def test_reference_choices_equal_those_computed_by_hand() -> None:
    case = spans([(5, 15)], [])
    case = replace(case, chunks=[Result("d", start, start + 10) for start in (0, 10, 20)])
    assert MEASURES["omega_prec"](case) == F(1, 2)
    assert MEASURES["omega_rec"](case) == 1
    assert MEASURES["omega_iou"](case) == F(1, 2)
    assert at("greedy_rec", case, [1, 2]) == [F(1, 2), 1]
    assert at("greedy_prec", case, [1, 2, 3]) == [F(1, 2), F(1, 2), F(1, 2)]  # the third adds nothing
    assert at("greedy_iou", case, [1]) == [F(1, 3)]


def test_nothing_to_find_is_undefined() -> None:
    case = spans([], [(0, 10)])
    for name in ("MAiP", "MAgP", "char_rec", "span_rec", "span_RR", "read", "art_rec"):
        assert MEASURES[name](case) is None
    assert MEASURES["HiXEval_P"](case, at=1) is None
