"""The help page in a real browser: one screen per scale, with the keys from the key table."""

from __future__ import annotations

import pytest

from browser import SCREENS
from pages.judging.access import grave_faults
from pages.judging.served_site import judging, judging_site, signed_in

DOCUMENTS = {"a": "<article><p>Red apples.</p></article>"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("help"), DOCUMENTS, scale="2005") as new_site:
        yield new_site


@pytest.mark.parametrize("scale", ["2006", "2005", "2003", "2002"])
def test_the_task_is_one_screen(chromium, site, scale):
    with signed_in(chromium, site, f"/help?scale={scale}", name=None) as opened:
        page = opened.page
        page.locator("#keys dt").first.wait_for()
        assert page.locator("#comparing").bounding_box()["y"] < 900
        titles = page.locator(".cards h2").all_text_contents()
        assert ("Highlight" in titles) == (scale in {"2006", "2005"})
        assert ("Set the best entry point" in titles) == (scale == "2006")
        assert ("Grade elements" in titles) == (scale != "2006")
        assert (page.get_by_text("Highlight", exact=True).count() > 0) == (scale in {"2006", "2005"})
        labels = page.locator("#keys dd").all_text_contents()
        assert ("Grades" in labels) == (scale != "2006")


def test_the_own_scale_is_shown_first_and_an_unknown_one_is_refused(chromium, site):
    with signed_in(chromium, site, "/help") as opened:
        assert opened.page.locator(".scales [aria-current]").text_content() == "2005"
    with signed_in(chromium, site, "/help", name="carl") as opened:
        assert opened.page.locator(".scales [aria-current]").text_content() == "2006"
    assert site.visitor().get("/help?scale=1999").status_code == 400


def test_help_is_linked_everywhere(chromium, site):
    for name, path in ((None, "/sign-in"), ("anna", "/"), ("anna", "/assignments/1"), ("olga", "/organiser")):
        with signed_in(chromium, site, path, name=name) as opened:
            assert opened.page.get_by_role("link", name="Help").get_attribute("href") == "/help"
    with judging(chromium, site, "a") as opened:
        page = opened.page
        page.wait_for_selector("body[data-open]")
        page.keyboard.press("?")
        link = page.get_by_role("link", name="How to judge, on one screen")
        assert link.get_attribute("href") == "/help?scale=2005"


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_fits_and_has_no_serious_fault(chromium, site, width, scheme):
    with signed_in(chromium, site, "/help?scale=2005", name=None, width=width, scheme=scheme) as opened:
        opened.page.locator("#keys dt").first.wait_for()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert grave_faults(opened.page) == []
