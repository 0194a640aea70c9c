"""The pool of a real run of INEX 2009, against the slow way, and what the real assessments say of it."""

from __future__ import annotations

import pytest

from doxel.assessments import read_assessments
from doxel.pooling import pool
from doxel.pooling.statistics import pool_statistics
from doxel.runs import read_run
from pooling.slow_pool import pooled

RUNS = ("bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz")


@pytest.fixture(scope="module")
def runs(shared_data):
    return [read_run(shared_data / "inex-adhoc-2009-2010" / name) for name in RUNS]


def rankings(run):
    """The documents of each topic, result by result, sorted by rank in plain Python."""
    found = {}
    rows = run.results.select("topic", "rank", "doc").rows()
    for topic, _, doc in sorted(rows, key=lambda row: row[1]):
        found.setdefault(topic, []).append(doc)
    return found


@pytest.mark.parametrize(
    ("depth", "documents", "count"), [(20, None, "documents"), (50, None, "results"), (None, 30, "documents")]
)
def test_pools_are_those_of_the_slow_way(runs, depth, documents, count):
    made = pool(runs, depth=depth, documents=documents, count=count, judging="pooled")
    ranked = [rankings(run) for run in runs]
    assert len(made.topics) == len(ranked[0])
    for topic in made.topics:
        lists = [one.get(topic, []) for one in ranked]
        expected = pooled(lists, depth=depth, documents=documents, count=count)
        assert [one.doc for one in made.of(topic)] == expected


def test_what_was_judged_adds_up(runs, shared_data):
    judged = read_assessments(shared_data / "inex-adhoc-2009-2010" / "inex-adhoc-2009-2010.qrels")
    made = pool(runs, depth=20)
    coverage = pool_statistics(made, judged).coverage
    inside = set(made.documents.select("topic", "doc").rows())
    known = set(judged.judged.select("topic", "doc").rows())
    assert coverage["pooled"].sum() == len(inside)
    assert coverage["judged"].sum() == len(inside & known) > 0
    assert coverage["judged_besides"].sum() == len(known - inside)
