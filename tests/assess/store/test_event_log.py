"""The event log: append-only, in the server's order, and folded into states; on both databases."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from assess.saying import arrival, send, state
from doxel.assess.document_state import fold_events
from doxel.assess.store import database_schema
from doxel.assess.store.event_log import (
    read_events,
    read_folded_states,
    read_state,
    read_states,
    save_snapshots,
)
from random_share import count_cases


def test_an_event_is_stored_and_folded(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1))
    assert (outcome.status, outcome.seq) == ("stored", 1)
    assert state(campaign).highlights == ((0, 6),)


def test_events_are_never_changed_or_deleted(campaign, library):
    send(campaign, library, arrival(library, 1))
    for change in (database_schema.EVENTS.update().values(body="{}"), database_schema.EVENTS.delete()):
        with pytest.raises(DBAPIError, match="events are never changed"), campaign.write() as connection:
            connection.execute(change)
    assert state(campaign).highlights == ((0, 6),)


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
        snapshots = {(1, doc): read_state(connection, 1, doc) for doc in ("apples", "pears")}
        assert save_snapshots(connection, snapshots) == 2
    send(campaign, library, arrival(library, 2, "unhighlight", {"spans": [[2, 4]]}))
    with campaign.write() as connection:
        folded_states = read_folded_states(connection, 1)
        assert {doc: folded.fresh for doc, folded in folded_states.items()} == {"apples": 1, "pears": 0}
        assert folded_states["apples"].state.highlights == ((0, 2), (4, 6))
        # a state that is read early and stored late must not hide the events in between
        assert save_snapshots(connection, snapshots) == 0
        save_snapshots(connection, {(1, "apples"): read_state(connection, 1, "apples")})
        assert save_snapshots(connection, snapshots) == 0
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
    with campaign.write() as connection:  # each example begins with untouched documents
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
        state = fold_events(entry.event for entry in stored[:at])
        assert fold_events((entry.event for entry in stored[at:]), state) == server
    assert last == stored[-1].seq
