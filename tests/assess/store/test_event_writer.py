"""The event writer stores an event once, refuses invalid ones, commits for many threads, survives errors."""

import threading

import pytest
from sqlalchemy import select

from assess.saying import arrival, send, state
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.store import database_schema
from doxel.assess.store.assignments import (
    create_assignment,
    set_locked,
)
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_events, read_folded_states
from doxel.assess.store.event_writer import EventWriter, Submission
from doxel.assess.store.pooled_documents import add_pooled_documents
from doxel.pooling import PooledDocument


def test_the_writer_saves_snapshots_of_validated_documents(campaign, library):
    done = [
        arrival(library, 0),
        arrival(library, 1, "bep", {"position": 0}),
        arrival(library, 2, "validate", {}),
    ]
    with EventWriter(campaign, library) as writer:
        writer.submit(Submission(1, 1, (*done, arrival(library, 3, doc="pears")))).result(30)
        nowhere = Arrival("quinces", "c", 9, "?", Event("validate", {}))
        assert writer.submit(Submission(1, 1, (nowhere,))).result(30)[0].code == "unknown-document"
        assert (1, "quinces") not in writer._counts  # refused events take no memory
    with campaign.read() as connection:
        rows = connection.execute(
            select(database_schema.SNAPSHOTS.c.doc, database_schema.SNAPSHOTS.c.seq)
        ).all()
        assert [tuple(row) for row in rows] == [("apples", 3)]
        assert read_folded_states(connection, 1)["apples"].fresh == 0


