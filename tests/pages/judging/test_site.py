"""The pages around the judging page: no fault, no overflow, a way home, and the next topic is offered."""

import pytest

from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.pooled_documents import add_pooled_documents
from doxel.pooling import PooledDocument
from pages.judging.access import all_faults
from pages.judging.judge import judged
from pages.judging.served_site import judging_site, signed_in
from random_share import take_some

FRUIT = "<article><title>Apples</title><p>Red apples are ripe.</p></article>"
LONG = "an-exceedingly-long-name-of-a-document-without-any-space"
COMPARISON = "/topics/1/compare"
PAGES = {
    None: ("/sign-in", "/help", "/nowhere", "/invitations/guess", "/set-up/guess"),
    "anna": (
        "/",
        "/assignments/1",
        "/assignments/1?q=nowhere",
        "/assignments/1/forms/apples",
        "/guidelines",
        "/organiser",
    ),
    "olga": (
        "/",
        "/organiser",
        "/organiser/assign",
        "/organiser/users",
        "/organiser/notes",
        "/organiser/export",
        "/organiser/campaign",
        "/organiser/audit",
        "/guidelines",
        "/assignments/99",
        COMPARISON,
        f"{COMPARISON}?one=anna&other=ben&doc=apples",
    ),
}
SCREENS = [("light", 1280), ("dark", 820), ("dark", 390), ("light", 390)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Topic 1 with two documents for anna and ben; topic 2 with one for anna."""
    documents = {"apples": FRUIT, LONG: FRUIT}
    with judging_site(tmp_path_factory.mktemp("site"), documents) as new_site:
        with new_site.service.store.write() as connection:
            add_pooled_documents(connection, new_site.service.library, [PooledDocument("2", "apples", 1)])
            create_assignment(connection, "2", 1)
        yield new_site


def open_all(chromium, site, name, scheme, width):
    """Open all pages of a person on a screen, and yield each with its path."""
    with signed_in(chromium, site, "/help", name=name, scheme=scheme, width=width) as opened:
        for path in PAGES[name]:
            opened.page.goto(f"{site.address}{path}")
            yield path, opened.page
        opened.complaints[:] = [text for text in opened.complaints if "40" not in text]  # 403 and 404


@pytest.mark.parametrize("name", take_some(PAGES, 1))
@pytest.mark.parametrize(("scheme", "width"), take_some(SCREENS, 2))
def test_no_page_is_wider_than_the_screen_and_all_lead_home(chromium, site, name, scheme, width):
    for path, page in open_all(chromium, site, name, scheme, width):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("a.home").is_visible(), path


@pytest.mark.parametrize("name", take_some(PAGES, 1))
@pytest.mark.parametrize(("scheme", "width"), take_some([("light", 1280), ("dark", 390)], 1))
def test_axe_finds_nothing_on_any_page(chromium, site, name, scheme, width):
    for path, page in open_all(chromium, site, name, scheme, width):
        assert (path, all_faults(page)) == (path, [])


def test_organisers_reach_all_pages_from_a_menu_on_a_small_screen(chromium, site):
    with signed_in(chromium, site, "/organiser/audit", name="olga", width=390) as opened:
        page, menu = opened.page, opened.page.get_by_role("button", name="Menu")
        assert page.get_by_role("link", name="People").is_hidden()
        menu.press("Enter")
        current = page.get_by_role("link", name="Audit log")
        assert current.get_attribute("aria-current") == "page"
        page.keyboard.press("Escape")
        assert current.is_hidden()
        menu.press("Enter")
        page.get_by_role("link", name="People").click()
        page.get_by_role("heading", name="Invite somebody").wait_for()
        page.set_viewport_size({"width": 1280, "height": 900})
        assert menu.is_hidden()
        assert page.get_by_role("link", name="Audit log").is_visible()


def test_the_next_topic_is_offered_on_the_judging_page(chromium, site):
    with judged(chromium, site, "apples") as judge:
        judge.press("x", "]")
        judge.opens(LONG)
        judge.press("x")
        judge.page.locator("#finished").get_by_text("This topic is finished.").wait_for()
        judge.page.locator("#finished").get_by_role("link", name="topic 2").click()
        judge.page.get_by_role("heading", name="Topic 2").wait_for()
