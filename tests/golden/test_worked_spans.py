"""The numbers of section 12 through ``evaluate``, and small cases that show the purpose of each measure."""

from __future__ import annotations

import math
from fractions import Fraction as F  # noqa: N817 - there are dozens of them

import pytest

from doxel.errors import InputError
from doxel.evaluation import evaluate

GOLD = [("1", "d", 100, 200)]
LIST = [("1", "d", 50, 150), ("1", "d", 100, 200), ("1", "d", 300, 400)]
TEXT = {"d": "one two three four"}
WINDOW = [("1", "d", 0, 50), ("1", "d", 25, 75), ("1", "d", 50, 100)]  # of [0,100), with 50 % overlap


def exactly(*values):
    return pytest.approx([float(value) for value in values], rel=1e-14, abs=1e-15)


def scores(run, gold, measures, **how):
    return evaluate(run, gold, measures, **how).scores["score"].to_list()


# ---- (exact) of section 12


@pytest.mark.parametrize(
    ("measure", "once", "charged"),
    [
        ("char_rec", (F(1, 2), 1, 1), (F(1, 2), 1, 1)),
        ("char_prec", (F(1, 2), F(2, 3), F(2, 5)), (F(1, 2), F(1, 2), F(1, 3))),
        ("char_iou", (F(1, 3), F(2, 3), F(2, 5)), (F(1, 3), F(1, 2), F(1, 3))),
        ("char_f1", (F(1, 2), F(4, 5), F(4, 7)), (F(1, 2), F(2, 3), F(1, 2))),
    ],
)
def test_character_measures_equal_those_of_the_worked_example(measure, once, charged):
    assert scores(LIST, GOLD, f"{measure}@1,2,3") == exactly(*once)
    assert scores(LIST, GOLD, f"{measure}(repeats=charged)@1,2,3") == exactly(*charged)


def test_reading_cost_and_ranks_equal_those_of_the_worked_example():
    assert scores(LIST, GOLD, "read(recall=.9), span_RR(min=.5)") == [140, 1]


@pytest.mark.parametrize(("recall", "words"), [(0.3, 2), (0.4, 2), (0.5, 3), (1, 3)])
def test_reading_cost_in_words_counts_each_word_with_its_first_character(recall, words):
    # of the gold "two three", 9 characters, the second word read shows 4 and the third one 5
    run, gold = [("1", "d", 0, 18)], [("1", "d", 4, 13)]
    assert scores(run, gold, f'read(recall={recall}, unit="words")', collection=TEXT) == [words]


def test_a_sliding_window_over_the_whole_text_scores_1_unless_repeats_are_charged():
    gold = [("1", "d", 0, 100)]
    names = "char_rec, char_prec, char_iou, char_f1"
    assert scores(WINDOW, gold, names) == [1, 1, 1, 1]
    charged = "char_prec(repeats=charged), char_iou(repeats=charged)"
    assert scores(WINDOW, gold, charged) == exactly(F(2, 3), F(2, 3))


# ---- gold spans


def test_gold_spans_count_one_by_one():
    gold = [("1", "d", 0, 10), ("1", "d", 5, 15), ("1", "e", 0, 100)]
    run = [("1", "d", 0, 8), ("1", "e", 0, 49), ("1", "e", 49, 50)]
    # rank 1 shows 8 of 10 characters of the first span, 3 of the second; rank 3 completes half of the third
    assert scores(run, gold, "span_rec@1,2,3") == exactly(F(1, 3), F(1, 3), F(2, 3))
    assert scores(run, gold, "span_rec(min=.3)@1,2,3") == exactly(F(2, 3), 1, 1)
    assert scores(run, gold, "hit(min=.9)@3, span_RR(min=.9), hit@1, span_RR") == [0, 0, 1, 1]


def test_two_results_may_cover_a_span_together():
    assert scores([("1", "d", 100, 130), ("1", "d", 120, 150)], GOLD, "span_RR, hit@1,2") == [0.5, 0, 1]


# ---- adjacent is not touching


def test_a_result_next_to_a_gold_span_finds_none_of_it():
    run = [("1", "d", 0, 100), ("1", "d", 200, 300)]
    names = (
        "char_rec, char_prec, char_iou, span_rec(min=0.01), hit(min=0.01), span_RR(min=0.01), nxCG@2, gr@2"
    )
    assert scores(run, GOLD, names) == [0] * 8
    assert scores(run, GOLD, "read") == [math.inf]


def test_a_chunk_next_to_a_gold_span_is_not_in_the_reference_choice():
    chunks = [("d", 0, 100), ("d", 100, 200), ("d", 200, 300)]
    assert scores(LIST, GOLD, "omega_prec, omega_rec, omega_iou", chunks=chunks) == [1, 1, 1]
    assert scores(LIST, GOLD, "chroma_omega", chunks=chunks) == exactly(F(1, 3))


