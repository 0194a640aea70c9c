"""Keywords in a real browser: words and patterns, found live, stored, and never freezing the page."""

from __future__ import annotations

import pytest

from doxel.assess.web.static_files import make_static_address
from pages.judging.access import grave_faults
from pages.judging.served_site import judging, judging_site, signed_in

DOCUMENTS = {
    "a": "<article><p>Red apples.</p></article>",
    "b": "<article><table><tr><td>pears</td><td>apples</td></tr></table>"
    "<p>🍏 ap<em>ples</em></p><p>apples</p><p>𝔸</p><p>pears</p></article>",
}

# The panel by itself, on a text, over a painter that only remembers.
START = """async ([text, key, topic, limit]) => {
  const { KeywordPanel } = await import('STATIC/keywords/keyword_panel.js');
  const { Text } = await import('STATIC/core/text_offsets.js');
  const container = document.createElement('section');
  document.querySelector('main').replaceChildren(container);
  globalThis.painted = {};
  globalThis.painter = { set: (name, spans) => { painted[name] = spans; } };
  globalThis.shown = (string) => { panel.show({ text: new Text(string), painter }); };
  globalThis.panel = new KeywordPanel({ container, key, topic, limit });
  shown(text);
}""".replace("STATIC", make_static_address("").rstrip("/"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("keywords"), DOCUMENTS) as new_site:
        yield new_site


@pytest.fixture
def opened(chromium, site):
    with signed_in(chromium, site) as visit:
        yield visit


def start(opened, text, key="anna:1", topic=None, limit=1000):
    opened.page.evaluate(START, [text, key, topic or {}, limit])
    return opened.page


def painted(page, slot=0):
    return page.evaluate("(name) => painted[name] ?? []", f"keyword-{slot}")


def until_painted(page, spans, slot=0):
    page.wait_for_function(
        "([name, spans]) => JSON.stringify(painted[name] ?? []) === spans",
        arg=[f"keyword-{slot}", str([list(span) for span in spans]).replace(" ", "")],
    )


def add(page, text):
    page.get_by_role("button", name="Add keyword").click()
    page.keyboard.type(text)


def test_words_are_painted_while_one_types_by_code_points(opened):
    page = start(opened, "🍏 Apples, apple, pineapple: apple\n pie.")
    add(page, "apple")
    until_painted(page, [(10, 15), (28, 33)])
    page.keyboard.type("*")
    until_painted(page, [(2, 8), (10, 15), (28, 33)])
    assert page.locator(".keyword output").text_content() == "3"
    page.keyboard.type(" pie, pineapple")
    until_painted(page, [(17, 26), (28, 38)])
    page.get_by_label("Paint this keyword").uncheck()
    until_painted(page, [])
    page.get_by_label("Paint this keyword").check()
    until_painted(page, [(17, 26), (28, 38)])


def test_phrases_stay_together_with_and_without_quotation_marks(opened):
    text = "Apple pie, and an apple\n  pie; pie, apple; ripe, red fruit."
    page = start(opened, text)
    add(page, 'apple pie, "ripe, red fruit"')
    until_painted(page, [(0, 9), (18, 29), (43, 58)])
    page.get_by_label("Words").fill('"apple pie')  # while one still types
    until_painted(page, [(0, 9), (18, 29)])


def test_blocks_end_words_and_markup_inside_of_them_does_not(opened):
    """The text is "pearsapples🍏 applesapples𝔸pears": cells and paragraphs are apart on the screen only."""
    page = start(opened, "")
    page.evaluate(
        """async (address) => {
          const [{ render }, told, styles] = await Promise.all([
            import(address),
            fetch('/api/assignments/1/documents/b').then((answer) => answer.json()),
            fetch('/api/styles').then((answer) => answer.json()),
          ]);
          const container = document.createElement('div');
          document.querySelector('main').append(container);
          panel.show({ ...render(told, styles, container), painter });
        }""",
        make_static_address("view/document_render.js"),
    )
    add(page, "apples")
    until_painted(page, [(5, 11), (13, 19), (19, 25)])
    add(page, "apples apples, pears")
    until_painted(page, [(0, 5), (13, 25), (26, 31)], slot=1)


def test_patterns_match_and_invalid_ones_are_reported(opened):
    page = start(opened, "In 1984 and 2001 🎈 and 30 others.")
    add(page, r"\d{4}")
    page.get_by_role("button", name="How it looks").click()
    page.get_by_label("Kind").select_option("pattern")
    until_painted(page, [(3, 7), (12, 16)])
    page.get_by_label("Pattern").fill(r"(\d")
    page.get_by_text("This is not a valid pattern").wait_for()
    until_painted(page, [])
    assert page.get_by_label("Pattern").get_attribute("aria-invalid") == "true"
    page.get_by_label("Pattern").fill(r"x*")  # nothing at all is found everywhere, and is nothing to paint
    page.wait_for_function("() => document.querySelector('.keyword output').value === '0'")
    assert page.get_by_text("This is not a valid pattern").count() == 0


def test_a_catastrophic_pattern_is_stopped_and_the_page_stays_awake(opened):
    page = start(opened, "a" * 40 + "! and apples", limit=1500)
    add(page, "(a+)+$")
    page.get_by_role("button", name="How it looks").click()
    page.evaluate("() => { globalThis.ticks = 0; setInterval(() => { ticks += 1; }, 20); }")
    page.get_by_label("Kind").select_option("pattern")
    add(page, "apples")  # later words are found all the same
    page.get_by_text("took too long and was stopped").wait_for()
    assert page.evaluate("ticks") > 15  # of 75 or more: a page that was frozen would have had one or two
    until_painted(page, [(46, 52)], slot=1)
    assert painted(page) == []
    page.get_by_label("Pattern").fill("a+!")
    until_painted(page, [(0, 41)])
    assert page.get_by_text("took too long").count() == 0


def test_another_document_is_painted_and_a_search_in_the_old_one_is_dropped(opened):
    page = start(opened, "a" * 40 + "!", limit=2000)
    add(page, "(a+)+$")
    page.get_by_role("button", name="How it looks").click()
    page.get_by_label("Kind").select_option("pattern")
    page.evaluate("shown('baaa')")
    until_painted(page, [(1, 4)])
    assert page.get_by_text("took too long").count() == 0


def test_keywords_are_kept_by_user_and_assignment_with_colour_and_style(opened):
    page = start(opened, "red and green apples")
    add(page, "green")
    page.get_by_role("button", name="How it looks").click()
    page.get_by_label("Colour", exact=True).select_option("teal")
    page.get_by_label("Style", exact=True).select_option("wavy")
    assert "wavy" in page.locator(".sample").get_attribute("class")
    rules = page.evaluate(
        "document.adoptedStyleSheets.flatMap((one) => [...one.cssRules].map((rule) => rule.cssText)).join()"
    )
    assert "::highlight(keyword-0)" in rules
    assert "wavy" in rules
    assert "var(--keyword-6)" in rules
    page.reload()
    page = start(opened, "all green")
    until_painted(page, [(4, 9)])
    assert "colour-6" in page.locator(".sample").get_attribute("class")
    page.reload()
    start(opened, "all green", key="ben:1")
    assert page.locator(".keyword").count() == 0


def test_words_of_the_topic_are_offered(opened):
    topic = {"title": 'ripe fruit in the "orchard of kings"', "keywords": "fruit, plums"}
    page = start(opened, "Plums from the orchard of kings", topic=topic)
    offered = page.locator(".offered button").all_text_contents()
    assert offered == ["Add keyword", "+ fruit", "+ plums", "+ ripe", "+ orchard of kings"]
    page.get_by_role("button", name="+ orchard of kings").click()
    until_painted(page, [(15, 31)])
    page.get_by_role("button", name="+ plums").click()
    until_painted(page, [(0, 5)], slot=1)
    assert page.get_by_role("button", name="+ plums").count() == 0
    page.get_by_role("button", name="Remove this keyword").first.click()
    until_painted(page, [(0, 5)], slot=0)
    until_painted(page, [], slot=1)
    assert page.get_by_role("button", name="+ orchard of kings").count() == 1


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ("apple pie, plum jam; ripe", ["apple pie", "plum jam", "ripe"]),
        ('"apple pie" plum', ["apple pie", "plum", "ripe"]),
        ("“apple pie, warm”, plum", ["apple pie, warm", "plum", "ripe"]),
    ],
)
def test_phrases_of_the_topic_are_offered_as_phrases(opened, keywords, expected):
    page = start(opened, "", topic={"title": "ripe", "keywords": keywords})
    assert page.locator(".offered button").all_text_contents()[1:] == [f"+ {word}" for word in expected]


