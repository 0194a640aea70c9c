"""Topics are assigned and handed over, on both databases."""

import pytest
from sqlalchemy import select

from assess.saying import say
from doxel.assess.document_state import State
from doxel.assess.office.administration import assign_topic, choose_official, hand_over, set_assignment_locked
from doxel.assess.store.accounts import set_disabled
from doxel.assess.store.assignments import find_progress, list_assignments
from doxel.assess.store.database_schema import AUDIT, EVENTS
from doxel.assess.store.event_log import read_states
from doxel.assess.store.pooled_documents import add_pooled_documents
from doxel.errors import InputError
from doxel.pooling import PooledDocument, PooledPart


def audit(store):
    with store.read() as connection:
        return [tuple(row) for row in connection.execute(select(AUDIT.c.who, AUDIT.c.action, AUDIT.c.detail))]


@pytest.fixture
def begun(campaign, library):
    """Assignment 1: apples done after some changes, pears begun, with a note and the pooled parts shown."""
    say(
        campaign,
        library,
        1,
        ("apples", "highlight", {"spans": [[6, 26], [30, 40]]}),
        ("apples", "unhighlight", {"spans": [[30, 40]]}),
        ("apples", "bep", {"position": 6}),
        ("apples", "validate", {}),
        ("pears", "highlight", {"spans": [[0, 5]]}),
        ("pears", "note", {"text": "to be looked at again"}),
        ("pears", "show", {"pooled": True}),
    )
    return campaign


def test_a_hand_over_copies_the_work_as_events_and_keeps_the_old_assignment(begun, library):
    with begun.read() as connection:
        before = connection.execute(select(EVENTS)).all()
    with begun.write() as connection:
        done = hand_over(connection, "olga", 1, "ben", library)
    assert (done.assignment, done.documents, done.notes) == (2, 2, ())
    with begun.read() as connection:
        assert connection.execute(select(EVENTS).where(EVENTS.c.assignment_id == 1)).all() == before
        assert read_states(connection, 2) == {
            "apples": State(highlights=((6, 26),), bep=6, validated=True),
            "pears": State(highlights=((0, 5),), note="to be looked at again"),
        }
        old, new = list_assignments(connection)
    assert (old.locked, old.official, new.locked, new.official) == (True, False, False, True)
    assert (new.assessor, new.validated, new.open) == ("ben", 1, 1)
    (line,) = audit(begun)
    assert line == (
        "olga",
        "assignment handed over",
        "assignment 1: topic 1 of anna to ben, with the work so far: assignment 2",
    )


def test_work_that_cannot_be_copied_is_in_the_audit_log(begun, library):
    """A document that was done may break the rules now, because another element was pooled since."""
    with begun.write() as connection:
        number = assign_topic(connection, "olga", "2", "anna", "2003")
    grades = {"exhaustivity": "0", "specificity": "0"}
    graded = ("plums", "grade", {"path": "/article[1]", "grades": grades})
    say(begun, library, number, graded, ("plums", "validate", {}))
    with begun.write() as connection:
        part = PooledPart("/article[1]/sec[1]", None, None)
        add_pooled_documents(connection, library, [PooledDocument("2", "plums", 1, (part,))])
        done = hand_over(connection, "olga", number, "ben", library)
    note = "1 document is not done, the first because /article[1]/sec[1] has no grade"
    assert done.notes == (note,)
    assert audit(begun)[-1][2].endswith(f"assignment {done.assignment}; {note}")


def test_a_hand_over_without_work_copies_nothing(begun):
    with begun.write() as connection:
        done = hand_over(connection, "olga", 1, "ben")
        assert read_states(connection, done.assignment) == {}
        assert find_progress(connection, 1).locked
    assert audit(begun)[0][2].endswith("without the work so far: assignment 2")


def test_a_hand_over_keeps_scale_and_snapping_and_stays_unofficial(campaign, library):
    with campaign.write() as connection:
        assign_topic(connection, "olga", "2", "anna")
        number = assign_topic(connection, "olga", "2", "ben", "2005", "sentence")
        set_assignment_locked(connection, "olga", number, locked=True)
        new = find_progress(connection, hand_over(connection, "olga", number, "OLGA", library).assignment)
    assert (new.scale, new.snapping, new.official, new.assessor) == ("2005", "sentence", False, "olga")


@pytest.mark.parametrize(
    ("number", "name", "message"),
    [
        (1, "anna", "one who already has this topic"),
        (1, "zoe", "the name of a user"),
        (1, "ben", "a user who can sign in"),
        (9, "olga", "the number of an assignment"),
    ],
)
def test_invalid_hand_overs_are_refused(campaign, number, name, message):
    with campaign.write() as connection:
        set_disabled(connection, 2, disabled=True)
    with pytest.raises(InputError, match=message), campaign.write() as connection:
        hand_over(connection, "olga", number, name)
    with campaign.read() as connection:
        assert [assignment.locked for assignment in list_assignments(connection)] == [False]


def test_every_change_is_in_the_audit_log(campaign):
    with campaign.write() as connection:
        number = assign_topic(connection, "olga", "1", "ben")
        set_assignment_locked(connection, "olga", number, locked=True)
        set_assignment_locked(connection, "olga", number, locked=False)
        choose_official(connection, "olga", number)
    assert [action for _, action, _ in audit(campaign)] == [
        "topic assigned",
        "assignment locked",
        "assignment unlocked",
        "assignment made official",
    ]
    with pytest.raises(InputError, match="the number of an assignment"), campaign.write() as connection:
        choose_official(connection, "olga", 99)
