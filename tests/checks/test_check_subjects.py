"""Spans that share text, compared with a check of all pairs; paths as spans."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from doxel.checks.check_subjects import build_path_spans, find_partners

sized = st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(0, 6))
spans = st.lists(sized.map(lambda span: (span[0], span[1], span[1] + span[2])), max_size=12)
steps = st.tuples(st.sampled_from(["a", "b", "ab", "a-b", "a.b", "été"]), st.integers(1, 12))
paths = st.lists(steps, max_size=3).map(lambda path: "".join(f"/{name}[{number}]" for name, number in path))


def meets(span, other):
    return span[0] == other[0] and max(span[1], other[1]) < min(span[2], other[2])


@given(spans)
def test_partners_agree_with_a_comparison_of_all_pairs(spans):
    group, start, end = zip(*spans, strict=True) if spans else ((), (), ())
    for row, partner in enumerate(find_partners(group, start, end).tolist()):
        partners = [number for number, span in enumerate(spans) if number != row and meets(span, spans[row])]
        assert (partner in partners) if partners else partner == -1


def test_very_large_positions_do_not_overflow():
    group = np.arange(100_000) // 2
    start = np.full(100_000, 10**17)
    assert (find_partners(group, start, start + 5) >= 0).all()
    assert (find_partners(np.arange(100_000), start, start + 5) == -1).all()


@given(st.lists(paths, min_size=1, max_size=10))
def test_spans_of_paths_contain_each_other_like_elements(paths):
    start, end = build_path_spans(pl.Series(paths))
    for row, path in enumerate(paths):
        for other, second in enumerate(paths):
            below = second == path or second.startswith(path + "/")
            above = path.startswith(second + "/")
            inside = start[row] <= start[other] and end[other] <= end[row]
            shares = max(start[row], start[other]) < min(end[row], end[other])
            assert inside == below
            assert shares == (below or above)