def test_the_writer_commits_for_many_threads_and_loses_nothing(campaign, library):
    outcomes, errors = [], []

    def client(name):
        for number in range(25):
            note = arrival(library, number, "note", {"text": f"{name} {number}"}, client=name)
            try:
                outcomes.extend(writer.submit(Submission(1, 1, (note,))).result(30))
            except Exception as error:  # noqa: BLE001 -- told by the test itself
                errors.append(error)

    with EventWriter(campaign, library) as writer:
        threads = [threading.Thread(target=client, args=(f"client-{number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    assert {outcome.status for outcome in outcomes} == {"stored"}
    with campaign.read() as connection:
        stored = read_events(connection, 1, "apples")
    assert (
        sorted(outcome.seq for outcome in outcomes) == [event.seq for event in stored] == list(range(1, 201))
    )
    for name in {event.client for event in stored}:
        assert [event.sequence for event in stored if event.client == name] == list(range(25))


def test_an_answer_comes_only_after_the_commit(campaign, library, database):
    other = open_store(database)
    with EventWriter(campaign, library) as writer:
        for number in range(20):
            (outcome,) = writer.submit(Submission(1, 1, (arrival(library, number),))).result(30)
            with other.read() as connection:
                assert read_events(connection, 1, "apples")[-1].seq == outcome.seq
    other.close()


def test_the_writer_survives_events_that_cannot_be_written(campaign, library):
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError("broken")

    with EventWriter(campaign, library) as writer:
        bad = writer.submit(Submission(1, 1, (Broken(),)))
        gone = writer.submit(Submission(1, 1, (arrival(library, 1),)))
        good = writer.submit(Submission(1, 1, (arrival(library, 2),)))
        gone.cancel()
        assert good.result(30)[0].status == "stored"
        with pytest.raises(RuntimeError, match="broken"):
            bad.result(30)


def test_duplicates_change_nothing_and_get_the_same_answer(campaign, library):
    first = send(campaign, library, arrival(library, 1))
    again = send(campaign, library, arrival(library, 1), arrival(library, 1))
    assert [outcome.status for outcome in again] == ["known", "known"]
    assert {outcome.seq for outcome in again} == {first[0].seq}
    with campaign.read() as connection:
        assert len(read_events(connection, 1, "apples")) == 1


def test_duplicates_within_one_batch_are_stored_once(campaign, library):
    outcomes = send(campaign, library, arrival(library, 1), arrival(library, 1))
    assert [(outcome.status, outcome.seq) for outcome in outcomes] == [("stored", 1), ("known", 1)]


def test_another_event_under_the_same_number_is_refused(campaign, library):
    send(campaign, library, arrival(library, 1))
    (outcome,) = send(campaign, library, arrival(library, 1, body={"spans": [[1, 3]]}))
    assert (outcome.status, outcome.code) == ("refused", "conflict")
    assert state(campaign).highlights == ((0, 6),)


def test_the_same_number_in_another_assignment_is_a_conflict(campaign, library):
    """Otherwise events that a careless program sends for its second assignment would be dropped silently."""
    with campaign.write() as connection:
        add_pooled_documents(connection, library, [PooledDocument("2", "pears", 2)])
        create_assignment(connection, "2", 1)
    done = arrival(library, 1, "validate", {}, doc="pears")
    assert send(campaign, library, done)[0].status == "stored"
    (outcome,) = send(campaign, library, done, assignment=2)
    assert (outcome.status, outcome.code) == ("refused", "conflict")


def test_the_same_client_and_number_of_another_user_is_another_event(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    send(campaign, library, arrival(library, 1))
    (outcome,) = send(campaign, library, arrival(library, 1), user=2, assignment=2)
    assert outcome.status == "stored"


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("highlight", {"spans": [[0, 1_000]]}, "outside"),
        ("bep", {"position": 1_000}, "outside"),
        ("aspect", {"place": "1000", "aspect": "x"}, "outside"),
        ("grade", {"path": "/article[1]", "grades": {"exhaustivity": "1"}}, "not-on-this-scale"),
    ],
)
def test_events_that_do_not_fit_document_or_scale_are_refused(campaign, library, kind, body, code):
    (outcome,) = send(campaign, library, arrival(library, 1, kind, body))
    assert (outcome.status, outcome.code) == ("refused", code)


def test_a_grade_must_name_an_element_and_a_value_of_the_scale(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2003")
    graded = {"exhaustivity": "1", "specificity": "2"}
    outcomes = send(
        campaign,
        library,
        arrival(library, 1, "grade", {"path": "/article[2]", "grades": graded}, doc="plums"),
        arrival(library, 2, "grade", {"path": "/article[1]", "grades": {"exhaustivity": "?"}}, doc="plums"),
        arrival(library, 3, "grade", {"path": "/article[1]", "grades": graded}, doc="plums"),
        arrival(library, 4, doc="plums"),
        assignment=2,
    )
    assert [outcome.code or outcome.status for outcome in outcomes] == [
        "unknown-path",
        "unknown-grade",
        "stored",
        "not-on-this-scale",
    ]


def test_an_event_made_on_another_text_is_refused(campaign, library):
    wrong = Arrival("apples", "c", 1, "0" * 32, Event("highlight", {"spans": [[0, 6]]}))
    (outcome,) = send(campaign, library, wrong)
    assert outcome.code == "other-text"


def test_documents_outside_the_pool_are_refused(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1, doc="plums"))
    assert outcome.code == "unknown-document"


def test_an_assignment_of_someone_else_is_refused(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1), user=2)
    assert outcome.code == "forbidden"


def test_a_locked_assignment_refuses_until_it_is_unlocked(campaign, library):
    for locked, code in ((True, "locked"), (False, None)):
        with campaign.write() as connection:
            set_locked(connection, 1, locked=locked)
        (outcome,) = send(campaign, library, arrival(library, 1))
        assert outcome.code == code


def test_a_document_is_validated_only_when_the_rules_hold(campaign, library):
    outcomes = send(
        campaign,
        library,
        arrival(library, 1),
        arrival(library, 2, "validate", {}),
        arrival(library, 3, "bep", {"position": 0}),
        arrival(library, 4, "validate", {}),
    )
    assert [outcome.code or outcome.status for outcome in outcomes] == [
        "stored",
        "not-done",
        "stored",
        "stored",
    ]
    assert "best entry point" in outcomes[1].message
    assert state(campaign).validated
    send(campaign, library, arrival(library, 5, "unhighlight", {"spans": [[0, 1]]}))
    assert not state(campaign).validated


def test_elements_are_not_read_on_a_scale_without_grades(campaign, library, monkeypatch):
    """An import of many documents would otherwise read the elements of each."""
    monkeypatch.setattr(type(library), "outline", lambda *_: pytest.fail("the elements were read"))
    (outcome,) = send(campaign, library, arrival(library, 1, "validate", {}))
    assert outcome.status == "stored"


def test_a_refused_event_does_not_affect_others(campaign, library):
    outcomes = send(campaign, library, arrival(library, 1, "bep", {"position": 9_999}), arrival(library, 2))
    assert [outcome.status for outcome in outcomes] == ["refused", "stored"]
