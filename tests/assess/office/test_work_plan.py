"""Plans: topics are split with any overlap, and untouched documents are levelled."""

from collections import Counter
from itertools import combinations

import pytest

from assess.saying import arrival, send
from doxel.assess.office.assessment_export import choose_assignments, collect_assessments
from doxel.assess.office.work_plan import PlanRequest, apply_plan, make_plan
from doxel.assess.store.accounts import add_user, set_disabled
from doxel.assess.store.assignments import create_assignment, find_progress, list_assignments, set_locked
from doxel.assess.store.database_schema import EVENTS, POOLED
from doxel.assess.store.shares import list_assigned_documents, read_share
from doxel.errors import InputError

PEOPLE = ("anna", "ben", "carl", "dora")


@pytest.fixture
def pooled(store):
    """Four people, and topics 1 and 2 with 30 and 7 documents; no assignments."""
    rows = [
        {"topic": topic, "doc": f"d{number:02}", "place": number, "fingerprint": "x", "parts": "[]"}
        for topic, count in (("1", 30), ("2", 7))
        for number in range(count)
    ]
    with store.write() as connection:
        for name in PEOPLE:
            add_user(connection, name, "x")
        connection.execute(POOLED.insert(), rows)
    return store


def shares(store, topic="1"):
    """Return the documents of each assessor of a topic."""
    with store.read() as connection:
        return {
            item.assessor: set(list_assigned_documents(connection, item))
            for item in list_assignments(connection, topic=topic)
        }


def do(store, kind, topics, people, **more):
    with store.write() as connection:
        plan = make_plan(connection, PlanRequest(kind, topics, people, **more))
        apply_plan(connection, "olga", plan)
    return plan


@pytest.mark.parametrize(("people", "overlap"), [(n, k) for n in (1, 2, 3, 4) for k in range(1, n + 1)])
def test_every_document_is_judged_by_as_many_as_the_overlap_says(pooled, people, overlap):
    do(pooled, "split", ("1", "2"), PEOPLE[:people], overlap=overlap)
    for topic, count in (("1", 30), ("2", 7)):
        docs_by_person = shares(pooled, topic)
        judges = Counter(doc for docs in docs_by_person.values() for doc in docs)
        assert set(judges.values()) == {overlap}
        assert len(judges) == count
        sizes = [len(docs) for docs in docs_by_person.values()]
        assert max(sizes) - min(sizes) <= 1


def test_all_pairs_share_about_equally_many_documents(pooled):
    do(pooled, "split", ("1",), PEOPLE, overlap=2)
    docs_by_person = shares(pooled)
    common = [len(docs_by_person[one] & docs_by_person[other]) for one, other in combinations(PEOPLE, 2)]
    assert sum(common) == 30
    assert min(common) >= 3


def test_every_document_of_a_split_topic_has_one_official_judge(pooled):
    do(pooled, "split", ("1",), PEOPLE[:3], overlap=2)
    with pooled.read() as connection:
        official = [
            [doc for doc, is_official in read_share(connection, item.id).items() if is_official]
            for item in list_assignments(connection)
        ]
    assert sorted(doc for docs in official for doc in docs) == [f"d{number:02}" for number in range(30)]
    assert max(map(len, official)) - min(map(len, official)) <= 2


def test_a_plan_changes_nothing_before_it_is_applied(pooled):
    with pooled.read() as connection:
        plan = make_plan(connection, PlanRequest("split", ("1",), PEOPLE))
    assert [share.gained for share in plan.shares] == [8, 8, 7, 7]
    assert shares(pooled) == {}


def test_the_same_plan_twice_does_nothing_more(pooled):
    first = do(pooled, "split", ("1",), PEOPLE[:2], overlap=2)
    again = do(pooled, "split", ("1",), PEOPLE[:2], overlap=2)
    assert (len(first.shares), len(again.shares)) == (2, 0)
    assert again.notes == ("1 topic has enough assessors already: 1",)


def test_a_second_opinion_is_added_to_existing_work(pooled):
    do(pooled, "split", ("1",), PEOPLE[:2])
    before = shares(pooled)
    do(pooled, "split", ("1",), PEOPLE, overlap=2)
    docs_by_person = shares(pooled)
    assert all(before[name] <= docs_by_person[name] for name in before)
    assert set(Counter(doc for docs in docs_by_person.values() for doc in docs).values()) == {2}
    with pooled.read() as connection:
        official = Counter(
            doc
            for item in list_assignments(connection)
            for doc, is_official in read_share(connection, item.id).items()
            if is_official
        )
    assert set(official.values()) == {1}


def test_whole_topics_go_to_those_with_the_least_left(pooled):
    do(pooled, "whole", ("1", "2"), PEOPLE, overlap=2)
    assert {name: len(docs) for name, docs in shares(pooled).items()} == {"anna": 30, "ben": 30}
    assert {name: len(docs) for name, docs in shares(pooled, "2").items()} == {"carl": 7, "dora": 7}
    with pooled.read() as connection:
        assert [item.official for item in list_assignments(connection)] == [True, False, True, False]
        assert not any(item.partial for item in list_assignments(connection))


