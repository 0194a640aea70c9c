"""The views of aspects: what is defined, what is shown at each rank, and sums that padding leaves alone."""

import numpy as np

from doxel.measures.aspect_views import AspectGains, AspectText, ShownAspects, add_up
from measures.arrays import each, rows


def test_a_topic_without_aspects_is_undefined():
    nothing, something = rows([0, 0], [1, 0]), rows([0], [2])
    assert ShownAspects(nothing, nothing, nothing, something, something, something).defined.tolist() == [
        False,
        True,
    ]
    assert AspectGains(something, nothing).defined.tolist() == [False, True]
    assert AspectText(nothing, each(0, 3)).defined.tolist() == [False, True]


def test_weights_are_spread_to_the_ranks_that_first_show_the_aspects():
    size = rows([10, 10, 10])
    view = ShownAspects(rows([2, 0, 2, 3]), rows([1, 5, 2, 4]), rows([1, 1, 1, 1]), size, size, size * 0)
    assert view.shown.tolist() == [[0, 3, 4]]
    assert view.total.tolist() == [12]
    assert view.is_shown(2).tolist() == [[True, False, True, False]]
    assert view.is_shown(None).tolist() == [[True, False, True, True]]


def test_sums_do_not_depend_on_padding():
    values = np.array([[0.1, 0.2, 0.3, 0.7]])
    assert add_up(values)[0] == add_up(np.append(values, np.zeros((1, 9)), axis=1))[0]
    assert add_up(np.zeros((2, 0))).tolist() == [0, 0]
