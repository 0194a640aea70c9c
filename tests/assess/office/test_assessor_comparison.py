"""Comparison of two assessors of a topic: documents, figures and differences."""

import pytest

from assess.saying import say
from doxel.assess.office.assessor_comparison import choose_pair, compare_assignments, find_differences
from doxel.assess.store.assignments import create_assignment, list_assignments
from doxel.errors import InputError, RefusedError


def marked(doc, *spans):
    pairs = [list(span) for span in spans]
    return [
        (doc, "highlight", {"spans": pairs}),
        (doc, "bep", {"position": pairs[0][0]}),
        (doc, "validate", {}),
    ]


@pytest.fixture
def pair(campaign, library):
    """anna (assignment 1) and ben (assignment 2) on topic 1: apples done by both, pears by anna alone."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    say(campaign, library, 1, *marked("apples", (0, 20)), ("pears", "validate", {}))
    say(campaign, library, 2, *marked("apples", (10, 40)))
    return campaign


def compared(store, library, one=None, other=None):
    with store.read() as connection:
        return compare_assignments(
            connection, library, *choose_pair(list_assignments(connection, topic="1"), one, other)
        )


def test_a_comparison_lists_documents_with_figures_and_those_not_done(pair, library):
    comparison = compared(pair, library)
    assert (comparison.one.assessor, comparison.other.assessor) == ("anna", "ben")
    apples, pears = comparison.documents
    assert (apples.both, apples.only_one, apples.only_other, apples.bep_distance) == (10, 10, 20, 10.0)
    assert (pears.doc, pears.missing, pears.both, pears.is_alike) == ("pears", ("ben",), None, False)
    assert comparison.figures["shared"] == pytest.approx(10 / 40)
    assert compared(pair, library, None, "ANNA").one.assessor == "ben"
    turned = compared(pair, library, "ben")
    assert (turned.one.assessor, turned.documents[0].only_one, turned.documents[0].missing) == ("ben", 20, ())


def test_the_largest_difference_comes_first_and_equal_documents_last(pair, library):
    say(pair, library, 2, *marked("pears", (0, 20)))
    comparison = compared(pair, library)
    assert [(row.doc, row.only_one, row.only_other) for row in comparison.documents] == [
        ("apples", 10, 20),
        ("pears", 0, 20),
    ]


def test_the_spans_of_a_document_add_up_to_its_figures(pair, library):
    comparison = compared(pair, library)
    with pair.read() as connection:
        spans = find_differences(connection, library, comparison.one, comparison.other, "apples")
    assert spans.agreed == ((10, 20),)
    assert spans.only_one == ((0, 10),)
    assert spans.only_other == ((20, 40),)
    assert spans.beps == (0, 10)
    row = comparison.documents[0]
    assert (row.both, row.only_one, row.only_other) == tuple(
        sum(end - start for start, end in passages)
        for passages in (spans.agreed, spans.only_one, spans.only_other)
    )


def test_differing_grades_are_listed(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2003")
        create_assignment(connection, "2", 2, "2003")
    paths = ["/article[1]", "/article[1]/title[1]", "/article[1]/sec[1]"]
    for assignment, grades in ((2, ["3", "1", "2"]), (3, ["3", "2", None])):
        say(
            campaign,
            library,
            assignment,
            *[
                ("plums", "grade", {"path": path, "grades": {"exhaustivity": grade, "specificity": "1"}})
                for path, grade in zip(paths, grades, strict=True)
                if grade is not None
            ],
            ("plums", "validate", {}),
        )
    with campaign.read() as connection:
        one, other = choose_pair(list_assignments(connection, topic="2"), "anna", "ben")
        comparison = compare_assignments(connection, library, one, other)
        spans = find_differences(connection, library, one, other, "plums")
    assert comparison.documents[0].differing == 1  # of the elements that both graded
    assert spans.grades == (
        (
            "/article[1]/title[1]",
            {"exhaustivity": "1", "specificity": "1"},
            {"exhaustivity": "2", "specificity": "1"},
        ),
        ("/article[1]/sec[1]", {"exhaustivity": "2", "specificity": "1"}, None),
    )


def test_assessors_without_common_documents_have_no_figures(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    comparison = compared(campaign, library)
    assert comparison.figures is None
    assert [row.missing for row in comparison.documents] == [("anna", "ben"), ("anna", "ben")]


def test_what_cannot_be_compared_is_refused(campaign, library):
    with pytest.raises(RefusedError, match="nobody else has this topic"):
        compared(campaign, library)
    with campaign.write() as connection:
        create_assignment(connection, "1", 2, "2005")
    with pytest.raises(InputError, match="two different assessors"):
        compared(campaign, library, "anna", "anna")
    with pytest.raises(InputError, match="one of anna, ben"):
        compared(campaign, library, "anna", "zoe")
    with pytest.raises(InputError, match="wanted the same scale, found 2006 and 2005"):
        compared(campaign, library)


def test_the_api_returns_the_same(site, event):
    anna, ben, olga = (site.visitor(name) for name in ("anna", "ben", "olga"))
    anna.send(1, event(1), event(2, "bep", {"position": 0}), event(3, "validate", {}))
    assert anna.get("/api/topics/1/compare").status_code == 403
    anna.send(1, event(4, "validate", {}, doc="pears"))
    ben.send(
        2, event(1, body={"spans": [[3, 9]]}), event(2, "bep", {"position": 3}), event(3, "validate", {})
    )
    answer = anna.get("/api/topics/1/compare", params={"one": "anna", "other": "ben", "doc": "apples"}).json()
    assert answer["differences"] == {
        "agreed": [[3, 6]],
        "only_one": [[0, 3]],
        "only_other": [[6, 9]],
        "beps": [0, 3],
        "grades": [],
    }
    assert answer["figures"]["shared"] == pytest.approx(1 / 3)
    assert answer["figures"]["documents_kappa"] is None  # one document is not enough
    assert olga.get("/api/topics/9/compare").status_code == 404
    assert olga.get("/api/topics/1/compare?doc=quinces").status_code == 404
    assert olga.get("/api/topics/1/compare?one=zoe").status_code == 400
    assert olga.get("/topics/1/compare?one=zoe").status_code == 400
