"""A few random topics of bare texts, in a second: what ``test_spans_against_oracle.py`` does at length."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from oracle import random_case

from .bridge import bare

CASES = 25


@pytest.fixture(scope="module")
def chunks():
    random = Random(2010)
    return bare([random_case(random, bare=True, chunks=True, length=14) for _ in range(CASES)])


@pytest.mark.parametrize("name", ["token_rec", "token_prec", "token_iou", "span_rec", "hit", "chroma_iou"])
def test_at_a_rank(chunks, name):
    for at in (1, 3):
        assert chunks.compare(name, at=at) > CASES // 2


@pytest.mark.parametrize("name", ["span_RR", "omega_prec", "omega_rec", "omega_iou", "chroma_omega", "MAep"])
def test_of_the_whole_list(chunks, name):
    assert chunks.compare(name) > CASES // 2


@pytest.mark.parametrize("recall", [Fraction(1, 3), Fraction(9, 10)])
def test_reading(chunks, recall):
    assert chunks.compare("read", recall=recall) > CASES // 2


def test_gains(chunks):
    assert chunks.compare("nxCG", at=4) > CASES // 2


def test_greedy_one_by_one():
    random = Random(11)
    for _ in range(6):
        alone = bare([random_case(random, bare=True, chunks=True)])
        for at in (2, 4):
            alone.compare("greedy_rec", at=at)
            alone.compare("greedy_prec", at=at)
