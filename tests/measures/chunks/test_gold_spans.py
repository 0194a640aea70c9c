"""Gold spans (section 12), on topics written as arrays."""

from doxel.measures.chunks.gold_spans import hit, span_rec, span_rr
from doxel.measures.text_views import GoldSpans
from measures.arrays import F, each, exactly, rows
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "span_rec(min=1), span_rec@100, hit@1, hit(min=1), span_RR, span_RR(min=1)")]

# three gold spans: shown at rank 2, never, at rank 4; a topic with two that are shown at rank 1
GOLD = GoldSpans(reached=rows([2, 0, 4], [1, 1]), spans=each(3, 2))


def test_gold_spans_are_found_by_rank():
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
