"""Section 13 agrees with the slow exact implementation: judged shares, removal, residuals, bpref."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from doxel.evaluation import evaluate
from oracle import random_case
from oracle.bridge import Bridge, bare, build
from oracle.unjudged import document_score
from random_share import count_cases

CASES = count_cases(120)
HALF = Fraction(1, 2)


def cases(seed, **switches):
    """Return random topics in which about half of the documents with results are not judged."""
    random = Random(seed)
    return [_judge_less(random_case(random, documents=5, **switches), random) for _ in range(CASES)]


def _judge_less(case, random):
    """Return a case without the judgements of some documents; one with highlights stays."""
    first = next(iter(case.relevant_documents()), None)
    names = {name for name in case.judged if name == first or random.random() < 0.4}
    return replace(
        case,
        judged=names,
        highlights={name: spans for name, spans in case.highlights.items() if name in names},
        beps={name: place for name, place in case.beps.items() if name in names},
    )


@pytest.fixture(scope="module", params=["texts", "trees"])
def spans(request, tmp_path_factory) -> Bridge:
    if request.param == "texts":
        return bare(cases(131, bare=True, length=16))
    return build(cases(132), tmp_path_factory.mktemp("unjudged"))


@pytest.fixture(scope="module")
def chunks() -> Bridge:
    return bare(cases(133, bare=True, length=16))


@pytest.fixture(scope="module")
def grouped(tmp_path_factory) -> Bridge:
    return build(
        cases(134, overlap=False, grouped=True, ties=False, length=16), tmp_path_factory.mktemp("grouped")
    )


def test_judged_shares_agree_with_the_oracle(spans):
    with spans.at_once() as compare:
        for name in ("judged_chars", "judged_results"):
            compare(name, above=CASES // 2)
            for at in (1, 2, 5):
                compare(name, at=at)
            compare(name, at=3, limit=2)
            compare(name, chars=15)
            compare(name, at=4, article_chars=9)
            compare(name, at=4, budget=15, fit="skip")


def test_bpref_agrees_with_the_oracle(spans):
    with spans.at_once() as compare:
        compare("bpref_chars", above=CASES // 2)
        compare("bpref_chars", limit=3)
        compare("bpref_chars", limit=3, unjudged="remove")
        compare("bpref_chars", chars=15)
        compare("bpref_chars", article_chars=9)
        compare("bpref_chars", budget=15, charge="new")
        compare("bpref_chars", budget=4, unit="words", unjudged="remove")


@pytest.mark.parametrize("order", ["rank", "file", "score"])
def test_removal_agrees_with_the_oracle(spans, order):
    with spans.at_once(order=order) as compare:
        for name in ("char_prec", "char_rec", "token_f1", "span_rec", "MAnxCG"):
            compare(name, at=2, unjudged="remove")
            compare(name, at=3, limit=2, unjudged="remove")
        compare("MAiP", task="thorough", unjudged="remove")
        compare("read", chars=20, unjudged="remove")


def test_removal_of_elements_and_levels_agrees_with_the_oracle(grouped):
    with grouped.at_once() as compare:
        for name in ("inex_eval", "EPRUM", "MAgP", "MAep"):
            compare(name, unjudged="remove")
        compare("gP", at=2, limit=3, unjudged="remove")
        compare("qP", at=3, unjudged="remove")
        compare("overlap", at=4, unjudged="remove")


@pytest.mark.parametrize("kind", ["rec", "prec", "iou", "f1"])
def test_optimistic_characters_and_tokens_agree_with_the_oracle(spans, kind):
    for unit in ("char", "token"):
        name = f"{unit}_{kind}"
        assert spans.compare_optimistic(name) > 0
        spans.compare_optimistic(name, at=1)
        assert spans.compare_optimistic(name, at=3, repeats="charged") > 0
        spans.compare_optimistic(name, at=4, limit=2)
        spans.compare_optimistic(name, chars=15)
        spans.compare_optimistic(name, article_chars=9)
        spans.compare_optimistic(name, at=4, budget=15, fit="skip", charge="new")


def test_optimistic_gold_spans_and_reading_agree_with_the_oracle(spans):
    for name in ("span_rec", "hit"):
        spans.compare_optimistic(name, at=2)
        spans.compare_optimistic(name, min=1)
    spans.compare_optimistic("span_RR")
    spans.compare_optimistic("span_RR", min=1, limit=4)


def test_optimistic_interpolated_precision_agrees_with_the_oracle(spans):
    for at in (0, Fraction(1, 10), 1):
        spans.compare_optimistic("iP", at=at, task="thorough")
    assert spans.compare_optimistic("MAiP", task="thorough") > 0


def test_optimistic_articles_agree_with_the_oracle(grouped):
    assert sum(grouped.compare_optimistic("gP", at=at) for at in (1, 2, 3, 9)) > 0
    grouped.compare_optimistic("gP", at=2, beta=HALF, limit=2)
    grouped.compare_optimistic("MAgP")
    grouped.compare_optimistic("MAgP", article_chars=9)


def test_optimistic_gains_over_bare_spans_agree_with_the_oracle(chunks):
    for name in ("nxCG", "MAnxCG", "gr", "xCG"):
        chunks.compare_optimistic(name, at=3)
    assert chunks.compare_optimistic("MAep") > 0
    chunks.compare_optimistic("ep", at=HALF)
    chunks.compare_optimistic("iMAep")


def random_ranking(random):
    """Return documents in order, and the grades of the judged ones."""
    docs = [f"d{number}" for number in range(random.randint(1, 8))]
    grades = {doc: random.randint(0, 3) for doc in docs if random.random() < 0.6}
    missed = {f"m{number}": random.randint(0, 3) for number in range(random.randint(0, 3))}
    return random.sample(docs, k=len(docs)), {**grades, **missed} or {"m": 0}


def test_optimistic_documents_agree_with_the_oracle():
    random = Random(135)
    topics = {f"t{number}": random_ranking(random) for number in range(4 * CASES)}
    run = [
        {"topic": topic, "doc": doc, "rank": rank}
        for topic, (ranking, _) in topics.items()
        for rank, doc in enumerate(ranking, 1)
    ]
    gold = {topic: grades for topic, (_, grades) in topics.items()}
    names = {
        "AP": {}, "AP@3": {"at": 3}, "AP(rel=2)": {"rel": 2}, "nDCG": {}, "nDCG@3": {"at": 3},
        "P@3": {"at": 3}, "P(rel=2)@5": {"rel": 2, "at": 5}, "R@3": {"at": 3}, "RR": {}, "RR@2": {"at": 2},
        "RBP": {}, "RBP@2": {"at": 2},
    }  # fmt: skip
    result = evaluate(run, gold, list(names), residual=True)
    hopes = 0
    for topic, name, score, optimistic in result.scores.select(
        "topic", "measure", "score", "optimistic"
    ).iter_rows():
        ranking, grades = topics[topic]
        measure = name.partition("@")[0].partition("(")[0]
        for value, hope in ((score, False), (optimistic, True)):
            exact = document_score(measure, ranking, grades, optimistic=hope, **names[name])
            if exact is None:
                assert math.isnan(value), (name, topic)
            else:
                assert value == pytest.approx(float(exact), rel=1e-12), (name, topic, hope)
        hopes += optimistic > score
    assert hopes > CASES
