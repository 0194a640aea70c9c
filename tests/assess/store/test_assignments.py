"""Assignments: one per topic and assessor, one of a topic official, with their progress."""

import pytest
from sqlalchemy.exc import DBAPIError

from assess.saying import arrival, send
from doxel.assess.store import database_schema
from doxel.assess.store.assignments import (
    create_assignment,
    find_progress,
    find_statuses,
    has_finished,
    list_assignments,
    make_official,
)
from doxel.errors import InputError


def test_progress_counts_documents_until_the_assignment_is_finished(campaign, library):
    send(campaign, library, arrival(library, 1), arrival(library, 2, "validate", {}, doc="pears"))
    with campaign.read() as connection:
        assert find_statuses(connection, 1) == {"apples": "open", "pears": "validated"}
        (assignment,) = list_assignments(connection)
        assert (assignment.documents, assignment.open, assignment.validated, assignment.finished) == (
            2,
            1,
            1,
            False,
        )
        assert find_progress(connection, 1) == assignment
        assert not has_finished(connection, 1, "1")
    send(campaign, library, arrival(library, 3, "bep", {"position": 1}), arrival(library, 4, "validate", {}))
    with campaign.read() as connection:
        assert has_finished(connection, 1, "1")
        assert not has_finished(connection, 2, "1")


def test_exactly_one_assignment_of_a_topic_is_official(campaign):
    with campaign.write() as connection:
        assert create_assignment(connection, "1", 2) == 2
        assert [assignment.official for assignment in list_assignments(connection)] == [True, False]
        make_official(connection, 2)
        assert [assignment.official for assignment in list_assignments(connection)] == [False, True]
    with pytest.raises(DBAPIError), campaign.write() as connection:
        connection.execute(database_schema.ASSIGNMENTS.update().values(official=True))


def test_a_topic_is_assigned_to_an_assessor_once(campaign):
    with pytest.raises(InputError, match="one who already has this topic"), campaign.write() as connection:
        create_assignment(connection, "1", 1)
    with pytest.raises(InputError, match="a topic with pooled documents"), campaign.write() as connection:
        create_assignment(connection, "99", 1)
