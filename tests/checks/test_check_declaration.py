"""Reports: findings in groups, the most serious first."""

from checks.cases import P1, xml_run
from checks.small_runs import run_of
from doxel.checks.check_declaration import MOST_PLACES
from doxel.checks.checker import check_inputs
from doxel.runs.run_files import find_run_format


def test_equal_findings_are_one_group_with_the_true_count_and_the_first_places():
    count = MOST_PLACES + 500
    report = check_inputs(run_of([("1", "a", 0, 5)] * count))
    (group,) = [group for group in report.groups if group.check.code == "R302"]
    assert group.count == report.count("warning") == count - 1
    assert group.places["line"].to_list() == list(range(2, MOST_PLACES + 2))


def test_errors_come_first_then_warnings_then_notes(small_collection):
    text = xml_run("", ("1", "z", P1, 1, 0.9), ("1", "a", P1, 3, 0.9), ("1", "a", P1, 4, 0.8))
    report = check_inputs(
        find_run_format("inex-xml").read(text.encode(), "a.xml"), collection=small_collection
    )
    assert [(group.check.severity, group.check.code) for group in report.groups] == [
        ("error", "R101"),
        ("warning", "R302"),
        ("warning", "R308"),
        ("note", "R201"),
        ("note", "R304"),
    ]
    assert report.findings["code"].to_list() == ["R101", "R302", "R308", "R201", "R304"]
