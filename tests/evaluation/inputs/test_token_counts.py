"""Tokens and words: counted by their first characters, by a tokeniser of choice."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - there are dozens of them

import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate


def exactly(*values):
    return pytest.approx([float(value) for value in values], rel=1e-14, abs=1e-15)


def scores(run, gold, measures, **how):
    return evaluate(run, gold, measures, **how).scores["score"].to_list()


TEXT = {"d": "one two three four"}  # words start at 0, 4, 8 and 14


def test_a_token_belongs_to_its_first_character():
    gold = [("1", "d", 4, 13)]  # two three
    run = [("1", "d", 5, 18)]  # wo three four
    result = scores(run, gold, "token_rec, token_prec, token_iou", collection=TEXT)
    assert result == exactly(F(1, 2), F(1, 2), F(1, 3))


def test_tokens_are_counted_by_a_custom_tokeniser():
    def letters(text):
        return [(place, place + 1) for place in range(len(text))]

    result = scores(
        [("1", "d", 0, 8)],
        [("1", "d", 4, 12)],
        'token_prec, token_prec(tokens="letters")',
        collection=TEXT,
        tokenisers=[letters],
    )
    assert result == exactly(F(1, 2), F(1, 2))


def test_tokens_need_texts():
    with pytest.raises(InputError, match="counting tokens needs the documents"):
        scores([("1", "d", 50, 150)], [("1", "d", 100, 200)], "token_rec@5")


def test_an_unknown_tokeniser_raises_an_error_with_the_available_ones():
    with pytest.raises(MeasureError, match="unknown tokeniser 'bpe'; available: words"):
        scores([("1", "d", 0, 8)], [("1", "d", 4, 12)], "token_rec(tokens=bpe)", collection=TEXT)


def test_tokens_outside_the_text_raise_an_error():
    def wild(text):
        return [(len(text) + 5, len(text) + 9)]

    with pytest.raises(InputError, match="tokeniser 'wild': wanted spans inside a text of 18 characters"):
        scores(
            [("1", "d", 0, 8)],
            [("1", "d", 4, 12)],
            "token_rec(tokens=wild)",
            collection=TEXT,
            tokenisers=[wild],
        )
