"""The value of a partly seen element, added up by hand over the tree a > b, c > e."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.evaluation.ranked_run import LocatedRun
from doxel.evaluation.views.partial_overlap import compute_values_from_children
from evaluation.laid_out import lay_out, results_of

A, B, C, E = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/c[1]/e[1]"
ALL = [("1", "d", 0, 25)]
NONE_EXCLUDED = np.zeros(4, dtype=bool)
Q = np.array([0.4, 1.0, 0.5, 0.2])  # of a, b, c, e


def value_of_last(run, trees, *, gold=ALL, q=Q, excluded=NONE_EXCLUDED, alpha=1.0, by_share=False):
    """Return the value of the last result of a run."""
    ranked = lay_out(run, gold, trees)
    located = LocatedRun(ranked, ranked.bases.elements)
    last = np.array([len(ranked) - 1])
    (value,) = compute_values_from_children(located, last, q, excluded, alpha=alpha, by_share=by_share)
    return value


def test_children_are_worth_what_is_left_of_them(trees):
    # b was seen: worth 0; c was not: 0.5 * 15; a has no text of its own
    assert value_of_last(results_of(B, A), trees) == pytest.approx(0.5 * 15 / 25)


def test_a_child_that_was_partly_seen_is_valued_by_its_own_children(trees):
    # c: e is worth 0, its own 10 characters 0.5 each; b is new: 1 for each of its 10 characters
    assert value_of_last(results_of(E, A), trees) == pytest.approx((10 + 0.5 * 10) / 25)


def test_alpha_mixes_the_value_of_the_rest_with_that_of_the_whole(trees):
    # b, seen in full, keeps half of its 10; c has 0.5 * 15; half of their sum, and half of 0.4 * 25
    value = 0.5 * (0.5 * 10 + 0.5 * 15) + 0.5 * 0.4 * 25
    assert value_of_last(results_of(B, A), trees, alpha=0.5) == pytest.approx(value / 25)


def test_by_share_counts_unseen_highlighted_characters(trees):
    # highlighted is [5, 20): 5 characters of b and 10 of c; the passage [15, 25) shows 5 of them
    run = [("1", "d", 15, 25), *results_of(A)]
    gold = [("1", "d", 5, 20)]
    share = np.array([15 / 25, 5 / 10, 10 / 15, 0])
    assert value_of_last(run, trees, gold=gold, q=share, by_share=True) == pytest.approx(10 / 25)


def test_an_excluded_child_counts_as_text_of_its_parent(trees):
    # b is excluded: nothing of it is left, and its text is part of a; c is worth 0.5 * 15
    excluded = np.array([False, True, False, False])
    assert value_of_last(results_of(E, A), trees, excluded=excluded) == pytest.approx(
        (0.4 * 10 + 0.5 * 10) / 25
    )


def test_values_do_not_depend_on_the_division_into_blocks(trees, monkeypatch):
    ranked = lay_out(results_of(E, C, A), ALL, trees)
    located = LocatedRun(ranked, ranked.bases.elements)
    arguments = (located, np.array([1, 2]), Q, NONE_EXCLUDED)
    whole = compute_values_from_children(*arguments, alpha=0.5, by_share=False)
    monkeypatch.setattr("doxel.evaluation.views.partial_overlap._NODES_AT_ONCE", 1)
    assert compute_values_from_children(*arguments, alpha=0.5, by_share=False).tolist() == whole.tolist()