# ---- nothing retrieved


def test_an_empty_retrieval_scores_0():
    names = (
        "char_rec@5, char_prec@5, char_iou@5, char_f1@5, char_prec(repeats=charged)@5, span_rec@5, hit@5, "
        "span_RR, nxCG@5, MAep, MAiP(task=thorough), chroma_rec@5, chroma_prec@5, chroma_iou@5, P@10, AP"
    )
    result = evaluate({"mine": []}, GOLD, names)
    assert result.scores["score"].to_list() == [0] * 16
    assert evaluate({"mine": []}, GOLD, "read").scores["score"].to_list() == [math.inf]
    assert scores({"mine": []}, GOLD, "token_rec, token_prec", collection={"d": "a b " * 100}) == [0, 0]


def test_infinite_scores_are_reported_and_left_out_of_the_mean():
    gold = [*GOLD, ("2", "d", 0, 10), ("3", "e", 0, 10)]
    result = evaluate([*LIST, ("2", "d", 0, 10)], gold, "read")
    assert result.means.select("score", "topics", "undefined").row(0) == (74.5, 2, 0)  # (140 + 9) / 2
    assert "run: read is infinite for 1 topic (3); it is left out of the mean" in result.warnings
    assert evaluate({"mine": []}, GOLD, "read").means.select("score", "topics").row(0) == (math.inf, 0)


# ---- gains over bare spans


def test_gold_spans_are_the_ideal_units():
    # two units: adjacent spans are not merged; a chunk over both gains 1, limited by their room
    gold = [("1", "d", 0, 10), ("1", "d", 10, 20)]
    assert scores([("1", "d", 0, 20)], gold, "nxCG@1,2, gr@1") == exactly(1, F(1, 2), F(1, 2))
    merged = [("1", "d", 0, 10), ("1", "d", 9, 20)]
    assert scores([("1", "d", 0, 20)], merged, "nxCG@1,2, gr@1") == [1, 1, 1]


def test_many_small_chunks_of_one_unit_gain_no_more_than_it_is_worth():
    gold = [("1", "d", 0, 30), ("1", "e", 0, 10)]
    run = [("1", "d", 0, 10), ("1", "d", 10, 20), ("1", "d", 20, 30)]
    assert scores(run, gold, "nxCG@1,2,3, gr@3") == exactly(1, F(1, 2), F(1, 2), F(1, 2))


def test_a_chunk_does_not_draw_on_the_next_unit():
    gold = [("1", "d", 0, 10), ("1", "d", 10, 20)]
    assert scores([("1", "d", 15, 20), ("1", "d", 10, 15)], gold, "nxCG@1,2") == exactly(1, F(1, 2))


def test_seen_text_gains_nothing_and_costs_only_its_size():
    # 50 of 100, then 50 new relevant of 100, then nothing
    assert scores(LIST, GOLD, "nxCG@1,2,3, gr@3, MAep") == exactly(F(1, 2), 1, 1, 1, F(1, 2))


def test_gains_from_bare_spans_are_reported():
    assert any("bare spans" in warning for warning in evaluate(LIST, GOLD, "nxCG@1").warnings)
    assert not any("bare spans" in warning for warning in evaluate(LIST, GOLD, "char_rec").warnings)


# ---- reference choices


def test_greedy_choices_go_by_new_text_then_size_then_position():
    gold = [("1", "d", 0, 40)]
    chunks = [("d", 0, 30), ("d", 20, 60), ("d", 30, 50), ("d", 200, 205), ("e", 0, 5)]
    # [0,30) shows 30, then [20,60) and [30,50) have 10 new each: the shorter is chosen; then nothing is left
    result = scores([], gold, "greedy_rec@1,2,3, greedy_prec@1,2,3", chunks=chunks)
    assert result == exactly(F(3, 4), 1, 1, 1, F(40, 50), F(40, 50))


def test_greedy_choices_stop_when_no_chunk_adds_relevant_text():
    # section 12: [9,14) shares a character with the gold, which [0,10) has shown
    chunks = [("d", 0, 10), ("d", 9, 14)]
    assert scores([], [("1", "d", 0, 10)], "greedy_prec@1,2, greedy_iou@2", chunks=chunks) == [1, 1, 1]


