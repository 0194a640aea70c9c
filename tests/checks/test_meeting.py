"""Which spans share text, against a comparison of each with each; and paths that lie like spans."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from doxel.checks.meeting import partners, path_spans

sized = st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(0, 6))
spans = st.lists(sized.map(lambda one: (one[0], one[1], one[1] + one[2])), max_size=12)
steps = st.tuples(st.sampled_from(["a", "b", "ab", "a-b", "a.b", "été"]), st.integers(1, 12))
paths = st.lists(steps, max_size=3).map(lambda some: "".join(f"/{name}[{number}]" for name, number in some))


def meets(one, other):
    return one[0] == other[0] and max(one[1], other[1]) < min(one[2], other[2])


@given(spans)
def test_partners_are_those_of_a_comparison_of_each_with_each(some):
    group, start, end = zip(*some, strict=True) if some else ((), (), ())
    for row, partner in enumerate(partners(group, start, end).tolist()):
        others = [number for number, one in enumerate(some) if number != row and meets(one, some[row])]
        assert (partner in others) if others else partner == -1


def test_positions_may_be_as_large_as_files_can_write_them():
    group = np.arange(100_000) // 2
    start = np.full(100_000, 10**17)
    assert (partners(group, start, start + 5) >= 0).all()
    assert (partners(np.arange(100_000), start, start + 5) == -1).all()


@given(st.lists(paths, min_size=1, max_size=10))
def test_paths_lie_in_each_other_as_elements_do(some):
    start, end = path_spans(pl.Series(some))
    for one, path in enumerate(some):
        for other, second in enumerate(some):
            below = second == path or second.startswith(path + "/")
            above = path.startswith(second + "/")
            inside = start[one] <= start[other] and end[other] <= end[one]
            shares = max(start[one], start[other]) < min(end[one], end[other])
            assert inside == below
            assert shares == (below or above)
