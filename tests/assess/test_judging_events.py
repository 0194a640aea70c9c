"""Events: valid ones are parsed, others refused with a sentence; spans behave as sets of characters."""

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.vector_cases import vectors
from doxel.assess import judging_events
from doxel.assess.document_state import (
    EMPTY_STATE,
    apply_event,
    state_to_json,
)
from doxel.assess.judging_events import (
    EVENT_KINDS,
    BodyField,
    Event,
    intersect_characters,
    join_spans,
    parse_arrival,
    parse_event,
    subtract_characters,
)
from doxel.errors import InputError

ARRIVAL = {"doc": "d", "client": "c", "sequence": 0, "fingerprint": "f", "kind": "validate", "body": {}}


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("paint", {}, "the kind of an event: wanted one of highlight"),
        (["highlight"], {}, "the kind of an event"),
        ("highlight", [], "the body of highlight: wanted an object"),
        ("highlight", {}, "the body of highlight: wanted spans, found nothing"),
        ("highlight", {"spans": [[0, 1]], "colour": 1}, "found 'colour', 'spans'"),
        ("highlight", {"spans": []}, "a list of 1 to 1,000 spans"),
        ("highlight", {"spans": [[0, 1]] * 1001}, "a list of 1 to 1,000 spans"),
        ("highlight", {"spans": [[5, 5]]}, "start before end"),
        ("highlight", {"spans": [[-1, 5]]}, "start before end"),
        ("highlight", {"spans": [[0.0, 5]]}, "start before end"),
        ("highlight", {"spans": [[True, 5]]}, "start before end"),
        ("highlight", {"spans": [[0, 1 << 60]]}, "start before end"),
        ("highlight", {"spans": [["0", "5"]]}, "start before end"),
        ("bep", {"position": "3"}, "a whole number from 0, or null"),
        ("grade", {"path": "/a[1]", "grades": {}}, "grades by name, or null"),
        ("grade", {"path": "/a[1]", "grades": {"exhaustivity": 2}}, "grades by name, or null"),
        ("grade", {"path": None, "grades": None}, "path: wanted a text"),
        ("note", {"text": "x" * 10_001}, "at most 10,000 characters"),
        ("note", {"text": "a\0b"}, "text: wanted a text"),
        ("note", {"text": "\ud800"}, "text: wanted a text"),
        ("show", {"pooled": 1}, "true or false"),
    ],
)
def test_invalid_events_are_refused(kind, body, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        parse_event(kind, body)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"client": ""}, "client: wanted 1 to 80"),
        ({"client": "a b"}, "client: wanted 1 to 80"),
        ({"client": "x" * 81}, "client: wanted 1 to 80"),
        ({"sequence": -1}, "sequence: wanted a whole number"),
        ({"sequence": "1"}, "sequence: wanted a whole number"),
        ({"doc": 7}, "doc: wanted a text"),
        ({"more": 7}, "an event: wanted body, client"),
    ],
)
def test_invalid_arrivals_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        parse_arrival({**ARRIVAL, **change})


def test_an_arrival_is_parsed():
    arrival = parse_arrival(ARRIVAL)
    assert (arrival.doc, arrival.client, arrival.sequence, arrival.event.kind) == ("d", "c", 0, "validate")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted({part.name for kind in EVENT_KINDS.values() for part in kind.body}))


@given(st.sampled_from(sorted(EVENT_KINDS)) | JSON, st.dictionaries(KEYS, JSON, max_size=2) | JSON)
def test_invalid_json_raises_only_input_errors(kind, body):
    try:
        event = parse_event(kind, body)
    except InputError:
        return
    assert parse_event(event.kind, dict(event.body)) == event


# -- the declaration --


def test_the_declared_empty_state_is_that_of_the_server():
    declaration = files("doxel.assess").joinpath("static", "core", "judging_events.json").read_text("utf-8")
    assert json.loads(declaration)["state"] == state_to_json(EMPTY_STATE)


def test_every_field_of_the_state_is_set_by_an_event_and_the_reverse():
    folded = {name for kind in EVENT_KINDS.values() for name, _ in kind.folded}
    set_ = {name for kind in EVENT_KINDS.values() for name in kind.sets}
    assert folded | set_ == set(state_to_json(EMPTY_STATE))


@pytest.mark.parametrize("kind", EVENT_KINDS.values(), ids=lambda kind: kind.name)
def test_a_declaration_can_be_folded_and_undone(kind):
    assert kind.fold in {"replace", "join", "subtract", "put", "latch"}
    assert kind.about
    if kind.fold in {"join", "subtract"}:  # an undoing event needs characters: it cannot restore other fields
        assert [part.type for part in kind.body] == ["spans"]
    required = [part.name for part in kind.body if part.into is None]
    assert required == ([kind.at] if kind.fold == "put" else [])


@pytest.fixture
def urgency(monkeypatch):
    """A version in which a note has a field for urgency, which earlier clients leave out."""
    part = BodyField("urgency", "choice", "bep", values=("now", None), is_optional=True)
    note = EVENT_KINDS["note"]
    monkeypatch.setitem(judging_events.EVENT_KINDS, "note", replace(note, body=(*note.body, part)))


@pytest.mark.usefixtures("urgency")
def test_a_field_with_a_default_may_be_missing():
    assert parse_event("note", {"text": "a"}).body == {"text": "a"}  # stored as it was sent
    assert parse_event("note", {"text": "a", "urgency": "now"}).body == {"text": "a", "urgency": "now"}
    urgent = apply_event(EMPTY_STATE, Event("note", {"text": "a", "urgency": "now"}))
    assert urgent.bep == "now"
    assert apply_event(urgent, Event("note", {"text": "b"})).bep is None


@pytest.mark.usefixtures("urgency")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": "a", "urgency": "later"}, "urgency: wanted one of now, null, found 'later'"),
        ({"text": "a", "urgency": ["now"]}, "urgency: wanted one of now, null"),
        ({"urgency": "now"}, "the body of note: wanted text, optionally urgency, found 'urgency'"),
        ({"text": "a", "colour": 1}, "wanted text, optionally urgency, found 'colour', 'text'"),
    ],
)
def test_invalid_optional_fields_are_refused(body, message):
    with pytest.raises(InputError, match=message):
        parse_event("note", body)


@pytest.mark.parametrize("body", [{"place": "0", "aspect": "x"}, {"place": "12", "aspect": None}])
def test_an_aspect_is_named_at_a_position(body):
    assert parse_event("aspect", body).body == body


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"place": 3}, "a position, in digits"),
        ({"place": "03"}, "a position, in digits"),
        ({"place": "-1"}, "a position, in digits"),
        ({"place": "٣"}, "a position, in digits"),
        ({"aspect": " "}, "a text of 1 to 200 characters"),
        ({"aspect": ""}, "a text of 1 to 200 characters"),
        ({"aspect": "x" * 201}, "a text of 1 to 200 characters"),
    ],
)
def test_a_bad_aspect_is_refused(change, wanted):
    with pytest.raises(InputError, match=wanted):
        parse_event("aspect", {"place": "0", "aspect": "x", **change})


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
