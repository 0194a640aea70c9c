"""Checks of the places of results: what their messages quote, and when there is nothing to report."""

import polars as pl
import pytest

from checks.cases import P1, SEC2
from checks.small_runs import run_of
from doxel.checks.checker import check_inputs
from doxel.checks.run_place_checks import find_other_fingerprints
from doxel.runs import RESULTS, Run


@pytest.fixture
def find(small_collection):
    """Return a function that checks results and returns their codes, lines and messages."""

    def check(run, collection=small_collection):
        return check_inputs(run, collection=collection).findings.select("code", "line", "message").rows()

    return check


def quoting(*texts, **columns):
    rows = [{"topic": "1", "rank": rank, "line": rank, "text": text} for rank, text in enumerate(texts, 1)]
    return Run("r", RESULTS.from_rows([{**row, **columns} for row in rows]), task="thorough")


def test_an_unknown_path_is_quoted_with_both_its_ends(find):
    row = {"topic": "1", "doc": "a", "rank": 1, "line": 1, "path": P1, "path_end": f"{SEC2}/p[9]"}
    run = Run("r", RESULTS.from_rows([row]), task="thorough")
    assert find(run) == [("R102", 1, f"not in the document: {P1} to {SEC2}/p[9]")]


def test_a_range_that_ends_before_it_starts_is_quoted(find):
    row = {"topic": "1", "doc": "a", "rank": 1, "line": 1, "path": SEC2, "path_end": P1}
    run = Run("r", RESULTS.from_rows([row]), task="thorough")
    assert find(run) == [("R107", 1, f"{SEC2} to {P1}")]


def test_a_span_may_end_where_its_document_ends(find):
    # the text of a has 21 characters (cases.py)
    assert find(run_of([("1", "a", 17, 21)])) == []
    assert find(run_of([("1", "a", 17, 22)])) == [
        ("R103", 1, "ends at 22, but the document has 21 characters")
    ]


def test_without_a_collection_only_impossible_positions_are_outside(find):
    assert find(run_of([("1", "a", 17, 22)]), collection=None) == []
    (finding,) = find(run_of([("1", "a", 17, 10**16)]), collection=None)
    assert finding == ("R103", 1, f"ends at {10**16}, after the end of any document")


def test_an_empty_quotation_is_called_empty(find):
    assert find(quoting(" ", "six", doc="a")) == [
        ("R105", 1, "the text is empty"),
        ("R105", 2, "not in the document: six"),
    ]


def test_a_long_quotation_is_cut_in_messages(find):
    assert find(quoting("six " * 30, doc="a")) == [("R105", 1, "not in the document: " + "six " * 15)]


def test_a_text_with_right_offsets_is_neither_ambiguous_nor_different(find):
    # "same words" is in b twice, from 0 and from 12
    assert find(quoting("same words", doc="b", start=12, end=22)) == []
    assert [code for code, *_ in find(quoting("same words", doc="b"))] == ["R106"]


def test_only_a_fingerprint_of_another_collection_is_returned():
    ours, other = "0123456789abcdef" * 2, "fedcba9876543210" * 2
    names = pl.Series([ours, other, f"https://example.org/{other}", "ieee", None])
    assert find_other_fingerprints(names, ours).to_list() == [None, other, other, None, None]
