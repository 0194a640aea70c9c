"""The pool of a real run of INEX 2009, compared with the slow implementation and the real assessments."""

from __future__ import annotations

import pytest

from doxel.assessments import read_assessments
from doxel.pooling import pool
from doxel.pooling.pool_statistics import compute_pool_statistics
from doxel.runs import read_run
from pooling.slow_pool import pooled

RUNS = ("bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz")


@pytest.fixture(scope="module")
def runs(shared_data):
    return [read_run(shared_data / "inex-adhoc-2009-2010" / name) for name in RUNS]


def rankings(run):
    """Return the documents of each topic, one per result, sorted by rank in plain Python."""
    docs = {}
    rows = run.results.select("topic", "rank", "doc").rows()
    for topic, _, doc in sorted(rows, key=lambda row: row[1]):
        docs.setdefault(topic, []).append(doc)
    return docs


@pytest.mark.parametrize(
    ("depth", "documents", "count"), [(20, None, "documents"), (50, None, "results"), (None, 30, "documents")]
)
def test_pools_agree_with_the_slow_implementation(runs, depth, documents, count):
    new_pool = pool(runs, depth=depth, documents=documents, count=count, judging="pooled")
    ranked = [rankings(run) for run in runs]
    assert len(new_pool.topics) == len(ranked[0])
    for topic in new_pool.topics:
        lists = [ranking.get(topic, []) for ranking in ranked]
        expected = pooled(lists, depth=depth, documents=documents, count=count)
        assert [document.doc for document in new_pool.of(topic)] == expected


def test_coverage_adds_up_to_all_judged_documents(runs, shared_data):
    judged = read_assessments(shared_data / "inex-adhoc-2009-2010" / "inex-adhoc-2009-2010.qrels")
    new_pool = pool(runs, depth=20)
    coverage = compute_pool_statistics(new_pool, judged).coverage
    pooled_pairs = set(new_pool.documents.select("topic", "doc").rows())
    judged_pairs = set(judged.judged.select("topic", "doc").rows())
    assert coverage["pooled"].sum() == len(pooled_pairs)
    assert coverage["judged"].sum() == len(pooled_pairs & judged_pairs) > 0
    assert coverage["judged_besides"].sum() == len(judged_pairs - pooled_pairs)
