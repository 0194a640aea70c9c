"""The organiser's page in a real browser: its layout at any width, and its accessibility."""

from __future__ import annotations

import pytest

from browser import SCREENS
from pages.judging.access import grave_faults
from pages.judging.served_site import judging_site, signed_in

DOCUMENTS = {
    name: f"<article><p>About {name}.</p></article>" for name in ("apples", "pears", "plums", "figs")
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("progress"), DOCUMENTS) as new_site:
        anna = new_site.visitor("anna")
        for number, (doc, kind) in enumerate(
            [("apples", "validate"), ("pears", "validate"), ("plums", "reopen")]
        ):
            document = new_site.service.library.find(doc)
            common = {"doc": doc, "client": "t", "sequence": number, "fingerprint": document.fingerprint}
            assert anna.send(1, {**common, "kind": kind, "body": {}}).status_code == 200
        yield new_site


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_fits_and_has_no_serious_fault(chromium, site, width, scheme):
    with signed_in(chromium, site, "/organiser", name="olga", width=width, scheme=scheme) as opened:
        page = opened.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert grave_faults(page) == []
        page.locator(".change summary").first.click()
        assert grave_faults(page) == []


def test_the_lengths_of_bars_match_their_counts(chromium, site):
    with signed_in(chromium, site, "/organiser", name="olga") as opened:
        bar = opened.page.get_by_role("img", name="2 done, 1 begun, 1 untouched").last
        sizes = bar.evaluate(
            "(bar) => [...bar.children].map((one) => one.getBoundingClientRect().width / bar.clientWidth)"
        )
        assert sizes == pytest.approx([1.0, 0.5, 0.25], abs=0.01)
        row = opened.page.locator("tr", has=opened.page.get_by_text("ben", exact=True)).last
        assert row.get_by_role("img", name="0 done, 0 begun, 4 untouched").count() == 1


def test_an_assignment_is_locked_and_handed_over_from_the_page(chromium, site):
    with signed_in(chromium, site, "/organiser", name="olga") as opened:
        page = opened.page
        row = page.locator("tr", has=page.get_by_text("ben", exact=True)).last
        row.locator("summary").click()
        row.get_by_label("Hand over to").select_option("carl")
        row.get_by_label("without the work so far").check()
        with page.expect_navigation():
            row.get_by_role("button", name="Hand over").click()
        old = page.locator("tr", has=page.get_by_label("Change assignment 2:"))
        assert "locked" in old.locator(".who").text_content()
        assert page.locator("tr", has=page.get_by_label("Change assignment 3: topic 1 of carl")).count() == 1
        old.locator("summary").click()
        with page.expect_navigation():
            old.get_by_role("button", name="Unlock").click()
        assert "locked" not in old.locator(".who").text_content()
