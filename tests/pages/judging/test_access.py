"""Accessibility: axe-core finds no serious faults, on small and large screens, in light and dark."""

import pytest

from doxel.pooling import PooledPart
from pages.judging.access import grave_faults
from pages.judging.judge import Judge
from pages.judging.served_site import judging_site, signed_in
from random_share import take_some

FRUIT = (
    "<article><title>Apples</title><sec><title>Red ones</title><p>Red <em>apples</em> are ripe.</p>"
    "<list><item>One</item><item>Two</item></list></sec>"
    "<table><tr><th>Kind</th><th>Ripe</th></tr><tr><td>Red</td><td>yes</td></tr></table></article>"
)
PARTS = {"apples": [PooledPart("/article[1]/sec[1]", None, None)]}
SIZES = {"large": (1280, 900), "small": (390, 844), "zoomed": (640, 450)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    documents = {"apples": FRUIT, "pears": FRUIT}
    others = [("carl", "2005", "word")]
    with judging_site(tmp_path_factory.mktemp("access"), documents, parts=PARTS, others=others) as new_site:
        yield new_site


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("path", "name"), [("/sign-in", None), ("/", "anna"), ("/assignments/1", "anna")])
def test_plain_pages_have_no_serious_fault(chromium, site, path, name, scheme):
    with signed_in(chromium, site, path, name=name, scheme=scheme) as opened:
        assert grave_faults(opened.page) == []


@pytest.mark.parametrize(
    ("scheme", "size"),
    take_some([(scheme, size) for size in SIZES for scheme in ("light", "dark")], 2),
)
def test_the_judging_page_with_everything_open_has_no_serious_fault(chromium, site, scheme, size):
    width, height = SIZES[size]
    screen = {"width": width, "height": height, "scheme": scheme}
    with signed_in(chromium, site, "/assignments/3/documents/apples", name="carl", **screen) as opened:
        judge = Judge(opened, site, 3, "carl")
        judge.opens("apples")
        judge.drag("Red apples", "ripe")
        assert grave_faults(opened.page) == []
        judge.press("h", "b", "o")
        judge.said("Systems retrieved 1 part")
        judge.press("v")  # lists missing grades, and opens the grade panel
        judge.page.locator("#grading").wait_for()
        assert grave_faults(opened.page) == []
        judge.press("m", "/")
        judge.page.keyboard.type("apples")
        assert grave_faults(opened.page) == []
        judge.press("Escape", "?")
        judge.page.get_by_role("dialog", name="Keys").wait_for()
        assert grave_faults(opened.page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_and_the_text_has_room(chromium, site, size):
    width, height = SIZES[size]
    with signed_in(chromium, site, "/assignments/1/documents/apples", width=width, height=height) as opened:
        page = opened.page
        Judge(opened, site, 1, "anna").opens("apples")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        for part in ("#save", "#position", "#done", "#verdict"):
            box = page.locator(part).bounding_box()
            assert box["x"] >= 0, part
            assert box["x"] + box["width"] <= width + 1, part
            assert box["y"] + box["height"] <= height + 1, part
        reading = page.locator("#reading").bounding_box()
        assert reading["height"] > height * 0.4


def test_a_small_screen_has_the_panel_as_a_sheet(chromium, site):
    with signed_in(chromium, site, "/assignments/1/documents/pears", width=390, height=844) as opened:
        page = opened.page
        judge = Judge(opened, site, 1, "anna")
        judge.opens("pears")
        assert page.locator("#note").is_hidden()
        page.get_by_role("button", name="Topic, 0 passages, note").click()
        page.locator("#note").fill("on a telephone")
        page.get_by_role("button", name="Topic, 0 passages, note").click()
        assert page.locator("#note").is_hidden()
        assert judge.state()["note"] == "on a telephone"
