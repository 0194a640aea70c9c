"""The text to read until a recall is reached (section 12), on topics written as arrays."""

import math

import numpy as np
import pytest

from doxel.measures.chunks.reading_cost import read
from doxel.measures.text_views import ReadingOrder
from measures.arrays import each, rows
from measures.ideals import gold

# one character is enough, and the first character is relevant
IDEAL_RUNS = [("random", gold, "read(recall=0.001)")]


def reading(relevant, until, total):
    """Return one stretch of relevant text per result, at its end."""
    return ReadingOrder(relevant, until, total, np.diff(until, axis=1, prepend=0.0), relevant)


# (exact) G = [100,200), list [50,150) [100,200) [300,400): relevant after 50 irrelevant, then the rest
STRETCHES = reading(rows([50, 50]), rows([100, 150]), each(100))


@pytest.mark.parametrize(
    ("recall", "characters"), [(0, 0), (0.01, 51), (0.5, 100), (0.51, 101), (0.9, 140), (1, 150)]
)
def test_reading_stops_within_a_result(recall, characters):
    assert read(STRETCHES, recall=recall).tolist() == [characters]


def test_reading_is_infinite_if_the_recall_is_never_reached():
    lists = reading(rows([50], []), rows([100], []), each(100, 100))
    assert read(lists, recall=0.5).tolist() == [100, math.inf]
    assert read(lists, recall=0.6).tolist() == [math.inf, math.inf]
    assert read(reading(rows([]), rows([]), each(9)), recall=0.1).tolist() == [math.inf]


def test_a_share_of_whole_characters_is_not_rounded_up():
    # 0.07 * 100 is a little more than 7 in doubles
    assert read(reading(rows([100]), rows([100]), each(100)), recall=0.07).tolist() == [7]
