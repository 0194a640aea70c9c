"""Statistics of pools: contributions of runs, coverage by assessments, and leaving one run out."""

from __future__ import annotations

import polars as pl
import pytest

from doxel.assessments import read_assessments
from doxel.assessments.assessments import remove_documents
from doxel.errors import InputError
from doxel.pooling import pool
from doxel.pooling.pool_statistics import compute_pool_statistics, find_unique_documents, leave_one_out
from doxel.runs import RESULTS, Run, read_run

# The case of the handbook's article on pooling: d1 has 200 highlighted characters, d2 100 and d7 300.
# R1 returns 250 characters of d1, 100 of d2, 150 of d3; R3 400 of d7, 100 of d2, 100 of d8.
SPANS = {
    "R1": [("d1", 0, 250), ("d2", 0, 100), ("d3", 0, 150)],
    "R3": [("d7", 0, 400), ("d2", 0, 100), ("d8", 0, 100)],
}
QRELS = """1 Q0 d1 200 1000 0 0:200
1 Q0 d2 100 1000 0 0:100
1 Q0 d3 0 1000
1 Q0 d7 300 1000 50 50:300
1 Q0 d8 0 1000
1 Q0 d9 0 1000
"""


def runs():
    return [
        Run(
            name,
            RESULTS.from_rows(
                {"topic": "1", "doc": doc, "rank": rank, "start": start, "end": end}
                for rank, (doc, start, end) in enumerate(spans, 1)
            ),
        )
        for name, spans in SPANS.items()
    ]


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "gold.qrels"
    path.write_text(QRELS)
    return read_assessments(path)


def test_contributions_of_each_run_are_counted(judged):
    table = compute_pool_statistics(pool(runs(), depth=3), judged).runs
    columns = ["run", "documents", "unique", "parts", "unique_parts", "judged", "relevant", "unique_relevant"]
    assert table.select(columns).rows() == [("R1", 3, 2, 3, 2, 3, 2, 1), ("R3", 3, 2, 3, 2, 3, 2, 1)]
    assert table["reached"].to_list() == [3, 3]
    # at depth 1 they share nothing
    assert compute_pool_statistics(pool(runs(), depth=1)).runs["unique"].to_list() == [1, 1]


def test_overlap_of_runs_is_a_share_of_both():
    (row,) = compute_pool_statistics(pool(runs(), depth=3)).overlap.rows(named=True)
    assert (row["run"], row["other"]) == ("R1", "R3")
    assert row["documents"] == pytest.approx(1 / 5)
    assert row["parts"] == pytest.approx(1 / 5)
    assert row["characters"] == pytest.approx(100 / 1000)  # 500 + 600 characters, 100 of them in both


def test_the_nearest_run_shares_most_documents():
    three = [*runs(), Run("R3b", runs()[1].results)]
    table = compute_pool_statistics(pool(three, depth=3)).nearest
    assert table.select("run", "nearest").rows() == [("R1", "R3"), ("R3", "R3b"), ("R3b", "R3")]
    assert table["documents"].to_list() == pytest.approx([0.2, 1.0, 1.0])
    assert table["mean"].to_list() == pytest.approx([0.2, 0.6, 0.6])
    alone = compute_pool_statistics(pool(runs()[0], depth=3)).nearest
    assert alone.select("run", "nearest").rows() == [("R1", None)]


def test_coverage_counts_judged_documents_in_and_outside_the_pool(judged):
    (row,) = compute_pool_statistics(pool(runs(), depth=2), judged).coverage.rows(named=True)
    # d1, d2 and d7 are pooled; d3, d8 and d9 were judged outside the pool
    expected = {"pooled": 3, "judged": 3, "relevant": 3, "judged_besides": 3, "relevant_besides": 0}
    assert row == {"topic": "1", **expected}


def test_coverage_includes_topics_that_were_only_pooled_or_only_judged(judged):
    other = Run("r", RESULTS.from_rows([{"topic": "2", "doc": "d1"}]))
    coverage = compute_pool_statistics(pool(other, depth=1), judged).coverage
    assert coverage.select("topic", "pooled", "judged", "judged_besides").rows() == [
        ("2", 1, 0, 0),
        ("1", 0, 0, 6),
    ]


