"""The paper's observations about stereotypical systems."""

from __future__ import annotations

import pytest

from doxel.studies.stereotype_observations import OBSERVATIONS, check_observation


def means(perfect, ancestors, parent, child, document):
    names = ("perfect", "ancestors", "parent", "biggest-child", "document")
    return dict(zip(names, (perfect, ancestors, parent, child, document), strict=True))


@pytest.mark.parametrize(
    ("scores", "outcomes"),
    [
        # the paper's outcomes for generalised precision and recall, and for its own measure
        (means(0.3, 0.4, 0.2, 0.1, 0.1), ["blamed", "blamed", "blamed", "blamed"]),
        (means(0.9, 0.4, 0.5, 0.5, 0.2), ["wanted", "wanted", "wanted", "wanted"]),
        # ancestors below perfect but not far; parent far below the child; document far above it
        (means(0.9, 0.8, 0.1, 0.3, 0.6), ["wanted", "neither", "neither", "neither"]),
        (means(0.5, 0.5, 0.0, 0.0, 0.0), ["blamed", "neither", "undefined", "undefined"]),
        (means(0.5, 0.1, 0.1, 0.0, 0.0), ["wanted", "wanted", "blamed", "undefined"]),
    ],
)
def test_ratios_are_blamed_wanted_or_neither(scores, outcomes):
    assert [outcome for _, _, outcome in check_observation(scores)] == outcomes


def test_a_third_apart_is_still_close():
    assert check_observation(means(1, 0, 4, 3, 4))[2][2] == "wanted"
    assert check_observation(means(1, 0, 4.01, 3, 4.01))[2][2] == "blamed"


def test_there_are_four_observations():
    assert [observation.number for observation in OBSERVATIONS] == [1, 2, 3, 4]
