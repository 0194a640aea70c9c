"""Checks of runs against their tasks: overlap and interleaved articles."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.cases import P1, P2, SEC1, SEC2
from checks.small_runs import run_of
from doxel.checks.checker import check_inputs
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run
from limits import in_time
from random_share import count_cases

PATHS = ["/article[1]", SEC1, P1, P2, SEC2, "/article[1]/sec[2]/p[1]"]


@settings(max_examples=count_cases(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 9), st.integers(0, 5)),
        min_size=1,
        max_size=15,
    )
)
def test_the_share_of_overlapping_results_equals_the_measure(drawn):
    results = [(topic, doc, start, start + size) for topic, doc, start, size in drawn]
    gold = [(topic, doc, 0, 1) for topic in {result[0] for result in drawn} for doc in "ab"]
    scored = evaluate(run_of(results), gold, ["overlap@1000"]).means["score"][0]
    assert check_inputs(run_of(results)).runs[0].overlap == pytest.approx(scored, abs=1e-12)


@settings(max_examples=count_cases(40), deadline=None, database=None)
@given(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6))
def test_paths_alone_give_the_same_overlap_as_a_collection(small_collection, drawn):
    run = run_of([("1", "a", path) for path in drawn], task="focused")
    alone, resolved = check_inputs(run), check_inputs(run, collection=small_collection)
    assert alone.runs[0].overlap == resolved.runs[0].overlap
    findings = [report.findings.filter(pl.col("code") == "R202") for report in (alone, resolved)]
    assert findings[0]["line"].to_list() == findings[1]["line"].to_list()


def test_an_element_with_a_text_is_treated_as_an_element():
    row = {"topic": "1", "doc": "a", "text": "One"}
    rows = [{**row, "rank": 1, "path": P1}, {**row, "rank": 2, "path": SEC1}]
    report = check_inputs(Run("r", RESULTS.from_rows(rows), task="focused"))
    assert (report.codes, report.runs[0].overlap) == (["R202"], 1.0)


def test_a_parent_and_its_only_child_overlap_and_are_not_repeats(small_collection):
    run = run_of([("1", "a", SEC2), ("1", "a", "/article[1]/sec[2]/p[1]")], task="focused")
    assert check_inputs(run, collection=small_collection).codes == ["R202"]  # and not R302, repeated result


def test_overlap_is_unknown_for_quotations_without_a_collection(small_collection):
    quoted = Run(
        "r", RESULTS.from_rows([{"topic": "1", "doc": "a", "rank": 1, "text": "One"}]), task="focused"
    )
    assert check_inputs(quoted).runs[0].overlap is None
    assert check_inputs(quoted, collection=small_collection).runs[0].overlap == 0


def test_a_real_run_that_is_grouped_by_lines_but_not_by_ranks(shared_data):
    path = shared_data / "inex-adhoc-2009-2010" / "bert1-grouped-by-document.run.gz"
    assert check_inputs(path, task="relevant-in-context").codes == ["R203", "R304", "R310"]
    assert check_inputs(path, task="relevant-in-context", order="file").codes == ["R304", "R310"]


def test_180_000_results_are_checked_quickly():
    rows = 180_000
    frame = pl.DataFrame(
        {
            "topic": (pl.int_range(rows, eager=True) // 1500).cast(pl.String),
            "doc": (pl.int_range(rows, eager=True) % 977).cast(pl.String),
            "rank": pl.int_range(rows, eager=True) % 1500 + 1,
            "rsv": 1.0 / (pl.int_range(rows, eager=True) % 1500 + 1),
            "start": pl.int_range(rows, eager=True) * 7919 % 5000,
        }
    ).with_columns(end=pl.col("start") + 2000)
    run = Run("r", RESULTS.fit(frame), task="focused")
    with in_time(10):  # it takes a third of a second; a loop over pairs would take minutes
        report = check_inputs(run)
    assert report.codes == ["R202"]
