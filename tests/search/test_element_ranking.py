"""Three ways to select elements without overlap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.search.element_ranking import OVERLAP_SELECTIONS, sort_best_first
from doxel.search.search_index import SearchIndex
from random_share import count_cases


def scored(zoo, **scores):
    """Return scores for elements of the first document: sec, its p1 and p2, and other (the second sec)."""
    paths = {
        "book": "/book[1]",
        "sec": "/book[1]/sec[1]",
        "p1": "/book[1]/sec[1]/p[1]",
        "p2": "/book[1]/sec[1]/p[2]",
        "other": "/book[1]/sec[2]",
    }
    document = zoo.collection["birds"]
    values = np.zeros(len(zoo.forest))
    first = int(zoo.forest.first[document.number])
    rows = {name: first + document.find(path) for name, path in paths.items()}
    for name, score in scores.items():
        values[rows[name]] = score
    return values, {row: name for name, row in rows.items()}


@pytest.mark.parametrize(
    ("way", "scores", "selection"),
    [
        # the best element of each path
        ("score", {"book": 1, "sec": 3, "p1": 5, "p2": 2, "other": 1.5}, ["p1", "p2", "other"]),
        ("score", {"book": 1, "sec": 6, "p1": 5, "p2": 2, "other": 1.5}, ["sec", "other"]),
        ("score", {"book": 9, "sec": 6, "p1": 5}, ["book"]),
        # the smallest with half the score of the best around it: p2 has 2 of 6, p1 has 5
        ("specificity", {"sec": 6, "p1": 5, "p2": 2, "other": 1.5}, ["p1", "p2", "other"]),
        ("specificity", {"sec": 6, "p1": 2, "p2": 2}, ["sec"]),
        ("specificity", {"book": 9, "sec": 6, "p1": 5}, ["p1"]),
        # the section must reach (5*5 + 3*3) / (5 + 3) = 4.25
        ("bottom-up", {"sec": 4.25, "p1": 5, "p2": 3}, ["sec"]),
        ("bottom-up", {"sec": 4.24, "p1": 5, "p2": 3}, ["p1", "p2"]),
        ("bottom-up", {"book": 1, "sec": 3, "p1": 5, "other": 2}, ["p1", "other"]),
        ("bottom-up", {"book": 6, "sec": 3, "p1": 5, "other": 2}, ["book"]),
    ],
)
def test_each_way_selects_the_expected_elements(zoo, way, scores, selection):
    values, names = scored(zoo, **scores)
    assert [names[row] for row in OVERLAP_SELECTIONS[way](zoo, values, 10).tolist()] == selection


def test_equal_scores_are_in_document_order(zoo):
    values, names = scored(zoo, p2=2, other=2, p1=2)
    assert [names[row] for row in sort_best_first(values).tolist()] == ["p1", "p2", "other"]


@pytest.mark.parametrize("way", OVERLAP_SELECTIONS)
@settings(max_examples=count_cases(40), deadline=None)
@given(data=st.data())
def test_selected_elements_do_not_overlap_and_are_sorted_by_score(zoo: SearchIndex, way, data):
    n = len(zoo.forest)
    values = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 7.0]), min_size=n, max_size=n))
    )
    limit = data.draw(st.integers(1, 12))
    selection = OVERLAP_SELECTIONS[way](zoo, values, limit).tolist()
    ends = zoo.forest.subtree_end
    assert len(selection) <= limit
    assert all(values[row] > 0 for row in selection)
    assert [values[row] for row in selection] == sorted((values[row] for row in selection), reverse=True)
    for row in selection:
        assert not [other for other in selection if row < other < ends[row]]
    if (values > 0).any():
        assert selection
