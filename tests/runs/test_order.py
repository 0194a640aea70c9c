"""Order and ties, against a slow version that does what section 0 of the measures says, word for word."""

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs.order import order, tied_levels

rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.one_of(st.none(), st.integers(0, 4)),
        st.one_of(st.none(), st.sampled_from([-1.5, 0.0, -0.0, 0.25, 0.5, math.inf, -math.inf])),
    ),
    max_size=12,
)
SCHEMA = {"topic": pl.String, "rank": pl.Int64, "rsv": pl.Float64}


def frame_of(some, *, ranked=True, scored=True):
    made = [(topic, rank if ranked else None, rsv if scored else None) for topic, rank, rsv in some]
    return pl.DataFrame(made, schema=SCHEMA, orient="row").with_row_index("row")


def slow_order(frame, by):
    """The rows of each topic, in order of first appearance, sorted one by one."""
    results = list(frame.iter_rows(named=True))
    ordered = []
    for topic in dict.fromkeys(result["topic"] for result in results):
        mine = [result for result in results if result["topic"] == topic]
        if by == "rank":  # by rank if given, else by descending rsv, ties in file order
            ranked = [result for result in mine if result["rank"] is not None]
            others = [result for result in mine if result["rank"] is None]
            mine = sorted(ranked, key=lambda result: result["rank"]) + by_score(others)
        elif by == "score":
            mine = by_score(mine)
        ordered += [(result["row"], position) for position, result in enumerate(mine, 1)]
    return ordered


def by_score(results):
    scored = [result for result in results if result["rsv"] is not None]
    return sorted(scored, key=lambda result: -result["rsv"]) + [r for r in results if r["rsv"] is None]


def slow_levels(frame, ties, by):
    """The level of each row of an ordered frame."""
    levels = []
    for topic in frame["topic"].unique(maintain_order=True):
        mine = list(frame.filter(pl.col("topic") == topic).iter_rows(named=True))
        scores = [result["rsv"] for result in mine]
        falling = None not in scores and all(a >= b for a, b in pairwise(scores))
        column = "rsv" if ties == "rsv" and falling else "rank"
        level = 0
        for number, result in enumerate(mine):
            value = result[column]
            tied = number and value is not None and value == mine[number - 1][column] and by != "file"
            level += not tied
            levels.append(level)
    return levels


@pytest.mark.parametrize("by", ["rank", "file", "score"])
@given(some=rows, ranked=st.booleans(), scored=st.booleans())
@settings(max_examples=200, deadline=None)
def test_order_and_levels(by, some, ranked, scored):
    frame = frame_of(some, ranked=ranked, scored=scored)
    ordered = order(frame, by)
    assert ordered.select("row", "position").rows() == slow_order(frame, by)
    assert ordered.columns == [*frame.columns, "position"]
    for ties in ("rsv", "rank"):
        assert tied_levels(ordered, ties, by=by).to_list() == slow_levels(ordered, ties, by)


whole_topics = st.lists(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from([-1.5, -0.0, 0.25, 0.5, math.inf])),
        min_size=1,
        max_size=4,
    ),
    max_size=3,
)


@pytest.mark.parametrize("by", ["rank", "file", "score"])
@given(topics=whole_topics)
@settings(max_examples=200, deadline=None)
def test_order_where_topics_stand_together_and_nothing_is_missing(by, topics):
    frame = frame_of([(str(number), *result) for number, topic in enumerate(topics) for result in topic])
    assert order(frame, by).select("row", "position").rows() == slow_order(frame, by)


def test_ordering_again_changes_nothing():
    frame = frame_of([("a", 2, 0.5), ("b", 1, 0.5), ("a", 1, 0.5)])
    once = order(frame)
    assert order(once).equals(once)


def test_scores_that_rise_with_the_rank_do_not_make_levels():
    # Section 0: equal rsv count only where the topic's rsv never rise in rank order.
    frame = frame_of([("a", 1, 0.5), ("a", 2, 0.5), ("a", 2, 0.9), ("b", 1, 0.5), ("b", 2, 0.5)])
    assert tied_levels(order(frame)).to_list() == [1, 2, 2, 1, 1]


def test_names_that_are_not_known_are_refused():
    frame = frame_of([("a", 1, 0.5)])
    with pytest.raises(InputError, match="one of rank, score, file, found 'best'"):
        order(frame, "best")
    with pytest.raises(InputError, match="one of rsv, rank, found 'file'"):
        tied_levels(order(frame), "file")
