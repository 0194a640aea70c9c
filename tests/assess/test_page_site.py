"""The pages around the judging page: no serious fault and no overflow, and the next topic is offered."""

import pytest

from assess.access import grave_faults
from assess.judge import judged
from assess.pages import judging_site, signed_in
from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.pooled_documents import add_pooled_documents
from doxel.pooling import PooledDocument

FRUIT = "<article><title>Apples</title><p>Red apples are ripe.</p></article>"
LONG = "an-exceedingly-long-name-of-a-document-without-any-space"
PAGES = {
    "olga": ("/", "/organiser", "/organiser/export", "/organiser/audit", "/guidelines", "/nowhere"),
    "anna": ("/", "/assignments/1?q=red&state=open", "/guidelines"),
}
FORMS = ("/organiser/assign", "/organiser/users", "/organiser/campaign")  # examined closely, which takes long


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Topic 1 with two documents for anna and ben; topic 2 with one for anna."""
    documents = {"apples": FRUIT, LONG: FRUIT}
    with judging_site(tmp_path_factory.mktemp("site"), documents) as found:
        with found.service.store.write() as connection:
            add_pooled_documents(connection, found.service.library, [PooledDocument("2", "apples", 1)])
            create_assignment(connection, "2", 1)
        yield found


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_page_is_wider_than_the_screen_and_all_lead_home(chromium, site, scheme, width):
    for name, paths in PAGES.items():
        with signed_in(chromium, site, "/", name=name, scheme=scheme, width=width) as opened:
            for path in (*paths, *(FORMS if name == "olga" else ())):
                opened.page.goto(f"{site.address}{path}")
                assert opened.page.evaluate("document.documentElement.scrollWidth") <= width, path
                assert opened.page.locator("a.home").is_visible(), path
            opened.complaints[:] = [text for text in opened.complaints if "404" not in text]


@pytest.mark.parametrize("path", FORMS)
def test_forms_have_no_serious_fault(chromium, site, path):
    with signed_in(chromium, site, path, name="olga", scheme="dark", width=390) as opened:
        assert grave_faults(opened.page) == []


def test_the_next_topic_is_offered_on_the_judging_page(chromium, site):
    with judged(chromium, site, "apples") as judge:
        judge.press("x", "]")
        judge.opens(LONG)
        judge.press("x")
        judge.page.locator("#finished").get_by_text("This topic is finished.").wait_for()
        judge.page.locator("#finished").get_by_role("link", name="topic 2").click()
        judge.page.get_by_role("heading", name="Topic 2").wait_for()
