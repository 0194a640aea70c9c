"""Parsing of events: valid ones are accepted, all others are refused with a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.random_events import BODIES
from doxel.assess.judging_events import EVENT_KINDS, parse_arrival, parse_event
from doxel.errors import InputError

ARRIVAL = {"doc": "d", "client": "c", "sequence": 0, "fingerprint": "f", "kind": "validate", "body": {}}


@pytest.mark.parametrize(
    ("kind", "body", "said"),
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
def test_invalid_events_are_refused(kind, body, said):
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        parse_event(kind, body)


@pytest.mark.parametrize(
    ("change", "said"),
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
def test_invalid_arrivals_are_refused(change, said):
    with pytest.raises(InputError, match=said):
        parse_arrival({**ARRIVAL, **change})


def test_an_arrival_is_parsed():
    arrival = parse_arrival(ARRIVAL)
    assert (arrival.doc, arrival.client, arrival.sequence, arrival.event.kind) == ("d", "c", 0, "validate")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted({key for body in BODIES.values() for key in body}))


@given(st.sampled_from(sorted(EVENT_KINDS)) | JSON, st.dictionaries(KEYS, JSON, max_size=2) | JSON)
def test_invalid_json_raises_only_input_errors(kind, body):
    try:
        event = parse_event(kind, body)
    except InputError:
        return
    assert parse_event(event.kind, dict(event.body)) == event
