"""Tokens of the first results (section 12), on one topic written as arrays."""

import pytest

from doxel.measures.chunks import tokens
from doxel.measures.text_views import ReadTokens
from measures.arrays import F, exactly, overlapping_chunks
from measures.ideals import gold

IDEAL_RUNS = [("random", gold, "token_rec, token_prec, token_prec(repeats=charged), token_iou, token_f1@100")]


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
    view = overlapping_chunks(ReadTokens)
    for repeats, expected in (("once", once), ("charged", charged)):
        assert [measure(view, repeats=repeats, cutoff=rank).item() for rank in (1, 2, 3)] == exactly(expected)
