"""Each user model gives the probabilities of its paper, computed by hand."""

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.usermodels import MODELS, find_model
from doxel.usermodels.browsing_models import PlaceColumns

LARGE, SMALL, EXACT = 1, 2, 3  # positions in N, L, S, E


def place(row, last, first_word, words, coverage=EXACT, start=0, parent=-1):
    """Return columns for one element: its row, the row after its last descendant, its words."""
    columns = (start, start, row, last, words, first_word, first_word + words, coverage, parent)
    return PlaceColumns(*(np.array([value]) for value in columns))


# a section of 100 words with two paragraphs, of 40 and 60; a section of 10 words, 5 words further on
SECTION, FIRST = place(1, 4, 0, 100, LARGE), place(2, 3, 0, 40, parent=1)
SECOND = place(3, 4, 40, 60, SMALL, parent=1)
ELSEWHERE, EMPTY = place(4, 5, 105, 10), place(5, 6, 120, 0)


def chance(model, result, target, **parameters):
    parameters = {"p": 0.5, "exponents": "printed", **parameters}
    return find_model(model).probability(result, target, parameters).item()


def test_models_are_registered_under_their_names():
    assert {name: model.name for name, model in MODELS.items()} == {name: name for name in MODELS}
    assert all(model.about for model in MODELS.values())


@pytest.mark.parametrize("model", ["identity", "inex2003", "parent", "child", "sibling"])
@pytest.mark.parametrize("element", [SECTION, FIRST, EMPTY])
def test_a_result_leads_to_itself(model, element):
    assert chance(model, element, element) == 1


def test_identity_reaches_only_the_result_itself():
    assert chance("identity", SECTION, FIRST) == chance("identity", FIRST, SECTION) == 0
    passage = place(-1, -1, 0, 40)
    assert chance("identity", passage, passage) == 1
    assert chance("identity", passage, place(-1, -1, 0, 40, start=7)) == 0  # another span
    assert chance("identity", passage, FIRST) == 0  # a passage is not an element


@pytest.mark.parametrize(
    ("model", "up", "down", "aside"),
    [
        ("parent", 0.25, 0, 0),
        ("child(.2)", 0, 0.2, 0),
        ("sibling", 0, 0, 0.25),
        ("parent(.5)+child", 0.5, 0.25, 0),
        ("parent(.5) + parent(.75) + sibling(1)", 0.75, 0, 1),  # the largest probability counts
    ],
)
def test_near_misses_lead_to_relatives_in_the_tree(model, up, down, aside):
    chances = [chance(model, *pair, p=0.25) for pair in ((FIRST, SECTION), (SECTION, FIRST), (FIRST, SECOND))]
    assert chances == [up, down, aside]
    assert chance(model, FIRST, ELSEWHERE, p=0.25) == 0
    assert chance(model, SECTION, ELSEWHERE, p=0.25) == 0  # two elements without parent are not siblings
    passage = place(-1, -1, 0, 40)
    assert [chance(model, passage, target) for target in (SECTION, FIRST, ELSEWHERE)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("parent(0)", r"wanted a probability above 0 to 1 in 'parent\(0\)', found 0"),
        ("parent+child(1.5)", "found 1.5"),
        ("parent+identity", "wanted near misses such as"),
        ("parent(.5", "wanted near misses such as"),
        ("+", "wanted near misses such as"),
    ],
)
def test_near_misses_that_cannot_be_read_are_rejected(written, message):
    with pytest.raises(MeasureError, match=message):
        find_model(written)


@pytest.mark.parametrize(
    ("result", "target", "expected"),
    [
        (FIRST, SECTION, 0.4 ** (7 / 8)),  # upwards from an exact element
        (SECOND, SECTION, 0.6 ** (3 / 4)),  # upwards from one that is too small
        (SECTION, FIRST, 0.4 ** (3 / 4)),  # downwards from one that is too large
        (place(1, 4, 0, 100, SMALL), FIRST, 0.4 ** (1 / 2)),  # downwards from one that is too small
        (FIRST, SECOND, 1 / 2),  # to its neighbour
        (SECTION, ELSEWHERE, 1 / (2 + 5)),
        (ELSEWHERE, SECTION, 1 / (2 + 5)),
        (EMPTY, SECTION, 0),  # an element without words reaches nothing
        (SECTION, EMPTY, 0),
    ],
)
def test_the_browsing_model_of_2003_gives_the_probabilities_of_its_paper(result, target, expected):
    """003, section 3.4: ratios of lengths in words, exponents by coverage; otherwise 1 / (2 + distance)."""
    assert chance("inex2003", result, target) == pytest.approx(expected)


def test_the_exponents_of_2003_may_follow_the_words_of_the_paper():
    # measures.md, section 6: an exact child of 40 words in a 100-word target
    assert chance("inex2003", FIRST, SECTION) == pytest.approx(0.4485413568, abs=1e-10)
    assert chance("inex2003", FIRST, SECTION, exponents="words") == pytest.approx(0.6324555320, abs=1e-10)
    unassessed = place(2, 3, 0, 40, coverage=-1, parent=1)
    assert chance("inex2003", unassessed, SECTION, exponents="words") == pytest.approx(0.4 ** (7 / 8))
    assert chance("inex2003", SECTION, FIRST, exponents="words") == pytest.approx(0.4 ** (3 / 4))


@pytest.mark.parametrize(("distance", "expected"), [(0, 1), (300, 1 / 4), (-300, 1 / 4)])
def test_nearer_results_reach_the_entry_point_more_often(distance, expected):
    """001, section 7.2: A L / (A L + d)."""
    result, target = place(1, 2, 0, 1, start=500 + distance), place(-1, -1, 0, 1, start=500)
    assert chance("bep_distance", result, target, A=0.1, L=1000) == pytest.approx(expected)
