"""Pairs of topics and documents that were judged, and their grades."""

import pytest

from doxel.assessments import read_assessments
from doxel.assessments.judged_pairs import grade_documents


@pytest.mark.parametrize(
    ("elements", "grades"),
    [
        (
            '<path path="/a[1]" exhaustiveness="1"/><path path="/a[1]/b[1]" exhaustiveness="2"/>',
            [2],
        ),
        ('<path path="/a[1]" exhaustiveness="0" specificity="0"/>', [0]),
    ],
)
def test_grades_of_documents_come_from_elements_if_only_these_were_graded(tmp_path, elements, grades):
    (tmp_path / "a.xml").write_text(
        f'<assessments pool="1" topic="1"><file file="d">{elements}</file></assessments>'
    )
    assert grade_documents(read_assessments(tmp_path / "a.xml")).to_list() == grades
