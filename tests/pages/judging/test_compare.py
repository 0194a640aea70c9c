"""The comparison pages in a real browser: agreed and differing marks, differences one by one."""

from __future__ import annotations

import pytest

from browser import SCREENS
from pages.judging.access import grave_faults
from pages.judging.served_site import judging_site, signed_in

LONG = "".join(f"<p>Paragraph {number} is about fruit and nothing else.</p>" for number in range(60))
DOCUMENTS = {
    "apples": "<article><title>Apples 🍏</title><p>Red <em>apples</em> are ripe, green ones are not.</p>"
    f"{LONG}</article>",
    "pears": "<article><title>Pears</title><p>Pears keep long.</p></article>",
    "plums": "<article><title>Plums</title><p>Plums do not.</p></article>",
}
# in code points: "Apples 🍏" is 0 to 8, "Red apples are ripe," 8 to 28, the last paragraph begins far below
ANNA = [[0, 8], [8, 28]]
BEN = [[0, 8], [12, 40], [2000, 2030]]


def judge(site, name, assignment, marks):
    visitor, sequence = site.visitor(name), 0
    for doc in DOCUMENTS:
        events = [("validate", {})]
        if doc == "apples":
            entry = {"position": marks[0][0] if name == "anna" else 12}
            events = [("highlight", {"spans": marks}), ("bep", entry), *events]
        document = site.service.library.find(doc)
        for kind, body in events:
            sequence += 1
            common = {"doc": doc, "client": "t", "sequence": sequence, "fingerprint": document.fingerprint}
            assert visitor.send(assignment, {**common, "kind": kind, "body": body}).status_code == 200


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("compare"), DOCUMENTS) as new_site:
        judge(new_site, "anna", 1, ANNA)
        judge(new_site, "ben", 2, BEN)
        yield new_site


OPENED = "body[data-open]"
HIGHLIGHTED = """(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => {
  const live = document.createRange();
  live.setStart(range.startContainer, range.startOffset);
  live.setEnd(range.endContainer, range.endOffset);
  return live.toString();
}).sort()"""


def painted(page, name):
    return page.evaluate(HIGHLIGHTED, name)


def test_documents_are_listed_with_figures_largest_difference_first(chromium, site):
    with signed_in(chromium, site, "/topics/1/compare", name="olga") as opened:
        page = opened.page
        rows = page.locator(".compared tbody tr").all_text_contents()
        assert [row.split()[0] for row in rows] == ["apples", "pears", "plums"]
        assert rows[0].split()[1:] == ["24", "4", "42", "0.50", "12"]
        assert "alike" in rows[1]
        page.get_by_role("link", name="apples").click()
        page.wait_for_selector(OPENED)


def test_a_document_shows_agreed_and_differing_marks(chromium, site):
    address = "/topics/1/compare?one=anna&other=ben&doc=apples"
    with signed_in(chromium, site, address, name="olga") as opened:
        page = opened.page
        page.wait_for_selector(OPENED)
        assert painted(page, "agreed") == ["Apples 🍏", "apples are ripe,"]
        assert painted(page, "only-one") == ["Red "]
        assert painted(page, "only-other")[1] == " green ones "
        assert "The entry points are 12 characters apart." in page.locator("#entries").text_content()
        assert page.locator(".point-bep-one").count() == page.locator(".point-bep-other").count() == 1
        assert page.locator("dl.legend dd").all_text_contents() == ["24", "4", "42"]


def test_differences_one_by_one_and_documents_with_keys(chromium, site):
    address = "/topics/1/compare?one=anna&other=ben&doc=apples"
    with signed_in(chromium, site, address, name="olga", height=500) as opened:
        page = opened.page
        page.wait_for_selector(OPENED)
        announcement = page.locator("#announcement")
        assert announcement.text_content() == "4 differences."
        for sentence in (
            "Difference 1 of 4: entry point of anna; that of ben is 12 characters later.",
            "Difference 2 of 4: only anna, 4 characters.",
            "Difference 3 of 4: only ben, 12 characters.",
            "Difference 4 of 4: only ben, 30 characters.",
        ):
            page.keyboard.press("n")
            assert announcement.text_content() == sentence
        page.wait_for_function(
            """() => {
              const box = document.querySelector('.point-difference').getBoundingClientRect();
              return box.top > 0 && box.bottom < innerHeight && scrollY > 500;
            }"""
        )
        page.keyboard.press("n")
        assert "Difference 1 of 4" in announcement.text_content()
        page.keyboard.press("p")
        assert "Difference 4 of 4" in announcement.text_content()
        page.keyboard.press("]")
        page.wait_for_selector("body[data-open=pears]")
        assert announcement.text_content() == "The marks in this document do not differ."
        page.keyboard.press("[")
        page.wait_for_selector("body[data-open=apples]")
        page.get_by_text("Other assessors, official assignment").click()
        page.locator("select[name=other]").focus()
        page.keyboard.press("n")  # in a field, keys are letters
        assert announcement.text_content() == "4 differences."


def test_without_the_highlight_interface_boxes_are_drawn(chromium, site):
    address = "/topics/1/compare?one=anna&other=ben&doc=apples"
    with signed_in(chromium, site, address, name="olga", without_highlights=True) as opened:
        page = opened.page
        page.wait_for_selector(OPENED)
        assert page.evaluate("'highlights' in CSS") is False
        for name in ("agreed", "only-one", "only-other"):
            assert page.locator(f".paint-{name}").count() > 0


def test_the_official_assignment_is_chosen_by_organisers_only(chromium, site):
    address = "/topics/1/compare?one=anna&other=ben&doc=apples"
    with signed_in(chromium, site, f"{address}&look=yes", name="anna") as opened:
        opened.page.get_by_text("Other assessors, official assignment").click()
        assert opened.page.get_by_text("is official").count() == 1
        assert opened.page.get_by_role("button", name="official").count() == 0
    with signed_in(chromium, site, address, name="olga") as opened:
        page = opened.page
        page.get_by_text("Other assessors, official assignment").click()
        with page.expect_navigation():
            page.get_by_role("button", name="Make ben’s official").click()
        page.get_by_text("Other assessors, official assignment").click()
        assert "The assignment of ben is official." in page.locator(".official").text_content()
        with page.expect_navigation():
            page.get_by_role("button", name="Make anna’s official").click()
        page.wait_for_selector(OPENED)


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("more", ["", "&doc=apples"])
def test_the_pages_fit_and_have_no_serious_fault(chromium, site, width, scheme, more):
    address = f"/topics/1/compare?one=anna&other=ben{more}"
    with signed_in(chromium, site, address, name="olga", width=width, scheme=scheme) as opened:
        page = opened.page
        if more:
            page.wait_for_selector(OPENED)
            page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert grave_faults(page) == []
