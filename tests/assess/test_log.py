"""The log: idempotent, in the server's order, refusing what does not fit; on both databases."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import inspect, select
from sqlalchemy.exc import DBAPIError

from doxel.assess import schema
from doxel.assess.appending import Submission, append
from doxel.assess.events import Arrival, Event
from doxel.assess.fold import fold
from doxel.assess.log import events_of, folded_of, save_snapshots, state_of, states_of
from doxel.assess.migrations import MIGRATIONS, migrate
from doxel.assess.pooled import add_pooled, remember_collection
from doxel.assess.pools import assign, find_pool, has_finished, make_official, pools, set_locked, statuses
from doxel.assess.store import database_url, open_store
from doxel.assess.writer import Writer
from doxel.errors import InputError
from doxel.pooling import PooledDocument


def arrival(library, sequence, kind="highlight", body=None, *, doc="apples", client="c"):
    body = {"spans": [[0, 6]]} if body is None else body
    return Arrival(doc, client, sequence, library.find(doc).fingerprint, Event(kind, body))


def send(store, library, *arrivals, user=1, pool=1):
    with store.write() as connection:
        return append(connection, library, [Submission(user, pool, arrivals)])[0]


def state(store, doc="apples", pool=1):
    with store.read() as connection:
        return state_of(connection, pool, doc)[0]


def test_the_migrations_make_the_schema_and_are_applied_once(store):
    with store.write() as connection:
        assert migrate(connection) == []
        found = inspect(connection)
        for table in schema.METADATA.tables.values():
            columns = {column["name"] for column in found.get_columns(table.name)}
            assert columns == {column.name for column in table.columns}, table.name
        applied = connection.execute(select(schema.APPLIED.c.name)).scalars().all()
    assert sorted(applied) == sorted(MIGRATIONS)


def test_a_database_of_a_later_version_is_refused(store, database):
    with store.write() as connection:
        connection.execute(schema.APPLIED.insert().values(name="9999-later", at=0))
    with pytest.raises(InputError, match=r"later version.*9999-later"):
        open_store(database)


def test_who_opens_a_database_that_is_up_to_date_does_not_wait_for_a_writer(store, database):
    with store.write(), open_store(database) as other, other.read() as connection:
        assert pools(connection) == []


def test_an_event_is_stored_and_folded(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1))
    assert (outcome.status, outcome.seq) == ("stored", 1)
    assert state(campaign).highlights == ((0, 6),)


def test_duplicates_change_nothing_and_get_the_same_answer(campaign, library):
    first = send(campaign, library, arrival(library, 1))
    again = send(campaign, library, arrival(library, 1), arrival(library, 1))
    assert [one.status for one in again] == ["known", "known"]
    assert {one.seq for one in again} == {first[0].seq}
    with campaign.read() as connection:
        assert len(events_of(connection, 1, "apples")) == 1


def test_duplicates_within_one_batch(campaign, library):
    outcomes = send(campaign, library, arrival(library, 1), arrival(library, 1))
    assert [(one.status, one.seq) for one in outcomes] == [("stored", 1), ("known", 1)]


def test_another_event_under_the_same_number_is_refused(campaign, library):
    send(campaign, library, arrival(library, 1))
    (outcome,) = send(campaign, library, arrival(library, 1, body={"spans": [[1, 3]]}))
    assert (outcome.status, outcome.code) == ("refused", "conflict")
    assert state(campaign).highlights == ((0, 6),)


def test_the_same_number_in_another_pool_is_a_conflict_and_not_taken_for_known(campaign, library):
    """Else what a careless program says of a document in its second pool would be dropped without a word."""
    with campaign.write() as connection:
        add_pooled(connection, library, [PooledDocument("2", "pears", 2)])
        assign(connection, "2", 1)
    done = arrival(library, 1, "validate", {}, doc="pears")
    assert send(campaign, library, done)[0].status == "stored"
    (outcome,) = send(campaign, library, done, pool=2)
    assert (outcome.status, outcome.code) == ("refused", "conflict")


def test_the_same_client_and_number_of_another_user_is_another_event(campaign, library):
    with campaign.write() as connection:
        assign(connection, "1", 2)
    send(campaign, library, arrival(library, 1))
    (outcome,) = send(campaign, library, arrival(library, 1), user=2, pool=2)
    assert outcome.status == "stored"


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("highlight", {"spans": [[0, 1_000]]}, "outside"),
        ("bep", {"position": 1_000}, "outside"),
        ("grade", {"path": "/article[1]", "grades": {"exhaustivity": "1"}}, "not-on-this-scale"),
    ],
)
def test_what_does_not_fit_the_document_or_the_scale_is_refused(campaign, library, kind, body, code):
    (outcome,) = send(campaign, library, arrival(library, 1, kind, body))
    assert (outcome.status, outcome.code) == ("refused", code)


def test_a_grade_must_name_an_element_and_a_value_of_the_scale(campaign, library):
    with campaign.write() as connection:
        assign(connection, "2", 1, "2003")
    graded = {"exhaustivity": "1", "specificity": "2"}
    outcomes = send(
        campaign,
        library,
        arrival(library, 1, "grade", {"path": "/article[2]", "grades": graded}, doc="plums"),
        arrival(library, 2, "grade", {"path": "/article[1]", "grades": {"exhaustivity": "?"}}, doc="plums"),
        arrival(library, 3, "grade", {"path": "/article[1]", "grades": graded}, doc="plums"),
        arrival(library, 4, doc="plums"),
        pool=2,
    )
    assert [one.code or one.status for one in outcomes] == [
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


def test_a_pool_of_someone_else_is_refused(campaign, library):
    (outcome,) = send(campaign, library, arrival(library, 1), user=2)
    assert outcome.code == "forbidden"


def test_a_locked_pool_refuses_until_it_is_unlocked(campaign, library):
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
    assert [one.code or one.status for one in outcomes] == ["stored", "not-done", "stored", "stored"]
    assert "best entry point" in outcomes[1].message
    assert state(campaign).validated
    send(campaign, library, arrival(library, 5, "unhighlight", {"spans": [[0, 1]]}))
    assert not state(campaign).validated


def test_a_refused_event_spoils_no_other(campaign, library):
    outcomes = send(campaign, library, arrival(library, 1, "bep", {"position": 9_999}), arrival(library, 2))
    assert [one.status for one in outcomes] == ["refused", "stored"]


def test_events_are_never_changed_or_deleted(campaign, library):
    send(campaign, library, arrival(library, 1))
    for change in (schema.EVENTS.update().values(body="{}"), schema.EVENTS.delete()):
        with pytest.raises(DBAPIError, match="events are never changed"), campaign.write() as connection:
            connection.execute(change)
    assert state(campaign).highlights == ((0, 6),)


def test_progress_and_finishing(campaign, library):
    send(campaign, library, arrival(library, 1), arrival(library, 2, "validate", {}, doc="pears"))
    with campaign.read() as connection:
        assert statuses(connection, 1) == {"apples": "open", "pears": "validated"}
        (pool,) = pools(connection)
        assert (pool.documents, pool.open, pool.validated, pool.finished) == (2, 1, 1, False)
        assert find_pool(connection, 1) == pool
        assert not has_finished(connection, 1, "1")
    send(campaign, library, arrival(library, 3, "bep", {"position": 1}), arrival(library, 4, "validate", {}))
    with campaign.read() as connection:
        assert has_finished(connection, 1, "1")
        assert not has_finished(connection, 2, "1")


def test_exactly_one_pool_of_a_topic_is_official(campaign):
    with campaign.write() as connection:
        assert assign(connection, "1", 2) == 2
        assert [pool.official for pool in pools(connection)] == [True, False]
        make_official(connection, 2)
        assert [pool.official for pool in pools(connection)] == [False, True]
    with pytest.raises(DBAPIError), campaign.write() as connection:
        connection.execute(schema.POOLS.update().values(official=True))


def test_a_topic_is_given_to_an_assessor_once(campaign):
    with pytest.raises(InputError, match="one who has it already"), campaign.write() as connection:
        assign(connection, "1", 1)
    with pytest.raises(InputError, match="a topic with pooled documents"), campaign.write() as connection:
        assign(connection, "99", 1)


def test_pooled_documents_are_added_once_and_must_exist(campaign, library):
    with campaign.write() as connection:
        more = [PooledDocument("1", "apples", 5), PooledDocument("1", "plums", 6)]
        assert add_pooled(connection, library, more) == 1
    with pytest.raises(InputError, match="document quinces of topic 1"), campaign.write() as connection:
        add_pooled(connection, library, [PooledDocument("1", "quinces", 1)])


def test_a_collection_with_another_text_is_refused(campaign, library):
    with campaign.write() as connection:
        connection.execute(
            schema.POOLED.update().where(schema.POOLED.c.doc == "pears").values(fingerprint="x")
        )
    with (
        pytest.raises(InputError, match=r"document pears of topic 1.*another text"),
        campaign.write() as connection,
    ):
        remember_collection(connection, library)


def test_snapshots_are_caches_that_may_be_deleted_at_any_time(campaign, library):
    for number in range(70):
        kind = "highlight" if number % 3 else "unhighlight"
        send(campaign, library, arrival(library, number, kind, {"spans": [[number % 40, number % 40 + 5]]}))
    before = state(campaign)
    with campaign.write() as connection:
        now = {(1, "apples"): state_of(connection, 1, "apples")}
        assert save_snapshots(connection, now) == 1
        assert save_snapshots(connection, now) == 0
    assert state(campaign) == before
    send(campaign, library, arrival(library, 100, "note", {"text": "later"}))
    after = state(campaign)
    assert after.note == "later"
    with campaign.write() as connection:
        connection.execute(schema.SNAPSHOTS.delete())
    assert state(campaign) == after
    with campaign.read() as connection:
        assert states_of(connection, 1) == {"apples": after}


def test_states_of_a_pool_come_from_snapshots_and_what_came_after(campaign, library):
    send(campaign, library, arrival(library, 0), arrival(library, 1, doc="pears"))
    with campaign.write() as connection:
        kept = {(1, doc): state_of(connection, 1, doc) for doc in ("apples", "pears")}
        assert save_snapshots(connection, kept) == 2
    send(campaign, library, arrival(library, 2, "unhighlight", {"spans": [[2, 4]]}))
    with campaign.write() as connection:
        found = folded_of(connection, 1)
        assert {doc: one.fresh for doc, one in found.items()} == {"apples": 1, "pears": 0}
        assert found["apples"].state.highlights == ((0, 2), (4, 6))
        # a state that was found earlier and is kept late must not hide what came in between
        assert save_snapshots(connection, kept) == 0
        save_snapshots(connection, {(1, "apples"): state_of(connection, 1, "apples")})
        assert save_snapshots(connection, kept) == 0
        assert folded_of(connection, 1)["apples"].state == found["apples"].state
        connection.execute(schema.SNAPSHOTS.delete().where(schema.SNAPSHOTS.c.doc == "apples"))
        again = folded_of(connection, 1)
    assert {doc: one.state for doc, one in again.items()} == {doc: one.state for doc, one in found.items()}
    assert {doc: one.fresh for doc, one in again.items()} == {"apples": 2, "pears": 0}


def test_the_writer_keeps_the_states_of_documents_that_are_done(campaign, library):
    done = [
        arrival(library, 0),
        arrival(library, 1, "bep", {"position": 0}),
        arrival(library, 2, "validate", {}),
    ]
    with Writer(campaign, library) as writer:
        writer.submit(Submission(1, 1, (*done, arrival(library, 3, doc="pears")))).result(30)
        nowhere = Arrival("quinces", "c", 9, "?", Event("validate", {}))
        assert writer.submit(Submission(1, 1, (nowhere,))).result(30)[0].code == "unknown-document"
        assert (1, "quinces") not in writer._counts  # what is refused takes no memory
    with campaign.read() as connection:
        rows = connection.execute(select(schema.SNAPSHOTS.c.doc, schema.SNAPSHOTS.c.seq)).all()
        assert [tuple(row) for row in rows] == [("apples", 3)]
        assert folded_of(connection, 1)["apples"].fresh == 0


SPAN = st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda pair: [pair[0], pair[0] + pair[1]])
DONE = st.tuples(st.sampled_from(["highlight", "unhighlight"]), SPAN)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(DONE, min_size=1, max_size=4), min_size=2, max_size=3), st.data())
def test_any_interleaving_folds_to_the_same_state_after_delivery(campaign, library, clients, data):
    """Clients interleave, resend at will; whoever takes the events in the server's order has its state."""
    with campaign.write() as connection:  # each example begins with documents that nobody has touched
        begin = len(connection.execute(select(schema.EVENTS.c.seq)).all())
    left = {number: list(enumerate(events)) for number, events in enumerate(clients)}
    sent = []
    while any(left.values()):
        number = data.draw(st.sampled_from([one for one, events in left.items() if events]))
        place, (kind, span) = left[number].pop(0)
        one = arrival(library, place, kind, {"spans": [span]}, client=f"{begin}-{number}")
        sent.append(one)
        repeated = data.draw(st.lists(st.sampled_from(sent), max_size=2))
        outcomes = send(campaign, library, one, *repeated)
        assert outcomes[0].status == "stored"
        assert {outcome.status for outcome in outcomes[1:]} <= {"known"}
    with campaign.read() as connection:
        stored = events_of(connection, 1, "apples")
        server, last = state_of(connection, 1, "apples")
    assert len(stored) == begin + sum(map(len, clients))
    assert [one.event for one in stored[begin:]] == [one.event for one in sent]
    for at in (0, begin, len(stored) // 2):  # a client that knew some, and takes the rest
        known = fold(one.event for one in stored[:at])
        assert fold((one.event for one in stored[at:]), known) == server
    assert last == stored[-1].seq


def test_the_writer_commits_for_many_threads_and_loses_nothing(campaign, library):
    outcomes, errors = [], []

    def client(name):
        for number in range(25):
            one = arrival(library, number, "note", {"text": f"{name} {number}"}, client=name)
            try:
                outcomes.extend(writer.submit(Submission(1, 1, (one,))).result(30))
            except Exception as error:  # noqa: BLE001 -- told by the test itself
                errors.append(error)

    with Writer(campaign, library) as writer:
        threads = [threading.Thread(target=client, args=(f"client-{number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    assert {one.status for one in outcomes} == {"stored"}
    with campaign.read() as connection:
        stored = events_of(connection, 1, "apples")
    assert sorted(one.seq for one in outcomes) == [one.seq for one in stored] == list(range(1, 201))
    for name in {one.client for one in stored}:
        assert [one.sequence for one in stored if one.client == name] == list(range(25))


def test_an_answer_comes_only_after_the_commit(campaign, library, database):
    other = open_store(database)
    with Writer(campaign, library) as writer:
        for number in range(20):
            (outcome,) = writer.submit(Submission(1, 1, (arrival(library, number),))).result(30)
            with other.read() as connection:
                assert events_of(connection, 1, "apples")[-1].seq == outcome.seq
    other.close()


def test_the_writer_survives_what_cannot_be_written(campaign, library):
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError("broken")

    with Writer(campaign, library) as writer:
        bad = writer.submit(Submission(1, 1, (Broken(),)))
        gone = writer.submit(Submission(1, 1, (arrival(library, 1),)))
        good = writer.submit(Submission(1, 1, (arrival(library, 2),)))
        gone.cancel()
        assert good.result(30)[0].status == "stored"
        with pytest.raises(RuntimeError, match="broken"):
            bad.result(30)


def test_sqlite_promises_that_what_is_committed_is_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.undo()  # other tests do not wait for the disk
    store = open_store(tmp_path / "a.sqlite")
    with store.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    store.close()
    assert (tmp_path / "a.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("address", ["mysql://a/b", "sqlite://", "nonsense://x", "postgresql://[::1"])
def test_other_databases_are_refused(address):
    with pytest.raises(InputError, match="a file, or postgresql"):
        database_url(address)


def test_a_database_that_is_none_is_refused(tmp_path):
    (tmp_path / "a.sqlite").write_text("this is no database, however long one looks at it" * 20)
    with pytest.raises(InputError, match="not a database"):
        open_store(tmp_path / "a.sqlite")
    with pytest.raises(InputError, match="no database"):
        open_store(tmp_path / "b.sqlite", create=False)


def test_what_every_batch_asks_is_found_by_index(tmp_path):
    """However long the log: SQLite would read all of it to find triples of user, client and sequence."""
    store = open_store(tmp_path / "a.sqlite")
    question = "EXPLAIN QUERY PLAN SELECT seq FROM events WHERE origin IN ('1:c:1', '1:c:2')"
    with store.read() as connection:
        plan = " ".join(str(row) for row in connection.exec_driver_sql(question))
        last = " ".join(
            str(row) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN SELECT max(seq) FROM events")
        )
    store.close()
    assert "USING COVERING INDEX" in plan or "USING INDEX" in plan
    assert "SCAN" not in plan
    assert last.count("SEARCH") == 1
