"""States are folds of events, spans behave as sets of characters, and undo restores the state before."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.random_events import events, full_state
from doxel.assess.document_state import (
    EMPTY_STATE,
    State,
    apply_event,
    fold_events,
    generate_events,
    invert_event,
    state_from_json,
    state_to_json,
)
from doxel.assess.judging_events import (
    Event,
    intersect_characters,
    join_spans,
    parse_event,
    subtract_characters,
)

VECTORS = Path(__file__).with_name("vectors")


def vectors(name):
    """Cases that every other client of the server must meet as well."""
    cases = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    return [pytest.param(case, id=case["name"]) for case in cases]


def spans(most=5):
    span = st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    return st.lists(span, max_size=most)


def characters(passages):
    return {position for start, end in passages for position in range(start, end)}


@given(spans(), spans())
def test_operations_on_spans_are_operations_on_sets_of_characters(one, other):
    assert characters(join_spans(one, other)) == characters(one) | characters(other)
    assert characters(intersect_characters(one, other)) == characters(one) & characters(other)
    assert characters(subtract_characters(one, other)) == characters(one) - characters(other)


@given(spans(), spans())
def test_spans_are_sorted_and_do_not_touch(one, other):
    for result in (join_spans(one, other), intersect_characters(one, other), subtract_characters(one, other)):
        flat = [place for span in result for place in span]
        assert flat == sorted(set(flat))


@pytest.mark.parametrize("case", vectors("characters"))
def test_vectors_of_character_sets(case):
    one, other = case["one"], case["other"]
    operations = {"joined": join_spans, "common": intersect_characters, "without": subtract_characters}
    for name, operation in operations.items():
        assert [list(span) for span in operation(one, other)] == case[name]


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
    kept = json.loads(json.dumps(state_to_json(fold_events(done[:at]))))
    assert fold_events(done[at:], state_from_json(kept)) == fold_events(done)


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
