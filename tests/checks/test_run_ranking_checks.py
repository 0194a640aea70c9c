"""Checks of rankings: repeated results, gaps and ties."""

from checks.cases import P1
from checks.small_runs import run_of
from doxel.checks.checker import check_inputs
from doxel.runs import RESULTS, Run


def test_two_names_of_a_document_are_recognised(small_collection):
    run = run_of([("1", "a", P1), ("1", "a.xml", P1), ("1", "b", "/article[1]")])
    assert check_inputs(run).codes == []
    assert check_inputs(run, collection=small_collection).codes == ["R302"]


def test_competition_ranks_are_not_gaps():
    rows = [
        {"topic": "1", "doc": f"d{row}", "rank": rank, "rsv": 1.0, "line": row}
        for row, rank in enumerate([1, 1, 3])
    ]
    assert check_inputs(Run("r", RESULTS.from_rows(rows), task="thorough")).codes == ["R304"]