def test_eight_keywords_are_enough_and_other_tabs_follow(opened, site):
    page = start(opened, "one two three four five six seven eight nine")
    for word in ("one", "two", "three", "four", "five", "six", "seven", "eight"):
        add(page, word)
    until_painted(page, [(34, 39)], slot=7)
    assert page.get_by_role("button", name="Add keyword").is_disabled()
    other = page.context.new_page()
    other.goto(site.address)
    other.evaluate(START, ["nine eight", "anna:1", {}, 1000])
    other.wait_for_function("() => painted['keyword-7']?.length === 1")
    other.get_by_role("button", name="Remove this keyword").first.click()
    page.wait_for_function("() => document.querySelectorAll('.keyword').length === 7")
    until_painted(page, [(34, 39)], slot=6)
    until_painted(page, [], slot=7)


def test_too_many_matches_are_shown_as_more(opened):
    page = start(opened, "apple " * 6000)
    add(page, "apple")
    page.wait_for_function("() => document.querySelector('.keyword output').value === '5,000+'")
    assert len(painted(page)) == 5000


@pytest.mark.parametrize("without_highlights", [False, True])
def test_keywords_beside_the_document_that_is_judged(chromium, site, without_highlights):
    with judging(chromium, site, "a", without_highlights=without_highlights) as opened:
        page = opened.page
        page.wait_for_selector("body[data-open]")
        page.get_by_role("button", name="Add keyword").click()
        page.keyboard.type("hub, apples")  # letters that are keys elsewhere
        if without_highlights:
            page.locator(".paint-keyword-0").wait_for(state="attached")
        else:
            page.wait_for_function("() => CSS.highlights.get('keyword-0')?.size === 1")
        assert page.locator(".keyword output").text_content() == "1"
        assert site.visitor("anna").get("/api/assignments/1/states/a").json()["seq"] == 0
        assert grave_faults(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("]")
        page.wait_for_selector("body[data-open=b]")
        page.wait_for_function("() => document.querySelector('.keyword output').value === '3'")