def test_a_whole_official_assignment_stays_official_beside_shares(pooled):
    with pooled.write() as connection:
        create_assignment(connection, "1", 1)
    do(pooled, "split", ("1",), PEOPLE, overlap=2)
    with pooled.read() as connection:
        assignments = list_assignments(connection)
        assert [item.official for item in assignments] == [True, False, False, False]
        assert not any(any(read_share(connection, item.id).values()) for item in assignments[1:])


def begin(store, *docs, user=1, assignment=1):
    """Begin documents without a collection."""
    with store.write() as connection:
        for number, doc in enumerate(docs):
            row = {"seq": 100 * assignment + number, "assignment_id": assignment, "doc": doc, "user_id": user}
            row |= {"client": "c", "sequence": number, "fingerprint": "x", "kind": "validate", "body": "{}"}
            connection.execute(EVENTS.insert().values(**row, at=1, origin=f"{user}:c:{assignment}:{number}"))


def test_untouched_documents_are_levelled_and_begun_ones_stay(pooled):
    with pooled.write() as connection:
        create_assignment(connection, "1", 1)
    begin(pooled, "d00", "d05", "d29")
    plan = do(pooled, "level", ("1",), PEOPLE[:3])
    docs_by_person = shares(pooled)
    assert {"d00", "d05", "d29"} <= docs_by_person["anna"]
    assert set.union(*docs_by_person.values()) == {f"d{number:02}" for number in range(30)}
    assert sum(map(len, docs_by_person.values())) == 30
    assert plan.before == {"anna": 27, "ben": 0, "carl": 0}
    assert plan.after == {"anna": 9, "ben": 9, "carl": 9}
    with pooled.read() as connection:
        assert all(item.partial and item.official for item in list_assignments(connection))
        assert all(all(read_share(connection, item.id).values()) for item in list_assignments(connection))


def test_documents_of_somebody_who_leaves_go_to_the_others(pooled):
    do(pooled, "split", ("1",), PEOPLE[:3], overlap=2)
    begin(pooled, min(shares(pooled)["anna"]))
    with pooled.write() as connection:
        set_disabled(connection, 1, disabled=True)
    do(pooled, "level", ("1",), ("ben", "carl", "dora"))
    docs_by_person = shares(pooled)
    assert len(docs_by_person["anna"]) == 1
    assert set(Counter(doc for docs in docs_by_person.values() for doc in docs).values()) == {2}


def test_locked_assignments_are_not_changed(pooled):
    with pooled.write() as connection:
        create_assignment(connection, "1", 1)
        set_locked(connection, 1, locked=True)
    assert do(pooled, "level", ("1",), PEOPLE[:2]).shares == ()


def test_a_levelled_topic_is_exported_as_before(campaign, library):
    """Documents that move keep their official judge: everything is exported once."""
    with campaign.write() as connection:
        apply_plan(connection, "olga", make_plan(connection, PlanRequest("level", ("1",), ("anna", "ben"))))
        docs = {item.id: list_assigned_documents(connection, item) for item in list_assignments(connection)}
    assert sorted(map(len, docs.values())) == [1, 1]
    for number, (doc,) in docs.items():
        send(campaign, library, arrival(library, 0, "validate", {}, doc=doc), user=number, assignment=number)
    with campaign.read() as connection:
        collected = collect_assessments(
            connection, library, choose_assignments(connection), official_only=True
        )
    assert sorted(collected.assessments.judged["doc"]) == ["apples", "pears"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (PlanRequest("some", ("1",), ("anna",)), "wanted one of whole, split, level"),
        (PlanRequest("split", (), ("anna",)), "wanted at least one topic"),
        (PlanRequest("split", ("1",), ()), "wanted at least one person"),
        (PlanRequest("split", ("9",), ("anna",)), "topic 9: wanted a topic with pooled documents"),
        (PlanRequest("split", ("1",), ("anna",), overlap=2), "here 1 person, found 2"),
        (PlanRequest("split", ("1",), ("anna",), overlap=0), "found 0"),
        (PlanRequest("split", ("1",), ("zoe",)), "no such user"),
        (PlanRequest("split", ("1",), ("anna",), scale="1999"), "a scale"),
        (PlanRequest("split", ("1",), ("a\0b",)), "a text that is not a name"),
    ],
)
def test_a_plan_that_is_not_possible_is_refused(pooled, request_, message):
    with pooled.read() as connection, pytest.raises(InputError, match=message):
        make_plan(connection, request_)


def test_an_assignment_that_lost_all_documents_is_kept_and_empty(pooled):
    with pooled.write() as connection:
        create_assignment(connection, "2", 1)
    do(pooled, "level", ("2",), ("ben",))
    with pooled.read() as connection:
        assert (find_progress(connection, 1).documents, find_progress(connection, 2).documents) == (0, 7)
