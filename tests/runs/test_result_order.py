"""Order and ties, against a slow implementation that follows section 0 of the measures literally."""

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs.result_order import find_ties, order_results, rank_documents
from doxel.runs.run import RESULTS, Run
from random_share import count_cases

rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.one_of(st.none(), st.integers(0, 4)),
        st.one_of(st.none(), st.sampled_from([-1.5, 0.0, -0.0, 0.25, 0.5, math.inf, -math.inf])),
    ),
    max_size=12,
)
SCHEMA = {"topic": pl.String, "rank": pl.Int64, "rsv": pl.Float64}


def frame_of(results, *, ranked=True, scored=True):
    data = [(topic, rank if ranked else None, rsv if scored else None) for topic, rank, rsv in results]
    return pl.DataFrame(data, schema=SCHEMA, orient="row").with_row_index("row")


def slow_order(frame, by):
    """Sort the rows topic by topic, with topics in order of first appearance."""
    results = list(frame.iter_rows(named=True))
    ordered = []
    for topic in dict.fromkeys(result["topic"] for result in results):
        topic_results = [result for result in results if result["topic"] == topic]
        if by == "rank" and is_constant(topic_results):
            topic_results = by_score(topic_results)
        elif by == "rank":  # by rank if given, else by descending rsv, ties in file order
            ranked = [result for result in topic_results if result["rank"] is not None]
            unranked = [result for result in topic_results if result["rank"] is None]
            topic_results = sorted(ranked, key=lambda result: result["rank"]) + by_score(unranked)
        elif by == "score":
            topic_results = by_score(topic_results)
        ordered += [(result["row"], position) for position, result in enumerate(topic_results, 1)]
    return ordered


def is_constant(results):
    """Return whether the ranks count as not given: one rank for several results that all have an rsv."""
    is_scored = all(result["rsv"] is not None for result in results)
    return is_scored and len(results) > 1 and len({result["rank"] for result in results}) == 1


def by_score(results):
    scored = [result for result in results if result["rsv"] is not None]
    return sorted(scored, key=lambda result: -result["rsv"]) + [r for r in results if r["rsv"] is None]


def slow_levels(frame, ties, by):
    """Return the level of each row of an ordered frame."""
    levels = []
    for topic in frame["topic"].unique(maintain_order=True):
        topic_results = list(frame.filter(pl.col("topic") == topic).iter_rows(named=True))
        scores = [result["rsv"] for result in topic_results]
        falling = None not in scores and all(a >= b for a, b in pairwise(scores))
        column = "rsv" if ties == "rsv" and falling else "rank"
        level = 0
        for number, result in enumerate(topic_results):
            value = result[column]
            is_same = value is not None and value == topic_results[number - 1][column]
            is_tied = number and is_same and by != "file"
            level += not is_tied
            levels.append(level)
    return levels


@pytest.mark.parametrize("by", ["rank", "file", "score"])
@given(results=rows, ranked=st.booleans(), scored=st.booleans())
@settings(max_examples=count_cases(200), deadline=None)
def test_order_and_levels_agree_with_the_slow_implementation(by, results, ranked, scored):
    frame = frame_of(results, ranked=ranked, scored=scored)
    ordered = order_results(frame, by)
    assert ordered.select("row", "position").rows() == slow_order(frame, by)
    assert ordered.columns == [*frame.columns, "position"]
    for ties in ("rsv", "rank"):
        assert find_ties(ordered, ties, by=by).to_list() == slow_levels(ordered, ties, by)


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
@settings(max_examples=count_cases(200), deadline=None)
def test_grouped_and_complete_topics_are_ordered_the_same(by, topics):
    frame = frame_of([(str(number), *result) for number, topic in enumerate(topics) for result in topic])
    assert order_results(frame, by).select("row", "position").rows() == slow_order(frame, by)


def test_ordering_again_changes_nothing():
    frame = frame_of([("a", 2, 0.5), ("b", 1, 0.5), ("a", 1, 0.5)])
    once = order_results(frame)
    assert order_results(once).equals(once)


def test_equal_rsv_are_not_ties_if_rsv_rise_with_the_rank():
    # Section 0: equal rsv count only if the rsv of the topic never rise in rank order.
    frame = frame_of([("a", 1, 0.5), ("a", 2, 0.5), ("a", 2, 0.9), ("b", 1, 0.5), ("b", 2, 0.5)])
    assert find_ties(order_results(frame)).to_list() == [1, 2, 2, 1, 1]


def test_a_constant_rank_counts_as_not_given_if_there_are_scores():
    # Section 0: topic a is ordered by rsv; b has no rsv for one result, c has one result only
    results = [("a", 1, 0.1), ("a", 1, 0.9), ("b", 1, 0.1), ("b", 1, None), ("c", 1, 0.5), ("a", 1, 0.9)]
    ordered = order_results(frame_of(results))
    assert ordered["row"].to_list() == [1, 5, 0, 2, 3, 4]
    assert ordered["rank"].to_list() == [None, None, None, 1, 1, 1]
    assert find_ties(ordered).to_list() == [1, 1, 2, 1, 1, 1]
    assert find_ties(ordered, "rank").to_list() == [1, 2, 3, 1, 1, 1]
    assert order_results(frame_of(results), "file")["row"].to_list() == [0, 1, 5, 2, 3, 4]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.9, 0.9, 0.5], [0.9, 0.9, 0.5]),
        ([0.1, 0.5, 0.9], [1, 1 / 2, 1 / 3]),  # they rise
        ([0.9, None, 0.5], [1, 1 / 2, 1 / 3]),
    ],
)
def test_documents_keep_scores_that_never_rise_and_else_get_those_of_their_ranks(scores, kept):
    columns = {"topic": ["1"] * 3, "doc": list("abc"), "rank": [1, 2, 3], "rsv": scores}
    documents, notes = rank_documents(Run("r", RESULTS.fit(pl.DataFrame(columns))))
    assert documents.results["rsv"].to_list() == kept
    assert any("1/rank" in note for note in notes) == (kept != scores)


def test_unknown_orders_and_ties_are_rejected():
    frame = frame_of([("a", 1, 0.5)])
    with pytest.raises(InputError, match="one of rank, score, file, found 'best'"):
        order_results(frame, "best")
    with pytest.raises(InputError, match="one of rsv, rank, found 'file'"):
        find_ties(order_results(frame), "file")