def test_equal_greedy_choices_go_by_document_in_whatever_order_chunks_come():
    # section 12: after [0,20) of a, its [15,35) and [0,20) of b show 5 each; a goes first, with 15 to read
    gold = [("1", "a", 0, 20), ("1", "a", 30, 35), ("1", "b", 0, 5)]
    chunks = [("b", 0, 20), ("a", 0, 20), ("a", 15, 35)]
    assert scores([], gold, "greedy_prec@1,2,3", chunks=chunks) == exactly(1, F(25, 35), F(30, 55))


def test_reference_choices_need_the_chunks():
    with pytest.raises(InputError, match="omega and greedy need all chunks of the chunking"):
        scores(LIST, GOLD, "greedy_rec@5")


@pytest.mark.parametrize("chunks", [[("d", 9, 3)], [("d", -1, 3)], [("d", 0)], [{"doc": "d"}], [5]])
def test_invalid_chunks_raise_an_error(chunks):
    with pytest.raises(InputError, match=r"^chunk 1: wanted "):
        scores(LIST, GOLD, "omega_rec", chunks=chunks)


def test_chunks_of_unknown_documents_raise_an_error():
    chunks = [("d", 0, 3), ("e", 0, 3)]
    with pytest.raises(InputError, match=r"^chunk 2: wanted a document of the collection, found 'e'"):
        scores([("1", "d", 0, 8)], [("1", "d", 4, 12)], "omega_rec", collection=TEXT, chunks=chunks)


def test_chunks_of_unknown_documents_in_a_file_raise_an_error_with_the_line(tmp_path):
    path = tmp_path / "chunks.jsonl"
    path.write_text('{"doc": "d", "start": 0, "end": 3}\n\n{"doc": "e", "start": 0, "end": 3}\n')
    with pytest.raises(InputError, match=r"chunks\.jsonl, line 3: a chunk: wanted a document"):
        scores([("1", "d", 0, 8)], [("1", "d", 4, 12)], "omega_rec", collection=TEXT, chunks=path)


# ---- Chroma's defects, each with the correct measure for comparison


def test_chroma_gives_a_perfect_retrieval_with_half_overlap_an_iou_of_two_thirds():
    gold = [("1", "d", 0, 100)]
    assert scores(WINDOW, gold, "chroma_iou, char_iou") == exactly(F(2, 3), 1)
    assert scores(WINDOW, gold, "chroma_prec, char_prec") == exactly(F(2, 3), 1)
    assert scores(WINDOW, gold, "chroma_rec, char_rec") == [1, 1]


def test_chroma_cannot_find_gold_that_was_marked_twice():
    gold = [("1", "d", 0, 100), ("1", "d", 50, 100)]
    perfect = [("1", "d", 0, 100)]
    assert scores(perfect, gold, "chroma_rec, char_rec") == exactly(F(2, 3), 1)
    half = [("1", "d", 0, 50)]
    # the missing text was marked twice and is charged twice: 50 / (50 + 100)
    assert scores(half, gold, "chroma_iou, char_iou") == exactly(F(1, 3), F(1, 2))


def test_chroma_counts_a_neighbour_as_containing_the_gold():
    chunks = [("d", 0, 100), ("d", 100, 200), ("d", 200, 300)]
    assert scores([], GOLD, "chroma_omega, omega_iou", chunks=chunks) == exactly(F(1, 3), 1)


# ---- documents and spans


def test_documents_and_spans_are_scored_in_one_table():
    gold = [("1", "d", 0, 10), ("1", "e", 0, 10), ("2", "e", 0, 5)]
    run = [("1", "x", 0, 9), ("1", "d", 50, 60), ("1", "d", 0, 10), ("2", "e", 0, 5)]
    names = "RR, AP, P@1, R@2, nDCG@10, char_rec"
    first = evaluate(run, gold, names).scores.filter(topic="1")["score"].to_list()
    # document d is ranked second by its first result, whether or not that is the relevant part
    dcg, ideal = 1 / math.log2(3), 1 + 1 / math.log2(3)
    assert first == pytest.approx([0.5, 0.25, 0, 0.5, dcg / ideal, 0.5], rel=1e-6)


def test_grades_of_documents_are_the_highest_of_their_highlights():
    gold = [
        {"topic": "1", "doc": "d", "start": 0, "end": 5, "grade": 1},
        {"topic": "1", "doc": "d", "start": 7, "end": 9, "grade": 3},
        {"topic": "1", "doc": "e", "start": 0, "end": 5, "grade": 2},
        {"topic": "1", "doc": "f"},
    ]
    run = [("1", "e", 0, 1), ("1", "f", 0, 1), ("1", "d", 0, 1)]
    dcg, ideal = 2 + 3 / math.log2(4), 3 + 2 / math.log2(3)
    assert scores(run, gold, "nDCG@10, RR(rel=3), P@2") == pytest.approx([dcg / ideal, 1 / 3, 0.5], rel=1e-6)
