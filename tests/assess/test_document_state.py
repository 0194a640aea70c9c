"""States are folds of events, undo restores the state before, and rules decide when a document is done."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.random_events import events, full_state
from assess.vector_cases import read_vectors, vectors
from doxel.assess.document_state import (
    EMPTY_STATE,
    ElementOutline,
    State,
    apply_event,
    find_breaches,
    fold_events,
    generate_events,
    infer_grades,
    invert_event,
    state_from_json,
    state_to_json,
)
from doxel.assess.judging_events import (
    Event,
    parse_event,
)
from doxel.assess.scales import SCALES, find_scale


@pytest.mark.parametrize("case", vectors("fold"))
def test_vectors_of_folds(case):
    events = [parse_event(event["kind"], event["body"]) for event in case["events"]]
    assert state_to_json(fold_events(events)) == full_state(case["state"])


@pytest.mark.parametrize("case", vectors("undo"))
def test_vectors_of_undoing(case):
    before = fold_events(parse_event(event["kind"], event["body"]) for event in case["before"])
    event = parse_event(case["event"]["kind"], case["event"]["body"])
    assert [{"kind": undo.kind, "body": undo.body} for undo in invert_event(before, event)] == case["undo"]


@given(st.lists(events(), max_size=12), events())
def test_undo_restores_the_state_before(before, event):
    state = fold_events(before)
    assert fold_events(invert_event(state, event), apply_event(state, event)) == state


@given(st.lists(events(), max_size=12))
def test_everything_can_be_undone_step_by_step(done):
    state, undone = EMPTY_STATE, []
    for event in done:
        undone.append(invert_event(state, event))
        state = apply_event(state, event)
    for undo in reversed(undone):
        state = fold_events(undo, state)
    assert state == EMPTY_STATE


@given(st.lists(events(), max_size=12), st.integers(0, 12))
def test_a_fold_can_continue_from_a_state_stored_as_json(done, at):
    stored = json.loads(json.dumps(state_to_json(fold_events(done[:at]))))
    assert fold_events(done[at:], state_from_json(stored)) == fold_events(done)


@given(st.lists(events(), max_size=12))
def test_generated_events_fold_to_their_state(done):
    state = fold_events(done)
    assert fold_events(generate_events(state)) == state


def test_a_state_of_another_version_is_read_as_far_as_it_is_known():
    later = {**state_to_json(State(bep=3, highlights=((3, 5),))), "mood": "fine"}
    assert state_from_json(later) == State(bep=3, highlights=((3, 5),))
    earlier = {"highlights": [[3, 5]], "bep": 3}
    assert state_from_json(earlier) == State(bep=3, highlights=((3, 5),))


def test_many_passages_are_split_into_events_of_allowed_size():
    state = State(highlights=tuple((number, number + 1) for number in range(0, 5_000, 2)))
    split_events = list(generate_events(state))
    assert [len(event.body["spans"]) for event in split_events] == [1_000, 1_000, 500]
    assert fold_events(parse_event(event.kind, event.body) for event in split_events) == state


@given(st.lists(events(), max_size=6), events())
def test_an_edit_reopens_and_a_note_does_not(before, event):
    state = fold_events([*before, Event("validate", {})])
    edits = event.kind in {"highlight", "unhighlight", "bep", "grade", "aspect", "decide"}
    assert apply_event(state, event).validated == (not edits and event.kind != "reopen")


def test_an_event_of_a_later_version_changes_nothing():
    assert apply_event(EMPTY_STATE, Event("colour", {"red": 1})) == EMPTY_STATE


def test_show_cannot_be_undone():
    looked = fold_events([Event("show", {"pooled": True}), Event("show", {"pooled": False})])
    assert looked.pooled_shown
    assert invert_event(EMPTY_STATE, Event("show", {"pooled": True})) == ()


RULES = read_vectors("rules")


def outline():
    path, start, end, parent = zip(*RULES["elements"], strict=True)
    return ElementOutline(path, *(np.array(column, dtype=np.int64) for column in (start, end, parent)))


@pytest.mark.parametrize("case", RULES["cases"], ids=lambda case: case["name"])
def test_vectors_of_rules(case):
    state = state_from_json({**state_to_json(State()), **case["state"]})
    breaches = find_breaches(state, find_scale(case["scale"]), outline(), case["pooled"])
    assert [[breach.code, breach.path] for breach in breaches] == case["breaches"]
    assert all(breach.message for breach in breaches)


def test_every_scale_has_a_case():
    assert {case["scale"] for case in RULES["cases"]} == {scale.name for scale in SCALES}


def test_elements_inside_a_too_small_element_are_too_small():
    state = State(((0, 10),), 0, {"/a[1]": {"exhaustivity": "1"}, "/a[1]/s[1]": {"exhaustivity": "?"}})
    assert {path: grades["exhaustivity"] for path, grades in _effective(state).items()} == {
        "/a[1]": "1",
        "/a[1]/s[1]": "?",
        "/a[1]/s[1]/p[1]": "?",
        "/a[1]/s[1]/p[2]": "?",
    }


def _effective(state):
    return infer_grades(state, find_scale("2005"), outline())
