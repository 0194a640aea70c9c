"""Judging on a tablet: a long press selects a word, the finger extends it, and buttons do the rest."""

import pytest

from browser import Opened, new_profile
from pages.judging.judge import Judge
from pages.judging.served_site import judging_site, judging_url, session_cookie

FRUIT = "<article><p>Red apples are ripe.</p><p>Green ones are not.</p></article>"
WORDS = " ".join(f"word{number}" for number in range(3000))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    documents = {"apples": FRUIT, "long": f"<article><p>{WORDS}</p></article>"}
    with judging_site(tmp_path_factory.mktemp("touch"), documents) as new_site:
        yield new_site


class Finger:
    """A finger on the screen; a place is a pair of pixels."""

    def __init__(self, judge):
        self._session = judge.page.context.new_cdp_session(judge.page)

    def _send(self, kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def down(self, place):
        self._send("touchStart", place)

    def move(self, place):
        self._send("touchMove", place)

    def up(self):
        self._send("touchEnd")


@pytest.fixture
def open_on_tablet(chromium, site):
    context = new_profile(chromium, viewport={"width": 820, "height": 1180}, has_touch=True, is_mobile=True)
    context.add_cookies([session_cookie(site.visitor("anna"), site.address)])

    def opened(doc):
        page = context.new_page()
        page.goto(judging_url(site, doc))
        judge = Judge(Opened(page), site, 1, "anna")
        judge.opens(doc)
        return judge

    yield opened
    context.close()


def selects(judge, words):
    judge.page.wait_for_function("(words) => getSelection().toString() === words", arg=words)


def test_a_long_press_selects_a_word_and_a_tap_highlights_it(open_on_tablet):
    judge = open_on_tablet("apples")
    finger = Finger(judge)
    finger.down(judge.place("apples")[0])
    selects(judge, "apples")
    finger.up()
    judge.page.locator("#near [data-action=highlight]").tap()
    assert judge.texts() == ["apples"]
    finger.down(judge.place("Green")[0])
    selects(judge, "Green")
    finger.move(judge.place("ones are")[1])
    selects(judge, "Green ones are")
    finger.up()
    judge.page.locator("#near [data-action=highlight]").tap()
    assert judge.texts() == ["apples", "Green ones are"]
    assert judge.page.evaluate("document.documentElement.scrollWidth") <= 820


def test_a_tap_puts_the_caret_and_a_passage_is_removed_by_buttons(open_on_tablet):
    judge = open_on_tablet("apples")
    judge.page.touchscreen.tap(*judge.place("ripe")[0])
    judge.page.locator("#tools [data-action=enter]").tap()
    assert judge.state()["bep"] == 15
    assert judge.page.locator("#near").is_hidden()


def test_a_finger_that_moves_at_once_scrolls_and_selects_nothing(open_on_tablet):
    judge = open_on_tablet("long")
    finger = Finger(judge)
    first, *others = [judge.place(f"word{number}")[0] for number in (300, 290, 270, 240, 200, 150)]
    scrolled = "() => document.getElementById('reading').scrollTop + scrollY"
    before = judge.page.evaluate(scrolled)
    finger.down(first)
    for place in others:
        finger.move(place)
    judge.page.wait_for_function(f"(before) => ({scrolled})() > before + 50", arg=before)
    finger.up()
    assert judge.selected() == ""
