"""Looks at the marks of others, changes after them, and the sources of adjudications."""

import pytest

from assess.saying import arrival, say, send
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import (
    add_sources,
    compare_sources,
    find_adjudicated,
    find_late_changes,
    list_adjudications,
    list_looks,
    record_looks,
)
from doxel.assess.store.assignments import create_assignment, list_assignments


@pytest.fixture
def pair(campaign, library):
    """Assignments 1 of anna and 2 of ben, and 3 of olga, who adjudicates them; apples are done by both."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
        create_assignment(connection, "1", 3)
        add_sources(connection, 3, [1, 2])
    for assignment, span in ((1, [0, 6]), (2, [3, 9])):
        say(
            campaign,
            library,
            assignment,
            ("apples", "highlight", {"spans": [span]}),
            ("apples", "bep", {"position": span[0]}),
            ("apples", "validate", {}),
        )
    return campaign


def look(store, user, number):
    with store.read() as connection:
        assignments = {item.id: item for item in list_assignments(connection)}
    record_looks(store, user, [assignments[number]])


def test_only_the_first_look_is_kept_and_never_one_at_the_own_work(pair, library):
    look(pair, 1, 1)
    look(pair, 1, 2)
    say(pair, library, 2, ("pears", "validate", {}))
    look(pair, 1, 2)
    with pair.read() as connection:
        (seen,) = list_looks(connection, "1")
        assert (seen.user_id, seen.assignment, seen.assessor, seen.seq) == (1, 2, "ben", 6)
        assert list_looks(connection, "1", user_id=2) == list_looks(connection, "2") == []


def test_changes_after_a_look_are_found_and_those_before_are_not(pair, library):
    with pair.read() as connection:
        assert find_late_changes(connection, "1") == []
    look(pair, 1, 2)
    say(pair, library, 1, ("apples", "note", {"text": "hm"}))  # not a change of marks
    with pair.read() as connection:
        assert find_late_changes(connection, "1") == []
    say(pair, library, 1, ("pears", "highlight", {"spans": [[0, 4]]}))
    say(pair, library, 2, ("pears", "highlight", {"spans": [[0, 4]]}))
    with pair.read() as connection:
        (late,) = find_late_changes(connection, "1")
    assert (late.assignment, late.docs) == (1, ("pears",))
    assert late.sentence == "anna changed 1 document after seeing the marks of ben"


def test_an_adjudicator_is_expected_to_see_the_marks_of_others(pair, library):
    look(pair, 3, 1)
    say(pair, library, 3, ("apples", "highlight", {"spans": [[0, 4]]}))
    with pair.read() as connection:
        assert find_late_changes(connection, "1") == []
        assert list_adjudications(connection) == list_adjudications(connection, [1, 3]) == {3: (1, 2)}
        assert list_adjudications(connection, [1]) == {}


def test_only_those_count_who_have_done_the_document(pair, library):
    with pair.read() as connection:
        compared = compare_sources(connection, library, (1, 2), find_scale("2006"), "apples")
        assert [difference.place for difference in compared.differences] == ["bep", "0-9"]
    say(pair, library, 2, ("apples", "reopen", {}))
    with pair.read() as connection:
        compared = compare_sources(connection, library, (1, 2), find_scale("2006"), "apples")
    assert (list(compared.states), compared.differences) == ([1], ())


def test_what_others_have_built_on_is_known(pair, library):
    with pair.read() as connection:
        assert find_adjudicated(connection, 1, "apples") == []
    copied = arrival(library, 0, client="agreed:3")
    assert send(pair, library, copied, user=3, assignment=3)[0].status == "stored"
    with pair.read() as connection:
        assert find_adjudicated(connection, 1, "apples") == []  # a copy is not a decision
    say(pair, library, 3, ("apples", "decide", {"place": "0-9", "decision": "union"}))
    with pair.read() as connection:
        (adjudicated,) = find_adjudicated(connection, 1, "apples")
        assert (adjudicated.assessor, adjudicated.seq) == ("olga", 8)
        assert find_adjudicated(connection, 1, "pears") == []


def test_a_document_is_done_only_when_every_difference_is_decided(pair, library):
    bep = arrival(library, 1, "bep", {"position": 0})
    done = arrival(library, 2, "validate", {})
    outcomes = send(pair, library, arrival(library, 0), bep, done, user=3, assignment=3)
    assert outcomes[-1].code == "not-done"
    assert outcomes[-1].message == "a difference is not decided: the entry point, and 1 more"
    decisions = [
        arrival(library, 3, "decide", {"place": "bep", "decision": "1"}),
        arrival(library, 4, "decide", {"place": "0-9", "decision": "edited"}),
        arrival(library, 5, "validate", {}),
    ]
    assert {outcome.status for outcome in send(pair, library, *decisions, user=3, assignment=3)} == {"stored"}


def test_decisions_belong_into_adjudications(pair, library):
    (outcome,) = send(pair, library, arrival(library, 0, "decide", {"place": "bep", "decision": "1"}))
    assert (outcome.status, outcome.code) == ("refused", "no-adjudication")
