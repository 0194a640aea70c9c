"""On equal-sized disjoint documents of one span, bpref_chars is the classical bpref."""

from random import Random

import pytest

from doxel.evaluation import evaluate
from random_share import count_cases

SIZE = 7


def make_topics(count, seed):
    """Return topics: a ranking, and the judged documents with True for relevant ones."""
    random = Random(seed)
    topics = {}
    for number in range(count):
        docs = [f"d{place:02}" for place in range(random.randint(1, 14))]
        judged = {doc: random.random() < 0.4 for doc in docs if random.random() < 0.8}
        ranking = random.sample(docs, random.randint(1, len(docs)))
        if any(judged.values()):
            topics[f"t{number}"] = (ranking, judged)
    return topics


def compute_bpref(ranking, judged):
    """Return bpref as in Buckley and Voorhees (2004): the mean of 1 - |n ranked higher| / R."""
    relevant = sum(judged.values())
    total, before = 0.0, 0
    for doc in ranking:
        if judged.get(doc):
            total += 1 - min(before, relevant) / relevant
        elif doc in judged:
            before += 1
    return total / relevant


@pytest.fixture(scope="module")
def topics():
    return make_topics(count_cases(3000), seed=2004)


@pytest.fixture(scope="module")
def scores(topics):
    run = [(topic, doc, 0, SIZE) for topic, (ranking, _) in topics.items() for doc in ranking]
    gold = [
        {"topic": topic, "doc": doc, **({"start": 0, "end": SIZE} if is_relevant else {})}
        for topic, (_, judged) in topics.items()
        for doc, is_relevant in judged.items()
    ]
    return dict(evaluate(run, gold, "bpref_chars").scores.select("topic", "score").iter_rows())


def test_it_equals_the_formula_of_2004(topics, scores):
    assert scores == pytest.approx({topic: compute_bpref(*topics[topic]) for topic in topics}, rel=1e-12)


def test_it_equals_trec_eval_where_enough_documents_are_judged_non_relevant(topics, scores):
    ir_measures = pytest.importorskip("ir_measures")
    # trec_eval divides by the smaller of R and N
    sample = {
        topic: judged
        for topic, (_, judged) in topics.items()
        if list(judged.values()).count(False) >= sum(judged.values())
    }
    assert len(sample) > len(topics) // 3
    qrels = {
        topic: {doc: int(relevant) for doc, relevant in judged.items()} for topic, judged in sample.items()
    }
    run = {topic: {doc: -float(rank) for rank, doc in enumerate(topics[topic][0])} for topic in sample}
    expected = {
        metric.query_id: metric.value for metric in ir_measures.iter_calc([ir_measures.Bpref], qrels, run)
    }
    assert {topic: scores[topic] for topic in sample} == pytest.approx(expected, abs=1e-9)
