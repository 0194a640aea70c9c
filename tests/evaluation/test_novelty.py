"""Novelty: the text of a result that no earlier result has."""

import numpy as np
import pytest

from doxel.evaluation.novelty import find_new_text, find_shared_text


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("shift", [0, 2**57])  # by far: too large for numbers that encode their row
def test_a_character_is_new_where_no_earlier_result_has_it(seed, shift):
    rng = np.random.default_rng(seed)
    group, start = rng.integers(0, 12, 20), rng.integers(0, 30, 20)
    end = start + rng.integers(0, 9, 20)
    characters = [
        {(document, place) for place in range(first, last)}
        for document, first, last in zip(group.tolist(), start.tolist(), end.tolist(), strict=True)
    ]
    shares = [
        any(other & mine for row, other in enumerate(characters) if row != number)
        for number, mine in enumerate(characters)
    ]
    new = [len(mine.difference(*characters[:row])) for row, mine in enumerate(characters)]
    shared = find_shared_text(group, start + shift, end + shift)
    is_contested = np.isin(group, group[np.array(shares)])
    assert shared.contested.tolist() == is_contested.tolist()
    novelty = find_new_text(group, start + shift, end + shift, shared.contested)
    assert novelty.new_size.tolist() == new
    for document in np.unique(group):
        rows = group == document
        assert shared.distinct_size[rows].sum() == novelty.new_size[rows].sum()
