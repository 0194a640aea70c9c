"""Twenty journeys through the assessment site in Firefox, as assessors and organisers make them.

The page tests run in Chromium; here the same pages work in another engine, from the first visit of an empty
server to the export.  All journeys share one browser and one server, each on documents of its own, and all of
them in the dark colour scheme.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
import pytest

from assess.site_fixtures import PASSWORD, running
from browser import Opened
from doxel.assess.store.assignments import create_assignment, list_assignments
from doxel.assess.store.database import open_store
from doxel.assess.store.invitations import OneTimeToken
from doxel.assess.store.pooled_documents import Library, add_pooled_documents
from doxel.assess.web.server import open_service
from doxel.assess.web.service import ServerSettings
from doxel.pooling import PooledDocument
from firefox import new_firefox_tab
from pages.judging.judge import Judge
from pages.judging.served_site import judging_site, judging_url, session_cookie

pytestmark = pytest.mark.integration

FRUIT = (
    "<article><title>Apples</title><sec><title>Ripe ones</title>"
    "<p>Red <em>apples</em> are ripe. They keep.</p><p>Green ones are not.</p></sec>"
    "<sec><p>Pears are no apples.</p></sec></article>"
)
NAMES = """keyboard mouse entry undo timeline first middle last offline keywords notes graded listed small
disputed agreed shared-1 shared-2 shared-3"""
DOCUMENTS = dict.fromkeys(NAMES.split(), FRUIT)
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
FAULTS = """async () => (await axe.run(document, { resultTypes: ['violations'], preload: false })).violations
  .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Topic 1 for anna, ben and, with grades, carl; topic 2 for nobody; on topic 3 anna and ben differ."""
    others = [("carl", "2005", "word")]
    with judging_site(tmp_path_factory.mktemp("journeys"), DOCUMENTS, others=others) as new_site:
        pooled = [PooledDocument("2", f"shared-{number}", number) for number in (1, 2, 3)]
        pooled += [PooledDocument("3", doc, place) for place, doc in enumerate(("disputed", "agreed"), 1)]
        with new_site.service.store.write() as connection:
            add_pooled_documents(connection, new_site.service.library, pooled)
            numbers = [create_assignment(connection, "3", user) for user in (1, 2)]
        for name, number, end in (("anna", numbers[0], 25), ("ben", numbers[1], 36)):
            judge_by_program(new_site, name, number, {"disputed": end, "agreed": 30})
        yield new_site


def judge_by_program(site, name, assignment, ends):
    """Highlight from the tenth character on, and call the documents done."""
    visitor, sequence = site.visitor(name), 0
    for doc, end in ends.items():
        fingerprint = site.service.library.find(doc).fingerprint
        marks = [("highlight", {"spans": [[10, end]]}), ("bep", {"position": 10}), ("validate", {})]
        for kind, body in marks:
            sequence += 1
            event = {"doc": doc, "client": "p", "sequence": sequence, "kind": kind, "body": body}
            assert visitor.send(assignment, {**event, "fingerprint": fingerprint}).status_code == 200


@contextmanager
def visiting(browser, site, path="/", name="anna"):
    """Open a page of the site as a user; at the end it must have had no errors."""
    with new_firefox_tab(browser) as page:
        if name is not None:
            cookie = session_cookie(site.visitor(name), site.address)
            page.add_cookie(cookie["name"], cookie["value"])
        page.goto(f"{site.address}{path}")
        yield page
        assert page.complaints == []
        foreign = [url for url in page.requests if not url.startswith((f"{site.address}/", "data:"))]
        assert foreign == []


@contextmanager
def judging(browser, site, doc, *, assignment=1, name="anna"):
    """Open a document to judge it."""
    path = judging_url(site, doc, assignment).removeprefix(site.address)
    with visiting(browser, site, path, name) as page:
        judge = Judge(Opened(page, complaints=page.complaints), site, assignment, name)
        judge.opens(doc)
        yield judge


def test_1_sign_in_by_keyboard_and_sign_out(firefox, site):
    with visiting(firefox, site, "/", None) as page:
        page.locator("input[name=name]").wait_for()
        page.keyboard.type("anna")  # the field has the focus
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.locator("h1", has_text="My assignments").wait_for()
        page.locator("form[action='/sign-out'] button").click()
        page.locator("h1", has_text="Sign in").wait_for()
        page.goto(f"{site.address}/assignments/1")
        page.locator("input[name=password]").wait_for()


def test_2_the_first_arrow_key_moves_and_a_selection_is_highlighted_by_keyboard(firefox, site):
    with judging(firefox, site, "keyboard") as judge:
        judge.press("ArrowRight")
        assert judge.page.evaluate("[getSelection().focusNode.data, getSelection().focusOffset]") == [
            "Apples",
            1,
        ]
        judge.press("Control+Home", "Control+ArrowDown", "Control+ArrowDown")
        judge.press("Control+Shift+ArrowRight", "Control+Shift+ArrowRight", "h")
        assert judge.texts() == ["Red apples"]
        judge.press("e", "h")
        judge.said("Highlighted")
        judge.press("v")
        judge.said("where should reading start")


def test_3_highlight_and_remove_with_the_mouse(firefox, site):
    with judging(firefox, site, "mouse") as judge:
        judge.drag("Red", "keep")
        judge.page.locator("#near [data-action=highlight]").click()
        assert judge.texts() == ["Red apples are ripe. They keep"]
        judge.drag("are ripe")
        judge.press("u")
        assert judge.texts() == ["Red apples", ". They keep"]
        judge.page.locator("#passages .remove").click()
        assert judge.texts() == [". They keep"]
        judge.gutter("/article[1]/sec[2]").click()
        judge.press("h")
        assert judge.texts() == [". They keep", "Pears are no apples."]


def test_4_entry_point_and_done_open_the_next_document(firefox, site):
    with judging(firefox, site, "entry") as judge:
        judge.drag("They keep")
        judge.press("h")
        judge.caret("keep")
        judge.press("b")
        assert judge.state()["bep"] == site.service.library.text("entry").index("keep")
        judge.press("Shift+Enter")
        judge.opens("undo")
        assert judge.state("entry")["validated"]


def test_5_undo_and_redo_survive_a_reload(firefox, site):
    with judging(firefox, site, "undo") as judge:
        judge.drag("Green ones")
        judge.press("h", "b", "x")
        assert judge.state()["validated"]
        judge.page.reload()
        judge.opens("undo")
        judge.press("Control+z")
        assert judge.texts() == ["Green ones"]
        judge.press("Control+z", "Control+z")
        assert judge.texts() == []
        judge.page.reload()
        judge.opens("undo")
        judge.press("Control+Shift+z")
        assert judge.texts() == ["Green ones"]


def test_6_a_document_returns_to_an_earlier_step(firefox, site):
    with judging(firefox, site, "timeline") as judge:
        judge.drag("Green ones")
        judge.press("h")
        judge.drag("Pears")
        judge.press("h")
        assert judge.texts() == ["Green ones", "Pears"]
        judge.press("y")
        judge.page.locator("#steps li").wait_for()
        judge.press("ArrowDown", "Enter")
        judge.said("As it was then: 1 passage")
        judge.press("Tab", "Enter")
        judge.said("Returned to the state of")
        assert judge.texts() == ["Green ones"]


def test_7_previous_and_next_documents_open_by_key(firefox, site):
    with judging(firefox, site, "middle") as judge:
        judge.press("[")
        judge.opens("first")
        judge.press("]")
        judge.opens("middle")
        judge.press("]")
        judge.opens("last")
        assert judge.page.evaluate("location.pathname").endswith("/last")
        judge.page.evaluate("history.back()")
        judge.opens("middle")


def test_8_work_goes_on_without_a_connection(firefox, site):
    with judging(firefox, site, "offline") as judge:
        page = judge.page
        page.wait_for_function(
            "() => performance.getEntriesByType('resource')"
            ".filter(({ name }) => /events[/](last|keywords)$/.test(name)).length === 2"
        )
        page.set_offline(True)
        judge.drag("Red apples")
        judge.press("h")
        judge.saves("Offline, 1 kept here")
        assert judge.known()["highlights"] == []
        judge.press("]")
        judge.opens("keywords")
        judge.press("[")
        judge.opens("offline")
        judge.lists("Red apples")
        page.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        assert judge.texts() == ["Red apples"]
        judge.forgive("NetworkError", "Failed to load")


def test_9_keywords_are_painted(firefox, site):
    with judging(firefox, site, "keywords") as judge:
        page = judge.page
        page.locator("#keywords button", has_text="Add keyword").click()
        page.keyboard.type("apples are, pear*")
        page.wait_for_function("() => document.querySelector('#keywords output').value === '2'")
        assert page.evaluate("CSS.highlights.get('keyword-0').size") >= 2
        page.reload()
        judge.opens("keywords")
        page.wait_for_function("() => document.querySelector('#keywords output').value === '2'")


def test_10_notes_and_flags_reach_the_organisers(firefox, site):
    with judging(firefox, site, "notes") as judge:
        judge.press("f", "w")
        judge.page.keyboard.type("Is this about fruit?")
        judge.press("Tab")  # leaving the field saves it
        judge.page.wait_for_function("() => document.activeElement.id !== 'note'")
        assert judge.state()["note"] == "Is this about fruit?"
    with visiting(firefox, site, "/organiser/notes?flagged=1", "olga") as page:
        assert "Is this about fruit?" in page.inner_text("main")
        page.locator("main a", has_text="notes").click()
        page.wait_for_function("() => document.body.dataset.open === 'notes'")


def test_11_grades_by_key(firefox, site):
    with judging(firefox, site, "graded", assignment=3, name="carl") as judge:
        judge.drag("Green ones")
        judge.press("h", "m", "2", "1", "1")
        judge.said("No grade is missing")
        judge.press("m", "v")
        judge.said("Done.")
        assert judge.state()["grades"] == {
            "/article[1]": {"exhaustivity": "2"},
            "/article[1]/sec[1]": {"exhaustivity": "1"},
            "/article[1]/sec[1]/p[2]": {"exhaustivity": "1"},
        }


def test_12_the_list_of_documents_is_searched_and_filtered(firefox, site):
    with visiting(firefox, site, "/assignments/2", "ben") as page:
        page.locator("input[name=q]").fill("listed")
        page.keyboard.press("Enter")
        page.wait_for_function("() => new URL(location).searchParams.get('q') === 'listed'")
        assert page.locator("main tbody tr, main .listing li").count() == 1
        page.locator("main a", has_text="Apples").click()
        page.wait_for_function("() => document.body.dataset.open === 'listed'")
        page.keyboard.press("x")
        page.wait_for_function("() => document.getElementById('save').textContent.trim() === 'Saved'")
        page.goto(f"{site.address}/assignments/2?state=not+relevant")
        assert "listed" in page.inner_text("main")
        page.goto(f"{site.address}/assignments/2/continue")
        page.wait_for_function("() => document.body.dataset.open === 'small'")


def test_13_two_assessors_are_compared(firefox, site):
    with visiting(firefox, site, "/topics/3/compare?one=anna&other=ben", "olga") as page:
        page.locator("main a", has_text="disputed").click()
        page.locator("#document").wait_for()
        page.wait_for_function("() => CSS.highlights.size > 0")
        assert page.locator("#document").inner_text().startswith("Apples")


def test_14_differences_are_decided_and_signed_off(firefox, site):
    with visiting(firefox, site, "/topics/3/compare", "olga") as page:
        page.locator("form[action$=adjudications] button").click()
        page.wait_for_function("() => /^[/]assignments[/][0-9]+$/.test(location.pathname)")
        number = int(page.evaluate("location.pathname").rpartition("/")[2])
    with judging(firefox, site, "disputed", assignment=number, name="olga") as judge:
        judge.page.locator("#differences li").wait_for()
        judge.press("+")
        judge.said("All differences are decided")
        assert judge.state()["highlights"] == [[10, 36]]
        judge.press("v")
        judge.said("All documents are done")
        judge.saves("Saved")
        judge.press("Shift+S")
        judge.said("Signed off")
    own = site.visitor("olga").get(f"/api/assignments/{number}").json()
    assert (own["official"], own["locked"]) == (True, True)


def test_15_topics_are_assigned_with_overlap_after_a_preview(firefox, site):
    with visiting(firefox, site, "/organiser/assign", "olga") as page:
        page.locator("input[name=kind][value=split]").click()
        page.locator("input[name=overlap]").fill("2")
        tick = "([css, value]) => document.querySelectorAll(css).forEach((box) => {"
        tick += " box.checked = value.includes(box.value); })"
        page.evaluate(tick, ["input[name=topic]", ["2"]])
        page.evaluate(tick, ["input[name=person]", ["anna", "ben", "dora"]])
        page.locator("button[value=preview]").click()
        page.locator("button[value=apply]").click()
        page.wait_for_function("() => document.querySelector('button[value=apply]') === null")
    with site.service.store.read() as connection:
        shares = {item.assessor: item.documents for item in list_assignments(connection, topic="2")}
    assert shares == {"anna": 2, "ben": 2, "dora": 2}  # three documents, each judged by two


def test_16_judgements_are_exported(firefox, site):
    with visiting(firefox, site, "/organiser/export", "olga") as page:
        address = page.evaluate(
            'document.querySelector(\'a[href*="format=fol"], a[href*="api/export"]\').href'
        )
        text = page.evaluate("async (address) => (await fetch(address)).text()", address)
        assert "disputed" in text


@pytest.fixture
def empty(tmp_path, site):
    """A server without anything, and a folder with a collection, topics and a pool."""
    folder = tmp_path / "files"
    shutil.copytree(site.service.library.collection.folder, folder / "fruit.doxel")
    (folder / "topics.jsonl").write_text('{"id": "1", "title": "ripe fruit"}\n')
    (folder / "pool.jsonl").write_text('{"topic": "1", "doc": "first", "order": 1}\n')
    with (
        open_store(str(tmp_path / "empty.sqlite")) as store,
        open_service(
            store, Library(None), None, ServerSettings(folder=folder), first_token=OneTimeToken()
        ) as service,
        running(service) as new_site,
    ):
        yield new_site


def test_17_an_empty_server_is_set_up_and_18_an_invitation_leads_to_the_first_judgement(firefox, empty):
    with visiting(firefox, empty, f"/set-up/{empty.service.first_token.text}", None) as page:
        page.locator("input[name=name]").fill("olga")
        page.locator("input[name=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator("#name input[name=name]").fill("Fruit 2027")
        page.evaluate("() => (window.isOld = true)")
        page.locator("#name button").click()
        page.wait_for_function("() => !window.isOld && document.readyState === 'complete'")
        for step in ("documents", "topics", "pool"):
            choice = page.locator(f"#{step} select[name=file]")
            choice.select_option({"documents": "fruit.doxel"}.get(step, f"{step}.jsonl"))
            page.locator(f"#{step} button").click()
            page.wait_for_function(
                "(step) => !document.querySelector(`#${step}`).textContent.includes('none yet')", arg=step
            )
        page.goto(f"{empty.address}/organiser/users")
        page.locator("form[action='/organiser/users'] input[name=name]").fill("anna")
        page.keyboard.press("Enter")
        page.locator("input[readonly]").wait_for()
        link = page.evaluate("document.querySelector('input[readonly]').value")
        page.goto(f"{empty.address}/organiser/assign")
        page.evaluate(
            "document.querySelectorAll('input[type=checkbox]').forEach((box) => { box.checked = true; })"
        )
        page.locator("button[value=preview]").click()
        page.locator("button[value=apply]").click()
        page.wait_for_function("() => document.querySelector('button[value=apply]') === null")
    with new_firefox_tab(firefox) as page:
        page.goto(link)
        page.locator("input[name=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator("a[href$='/continue']").click()
        page.wait_for_function("() => document.body.dataset.open === 'first'")
        page.keyboard.press("x")
        page.wait_for_function("() => document.getElementById('save').textContent.trim() === 'Saved'")
        page.goto(link)
        assert page.locator("input[name=password]").count() == 0, "it works once"


PAGES = {
    "olga": (
        "/",
        "/organiser",
        "/organiser/assign",
        "/organiser/users",
        "/organiser/notes",
        "/organiser/export",
        "/organiser/campaign",
        "/organiser/audit",
        "/topics/1/compare",
        "/help",
    ),
    "anna": ("/", "/assignments/1", "/assignments/1/documents/small", "/guidelines", "/nowhere"),
}


@pytest.mark.parametrize("name", PAGES)
def test_19_every_page_is_dark_fits_390_pixels_and_20_has_no_fault(firefox, site, name):
    with visiting(firefox, site, "/", name) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        for path in PAGES[name]:
            page.goto(f"{site.address}{path}")
            if "/documents/" in path:
                page.wait_for_function("() => document.body.dataset.open !== undefined")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
            ground = page.evaluate(
                "getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)"
            )
            assert max(ground[:3]) < 80, path
            page.evaluate(f"() => {{ {AXE} }}")
            assert page.evaluate(FAULTS) == [], path
        page.complaints[:] = [text for text in page.complaints if "404" not in text]
