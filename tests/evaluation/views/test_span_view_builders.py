"""The views of spans: gold spans found, reading order, tokens, document rankings, and chosen chunks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from doxel.errors import InputError
from doxel.evaluation.inputs.token_counts import Tokeniser
from doxel.evaluation.views.span_view_builders import (
    accumulate_shown,
    build_adjacent_chunks,
    build_document_ranking,
    build_gold_spans,
    build_greedy_chunks,
    build_judged_documents,
    build_marked_text,
    build_read_tokens,
    build_reading_order,
    build_touching_chunks,
    find_new_pieces,
    list_greedy_chunks,
    list_ideal_documents,
    pad_topic_lists,
)
from evaluation.laid_out import lay_out

GOLD = [("1", "d", 10, 20), ("1", "d", 15, 35), ("2", "e", 0, 4)]
RUN = [("1", "d", 0, 12), ("1", "z", 0, 9), ("1", "d", 5, 30), ("2", "e", 3, 8)]
GRADES = [
    {"topic": "1", "doc": doc, "grade": grade} for doc, grade in (("a", 2), ("b", 0), ("c", 1), ("d", 3))
]


def chunks_of(*spans):
    return pl.DataFrame([("d", *span) for span in spans], schema=["doc", "start", "end"], orient="row")


def test_pieces_belong_to_the_first_result_that_shows_them():
    pieces = find_new_pieces(lay_out(RUN, GOLD))
    columns = zip(pieces.owner.tolist(), pieces.start.tolist(), pieces.end.tolist(), strict=True)
    owned = {(owner, character) for owner, start, end in columns for character in range(start, end)}
    assert owned == {
        *((0, place) for place in range(12)),
        *((1, place) for place in range(9)),
        *((2, place) for place in range(12, 30)),
        *((3, place) for place in range(3, 8)),
    }


def test_a_span_that_only_touches_a_piece_does_not_meet_it():
    pieces = find_new_pieces(lay_out([("1", "d", 0, 10), ("1", "d", 20, 30)], [("1", "d", 5, 40)]))
    met = pieces.meet(np.array([0, 0]), np.array([10, 5]), np.array([20, 21]))
    assert [part.tolist() for part in met] == [[1, 1], [0, 1], [5, 20], [10, 21]]


def test_a_gold_span_is_found_at_the_rank_that_shows_enough_of_it():
    ranked = lay_out(RUN, GOLD)
    # [10, 20): 2 of 10, then all; [15, 35): 0, then 15 of 20; [0, 4): 1 of 4
    assert build_gold_spans(ranked, min=0.75).reached.tolist() == [[3, 3], [0, 0]]
    assert build_gold_spans(ranked, min=0.2).reached.tolist() == [[1, 3], [1, 0]]
    assert build_gold_spans(ranked, min=1.0).reached.tolist() == [[3, 0], [0, 0]]
    assert build_gold_spans(ranked, min=0.5).spans.tolist() == [2, 1]
    span, row, characters = accumulate_shown(ranked, ranked.assessed.spans)
    assert list(zip(span.tolist(), row.tolist(), characters.tolist(), strict=True)) == [
        (0, 0, 2),
        (0, 2, 10),
        (1, 2, 15),
        (2, 3, 1),
    ]


def test_relevant_text_is_read_by_rank_and_then_by_position():
    view = build_reading_order(lay_out(RUN, GOLD), unit="chars", tokens="words")
    # rank 1 ends with [10, 12); rank 2 has nothing; rank 3 is new from 12 on
    assert view.relevant.tolist() == [[2, 18], [1, 0]]
    assert view.until.tolist() == [[12, 12 + 9 + 18], [1, 0]]
    assert view.new_size.tolist() == [[12, 9, 18], [5, 0, 0]]
    assert view.total.tolist() == [25, 4]


def test_a_character_marked_twice_counts_twice():
    view = build_marked_text(lay_out(RUN, GOLD))
    assert view.marked.tolist() == [10 + 20, 4]
    assert view.new_marked.tolist() == [[2, 0, 8 + 15], [1, 0, 0]]
    assert view.new_relevant.tolist() == [[2, 0, 18], [1, 0, 0]]


PAIRS = Tokeniser("pairs", lambda text: [(start, start + 2) for start in range(0, len(text), 2)])


def test_a_stretch_of_relevant_text_begins_at_most_one_token(trees):
    ranked = lay_out([("1", "d", 1, 8)], [("1", "d", 3, 9)], trees, tokenisers={"pairs": PAIRS})
    view = build_reading_order(ranked, unit="tokens", tokens="pairs")
    # tokens start at 2, 4 and 6, so that [3, 8) is cut at 4 and at 6
    assert view.relevant.tolist() == [[1, 2, 2]]
    assert view.until.tolist() == [[1, 2, 3]]
    assert view.new_size.tolist() == [[3]]
    assert not view.in_characters


def test_a_token_belongs_to_its_first_character(trees):
    run = [("1", "d", 1, 8), ("1", "d", 4, 11)]
    ranked = lay_out(run, [("1", "d", 3, 9)], trees, tokenisers={"pairs": PAIRS})
    view = build_read_tokens(ranked, tokens="pairs")
    assert view.size.tolist() == [[3, 4]]  # starting at 2 4 6, and at 4 6 8 10
    assert view.new_size.tolist() == [[3, 2]]
    assert view.relevant.tolist() == [[2, 3]]  # at 4 6, and at 4 6 8
    assert view.new_relevant.tolist() == [[2, 1]]
    assert view.total.tolist() == [3]


def test_documents_are_ranked_by_first_occurrence():
    run = [{"topic": "1", "doc": doc} for doc in "bxaab"]
    view = build_document_ranking(lay_out(run, GRADES))
    assert view.grade.tolist() == [[0, 0, 2]]
    assert sorted(view.missed[0].tolist()) == [1, 3]
    once = build_document_ranking(lay_out(run[:3], GRADES))
    assert once.grade.tolist() == [[0, 0, 2]]


def test_documents_that_were_not_judged_have_no_grade():
    run = [{"topic": "1", "doc": doc} for doc in "bxaab"]
    view = build_judged_documents(lay_out(run, GRADES))
    assert view.grade[0, 0] == 0
    assert np.isnan(view.grade[0, 1])
    assert (view.length.tolist(), view.missed_count.tolist()) == ([3], [2])


def test_ideal_documents_are_the_relevant_ones_by_grade():
    ideal = list_ideal_documents(lay_out([{"topic": "1", "doc": "b"}], GRADES), 0)
    assert ideal.select("doc", "gain").rows() == [("d", 3), ("a", 2), ("c", 1)]


def test_lists_of_topics_are_padded_with_zeros():
    padded = pad_topic_lists(np.array([1, 0, 1]), np.array([5.0, 6.0, 7.0]), 3)
    assert padded.tolist() == [[6, 0], [5, 7], [0, 0]]


def test_chunks_touch_relevant_text_by_a_character_or_by_a_border():
    chunks = chunks_of((0, 10), (10, 20), (20, 30), (30, 40))
    ranked = lay_out([("1", "z", 0, 1)], [("1", "d", 12, 30)], chunks=chunks)
    assert build_touching_chunks(ranked).relevant.tolist() == [[8, 10]]
    assert build_adjacent_chunks(ranked).size.tolist() == [[10, 10, 10]]  # 30 is the start of the last


def test_greedy_chooses_the_chunk_with_the_most_new_text_and_of_equals_the_shorter():
    chunks = chunks_of((0, 30), (5, 25), (20, 45), (40, 60))
    ranked = lay_out([("1", "z", 0, 1)], [("1", "d", 10, 50)], chunks=chunks)
    # new text: 20, 15, 25, 10; then 10 [10, 20) of the first two, 5 [45, 50) of the last
    chunks = list_greedy_chunks(ranked, limit=None)
    assert list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True)) == [(20, 45), (5, 25), (40, 60)]
    assert build_greedy_chunks(ranked, limit=2).new_relevant.tolist() == [[25, 10]]


def test_of_chunks_that_are_equal_greedy_takes_the_first_by_document_and_start():
    rows = [("e", 0, 10), ("d", 10, 20), ("d", 0, 10)]
    chunks = pl.DataFrame(rows, schema=["doc", "start", "end"], orient="row")
    ranked = lay_out([("1", "z", 0, 1)], [("1", "d", 0, 20), ("1", "e", 0, 10)], chunks=chunks)
    choices = list_greedy_chunks(ranked, limit=None)
    assert choices.columns["doc"].gather(choices.source).to_list() == ["d", "d", "e"]
    assert choices.start.tolist() == [0, 10, 0]


def test_chosen_chunks_need_a_chunking():
    ranked = lay_out([("1", "z", 0, 1)], GOLD)
    with pytest.raises(InputError, match="omega and greedy need all chunks of the chunking"):
        build_touching_chunks(ranked)
