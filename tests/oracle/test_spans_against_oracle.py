"""Section 12 agrees with the slow exact implementation: overlapping chunks, overlapping and adjacent gold."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from doxel.evaluation import evaluate
from oracle import MEASURES, random_case
from oracle.bridge import Bridge, bare, build
from random_share import count_cases

HALF = Fraction(1, 2)
CASES = count_cases(80)
KINDS = ("rec", "prec", "iou", "f1")


def cases(seed, **switches):
    random = Random(seed)
    return [random_case(random, chunks=True, **switches) for _ in range(CASES)]


@pytest.fixture(scope="module", params=["texts", "trees"])
def spans(request, tmp_path_factory) -> Bridge:
    """Chunks of bare texts, and elements and passages of trees: these measures treat them alike."""
    if request.param == "texts":
        return bare(cases(12, bare=True, length=16))
    return build(cases(13), tmp_path_factory.mktemp("spans"))


@pytest.fixture(scope="module")
def chunks() -> Bridge:
    return bare(cases(14, bare=True, length=16))


@pytest.mark.parametrize("repeats", ["once", "charged"])
@pytest.mark.parametrize("kind", KINDS)
def test_characters_and_tokens_agree_with_the_oracle(spans, kind, repeats):
    with spans.at_once() as compare:
        for unit in ("char", "token"):
            compare(f"{unit}_{kind}", repeats=repeats, above=CASES // 2)
            compare(f"{unit}_{kind}", repeats=repeats, at=2)
            compare(f"{unit}_{kind}", repeats=repeats, at=3, limit=2)
            compare(f"{unit}_{kind}", repeats=repeats, chars=15)
            compare(f"{unit}_{kind}", repeats=repeats, at=4, article_chars=9)


def halves(text):
    """A custom tokeniser: every second character starts a token, and some tokens are empty."""
    return [(place, place) for place in range(0, len(text), 2)]


@pytest.mark.parametrize("kind", KINDS)
def test_custom_tokens_agree_with_the_oracle(spans, kind):
    result = evaluate(
        spans.run,
        spans.assessments,
        f"token_{kind}(tokens=halves)@3",
        collection=spans.collection,
        tokenisers=[halves],
    )
    for case, score in zip(spans.cases, result.scores["score"], strict=True):
        wanted = MEASURES[f"token_{kind}"](case, at=3, tokens=halves)
        assert math.isnan(score) if wanted is None else score == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("least", [Fraction(1, 100), HALF, Fraction(9, 10), 1])
def test_gold_spans_agree_with_the_oracle(spans, least):
    with spans.at_once() as compare:
        for name in ("span_rec", "hit"):
            compare(name, min=least, above=CASES // 2)
            for at in (1, 2, 5):
                compare(name, min=least, at=at)
            compare(name, min=least, at=5, chars=12)
        compare("span_RR", min=least, above=CASES // 2)
        compare("span_RR", min=least, limit=2)


@pytest.mark.parametrize("recall", [0, Fraction(1, 10), HALF, Fraction(9, 10), 1])
def test_reading_cost_agrees_with_the_oracle(spans, recall):
    with spans.at_once() as compare:
        compare("read", recall=recall, above=CASES // 2)
        compare("read", recall=recall, limit=3)
        compare("read", recall=recall, chars=20)
        compare("read", recall=recall, unit="words")
        compare("read", recall=recall, unit="tokens", limit=4)


@pytest.mark.parametrize("repeats", ["once", "charged"])
@pytest.mark.parametrize("kind", ["prec", "rec", "iou"])
def test_omega_agrees_with_the_oracle(spans, kind, repeats):
    assert spans.compare(f"omega_{kind}", repeats=repeats) > CASES // 2


@pytest.mark.parametrize("repeats", ["once", "charged"])
@pytest.mark.parametrize("kind", ["prec", "rec", "iou"])
def test_greedy_agrees_with_the_oracle(repeats, kind):
    """One topic at a time: after the last gain, the shortest chunks of all documents follow."""
    for case in cases(15, bare=True)[:12]:
        with bare([case]).at_once() as compare:
            for at in (1, 3, 50):
                compare(f"greedy_{kind}", at=at, repeats=repeats)


@pytest.mark.parametrize("kind", ["prec", "rec", "iou"])
def test_greedy_of_many_topics_agrees_with_the_oracle(spans, kind):
    """Other topics do not matter until chunks without gain are chosen."""
    assert spans.compare(f"greedy_{kind}", at=1) > CASES // 2


@pytest.mark.parametrize("kind", ["prec", "rec", "iou"])
def test_chroma_agrees_with_the_oracle(spans, kind):
    with spans.at_once() as compare:
        compare(f"chroma_{kind}", above=CASES // 2)
        for at in (1, 3):
            compare(f"chroma_{kind}", at=at)


def test_chroma_omega_agrees_with_the_oracle(spans):
    assert spans.compare("chroma_omega") > CASES // 2


@pytest.mark.parametrize("at", [1, 2, 5, 20])
def test_gains_from_bare_spans_agree_with_the_oracle(chunks, at):
    with chunks.at_once() as compare:
        for name in ("nxCG", "MAnxCG", "gr"):
            compare(name, at=at, above=CASES // 2)
            compare(name, at=at, limit=3)


@pytest.mark.parametrize("recall", [Fraction(1, 10), HALF, 1])
def test_effort_over_bare_spans_agrees_with_the_oracle(chunks, recall):
    with chunks.at_once() as compare:
        compare("ep", at=recall)
        compare("ep", at=recall, ideal_curve="step", run_curve="step")


def test_mean_effort_over_bare_spans_agrees_with_the_oracle(chunks):
    with chunks.at_once() as compare:
        compare("MAep")
        compare("MAep", ideal_curve="step")
        compare("MAep", task="thorough")  # every task is treated as Focused
        compare("iMAep")
