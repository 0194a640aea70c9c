"""The event writer commits for many threads, answers after the commit, and survives errors."""

import threading

import pytest
from sqlalchemy import select

from assess.saying import arrival
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.store import database_schema
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_events, read_folded_states
from doxel.assess.store.event_writer import EventWriter, Submission


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
        assert (1, "quinces") not in writer._counts  # what is refused takes no memory
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
