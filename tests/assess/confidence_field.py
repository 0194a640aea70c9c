"""Tests of the field ``confidence`` of the recipe, for the copy of the site in test_event_recipe.py."""

import sys
from pathlib import Path

import pytest
from lxml import etree

import doxel
from doxel.assess.document_state import EMPTY_STATE, apply_event, invert_event, state_to_json
from doxel.assess.judging_events import parse_event
from doxel.errors import InputError
from pages.judging.judge import judged
from pages.judging.served_site import judging_site

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    return new_database[request.param]()


@pytest.fixture
def anna(site):
    return site.visitor("anna")


def state(visitor):
    return visitor.get("/api/assignments/1/states/apples").json()["state"]


def test_this_is_the_copy():
    assert Path(doxel.__file__).is_relative_to(ROOT)


def test_events_are_parsed_folded_and_undone():
    sure = parse_event("validate", {"confidence": "sure"})
    after = apply_event(EMPTY_STATE, sure)
    assert state_to_json(after)["confidence"] == "sure"
    assert [(undo.kind, undo.body) for undo in invert_event(EMPTY_STATE, sure)] == [
        ("validate", {}),
        ("reopen", {}),
    ]
    edit = parse_event("bep", {"position": 1})
    assert invert_event(after, edit)[-1] == sure
    with pytest.raises(InputError, match="confidence: wanted one of sure, unsure, null, found 'certain'"):
        parse_event("validate", {"confidence": "certain"})


def test_events_without_the_field_are_accepted(anna, event):
    old = event(1, "validate", {})
    assert anna.send(1, old).status_code == 200
    assert anna.send(1, event(2, "validate", {"confidence": "unsure"})).status_code == 200
    assert anna.send(1, old).json()["results"][0]["status"] == "known"
    assert state(anna)["confidence"] == "unsure"


def test_the_forms_page_has_an_input(anna):
    address = "/assignments/1/forms/apples"
    page = etree.HTML(anna.get(address).text)
    options = page.findall(".//form/input[@value='validate']/..//select[@name='confidence']/option")
    assert [option.get("value") for option in options] == ["sure", "unsure", ""]
    assert anna.form(address, action="validate", confidence="sure").status_code == 303
    assert state(anna)["confidence"] == "sure"


def test_the_table_of_the_documentation_lists_it(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    from pagemaker.event_table import tabulate_events

    assert "| `validate` | `confidence`, optional: one of sure, unsure, null |" in tabulate_events()


def test_the_control_sets_it(chromium, tmp_path):
    with judging_site(tmp_path, {"a": "<a>b</a>"}) as site, judged(chromium, site, "a") as judge:
        judge.page.locator("#verdict [data-action=validate]").click()
        assert judge.state()["confidence"] is None
        judge.page.get_by_label("Confidence").select_option("sure")
        judge.page.locator("#verdict option[value=sure][selected]").wait_for(state="attached")
        assert judge.state()["confidence"] == "sure"
