"""The tables of the database: their constraints, and times in words."""

import time
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from doxel.assess.store.database_schema import (
    ASSIGNMENTS,
    EVENTS,
    METADATA,
    USERS,
    format_age,
    format_day,
    format_time,
    now,
)

LEAP_DAY = int(datetime(2024, 2, 29, 23, 59, 59, 999_000, tzinfo=UTC).timestamp() * 1000)
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

ANNA = {"id": 7, "name": "anna", "password_hash": "x", "role": "assessor", "disabled": False, "created": 0}
FIRST = {
    "id": 7,
    "topic": "9",
    "user_id": 7,
    "scale": "binary",
    "official": True,
    "locked": False,
    "created": 0,
}
EVENT = {
    "seq": 7,
    "assignment_id": 7,
    "user_id": 7,
    "doc": "apples",
    "client": "c",
    "sequence": 1,
    "fingerprint": "f",
    "kind": "validate",
    "body": '{ "a": 1.0}',
    "at": 0,
    "origin": "7:c:1",
}


@pytest.fixture
def rows(store):
    """A store with one user, one assignment and one event."""
    with store.write() as connection:
        connection.execute(USERS.insert().values(ANNA))
        connection.execute(ASSIGNMENTS.insert().values(FIRST))
        connection.execute(EVENTS.insert().values(EVENT))
    return store


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (USERS, {**ANNA, "id": 8}),  # the name twice
        (USERS, {**ANNA, "id": 8, "name": "bob", "role": "king"}),
        (USERS, {**ANNA, "id": 8, "name": None}),
        (ASSIGNMENTS, {**FIRST, "id": 8, "official": False}),  # the topic twice for one assessor
        (ASSIGNMENTS, {**FIRST, "id": 8, "topic": "10", "user_id": 99}),  # no such user
        (EVENTS, {**EVENT, "seq": 8}),  # the origin twice
        (EVENTS, {**EVENT, "seq": 8, "origin": "7:c:2", "assignment_id": 99}),  # no such assignment
    ],
)
def test_rows_that_break_a_rule_are_refused(rows, table, values):
    with pytest.raises(IntegrityError), rows.write() as connection:
        connection.execute(table.insert().values(values))


def test_a_topic_has_one_official_assignment_besides_partial_ones(rows):
    other = {**FIRST, "id": 8, "user_id": 8}
    with rows.write() as connection:
        connection.execute(USERS.insert().values({**ANNA, "id": 8, "name": "bob"}))
        connection.execute(ASSIGNMENTS.insert().values({**other, "partial": True}))
        connection.execute(ASSIGNMENTS.delete().where(ASSIGNMENTS.c.id == 8))
    with pytest.raises(IntegrityError), rows.write() as connection:
        connection.execute(ASSIGNMENTS.insert().values(other))


def test_bodies_of_events_come_back_character_for_character(rows):
    with rows.read() as connection:
        assert connection.execute(select(EVENTS.c.body)).scalar_one() == '{ "a": 1.0}'


def test_columns_with_a_default_may_be_left_out(rows):
    with rows.read() as connection:
        query = select(ASSIGNMENTS.c.snapping, ASSIGNMENTS.c.partial)
        assert connection.execute(query).one() == ("word", False)
        assert connection.execute(select(EVENTS.c.step, EVENTS.c.reverts)).one() == (None, None)


def test_every_table_has_a_primary_key():
    assert [table.name for table in METADATA.sorted_tables if not table.primary_key.columns] == []


def test_now_is_in_milliseconds():
    before = time.time_ns()
    current = now()
    assert before // 1_000_000 <= current <= time.time_ns() // 1_000_000


def test_times_and_days_are_those_of_utc_whatever_the_local_zone(monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        assert format_time(LEAP_DAY) == "2024-02-29T23:59:59Z"
        assert format_day(LEAP_DAY) == "29 February 2024"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("elapsed", "age"),
    [
        (-DAY, "just now"),  # the clock of another machine may be ahead
        (0, "just now"),
        (MINUTE - 1, "just now"),
        (MINUTE, "1 minute ago"),
        (HOUR - 1, "59 minutes ago"),
        (HOUR, "1 hour ago"),
        (DAY - 1, "23 hours ago"),
        (DAY, "1 day ago"),
        (400 * DAY, "400 days ago"),
    ],
)
def test_an_age_is_in_its_largest_whole_unit(elapsed, age):
    assert format_age(LEAP_DAY, LEAP_DAY + elapsed) == age
