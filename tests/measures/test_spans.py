"""Gold spans, reading, tokens, ceilings and Chroma's figures (section 12), on topics written as arrays."""

import math
import sys

import numpy as np
import pytest

from doxel.errors import InputError, MissingExtraError
from doxel.measures.chunks import chroma, chunk_ceilings, classic, tokens
from doxel.measures.chunks.gold_spans import hit, span_rec, span_rr
from doxel.measures.chunks.reading_cost import read
from doxel.measures.text_views import (
    AdjacentChunks,
    DocumentRanking,
    GoldSpans,
    GreedyChunks,
    MarkedText,
    ReadingOrder,
    ReadTokens,
    TouchingChunks,
)

from .arrays import F, each, exactly, rows

# three gold spans: shown at rank 2, never, at rank 4; a topic with two that are shown at rank 1
GOLD = GoldSpans(reached=rows([2, 0, 4], [1, 1]), spans=each(3, 2))


def test_gold_spans_found_by_rank():
    assert [span_rec(GOLD, cutoff=rank)[0] for rank in (1, 2, 3, 4, None)] == exactly(
        [0, F(1, 3), F(1, 3), F(2, 3), F(2, 3)]
    )
    assert [hit(GOLD, cutoff=rank)[0] for rank in (1, 2, None)] == [0, 1, 1]
    assert span_rr(GOLD).tolist() == [0.5, 1]
    assert span_rec(GOLD, cutoff=1)[1] == 1


def test_without_a_gold_span_found_all_scores_are_0():
    none = GoldSpans(reached=rows([0, 0], []), spans=each(2, 1))
    assert span_rec(none, cutoff=None).tolist() == hit(none, cutoff=5).tolist() == [0, 0]
    assert span_rr(none).tolist() == [0, 0]
    assert span_rr(GoldSpans(rows([], []), each(1, 1))).tolist() == [0, 0]


# (exact) G = [100,200), list [50,150) [100,200) [300,400): relevant after 50 irrelevant, then the rest
STRETCHES = ReadingOrder(relevant=rows([50, 50]), until=rows([100, 150]), total=each(100))


@pytest.mark.parametrize(
    ("recall", "characters"), [(0, 0), (0.01, 51), (0.5, 100), (0.51, 101), (0.9, 140), (1, 150)]
)
def test_reading_stops_within_a_result(recall, characters):
    assert read(STRETCHES, recall=recall).tolist() == [characters]


def test_reading_is_infinite_if_the_recall_is_never_reached():
    lists = ReadingOrder(relevant=rows([50], []), until=rows([100], []), total=each(100, 100))
    assert read(lists, recall=0.5).tolist() == [100, math.inf]
    assert read(lists, recall=0.6).tolist() == [math.inf, math.inf]
    assert read(ReadingOrder(rows([]), rows([]), each(9)), recall=0.1).tolist() == [math.inf]


def test_a_share_of_whole_characters_is_not_rounded_up():
    # 0.07 * 100 is a little more than 7 in doubles
    assert read(ReadingOrder(rows([100]), rows([100]), each(100)), recall=0.07).tolist() == [7]


def text(kind):
    """(exact) G = [100,200), list [50,150) [100,200) [300,400)."""
    return kind(
        size=rows([100, 100, 100]),
        relevant=rows([50, 100, 0]),
        new_size=rows([100, 50, 100]),
        new_relevant=rows([50, 50, 0]),
        total=each(100),
    )


@pytest.mark.parametrize(
    ("measure", "once", "charged"),
    [
        (tokens.token_rec, [F(1, 2), 1, 1], [F(1, 2), 1, 1]),
        (tokens.token_prec, [F(1, 2), F(2, 3), F(2, 5)], [F(1, 2), F(1, 2), F(1, 3)]),
        (tokens.token_iou, [F(1, 3), F(2, 3), F(2, 5)], [F(1, 3), F(1, 2), F(1, 3)]),
        (tokens.token_f1, [F(1, 2), F(4, 5), F(4, 7)], [F(1, 2), F(2, 3), F(1, 2)]),
    ],
)
def test_tokens_are_scored_like_characters(measure, once, charged):
    view = text(ReadTokens)
    for repeats, expected in (("once", once), ("charged", charged)):
        assert [measure(view, repeats=repeats, cutoff=rank).item() for rank in (1, 2, 3)] == exactly(expected)


