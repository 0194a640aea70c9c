"""Criteria about single runs: entry points worked out by hand, and changes to the bundled runs."""

from __future__ import annotations

import pytest

from doxel.documents import read_collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs
from doxel.runs import read_run
from doxel.studies import study_claims
from doxel.studies.claims.claim_data import ClaimData, drop_overlap
from doxel.studies.claims.run_criteria import decide_high_a, decide_low_a, require_equality

# documents of 1,000 characters, so that s = 1000 A / (1000 A + d)
DOCUMENTS = dict.fromkeys("ab", "x" * 1000)
GOLD = [{"topic": "1", "doc": doc, "start": 0, "end": 10, "bep": 0} for doc in "ab"]


def make_data(**starts):
    """Runs with one entry point per document, at the given offsets."""
    runs = {
        name: [
            {"topic": "1", "doc": doc, "start": start, "end": start + 1}
            for doc, start in zip("ab", pair, strict=True)
        ]
        for name, pair in starts.items()
    }
    documents = as_collection(DOCUMENTS)
    return ClaimData(tuple(as_runs(runs, documents)), {"2006": as_assessments(GOLD)}, documents, {})


def test_a_high_a_gives_nearly_one():
    # d = 100 and 900: with A = 10, (10000/10100 + 10000/10900)/2; with A = .1, (100/200 + 100/1000)/2
    evidence = decide_high_a.decide(make_data(one=(100, 900)))
    assert evidence.figures["lowest mean score, A = 10"] == pytest.approx((100 / 101 + 100 / 109) / 2)
    assert evidence.figures["lowest mean score, A = 0.1"] == pytest.approx((1 / 2 + 1 / 10) / 2)
    assert evidence.holds


def test_a_low_a_agrees_more_with_exact_hits():
    data = make_data(hit=(0, 999), near=(300, 300), far=(500, 600))
    # exact: hit 1/2, others about 0.  A = .1: hit (1 + 100/1099)/2 = .5455, near 1/4, far .155: tau 1 on the
    # pairs that differ.  A = 10: hit (1 + 10000/10999)/2 = .9546, near .9709, far .9479: hit is second
    evidence = decide_low_a.decide(data)
    assert evidence.figures["tau with exact, A = 0.1"] > evidence.figures["tau with exact, A = 10"]
    assert evidence.holds
    assert "near for A = 10" in evidence.analysis


def test_entry_points_are_needed():
    data = ClaimData(
        tuple(as_runs({"r": [("1", "a", 0, 5)]})), {"2006": as_assessments([("1", "a", 0, 9)])}, None, {}
    )
    with pytest.raises(InputError, match="best entry points"):
        decide_high_a.decide(data)


@pytest.fixture(scope="module")
def campaign(demo, demo_runs):
    runs = [demo_runs[name] for name in ("bm25-elements", "bm25-focused", "tfidf-leaves")]
    options = {"collection": read_collection(demo.collection), "topic_file": demo.topics}
    return runs, demo.assessments["qrels"], options


def ask_one(campaign, name):
    runs, judged, options = campaign
    study = study_claims(runs, judged, claims=[name], **options)
    return study.claims.row(0, named=True), dict(study.figures.select("figure", "value").iter_rows())


def test_taking_overlap_out_is_what_repairing_does(campaign):
    runs, judged, options = campaign
    changed = drop_overlap(options["collection"], read_run(runs[0]))
    # MAiP refuses overlap: the changed run needs no repair, and scores as the repaired one
    repaired = evaluate(runs[0], judged, "MAiP(task=focused)", on_invalid="repair", **options)
    scores = evaluate(changed, judged, "MAiP(task=focused)", **options)
    assert scores.rejected == ()
    assert scores.scores["score"].equals(repaired.scores["score"])


def test_only_runs_with_overlap_are_focused(campaign):
    row, figures = ask_one(campaign, "001-focused-runs")
    assert figures["runs"] == 1  # bm25-elements; the other two have no overlap
    assert 0 < figures["kept by bm25-elements"] < 1
    assert row["outcome"] == "reproduced"


def test_reversing_the_first_ten_never_changes_thorough_xcg(campaign):
    # nxCG[10] is a sum over the first ten results (001 Eq. 2 and 7): their order does not matter
    _, figures = ask_one(campaign, "002-early-recall")
    assert figures["XCG changed"] == 0
    assert figures["scores"] == 39  # three runs, 13 topics with something to find


def test_the_best_run_by_inex_eval_is_looked_at(campaign):
    row, figures = ask_one(campaign, "004-best-overlap")
    # of three runs, the better half is one run
    assert list(figures) == ["overlap of bm25-elements"]
    runs, judged, options = campaign
    overlap = evaluate(runs[0], judged, "overlap@1500", **options).means["score"].item()
    assert figures["overlap of bm25-elements"] == pytest.approx(overlap)
    assert (row["outcome"] == "reproduced") is (overlap >= 0.7)


def test_equal_measures_are_equal_and_others_are_not(campaign):
    runs, judged, options = campaign
    collection = options["collection"]
    data = ClaimData(tuple(runs), {"2006": as_assessments(judged)}, collection, {})
    assert require_equality("qR@10", "qR(quant=spec)@10").decide(data).holds
    evidence = require_equality("qR@10", "qR(quant=strict)@10").decide(data)
    assert not evidence.holds
    assert evidence.figures["greatest difference"] > 0
    assert "differ most for" in evidence.analysis
