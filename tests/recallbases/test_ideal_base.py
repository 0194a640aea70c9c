"""The ideal recall base: tree A of section 2, ties, and random trees against all their disjoint sets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.documents.tree_arrays import Tree, compute_subtree_ends
from doxel.recallbases import choose_ideal
from doxel.recallbases.ideal_base import CONSTRUCTIONS

NAMES = ["A", "S1", "p1", "p2", "S2", "p3", "p4"]
TREE_A = Tree(compute_subtree_ends([2, 2, 0, 0, 2, 0, 0]))
SPEC_A = np.array([0.65, 0.5, 1, 0, 0.75, 1, 0.5])


def ideal_names(gain, tree, names=NAMES, **options):
    marked = choose_ideal(np.asarray(gain, dtype=float), tree, **options)
    return {name for name, is_ideal in zip(names, marked, strict=True) if is_ideal}


@pytest.mark.parametrize(
    ("construction", "names"),
    [
        ("path", {"p1", "S2"}),  # p3 (1) loses to S2 (3/4): of two candidates the one with the shorter path
        ("greedy", {"p1", "p3", "p4"}),
        ("best-sum", {"p1", "p3", "p4"}),
        ("leaves", {"p1", "p3", "p4"}),
    ],
)
@pytest.mark.parametrize("tie", ["ancestor", "descendant"])
def test_every_construction_chooses_its_elements_of_tree_a(construction, names, tie):
    assert ideal_names(SPEC_A, TREE_A, construction=construction, tie=tie) == names


def test_the_official_construction_is_the_default():
    assert ideal_names(SPEC_A, TREE_A) == {"p1", "S2"}


# a > b > c1, c2; all highlighted
NESTED = Tree(compute_subtree_ends([1, 2, 0, 0]))


@pytest.mark.parametrize(
    ("construction", "tie", "names"),
    [
        ("path", "ancestor", {"a"}),
        ("path", "descendant", {"c1", "c2"}),
        ("greedy", "ancestor", {"a"}),
        ("greedy", "descendant", {"c1", "c2"}),
        ("best-sum", "ancestor", {"c1", "c2"}),  # 2 is more than 1
        ("best-sum", "descendant", {"c1", "c2"}),
        ("leaves", "ancestor", {"c1", "c2"}),
    ],
)
def test_ties_on_a_path_follow_the_tie_rule(construction, tie, names):
    assert (
        ideal_names([1, 1, 1, 1], NESTED, ["a", "b", "c1", "c2"], construction=construction, tie=tie) == names
    )


@pytest.mark.parametrize(("tie", "names"), [("ancestor", {"b"}), ("descendant", {"c1", "c2"})])
def test_the_tie_rule_decides_between_an_element_and_the_best_set_below_it(tie, names):
    gain = [0.9, 1.0, 0.5, 0.5]
    assert ideal_names(gain, NESTED, ["a", "b", "c1", "c2"], construction="best-sum", tie=tie) == names


@pytest.mark.parametrize("construction", ["path", "greedy"])
@pytest.mark.parametrize(("tie", "names"), [("ancestor", {"a"}), ("descendant", {"b"})])
def test_gains_that_differ_only_by_rounding_tie(construction, tie, names):
    pair = Tree(compute_subtree_ends([1, 0]))
    assert 0.1 + 0.2 > 0.3
    for gain in ([0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3]):
        assert ideal_names(gain, pair, ["a", "b"], construction=construction, tie=tie) == names


def test_greedy_breaks_ties_by_depth_then_document_order():
    # r > x, y; y > z
    tree = Tree(compute_subtree_ends([2, 0, 1, 0]))
    names = ["r", "x", "y", "z"]
    assert ideal_names([0.5, 0.5, 0.5, 0.5], tree, names, construction="greedy") == {"r"}
    assert ideal_names([0, 0.5, 0.5, 0.5], tree, names, construction="greedy") == {"x", "y"}
    assert ideal_names([0.5] * 4, tree, names, construction="greedy", tie="descendant") == {"x", "z"}


def test_greedy_drops_elements_that_overlap_the_best():
    # r (.6) > x (.9) > u (.8); r > y (.1): x first, then y; neither u nor r
    tree = Tree(compute_subtree_ends([2, 1, 0, 0]))
    assert ideal_names([0.6, 0.9, 0.8, 0.1], tree, ["r", "x", "u", "y"], construction="greedy") == {"x", "y"}


def test_elements_without_gain_are_never_ideal():
    tree = Tree(compute_subtree_ends([2, 1, 0, 0]))
    for construction in CONSTRUCTIONS:
        assert ideal_names([0, 0, 0, 0], tree, ["r", "x", "u", "y"], construction=construction) == set()
        assert ideal_names([0.5, 0, 0, 0], tree, ["r", "x", "u", "y"], construction=construction) == {"r"}


@st.composite
def forests(draw):
    """Draw a few trees in pre-order, with gains in tenths."""
    parents = [-1]
    for row in range(1, draw(st.integers(1, 9))):
        path = [row - 1]
        while path[-1] >= 0:
            path.append(parents[path[-1]])
        parents.append(draw(st.sampled_from(path)))
    gains = draw(st.lists(st.integers(0, 10), min_size=len(parents), max_size=len(parents)))
    counts = [parents.count(row) for row in range(len(parents))]
    return parents, np.array(gains) / 10, Tree(compute_subtree_ends(counts))


def overlap(parents, row, other):
    def up(row):
        while row >= 0:
            yield row
            row = parents[row]

    return row in up(other) or other in up(row)


@settings(deadline=None)
@given(forests(), st.sampled_from(["ancestor", "descendant"]))
def test_every_base_is_disjoint_and_overlaps_every_relevant_element(forest, tie):
    parents, gain, tree = forest
    for construction in CONSTRUCTIONS:
        base = np.flatnonzero(choose_ideal(gain, tree, construction=construction, tie=tie)).tolist()
        assert all(gain[row] > 0 for row in base)
        assert not any(overlap(parents, row, other) for row, other in combinations(base, 2))
        for row in np.flatnonzero(gain > 0).tolist():
            assert any(overlap(parents, row, other) for other in base)


@settings(deadline=None)
@given(forests())
def test_the_best_sum_is_the_best_of_all_disjoint_sets(forest):
    parents, gain, tree = forest
    best = 0.0
    for size in range(1, len(parents) + 1):
        for rows in combinations(range(len(parents)), size):
            if not any(overlap(parents, row, other) for row, other in combinations(rows, 2)):
                best = max(best, sum(gain[row] for row in rows))
    total = gain[choose_ideal(gain, tree, construction="best-sum")].sum()
    assert total == pytest.approx(best)
