"""Adjudication on the judging page: all marks under the text, differences decided by key, signed off."""

from __future__ import annotations

import os

import pytest

from doxel.assess.store.assignments import find_assignment
from doxel.assess.store.shares import make_partial, write_share
from pages.judging.access import grave_faults
from pages.judging.judge import judged
from pages.judging.served_site import judging_site, signed_in

FRUIT = (
    "<article><title>Apples</title><p>Red apples are ripe and sweet.</p><p>Green ones are not.</p>"
    "<p>Yellow ones may be.</p></article>"
)
DOCUMENTS = dict.fromkeys(("differing", "alike"), FRUIT)
# "Apples" is 0 to 6, "Red apples are ripe and sweet." 6 to 36, "Green ones are not." 36 to 55, then "Yellow"
MARKS = {"anna": (1, [[6, 25]], 6), "ben": (2, [[10, 36]], 10), "carl": (3, [[6, 36], [55, 74]], 6)}


def picture(page, name):
    """Save a picture of the page, if somebody wants to look at it."""
    if folder := os.environ.get("DOXEL_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.fixture
def site(tmp_path):
    """Three assessors differ on one document and agree on the other."""
    others = [("carl", "2006", "word")]
    with judging_site(tmp_path, DOCUMENTS, others=others) as new_site:
        for name, (assignment, spans, position) in MARKS.items():
            visitor, sequence = new_site.visitor(name), 0
            for doc in DOCUMENTS:
                judgement = (spans, position) if doc == "differing" else ([[6, 20]], 6)
                marks = [("highlight", {"spans": judgement[0]}), ("bep", {"position": judgement[1]})]
                for kind, body in [*marks, ("validate", {})]:
                    sequence += 1
                    event = {"doc": doc, "client": "t", "sequence": sequence, "kind": kind, "body": body}
                    event["fingerprint"] = new_site.service.library.find(doc).fingerprint
                    assert visitor.send(assignment, event).status_code == 200
        yield new_site


def test_an_organiser_adjudicates_by_keyboard_and_signs_off(chromium, site):
    with signed_in(chromium, site, "/topics/1/compare", name="olga") as opened:
        page = opened.page
        picture(page, "agreement-wide")
        assert page.locator("dl.figures dd").count() == 2
        assert grave_faults(page) == []
        page.get_by_role("button", name="Begin the adjudication").click()
        page.get_by_role("link", name="Continue with").wait_for()
    with judged(chromium, site, "differing", assignment=4, name="olga") as judge:
        page = judge.page
        judge.lists("apples are ripe")  # what all marked
        assert page.locator("#differences li").count() == 3
        for name in ("source-1", "source-2", "source-3"):
            assert page.locator(f".paint-{name}").count() > 0
        picture(page, "adjudication-wide")
        assert grave_faults(page) == []
        judge.press("v")
        judge.said("Not done yet: a difference is not decided: the entry point")
        judge.press("1")
        judge.said("decided: anna. 2 differences left.")
        assert judge.state()["bep"] == 6
        judge.press("j")  # the text that two of three marked
        judge.said("decided: the majority. 1 difference left.")
        assert judge.texts() == ["Red apples are ripe and sweet."]
        judge.press("Control+z")
        assert judge.texts() == ["apples are ripe"]
        assert judge.known()["decisions"] == {"bep": "1"}
        judge.press("p", "+", "p", "-", "p", "2")
        assert judge.texts() == ["apples are ripe and sweet."]
        judge.said("decided: ben. 1 difference left.")
        judge.drag("Yellow ones")
        judge.press("h", "k")
        judge.said("All differences are decided")
        assert judge.texts() == ["apples are ripe and sweet.", "Yellow ones"]
        assert judge.known()["decisions"] == {"bep": "1", "6-36": "2", "55-74": "edited"}
        judge.press("v")
        judge.said("All documents are done: ⇧S signs off.")
        assert judge.state()["validated"]
        judge.press("y")
        assert "decided for ben" in page.locator("#steps").inner_text()
        judge.press("Escape", "Shift+S")
        judge.said("Signed off")
        assert "signed off: it is official" in page.inner_text("#banner")
    own = site.visitor("olga").get("/api/assignments/4").json()
    assert (own["official"], own["locked"], own["finished"]) == (True, True, True)


@pytest.mark.integration
def test_the_pages_fit_small_screens_and_the_dark(chromium, site):
    olga = site.visitor("olga")
    olga.post("/api/topics/1/adjudications", {"assignments": [1, 2, 3], "assessor": "olga"})
    for width, scheme in ((390, "light"), (1280, "dark")):
        size = {"width": width, "scheme": scheme, "name": "olga"}
        with judged(chromium, site, "differing", assignment=4, **size) as judge:
            if width == 390:
                judge.page.get_by_role("button", name="Topic, 1 passage, note").click()
            judge.press("n")
            judge.said("Difference 2 of 3")
            picture(judge.page, f"adjudication-{width}")
            assert judge.page.evaluate("document.documentElement.scrollWidth") <= width
            assert grave_faults(judge.page) == []
        for path in ("/topics/1/compare", "/topics/1/compare?one=anna&other=ben"):
            with signed_in(chromium, site, path, **size) as opened:
                picture(opened.page, f"agreement-{width}-{'pair' if 'one' in path else 'all'}")
                assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
                assert grave_faults(opened.page) == []
    with signed_in(chromium, site, "/topics/1/compare", name="olga") as opened:
        assert "Adjudication of olga" in opened.page.inner_text(".adjudicate")


def test_nothing_relevant_decides_all_differences_and_can_be_taken_back(chromium, site):
    olga = site.visitor("olga")
    olga.post("/api/topics/1/adjudications", {"assignments": [1, 2], "assessor": "olga"})
    with judged(chromium, site, "differing", assignment=4, name="olga") as judge:
        judge.press("x")
        assert judge.state()["validated"]
        assert judge.known()["decisions"] == {"bep": "none", "6-36": "none"}
        assert judge.known()["highlights"] == []
        judge.press("Control+z")
        assert judge.texts() == ["apples are ripe"]
        assert judge.known()["decisions"] == {}


def test_aspects_are_decided_and_documents_of_one_person_are_taken_over(chromium, site):
    """anna and ben name the aspects of the same passage otherwise; "own" is only in the share of anna."""
    for name, assignment, aspects in (("anna", 1, ["taste"]), ("ben", 2, ["colour", "taste"])):
        events = [("reopen", {})]
        events += [("aspect", {"place": str(6 + at), "aspect": word}) for at, word in enumerate(aspects)]
        for number, (kind, body) in enumerate([*events, ("validate", {})], 100):
            event = {"doc": "alike", "client": "t", "sequence": number, "kind": kind, "body": body}
            event["fingerprint"] = site.service.library.find("alike").fingerprint
            assert site.visitor(name).send(assignment, event).status_code == 200
    with site.service.store.write() as connection:
        make_partial(connection, find_assignment(connection, 2), official=False)
        write_share(connection, 2, {"alike": False})
    site.visitor("olga").post("/api/topics/1/adjudications", {"assignments": [1, 2], "assessor": "olga"})
    with judged(chromium, site, "alike", assignment=4, name="olga") as judge:
        listed = judge.page.locator("#differences").inner_text()
        assert "Aspects of “Red apples are" in listed
        assert "ben: colour; taste" in listed
        judge.press("c")
        judge.said("decided: the common part")
        assert judge.state()["aspects"] == {"6": "taste"}
        judge.press("p", "+")
        judge.saves("Saved")
        assert set(judge.state()["aspects"].values()) == {"taste", "colour"}
        judge.press("v", "[")
        judge.opens("differing")
        judge.page.wait_for_function(
            "() => document.getElementById('sources').textContent.includes('taken over')"
        )
        sources = judge.page.locator("#sources li").all_inner_texts()
        assert sources == ["1 anna alone has judged it: taken over", "2 ben was not given this document"]
        assert judge.state()["validated"]


def test_an_assessor_is_warned_before_looking_and_marked_after(chromium, site):
    with signed_in(chromium, site, "/topics/1/compare", name="anna") as opened:
        picture(opened.page, "look")
        assert grave_faults(opened.page) == []
        opened.page.get_by_role("link", name="Show the comparison").click()
        opened.page.get_by_text("alpha, characters").first.wait_for()
    with judged(chromium, site, "alike") as judge:
        assert "You have seen the marks of ben, carl" in judge.page.inner_text("#banner")
        judge.drag("Green", "not.")
        judge.press("h")
        assert judge.texts()[-1].endswith("Green ones are not.")
        judge.press("y")
        assert "after seeing the marks of ben, carl" in judge.page.locator("#steps li").first.inner_text()
    with signed_in(chromium, site, "/topics/1/compare", name="olga") as opened:
        late = opened.page.inner_text(".late")
        assert "anna changed 1 document after seeing the marks of ben, carl" in late