def test_ceilings_are_scored_like_characters():
    touching, greedy = text(TouchingChunks), text(GreedyChunks)
    assert chunk_ceilings.omega_rec(touching, repeats="once").item() == 1
    assert chunk_ceilings.omega_prec(touching, repeats="once").item() == exactly(F(2, 5))
    assert chunk_ceilings.omega_prec(touching, repeats="charged").item() == exactly(F(1, 3))
    assert chunk_ceilings.omega_iou(touching, repeats="once").item() == exactly(F(2, 5))
    assert [chunk_ceilings.greedy_rec(greedy, repeats="once", cutoff=k).item() for k in (1, 2)] == [0.5, 1]
    assert chunk_ceilings.greedy_prec(greedy, repeats="once", cutoff=2).item() == exactly(F(2, 3))
    assert chunk_ceilings.greedy_iou(greedy, repeats="once", cutoff=1).item() == exactly(F(1, 3))
    assert chunk_ceilings.greedy_iou(greedy, repeats="charged", cutoff=2).item() == exactly(F(1, 2))


def test_chroma_measures_computed_by_hand():
    # gold [0,100) marked twice, chunks [0,50) [25,75): 75 characters found, 100 retrieved, 25 missed twice
    view = MarkedText(
        size=rows([50, 50]), new_relevant=rows([50, 25]), new_marked=rows([100, 50]), marked=each(200)
    )
    assert chroma.chroma_rec(view, cutoff=None).item() == exactly(F(75, 200))
    assert chroma.chroma_prec(view, cutoff=None).item() == exactly(F(75, 100))
    assert chroma.chroma_iou(view, cutoff=None).item() == exactly(F(75, 150))
    assert chroma.chroma_iou(view, cutoff=1).item() == exactly(F(50, 150))
    assert chroma.chroma_omega(text(AdjacentChunks)).item() == exactly(F(2, 5))


class TestWholeDocuments:
    # grades 2, 0, 1 at ranks 1 to 3, and one relevant document not retrieved; topic 2 has only zeros
    VIEW = DocumentRanking(grade=rows([2, 0, 1], [0, 0, 0]), missed=rows([1], [1]))

    def test_measures_computed_by_hand(self):
        first, second = classic.average_precision(self.VIEW, rel=1, cutoff=None)
        assert first == exactly((1 + F(2, 3)) / 3)
        assert second == 0
        assert classic.precision(self.VIEW, rel=1, cutoff=2)[0] == 0.5
        assert classic.precision(self.VIEW, rel=1, cutoff=5)[0] == exactly(F(2, 5))
        assert classic.recall(self.VIEW, rel=1, cutoff=3)[0] == exactly(F(2, 3))
        assert classic.reciprocal_rank(self.VIEW, rel=1, cutoff=None).tolist() == [1, 0]

    def test_ndcg_computed_by_hand(self):
        gained = 2 + 1 / math.log2(4)
        ideal = 2 + 1 / math.log2(3) + 1 / math.log2(4)
        assert classic.ndcg(self.VIEW, cutoff=10)[0] == pytest.approx(gained / ideal, rel=1e-6)

    def test_rel_is_the_lowest_relevant_grade(self):
        assert classic.average_precision(self.VIEW, rel=2, cutoff=None)[0] == 1
        assert classic.reciprocal_rank(DocumentRanking(rows([1, 2]), rows([])), rel=2, cutoff=None) == [0.5]

    def test_an_empty_ranking_scores_0(self):
        assert classic.ndcg(DocumentRanking(rows([]), rows([1])), cutoff=10).tolist() == [0]

    def test_fractional_grades_are_rejected(self):
        with pytest.raises(InputError, match="wanted whole numbers"):
            classic.ndcg(DocumentRanking(rows([0.5]), rows([])), cutoff=10)

    def test_without_the_library_the_error_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "ir_measures", None)
        with pytest.raises(MissingExtraError, match=r'pip install "doxel\[classic\]"'):
            classic.ndcg(self.VIEW, cutoff=10)

    def test_only_topics_with_a_relevant_document_are_defined(self):
        view = DocumentRanking(grade=rows([0], [1], [0]), missed=rows([1], [0], [0]))
        assert np.array_equal(view.defined, [True, True, False])
