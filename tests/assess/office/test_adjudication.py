"""An adjudication starts with the marks that all agree on, and becomes official when it is signed off."""

import pytest

from assess.saying import say
from doxel.assess.document_styles import load_bundled_styles
from doxel.assess.office.adjudication import begin_adjudication, sign_off
from doxel.assess.office.administration import hand_over, list_audit_lines
from doxel.assess.office.document_list import DocumentFilter, read_document_page
from doxel.assess.store.accounts import add_user
from doxel.assess.store.adjudications import list_adjudications
from doxel.assess.store.assignments import (
    create_assignment,
    find_progress,
    list_assignments,
    make_official,
    set_locked,
)
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import ASSIGNMENTS
from doxel.assess.store.event_log import read_events, read_state
from doxel.assess.store.pooled_documents import add_pooled_documents
from doxel.assess.store.shares import list_assigned_documents, list_assigned_tasks
from doxel.errors import InputError
from doxel.pooling import PooledDocument

STYLES = load_bundled_styles()


@pytest.fixture
def pair(campaign, library):
    """anna and ben agree on pears, and differ on apples."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    for assignment, end in ((1, 20), (2, 40)):
        marks = [("highlight", {"spans": [[10, end]]}), ("bep", {"position": 10}), ("validate", {})]
        both = [
            ("pears", kind, body) for kind, body in [("highlight", {"spans": [[0, 5]]}), marks[1], marks[2]]
        ]
        say(campaign, library, assignment, *(("apples", *event) for event in marks), *both)
    return campaign


def begin(store, library, numbers=(1, 2), name="olga", **options):
    with store.write() as connection:
        return begin_adjudication(connection, library, "olga", numbers, name, **options)


def test_it_starts_with_the_common_part_and_agreed_documents_are_done(pair, library):
    started = begin(pair, library)
    assert (started.assignment, started.documents, started.agreed, started.notes) == (3, 2, 1, ())
    assert started.sentence == "1 of 2 documents is agreed by all and done"
    with pair.read() as connection:
        apples, pears = (read_state(connection, 3, doc)[0] for doc in ("apples", "pears"))
        assert (apples.highlights, apples.bep, apples.validated) == (((10, 20),), 10, False)
        assert (pears.highlights, pears.bep, pears.validated) == (((0, 5),), 10, True)
        assert all(event.is_copied for event in read_events(connection, 3, "apples"))
        own, anna = find_progress(connection, 3), find_progress(connection, 1)
        assert (own.official, own.locked, anna.official, anna.locked) == (False, False, True, True)
        (line,) = list_audit_lines(connection)
        assert (line["action"], line["detail"]) == (
            "adjudication begun",
            "topic 1, between anna, ben (locked), by olga: assignment 3",
        )


def test_sources_stay_open_if_the_organiser_wants_that(pair, library):
    begin(pair, library, lock=False)
    with pair.read() as connection:
        assert not find_progress(connection, 1).locked


def test_signing_off_needs_every_document_and_makes_it_official_and_locked(pair, library):
    begin(pair, library)
    with pytest.raises(InputError, match="1 of 2 documents is done"), pair.write() as connection:
        sign_off(connection, "olga", 3)
    decided = {"place": "10-40", "decision": "2"}
    say(
        pair,
        library,
        3,
        ("apples", "highlight", {"spans": [[10, 40]]}),
        ("apples", "decide", decided),
        ("apples", "validate", {}),
    )
    with pair.write() as connection:
        sign_off(connection, "olga", 3)
        own = find_progress(connection, 3)
        assert (own.official, own.locked, find_progress(connection, 1).official) == (True, True, False)
        assert list_audit_lines(connection)[0]["action"] == "adjudication signed off"
    with pytest.raises(InputError, match="wanted an adjudication"), pair.write() as connection:
        sign_off(connection, "olga", 1)


@pytest.fixture
def split(campaign, library):
    """Three documents: apples of anna, pears of ben, and plums of both, in which only ben marks text."""
    with campaign.write() as connection:
        add_pooled_documents(connection, library, [PooledDocument("1", "plums", 3)])
        carl = add_user(connection, "carl", "no hash")
        connection.execute(ASSIGNMENTS.delete())
        create_assignment(connection, "1", 1, share={"apples": True, "plums": True})
        create_assignment(connection, "1", 2, share={"pears": True, "plums": False}, official=True)
        create_assignment(connection, "1", carl, share={"apples": False}, official=True)
    marks = [("highlight", {"spans": [[0, 5]]}), ("bep", {"position": 0}), ("validate", {})]
    say(campaign, library, 1, *(("apples", *mark) for mark in marks), ("plums", "validate", {}))
    say(campaign, library, 2, *((doc, *mark) for doc in ("pears", "plums") for mark in marks))
    return campaign


def test_split_pools_are_united_and_documents_of_one_person_are_taken_over(split, library):
    started = begin(split, library)
    assert (started.documents, started.agreed) == (3, 0)
    assert started.taken_over == {"apples": "anna", "pears": "ben"}
    assert started.sentence == (
        "0 of 3 documents are agreed by all and done; judged by one person alone and taken over:"
        " from anna apples; from ben pears"
    )
    with split.read() as connection:
        own = find_progress(connection, started.assignment)
        assert (own.partial, own.documents, own.validated) == (False, 3, 2)
        plums = read_state(connection, started.assignment, "plums")[0]
        assert (plums.highlights, plums.validated) == ((), False)
        assert "2 documents taken over from one person" in list_audit_lines(connection)[0]["detail"]
        listed = read_document_page(connection, library, STYLES, own, DocumentFilter(state="taken over"))
        assert [row.doc for row in listed.rows] == ["apples", "pears"]


def test_an_adjudication_of_a_part_is_official_for_that_part_alone(split, library):
    """dora has judged the whole topic; ben and erik together have only a part of it."""
    with split.write() as connection:
        dora = add_user(connection, "dora", "no hash")
        whole = create_assignment(connection, "1", dora)
        make_official(connection, whole)
        erik = add_user(connection, "erik", "no hash")
        second = create_assignment(connection, "1", erik, share={"plums": False})
    say(split, library, second, ("plums", "validate", {}))
    say(split, library, whole, ("apples", "validate", {}))
    started = begin(split, library, [2, second])
    with split.read() as connection:
        own = find_progress(connection, started.assignment)
        assert (own.partial, own.documents) == (True, 2)
        assert list_assigned_documents(connection, own) == ["pears", "plums"]
    nothing = [
        ("plums", "decide", {"place": "bep", "decision": "none"}),
        ("plums", "decide", {"place": "0-5", "decision": "none"}),
        ("plums", "validate", {}),
    ]
    say(split, library, started.assignment, *nothing)
    with split.write() as connection:
        sign_off(connection, "olga", started.assignment)
        official = {
            task.doc: item.assessor
            for item in list_assignments(connection, topic="1")
            if item.official
            for task in list_assigned_tasks(connection, item, official_only=True)
        }
    assert official == {"apples": "dora", "pears": "olga", "plums": "olga"}


def test_what_cannot_be_adjudicated_is_refused(pair, library):
    with pytest.raises(InputError, match="two assignments or more"):
        begin(pair, library, [1, 1])
    with pytest.raises(InputError, match="anna, whose work is a source"):
        begin(pair, library, name="anna")
    with pair.write() as connection:
        carl = add_user(connection, "carl", "no hash")
        create_assignment(connection, "2", carl)
        create_assignment(connection, "1", carl, "2005")
    with pytest.raises(InputError, match="assignments of one topic, found 1, 2"):
        begin(pair, library, [1, 3])
    with pytest.raises(InputError, match="assignments of one scale, found 2005, 2006"):
        begin(pair, library, [1, 4])
    with pytest.raises(InputError, match="already has this topic"):
        begin(pair, library, name="carl")
    begin(pair, library)
    with pytest.raises(InputError, match="which is an adjudication"):
        begin(pair, library, [1, 5], name="carl")


def test_a_handed_over_adjudication_keeps_its_sources_and_decisions(pair, library):
    begin(pair, library)
    say(pair, library, 3, ("apples", "decide", {"place": "10-40", "decision": "union"}))
    with pair.write() as connection:
        add_user(connection, "dora", "no hash")
        handed = hand_over(connection, "olga", 3, "dora", library)
        assert list_adjudications(connection) == {3: (1, 2), handed.assignment: (1, 2)}
        assert read_state(connection, handed.assignment, "apples")[0].decisions == {"10-40": "union"}
        assert handed.notes == ()


def test_a_backup_contains_adjudications_and_decisions(pair, library, new_database, tmp_path):
    begin(pair, library)
    say(pair, library, 3, ("apples", "decide", {"place": "10-40", "decision": "union"}))
    with pair.write() as connection:
        set_locked(connection, 3, locked=True)
    counts = write_backup(pair, tmp_path / "b.gz")
    assert counts["adjudications"] == 2
    with open_store(new_database["sqlite"]()) as other:
        assert restore_backup(other, tmp_path / "b.gz", library) == counts
        with other.read() as connection:
            assert list_adjudications(connection) == {3: (1, 2)}
