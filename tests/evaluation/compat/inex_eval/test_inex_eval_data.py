"""Highlighted and new characters of many spans at once, against sets of characters."""

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxel.evaluation.compat.inex_eval.inex_eval_data import ToolHighlights, find_new_fragments

placed = st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 12)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)


def columns(spans):
    return (
        np.array(column, dtype=np.int64) for column in (zip(*spans, strict=True) if spans else ([], [], []))
    )


@given(st.lists(placed, max_size=15))
def test_new_text_is_in_no_earlier_span_of_the_article(spans):
    seen = defaultdict(set)
    wanted = []
    for article, start, end in spans:
        wanted.append(set(range(start, end)) - seen[article])
        seen[article] |= wanted[-1]
    fragments = find_new_fragments(*columns(spans))
    new_characters = [[] for _ in spans]
    for result, start, end in zip(*map(np.ndarray.tolist, fragments), strict=True):
        new_characters[result] += range(start, end)
    assert [sorted(text) for text in new_characters] == [sorted(text) for text in wanted]
    assert fragments.sizes(len(spans)).tolist() == [len(text) for text in wanted]


@given(st.lists(placed, max_size=8), st.lists(placed, max_size=8))
def test_a_character_in_two_highlights_counts_twice_unless_they_are_merged(marks, spans):
    highlights = ToolHighlights(*columns(marks))
    counts = Counter((pair, character) for pair, start, end in marks for character in range(start, end))
    twice = [sum(counts[pair, character] for character in range(start, end)) for pair, start, end in spans]
    once = [sum((pair, character) in counts for character in range(start, end)) for pair, start, end in spans]
    assert highlights.size(*columns(spans)).tolist() == twice
    assert highlights.merge().size(*columns(spans)).tolist() == once


def test_spans_far_from_any_highlight_have_no_relevant_text():
    highlights = ToolHighlights(np.array([1]), np.array([10]), np.array([20]))
    pair, start, end = (
        np.array([1, 1, 0, -1]),
        np.array([15, 10**12, 0, 0]),
        np.array([10**12, 10**13, 100, 100]),
    )
    assert highlights.size(pair, start, end).tolist() == [5, 0, 0, 0]
