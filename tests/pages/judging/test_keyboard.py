"""From signing in to a finished document with the keyboard alone."""

from assess.site_fixtures import PASSWORD
from pages.judging.judge import Judge
from pages.judging.served_site import judging_site, signed_in

DOCUMENTS = {
    "apples": "<article><title>Apples</title><p>Red apples are ripe.</p><p>Green ones are not.</p></article>",
    "pears": "<article><title>Pears</title><p>Pears keep long.</p></article>",
}
FOCUSED = "(document.activeElement.textContent || '').trim()"


def tab_to(page, words):
    """Press tab until an element with these words has the focus; fail if none gets it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).startswith(words):
            return
    raise AssertionError(f"tab never comes to {words!r}")


def test_from_sign_in_to_done_without_a_mouse(chromium, tmp_path):
    with (
        judging_site(tmp_path, DOCUMENTS) as site,
        signed_in(chromium, site, "/sign-in", name=None) as opened,
    ):
        page = opened.page
        page.wait_for_function("() => document.activeElement.name === 'name'")
        page.keyboard.type("anna")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{site.address}/")
        tab_to(page, "Topic 1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/assignments/1")
        tab_to(page, "Apples")
        page.keyboard.press("Enter")
        judge = Judge(opened, site, 1, "anna")
        judge.opens("apples")
        judge.press("ArrowDown")  # the caret is at the beginning: to the first paragraph
        judge.press("Home")
        judge.press(*["Control+Shift+ArrowRight"] * 2)
        judge.press("h", "b")
        assert judge.texts() == ["Red apples"]
        judge.press("Shift+Enter")
        judge.opens("pears")
        assert judge.state("apples")["validated"]
        judge.press("x")
        judge.said("All documents of the topic are done")
        assert judge.state()["validated"]
        assert page.inner_text("#done") == "2 of 2 done"
        judge.press("Shift+Enter")
        judge.said("All 2 documents are done")


def test_every_button_is_reached_by_tab_and_the_text_comes_before_the_panel(chromium, tmp_path):
    with (
        judging_site(tmp_path, DOCUMENTS) as site,
        signed_in(chromium, site, "/assignments/1/documents/apples") as opened,
    ):
        judge = Judge(opened, site, 1, "anna")
        judge.opens("apples")
        judge.press("Control+Shift+ArrowRight")
        met = []
        page = opened.page
        page.locator(".skip").focus()
        for _ in range(80):
            page.keyboard.press("Tab")
            met.append(page.evaluate("document.activeElement.dataset.action ?? document.activeElement.id"))
        for action in ("after", "help", "highlight", "remove", "enter", "undo", "find", "pooled", "nothing"):
            assert action in met
        assert met.index("note") > met.index("highlight")
