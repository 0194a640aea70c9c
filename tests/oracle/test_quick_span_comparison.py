"""A short version of ``test_spans_against_oracle.py``: a few random topics of bare texts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from oracle import Result, random_case
from oracle.bare_spans import merged
from oracle.bridge import bare
from random_share import count_cases

CASES = count_cases(25)


@pytest.fixture(scope="module")
def chunks():
    random = Random(2010)
    return bare([random_case(random, bare=True, chunks=True, length=14) for _ in range(CASES)])


@pytest.mark.parametrize("name", ["token_rec", "token_prec", "token_iou", "span_rec", "hit", "chroma_iou"])
def test_measures_with_a_cutoff_agree_with_the_oracle(chunks, name):
    for at in (1, 3):
        assert chunks.compare(name, at=at) > CASES // 2


@pytest.mark.parametrize("name", ["span_RR", "omega_prec", "omega_rec", "omega_iou", "chroma_omega", "MAep"])
def test_measures_of_the_whole_list_agree_with_the_oracle(chunks, name):
    assert chunks.compare(name) > CASES // 2


@pytest.mark.parametrize("recall", [Fraction(1, 3), Fraction(9, 10)])
def test_reading_cost_agrees_with_the_oracle(chunks, recall):
    assert chunks.compare("read", recall=recall) > CASES // 2


def test_gains_from_bare_spans_agree_with_the_oracle(chunks):
    assert chunks.compare("nxCG", at=4) > CASES // 2


@pytest.fixture(scope="module")
def hits():
    """Chunks among which are many gold spans."""
    random = Random(2011)
    cases = [random_case(random, bare=True, length=6) for _ in range(CASES)]
    for case in cases:
        spans = [(doc, *span) for doc, spans in case.highlights.items() for span in merged(spans)]
        results = [Result(*random.choice(spans)) for _ in range(3) if spans]
        results = results + [replace(result, rank=None, rsv=None) for result in case.results]
        case.results = random.sample(results, k=len(results))
    return bare(cases)


@pytest.mark.parametrize("model", ["identity", "parent(.5)+child"])
def test_users_of_bare_spans_agree_with_the_oracle(hits, model):
    for name, at in (("GR", 3), ("EPRUM", None), ("PRUM", None), ("EPRUM_Pk", 2)):
        assert hits.compare(name, at=at, model=model) > CASES // 2


def test_greedy_choices_of_single_topics_agree_with_the_oracle():
    random = Random(11)
    for _ in range(6):
        alone = bare([random_case(random, bare=True, chunks=True)])
        for at in (2, 4):
            alone.compare("greedy_rec", at=at)
            alone.compare("greedy_prec", at=at)
