"""The event log: idempotent, in the server's order, with invalid events refused; on both databases."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from assess.saying import arrival, send
from doxel.assess.document_state import fold_events
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.store import database_schema
from doxel.assess.store.assignments import (
    create_assignment,
    find_progress,
    find_statuses,
    has_finished,
    list_assignments,
    make_official,
    set_locked,
)
from doxel.assess.store.event_log import (
    read_events,
    read_folded_states,
    read_state,
    read_states,
    save_snapshots,
)
from doxel.assess.store.pooled_documents import add_pooled_documents, bind_collection
from doxel.errors import InputError
from doxel.pooling import PooledDocument
from random_share import count_cases


def state(store, doc="apples", assignment=1):
    with store.read() as connection:
        return read_state(connection, assignment, doc)[0]


def test_an_event_is_stored_and_folded(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1))
    assert (outcome.status, outcome.seq) == ("stored", 1)
    assert state(campaign).highlights == ((0, 6),)


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


def test_events_are_never_changed_or_deleted(campaign, library):
    send(campaign, library, arrival(library, 1))
    for change in (database_schema.EVENTS.update().values(body="{}"), database_schema.EVENTS.delete()):
        with pytest.raises(DBAPIError, match="events are never changed"), campaign.write() as connection:
            connection.execute(change)
    assert state(campaign).highlights == ((0, 6),)


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


def test_pooled_documents_are_added_once_and_must_exist(campaign, library):
    with campaign.write() as connection:
        more = [PooledDocument("1", "apples", 5), PooledDocument("1", "plums", 6)]
        assert add_pooled_documents(connection, library, more) == 1
    with pytest.raises(InputError, match="document quinces of topic 1"), campaign.write() as connection:
        add_pooled_documents(connection, library, [PooledDocument("1", "quinces", 1)])


def test_a_collection_with_another_text_is_refused(campaign, library):
    with campaign.write() as connection:
        connection.execute(
            database_schema.POOLED.update()
            .where(database_schema.POOLED.c.doc == "pears")
            .values(fingerprint="x")
        )
    with (
        pytest.raises(InputError, match=r"document pears of topic 1.*a different text"),
        campaign.write() as connection,
    ):
        bind_collection(connection, library)


def test_snapshots_are_caches_that_may_be_deleted_at_any_time(campaign, library):
    for number in range(70):
        kind = "highlight" if number % 3 else "unhighlight"
        send(campaign, library, arrival(library, number, kind, {"spans": [[number % 40, number % 40 + 5]]}))
    before = state(campaign)
    with campaign.write() as connection:
        now = {(1, "apples"): read_state(connection, 1, "apples")}
        assert save_snapshots(connection, now) == 1
        assert save_snapshots(connection, now) == 0
    assert state(campaign) == before
    send(campaign, library, arrival(library, 100, "note", {"text": "later"}))
    after = state(campaign)
    assert after.note == "later"
    with campaign.write() as connection:
        connection.execute(database_schema.SNAPSHOTS.delete())
    assert state(campaign) == after
    with campaign.read() as connection:
        assert read_states(connection, 1) == {"apples": after}


def test_states_of_an_assignment_come_from_snapshots_and_later_events(campaign, library):
    send(campaign, library, arrival(library, 0), arrival(library, 1, doc="pears"))
    with campaign.write() as connection:
        kept = {(1, doc): read_state(connection, 1, doc) for doc in ("apples", "pears")}
        assert save_snapshots(connection, kept) == 2
    send(campaign, library, arrival(library, 2, "unhighlight", {"spans": [[2, 4]]}))
    with campaign.write() as connection:
        folded_states = read_folded_states(connection, 1)
        assert {doc: folded.fresh for doc, folded in folded_states.items()} == {"apples": 1, "pears": 0}
        assert folded_states["apples"].state.highlights == ((0, 2), (4, 6))
        # a state that was found earlier and is kept late must not hide what came in between
        assert save_snapshots(connection, kept) == 0
        save_snapshots(connection, {(1, "apples"): read_state(connection, 1, "apples")})
        assert save_snapshots(connection, kept) == 0
        assert read_folded_states(connection, 1)["apples"].state == folded_states["apples"].state
        connection.execute(
            database_schema.SNAPSHOTS.delete().where(database_schema.SNAPSHOTS.c.doc == "apples")
        )
        again = read_folded_states(connection, 1)
    assert {doc: folded.state for doc, folded in again.items()} == {
        doc: folded.state for doc, folded in folded_states.items()
    }
    assert {doc: folded.fresh for doc, folded in again.items()} == {"apples": 2, "pears": 0}


SPAN = st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda pair: [pair[0], pair[0] + pair[1]])
DONE = st.tuples(st.sampled_from(["highlight", "unhighlight"]), SPAN)


@settings(
    max_examples=count_cases(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(DONE, min_size=1, max_size=4), min_size=2, max_size=3), st.data())
def test_any_interleaving_folds_to_the_same_state_after_delivery(campaign, library, clients, data):
    """Clients interleave and resend events; folding them in the server's order gives the server's state."""
    with campaign.write() as connection:  # each example begins with documents that nobody has touched
        begin = len(connection.execute(select(database_schema.EVENTS.c.seq)).all())
    left = {number: list(enumerate(events)) for number, events in enumerate(clients)}
    sent = []
    while any(left.values()):
        number = data.draw(st.sampled_from([client for client, events in left.items() if events]))
        place, (kind, span) = left[number].pop(0)
        new_arrival = arrival(library, place, kind, {"spans": [span]}, client=f"{begin}-{number}")
        sent.append(new_arrival)
        repeated = data.draw(st.lists(st.sampled_from(sent), max_size=2))
        outcomes = send(campaign, library, new_arrival, *repeated)
        assert outcomes[0].status == "stored"
        assert {outcome.status for outcome in outcomes[1:]} <= {"known"}
    with campaign.read() as connection:
        stored = read_events(connection, 1, "apples")
        server, last = read_state(connection, 1, "apples")
    assert len(stored) == begin + sum(map(len, clients))
    assert [entry.event for entry in stored[begin:]] == [entry.event for entry in sent]
    for at in (0, begin, len(stored) // 2):  # a client that knew some, and takes the rest
        known = fold_events(entry.event for entry in stored[:at])
        assert fold_events((entry.event for entry in stored[at:]), known) == server
    assert last == stored[-1].seq
