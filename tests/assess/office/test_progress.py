"""Progress: counts, pace, and notices, at fixed times."""

import pytest

from doxel.assess.office.administration import assign_topic, set_assignment_locked
from doxel.assess.office.progress import count_work, read_progress
from doxel.assess.store.accounts import set_disabled
from doxel.assess.store.assignments import WorkStep
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS

DAY = 86_400_000
NOW = 1_000 * DAY


@pytest.fixture
def told(campaign, library):
    """Stores events of an assignment at given times, without any checks."""

    def tell(assignment, user, *events):
        with campaign.write() as connection:
            for number, (doc, kind, at) in enumerate(events):
                seq = 1_000 * assignment + number
                connection.execute(
                    EVENTS.insert().values(
                        seq=seq,
                        assignment_id=assignment,
                        doc=doc,
                        user_id=user,
                        client="c",
                        sequence=seq,
                        fingerprint=library.find(doc).fingerprint,
                        kind=kind,
                        body='{"spans": [[0, 1]]}' if kind == "highlight" else "{}",
                        at=at,
                        origin=f"{user}:c:{seq}",
                    )
                )

    return tell


def at_now(campaign):
    with campaign.read() as connection:
        return read_progress(connection, NOW)


def created(campaign, assignment, at):
    with campaign.write() as connection:
        connection.execute(ASSIGNMENTS.update().where(ASSIGNMENTS.c.id == assignment).values(created=at))


def kinds(progress):
    return [(item.kind, item.topic, item.assignment) for item in progress.attention]


def test_the_pace_covers_the_last_week_or_the_time_since_the_first_step():
    def done(days_ago):
        return WorkStep(1, f"d{days_ago}", "validated", int(NOW - days_ago * DAY))

    since_two_days = count_work(10, [done(2), done(1), done(0.5), done(0.1)], NOW)
    assert (since_two_days.pace, since_two_days.days) == (2.0, 3.0)
    long_ago = count_work(
        28, [*map(done, range(20, 8, -1)), *[done(number / 10) for number in range(14)]], NOW
    )
    assert (long_ago.done, long_ago.pace, long_ago.days) == (26, 2.0, 1.0)
    today = count_work(10, [done(0.01), done(0.02)], NOW)
    assert today.pace == 2.0  # one day at least: two in a quarter of an hour are not two hundred per day
    nothing = count_work(10, [done(9)], NOW)
    assert (nothing.pace, nothing.days) == (0.0, None)
    assert count_work(1, [done(9)], NOW).days == 0.0


def test_documents_are_done_begun_or_untouched(campaign, told):
    told(1, 1, ("apples", "highlight", NOW - 5), ("apples", "validate", NOW - 4), ("apples", "note", NOW - 1))
    (assignment,) = at_now(campaign).assignments
    assert (assignment.work.done, assignment.work.begun, assignment.work.untouched, assignment.work.last) == (
        1,
        0,
        1,
        NOW - 4,
    )
    with campaign.write() as connection:
        assign_topic(connection, "olga", "1", "ben")
    told(2, 2, ("apples", "validate", NOW - 9), ("apples", "highlight", NOW - 8))
    progress = at_now(campaign)
    assert [(row.work.done, row.work.begun) for row in progress.assignments] == [
        (1, 0),
        (0, 1),
    ]  # the official one first
    assert (progress.total.documents, progress.total.done, progress.total.begun) == (
        3,
        1,
        0,
    )  # the official assignments


def test_topics_that_need_attention_come_first_with_the_reason(campaign, told):
    assert kinds(at_now(campaign)) == [("no-assessor", "2", None)]
    with campaign.write() as connection:
        assign_topic(connection, "olga", "2", "ben")
    created(campaign, 2, NOW - 3 * DAY)
    created(campaign, 1, NOW - 8 * DAY)
    progress = at_now(campaign)
    assert kinds(progress) == [("not-begun", "1", 1)]
    assert progress.attention[0].sentence == "anna has had topic 1 for 8 days and has not begun it."
    told(1, 1, ("apples", "highlight", NOW - 9 * DAY))
    assert at_now(campaign).attention[0].sentence == "anna has not worked on topic 1 for 9 days."
    told(2, 2, ("plums", "validate", NOW - DAY))
    assert kinds(at_now(campaign)) == [("silent", "1", 1), ("to-lock", "2", 2)]
    with campaign.write() as connection:
        set_disabled(connection, 1, disabled=True)
        set_assignment_locked(connection, "olga", 2, locked=True)
        connection.execute(ASSIGNMENTS.update().where(ASSIGNMENTS.c.id == 2).values(official=False))
    progress = at_now(campaign)
    assert kinds(progress) == [("assessor-gone", "1", 1), ("no-official", "2", None)]
    assert [topic.topic for topic in progress.topics] == ["1", "2"]
    assert [topic.is_closed for topic in progress.topics] == [False, False]
    with campaign.write() as connection:
        connection.execute(ASSIGNMENTS.update().where(ASSIGNMENTS.c.id == 2).values(official=True))
    assert [topic.is_closed for topic in at_now(campaign).topics] == [False, True]


def test_assessors_who_need_longest_come_first(campaign, told):
    with campaign.write() as connection:
        assign_topic(connection, "olga", "1", "ben")
        assign_topic(connection, "olga", "2", "ben")
        assign_topic(connection, "olga", "2", "olga")
    told(1, 1, ("apples", "validate", NOW - DAY))
    told(2, 2, ("apples", "validate", NOW - DAY))
    told(4, 3, ("plums", "validate", NOW - DAY))
    listed = [(name, work.done, work.documents, count) for name, work, count in at_now(campaign).assessors]
    assert listed == [("ben", 1, 3, 2), ("anna", 1, 2, 1), ("olga", 1, 1, 1)]


def test_the_api_returns_the_same(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    anna.send(1, event(1, "validate", {}))
    progress = olga.get("/api/progress").json()
    assert [
        (assignment["id"], assignment["done"], assignment["begun"], assignment["pace"])
        for assignment in progress["assignments"]
    ] == [
        (1, 1, 0, 1.0),
        (2, 0, 0, 0.0),
    ]
    assert progress["assignments"][0]["days_left"] == 1.0
    assert [item["kind"] for item in progress["attention"]] == ["no-assessor"]
    assert progress["total"]["documents"] == 3
    assert progress["topics"] == [{"topic": "1", "documents": 2}, {"topic": "2", "documents": 1}]
