"""Undo, redo and the history of a document come from the log: they survive reloads, sessions and browsers."""

from __future__ import annotations

import os

import pytest

from pages.judging.access import grave_faults
from pages.judging.judge import judged
from pages.judging.served_site import judging_site, signed_in

FRUIT = (
    "<article><title>Apples</title><p>Red apples are ripe.</p><p>Green ones are not.</p>"
    "<p>Yellow ones may be.</p></article>"
)
DOCUMENTS = dict.fromkeys(("tomorrow", "steps", "built", "flagged", "offline"), FRUIT)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("history"), DOCUMENTS) as new_site:
        yield new_site


def picture(page, name):
    """Save a picture of the page, if somebody wants to look at it."""
    if folder := os.environ.get("DOXEL_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.integration
def test_nothing_relevant_is_taken_back_in_another_browser_tomorrow(chromium, site):
    with judged(chromium, site, "tomorrow") as judge:
        judge.drag("Red apples", "ripe.")
        judge.press("h", "b", "v")
        judge.drag("Yellow", "may be.")
        judge.press("h")
        judge.press("x")
        judge.said("2 passages removed; undo restores them")
        assert judge.texts() == []
    with judged(chromium, site, "tomorrow") as judge:  # another session, without anything in the browser
        judge.press("Control+z")
        judge.said("Undone.")
        assert judge.texts() == ["Red apples are ripe.", "Yellow ones may be."]
        assert judge.known()["bep"] is not None
        judge.press("Control+z")
        assert judge.texts() == ["Red apples are ripe."]
        assert judge.known()["validated"]  # it was done before the second passage
        judge.reload()
        judge.opens("tomorrow")
        judge.press("Control+Shift+z", "Control+Shift+z")
        assert judge.texts() == []
        assert judge.known()["validated"]
        judge.press("Control+Shift+z")
        judge.said("nothing to redo")
    with judged(chromium, site, "tomorrow") as judge:
        judge.press("Control+z")
        assert judge.texts() == ["Red apples are ripe.", "Yellow ones may be."]


@pytest.mark.integration
def test_the_document_returns_to_any_step_by_keyboard_alone(chromium, site):
    with judged(chromium, site, "steps") as judge:
        page = judge.page
        judge.drag("Red apples", "ripe.")
        judge.press("h", "b", "v")
        judge.drag("Green", "not.")
        judge.press("h", "Control+z", "x")
        assert judge.texts() == []
        judge.press("y")
        steps = page.locator("#steps li .go")
        assert steps.count() == 7
        words = [text.split(" ", 1)[1] for text in steps.all_inner_texts()]
        assert words[0].startswith("Highlight removed from “Red apples are ripe.”, entry point removed, done")
        assert words[1].startswith("Undo: Highlight removed from “Green ones are not.”")
        assert words[2].startswith("Highlighted “Green ones are not.” · undone")
        assert words[3:6] == [
            "Done",
            "Entry point at “Red apples are ripe.”",
            "Highlighted “Red apples are ripe.”",
        ]
        assert words[6] == "The beginning: nothing judged"
        judge.press("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
        judge.said("As it was then: 1 passage, done.")
        assert page.evaluate("[...CSS.highlights.get('judged')].length") == 1
        assert judge.known()["highlights"] == []  # shown, and not changed
        picture(page, "history-wide")
        assert grave_faults(page) == []
        judge.press("Tab", "Enter")
        judge.said("Returned to the state of")
        assert judge.texts() == ["Red apples are ripe."]
        assert judge.known()["validated"]
        judge.press("Escape")
        assert page.locator("#steps-part").is_hidden()
        judge.press("Control+z")
        assert judge.texts() == []
    for size in ({"width": 390, "height": 844}, {"width": 1280, "height": 900, "scheme": "dark"}):
        with judged(chromium, site, "steps", **size) as judge:
            judge.press("y")
            judge.page.locator("#steps li .go").first.wait_for()
            judge.press("ArrowDown", "Enter")
            picture(judge.page, f"history-{size['width']}")
            assert judge.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert grave_faults(judge.page) == []
    with judged(chromium, site, "steps", name="olga") as judge:  # organisers see it, and change nothing
        judge.press("y")
        judge.page.locator("#steps li .go").nth(2).click()
        judge.said("As it was then")
        assert judge.page.get_by_role("button", name="Return to this").count() == 0


def test_steps_made_offline_are_undone_after_a_reload_and_in_order(chromium, site):
    with judged(chromium, site, "offline") as judge:
        judge.page.route("**/api/assignments/1/events", lambda route: route.abort())
        judge.drag("Red apples", "ripe.")
        judge.press("h")
        judge.drag("Yellow", "may be.")
        judge.press("h", "Control+z")
        judge.saves("Offline, 3 kept here")
        judge.reload()
        judge.opens("offline")
        judge.lists("Red apples are ripe.")
        judge.press("Control+y")
        judge.lists("Red apples are ripe.", "Yellow ones may be.")
        judge.press("Control+z", "Control+z")
        judge.lists()
        judge.page.unroute("**/api/assignments/1/events")
        judge.page.evaluate("dispatchEvent(new Event('online'))")
        assert judge.texts() == []
        judge.press("Control+y")
        assert judge.texts() == ["Red apples are ripe."]
        judge.forgive("ERR_FAILED")


def test_what_an_adjudicator_has_built_on_is_not_undone_silently(chromium, site):
    with judged(chromium, site, "built") as judge:
        judge.drag("Red apples", "ripe.")
        judge.press("h", "b", "v")
        assert judge.texts() == ["Red apples are ripe."]
    olga = site.visitor("olga")
    body = {"assignments": [1, 2], "assessor": "olga", "lock": False}
    number = olga.post("/api/topics/1/adjudications", body).json()["id"]
    document = site.service.library.find("built")
    event = {"doc": "built", "client": "t", "sequence": 1, "fingerprint": document.fingerprint}
    note = {**event, "kind": "note", "body": {"text": "I follow anna"}}
    assert olga.send(number, note).status_code == 200
    with judged(chromium, site, "built") as judge:
        judge.press("Control+z")
        judge.said("olga has adjudicated this document since then")
        assert judge.known()["validated"]
        judge.press("Control+z")
        judge.said("Undone.")
        assert not judge.state()["validated"]


def test_flags_and_notes_reach_the_organisers(chromium, site):
    with judged(chromium, site, "flagged") as judge:
        judge.press("f")
        judge.said("Flagged for the organisers")
        judge.press("w")
        judge.page.keyboard.type("The second paragraph is cut off.")
        judge.press("Escape")
        assert judge.state()["flagged"]
        assert judge.page.locator("#flag").get_attribute("aria-pressed") == "true"
    for size in ({"width": 1280}, {"width": 390, "scheme": "dark"}):
        with signed_in(chromium, site, "/organiser/notes", name="olga", **size) as opened:
            page = opened.page
            picture(page, f"notes-{size['width']}")
            assert "The second paragraph is cut off." in page.inner_text(".notes")
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert grave_faults(page) == []
            page.get_by_role("link", name="flagged").click()
            page.wait_for_selector("body[data-open=flagged]")
