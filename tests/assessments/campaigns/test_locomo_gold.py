"""Gold of LoCoMo: evidence turns become highlights, and odd entries are reported."""

import json

import pytest

from doxel.assessments.campaigns.locomo_gold import LOCOMO_GOLD
from doxel.errors import InputError

TURNS = [{"speaker": "Ann", "dia_id": f"D1:{number}", "text": "x"} for number in (1, 2, 3)]


def sample(*evidence, **more):
    questions = [{"question": f"Q{number}?", "evidence": entries} for number, entries in enumerate(evidence)]
    return {"sample_id": "c", "conversation": {"session_1": TURNS, **more}, "qa": questions}


def read(content):
    return LOCOMO_GOLD.read(json.dumps(content, indent=1).encode(), "gold.json")


def test_evidence_turns_are_highlights():
    gold = read([sample(["D1:3", "D1:1", "D1:3"], [])])
    assert gold.highlights.select("topic", "doc", "path").rows() == [
        ("c:0", "c", "/conversation[1]/session[1]/turn[3]"),
        ("c:0", "c", "/conversation[1]/session[1]/turn[1]"),
    ]
    assert gold.judged.select("topic", "doc").rows() == [("c:0", "c"), ("c:1", "c")]
    assert gold.questions == {"c:0": "Q0?", "c:1": "Q1?"}
    assert gold.notes == ()


def test_entries_that_are_not_a_single_turn_are_reported():
    gold = read(sample(["D1:1; D1:2", "D", "D1:9"]))
    assert gold.highlights["path"].to_list() == [
        f"/conversation[1]/session[1]/turn[{number}]" for number in (1, 2, 9)
    ]
    assert "3 evidence entries name no single turn: 'D1:1; D1:2' (line 23), 'D' (line 23)" in gold.notes[0]


def test_sessions_may_stand_at_the_top_level():
    gold = read({"sample_id": "c", "session_1": TURNS, "qa": [{"question": "?", "evidence": ["D1:2"]}]})
    assert gold.notes == ()


def test_gold_is_recognised_and_predictions_are_not():
    text = json.dumps(sample(["D1:1"]))
    assert LOCOMO_GOLD.recognises(text.encode())
    assert not LOCOMO_GOLD.recognises(
        text.replace('"question"', '"prediction_context": [], "question"').encode()
    )


def test_an_odd_turn_is_an_error_with_its_line():
    with pytest.raises(InputError, match="line 22: the dia_id of the turn: wanted a text, found 5"):
        read(sample(session_2=[{"dia_id": 5}]))