def test_the_handbook_example_of_leaving_one_run_out_is_reproduced(judged):
    table = leave_one_out(runs(), pool(runs(), depth=3), judged, ["char_prec@3", "char_rec@3"])
    by_key = {(row["run"], row["measure"]): row for row in table.iter_rows(named=True)}
    precision, recall = by_key["R3", "char_prec@3"], by_key["R3", "char_rec@3"]
    assert (precision["score"], precision["without"]) == pytest.approx((400 / 600, 100 / 600))
    assert (recall["score"], recall["without"]) == pytest.approx((400 / 600, 100 / 300))
    assert (precision["judged"], precision["relevant"]) == (2, 1)
    # the order of the two runs is reversed
    assert (precision["place"], precision["place_without"]) == (1, 2)
    assert precision["change"] == pytest.approx(-300 / 600)


def test_the_first_place_is_the_lowest_score_if_lower_is_better(judged):
    table = leave_one_out(runs(), pool(runs(), depth=3), judged, ["read(recall=0.3)"])
    scores = dict(table.select("run", "score").rows())
    places = dict(table.select("run", "place").rows())
    # recall 0.3 is 180 of 600 characters: R1 needs 180, R3 needs 180 after 50 that are not relevant
    assert scores == {"R1": 180.0, "R3": 230.0}
    assert places == {"R1": 1, "R3": 2}


def test_a_run_without_unique_documents_keeps_its_score(judged):
    three = [*runs(), Run("R3b", runs()[1].results)]
    table = leave_one_out(three, pool(three, depth=3), judged, ["char_prec@3"])
    own = table.filter(pl.col("run") == "R3b").row(0, named=True)
    assert (own["judged"], own["change"]) == (0, 0.0)
    assert own["place"] == own["place_without"] == 1  # shared with R3


def test_a_run_that_contributed_all_judged_documents_has_no_score_without_them(judged):
    only = [Run("R1", runs()[0].results)]
    of_run = remove_documents(
        judged, judged.judged.filter(~pl.col("doc").is_in(["d1", "d2", "d3"])).select("topic", "doc")
    )
    (row,) = leave_one_out(only, pool(only, depth=3), of_run, ["char_rec@3"]).rows(named=True)
    assert row["score"] == 1.0
    assert row["without"] != row["without"]  # NaN: nothing is left to find
    assert row["place_without"] is None


def test_removing_documents_removes_all_their_judgements(judged):
    remaining = remove_documents(
        judged, find_unique_documents(pool(runs(), depth=3)).filter(pl.col("run") == "R3")
    )
    assert remaining.judged["doc"].to_list() == ["d1", "d2", "d3", "d9"]
    assert remaining.highlights["doc"].to_list() == ["d1", "d2"]
    assert remaining.beps["doc"].to_list() == ["d1", "d2"]


def test_a_blind_pool_has_no_statistics():
    with pytest.raises(InputError, match="wanted its contributions, found a blind pool"):
        compute_pool_statistics(pool(runs(), depth=1).blind())


def test_a_measure_that_cannot_score_any_run_is_an_error(judged):
    twice = [Run("r", pl.concat([runs()[0].results] * 2))]
    with pytest.raises(InputError, match="no run has a score"):
        leave_one_out(twice, pool(twice, depth=3), judged, ["MAiP"])


REAL_RUNS = ("bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz")


@pytest.fixture(scope="module")
def real_runs(shared_data):
    return [read_run(shared_data / "inex-adhoc-2009-2010" / name) for name in REAL_RUNS]


def test_coverage_adds_up_to_all_judged_documents(real_runs, shared_data):
    judged = read_assessments(shared_data / "inex-adhoc-2009-2010" / "inex-adhoc-2009-2010.qrels")
    new_pool = pool(real_runs, depth=20)
    coverage = compute_pool_statistics(new_pool, judged).coverage
    pooled_pairs = set(new_pool.documents.select("topic", "doc").rows())
    judged_pairs = set(judged.judged.select("topic", "doc").rows())
    assert coverage["pooled"].sum() == len(pooled_pairs)
    assert coverage["judged"].sum() == len(pooled_pairs & judged_pairs) > 0
    assert coverage["judged_besides"].sum() == len(judged_pairs - pooled_pairs)
