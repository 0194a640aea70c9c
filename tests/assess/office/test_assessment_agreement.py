"""Agreement of two assessors, in characters and per grade, worked by hand."""

import math

import pytest

from assess.saying import say
from doxel.assess.office.assessment_agreement import compare_assessors
from doxel.assess.office.assessment_export import (
    choose_assignments,
    collect_assessments,
    export_assessments,
    write_export,
)
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import (
    create_assignment,
)
from doxel.assessments import read_assessments, write_assessments
from doxel.errors import InputError


def two(campaign, library, first, second):
    """Store judgements of anna and ben for topic 1, with the given spans in each document."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    for assignment, marks in ((1, first), (2, second)):
        events = []
        for doc, spans in marks.items():
            if spans:
                events += [(doc, "highlight", {"spans": spans}), (doc, "bep", {"position": spans[0][0]})]
            events.append((doc, "validate", {}))
        say(campaign, library, assignment, *events)
    with campaign.read() as connection:
        return [
            collect_assessments(
                connection, library, choose_assignments(connection, assessor=name)
            ).assessments
            for name in ("anna", "ben")
        ]


def test_agreement_in_characters_worked_by_hand(campaign, library):
    pair = two(campaign, library, {"apples": [[0, 20]], "pears": []}, {"apples": [[10, 40]], "pears": []})
    agreement = compare_assessors(*pair, library.collection)
    row = agreement.characters.filter(topic="1").row(0, named=True)
    # apples has 67 characters, pears 21: 10 marked by both, 10 only by anna, 20 only by ben, 48 by nobody
    assert (row["documents"], row["both"], row["only_one"], row["only_other"], row["neither"]) == (
        2,
        10,
        10,
        20,
        48,
    )
    assert row["shared"] == pytest.approx(10 / 40)
    assert row["f"] == pytest.approx(2 * 10 / (20 + 30))
    chance = (20 * 30 + 68 * 58) / 88**2
    assert row["kappa"] == pytest.approx((58 / 88 - chance) / (1 - chance))
    assert row["documents_kappa"] == 1.0
    assert row["bep_distance"] == 10.0
    assert agreement.characters.filter(topic="all").drop("topic").rows() == [tuple(row.values())[1:]]
    assert agreement.grades.height == 0
    assert agreement.documents.rows() == [
        ("1", "apples", 10, 10, 20, 27, 10.0, 0),
        ("1", "pears", 0, 0, 0, 21, None, 0),
    ]


def test_agreement_counts_documents_that_only_one_judged(campaign, library):
    pair = two(campaign, library, {"apples": [[0, 20]], "pears": []}, {"apples": [[0, 20]]})
    agreement = compare_assessors(*pair, library.collection)
    assert agreement.alone == (1, 0)
    row = agreement.characters.row(0, named=True)
    assert (row["documents"], row["shared"], row["kappa"]) == (1, 1.0, 1.0)
    assert math.isnan(row["documents_kappa"])


def test_agreement_per_grade(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2003")
        create_assignment(connection, "2", 2, "2003")
    paths = ["/article[1]", "/article[1]/title[1]", "/article[1]/sec[1]"]
    for assignment, grades in ((2, ["3", "1", "2"]), (3, ["3", "2", "2"])):
        events = [
            ("plums", "grade", {"path": path, "grades": {"exhaustivity": grade, "specificity": "1"}})
            for path, grade in zip(paths, grades, strict=True)
        ]
        say(campaign, library, assignment, *events, ("plums", "validate", {}))
    with campaign.read() as connection:
        pair = [
            collect_assessments(
                connection, library, choose_assignments(connection, assessor=name, scale="2003")
            ).assessments
            for name in ("anna", "ben")
        ]
    agreement = compare_assessors(*pair, library.collection)
    exhaustivity = agreement.grades.filter(name="exhaustivity")
    assert exhaustivity.select("grade", "one", "other", "both").rows() == [
        ("0", 0, 0, 0),
        ("1", 1, 0, 0),
        ("2", 1, 2, 1),
        ("3", 1, 1, 1),
    ]
    assert exhaustivity["agreement"].to_list()[1:] == pytest.approx([0.0, 2 / 3, 1.0])
    kappa = agreement.kappas.filter(name="exhaustivity").row(0, named=True)
    assert (kappa["elements"], kappa["agreement"]) == (3, pytest.approx(2 / 3))
    assert kappa["kappa"] == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert agreement.differing.rows() == [("2", "plums", "/article[1]/title[1]", "exhaustivity", "1", "2")]
    assert agreement.documents["differing"].to_list() == [1]


def test_agreement_needs_the_same_scale_and_common_documents(judged, library, tmp_path):
    with judged.read() as connection:
        assessments = collect_assessments(connection, library, choose_assignments(connection)).assessments
    (tmp_path / "q.txt").write_text("1 0 plums 2\n")
    with pytest.raises(InputError, match="wanted the same scale, found 2006 and documents"):
        compare_assessors(assessments, read_assessments(tmp_path / "q.txt"), library.collection)
    (tmp_path / "a.jsonl").write_text('{"topic": "1", "doc": "plums"}\n')
    with pytest.raises(InputError, match="documents that both judged"):
        compare_assessors(assessments, read_assessments(tmp_path / "a.jsonl"), library.collection)


def test_assessments_can_be_compared_with_a_file(judged, library, tmp_path):
    with judged.write() as connection:
        add_user(connection, "dan", "x")
    write_export(export_assessments(judged, library, "qrels"), tmp_path / "out.qrels")
    with judged.read() as connection:
        assessments = collect_assessments(connection, library, choose_assignments(connection)).assessments
    agreement = compare_assessors(assessments, read_assessments(tmp_path / "out.qrels"), library.collection)
    assert agreement.characters.filter(topic="all")["kappa"].to_list() == [1.0]
    write_assessments(assessments, tmp_path / "again.qrels", "qrels")
