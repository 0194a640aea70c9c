"""An adjudication starts with what all agree on, and becomes official when it is signed off."""

import pytest

from assess.saying import say
from doxel.assess.office.adjudication import begin_adjudication, sign_off
from doxel.assess.office.administration import hand_over, list_audit_lines
from doxel.assess.store.accounts import add_user
from doxel.assess.store.adjudications import list_adjudications
from doxel.assess.store.assignments import create_assignment, find_progress, set_locked
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_events, read_state
from doxel.errors import InputError


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
