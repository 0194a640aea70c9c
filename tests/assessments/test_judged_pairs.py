"""Pairs of topics and documents that were judged, and their grades."""

import pytest

from assessments.small_assessments import assessed, rows
from doxel.assessments import read_assessments
from doxel.assessments.judged_pairs import grade_documents, lay_out_assessments


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


def test_a_highlight_of_grade_0_judges_its_document_and_makes_nothing_relevant():
    spans = [
        rows(start=0, end=10, grade=0.0, aspect="x"),
        rows(start=20, end=30, grade=2.0),
        rows(doc="b", start=0, end=10, grade=0.0),
        rows(doc="c", start=0, end=10, grade=-1.0),
        rows(doc="d", start=0, end=10, grade=0.0),
        rows(doc="d", start=5, end=9),  # no grade: relevant
    ]
    pairs = lay_out_assessments(assessed(highlights=spans), declared_sizes=False)
    assert pairs.pairs["doc"].to_list() == ["a", "b", "c", "d"]
    assert pairs.is_judged.tolist() == [True] * 4
    assert pairs.relevant_size.tolist() == [10, 0, 0, 4]
    assert pairs.document_grade.tolist() == [2, 0, 0, 1]
    assert [column.tolist() for column in pairs.spans] == [[0, 3], [20, 5], [30, 9]]
    assert not pairs.has_aspects
