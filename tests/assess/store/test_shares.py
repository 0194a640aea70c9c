"""Shares: partial assignments have some documents, and one official judge per document."""

import pytest
from sqlalchemy.exc import IntegrityError

from assess.saying import arrival, send
from doxel.assess.office.administration import hand_over
from doxel.assess.office.assessment_export import choose_assignments, collect_assessments
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import (
    create_assignment,
    find_progress,
    has_finished,
    list_assignments,
    make_official,
)
from doxel.assess.store.shares import (
    has_document,
    list_assigned_documents,
    list_assigned_tasks,
    make_partial,
    read_share,
    write_share,
)


@pytest.fixture
def shared(campaign):
    """Topic 1 in shares: anna has apples, ben has pears, and olga has apples too."""
    with campaign.write() as connection:
        make_partial(connection, find_progress(connection, 1), official=True)
        write_share(connection, 1, {"apples": True})
        create_assignment(connection, "1", 2, share={"pears": True}, official=True)
        create_assignment(connection, "1", 3, share={"apples": False}, official=True)
    return campaign


def test_a_partial_assignment_has_its_own_documents_only(shared):
    with shared.read() as connection:
        anna, ben, olga = list_assignments(connection)
        assert [item.documents for item in (anna, ben, olga)] == [1, 1, 1]
        assert list_assigned_documents(connection, ben) == ["pears"]
        assert has_document(connection, ben, "pears")
        assert not has_document(connection, ben, "apples")
        assert [task.doc for task in list_assigned_tasks(connection, olga)] == ["apples"]
        assert list_assigned_tasks(connection, olga, official_only=True) == []


def test_events_for_documents_of_others_are_refused(shared, library):
    (refused,) = send(shared, library, arrival(library, 0, "validate", {}), user=2, assignment=2)
    assert (refused.status, refused.code) == ("refused", "unknown-document")
    assert refused.message == "document apples is not in your part of the pool"
    (stored,) = send(shared, library, arrival(library, 1, "validate", {}, doc="pears"), user=2, assignment=2)
    assert stored.status == "stored"


def test_an_assessor_who_has_finished_a_share_has_finished(shared, library):
    send(shared, library, arrival(library, 0, "validate", {}, doc="pears"), user=2, assignment=2)
    with shared.read() as connection:
        assert find_progress(connection, 2).finished
        assert has_finished(connection, 2, "1")
        assert not has_finished(connection, 1, "1")


def test_a_share_without_documents_is_never_finished(shared):
    with shared.write() as connection:
        write_share(connection, 2, {})
        assert not find_progress(connection, 2).finished


def test_each_document_is_exported_once(shared, library):
    for user, assignment, doc in ((1, 1, "apples"), (2, 2, "pears"), (3, 3, "apples")):
        send(shared, library, arrival(library, 0, "validate", {}, doc=doc), user=user, assignment=assignment)
    with shared.read() as connection:
        official = choose_assignments(connection)
        assessments = collect_assessments(connection, library, official, official_only=True).assessments
        assert assessments.judged.select("doc", "pool").rows() == [("apples", "1"), ("pears", "2")]
        own = choose_assignments(connection, assessor="olga")
        assert collect_assessments(connection, library, own).assessments.judged["doc"].to_list() == ["apples"]


def test_a_share_becomes_official_for_its_documents(shared):
    with shared.write() as connection:
        make_official(connection, 3)
        assert read_share(connection, 3) == {"apples": True}
        assert read_share(connection, 1) == {"apples": False}
        assert read_share(connection, 2) == {"pears": True}
        assert all(item.official for item in list_assignments(connection))


def test_a_whole_assignment_becomes_official_instead_of_all_shares(shared):
    with shared.write() as connection:
        carl = add_user(connection, "carl", "x")
        number = create_assignment(connection, "1", carl, official=False)
        make_official(connection, number)
        official = [item.official for item in list_assignments(connection, topic="1")]
        assert official == [False, False, False, True]


def test_two_whole_assignments_of_a_topic_cannot_both_be_official(campaign):
    with campaign.write() as connection:
        create_assignment(connection, "1", 2, official=False)
    with pytest.raises(IntegrityError), campaign.write() as connection:
        connection.exec_driver_sql("UPDATE assignments SET official = TRUE WHERE topic = '1'")


def test_a_share_is_handed_over_with_its_documents(shared, library):
    with shared.write() as connection:
        add_user(connection, "carl", "x")
        done = hand_over(connection, "olga", 2, "carl", library)
        new = find_progress(connection, done.assignment)
        assert (new.partial, new.official, new.documents) == (True, True, 1)
        assert read_share(connection, new.id) == {"pears": True}
        assert read_share(connection, 2) == {"pears": False}
        assert not find_progress(connection, 2).official
