"""The caret and the gutter: reading, selecting and taking elements with the keyboard, or with the mouse."""

import pytest
from benchmarks.longarticle import long_article

from pages.judging.served_site import judging_site
from pages.judging.viewing import viewing

WORDS = " ".join(f"word{number}" for number in range(120))
DOCUMENTS = {
    "apples": f"""<article><title>Apples</title><sec><title>Colours</title>
<p>Red <em>apples</em> 🍏 are ripe.</p><p>{WORDS}</p>
<list><item>One</item><item>Two</item></list></sec>
<sec><p>Green ones.</p><table><row><cell>a</cell><cell>b</cell></row></table></sec></article>""",
    "bidi": "<article><p>אבג דהו</p><p>abc דהו xyz</p></article>",
    "chinese": f"<article><p>{'苹果是红色的' * 40}</p></article>",
    "empty": "<article/>",
    "spaced": "<article>\n  <p>Red   apples\n\n   are</p>\n\n  <sec>\n  <p>ripe.</p>\n </sec> \n </article>",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(
        tmp_path_factory.mktemp("caret"), {**DOCUMENTS, "long": long_article(150_000)}
    ) as new_site:
        yield new_site


def caret(view):
    """Where the caret is drawn; None if it is not."""
    view.settle()
    return view.page.locator(".view-caret").bounding_box()


def test_the_text_can_be_focused_and_has_a_label(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view.page.focus("#before")
        for _ in range(8):
            view.press("Tab")
            if view("document.activeElement.id") == "document":
                break
        else:
            pytest.fail("the tab key never reached the text")
        text = view.page.get_by_role("document", name="Text of apples")
        assert text.count() == 1
        assert text.get_by_role("heading", name="Apples").count() == 1
        assert text.get_by_role("list").get_by_role("listitem").count() == 2
        assert text.get_by_role("table").get_by_role("cell").count() == 2
        view.press("ArrowRight")
        assert view.span is not None
        assert caret(view) is not None
        view.page.focus("#after")
        assert caret(view) is None


def test_the_caret_moves_and_selects(chromium, site):
    with viewing(chromium, site, "apples") as view:
        red = view.find("Red")
        view("(point) => view.caret.place(point)", red)
        view.press("ArrowRight")
        assert view.span == [red + 1, red + 1]
        view.press("ArrowLeft", "Shift+ArrowRight", "Shift+ArrowRight")
        assert view.selected == "Re"
        view.press("Shift+ArrowLeft")
        assert view.selected == "R"
        view.press("ArrowRight", "Control+Shift+ArrowRight")
        assert view.selected.strip() == "ed"
        view("(point) => view.caret.place(point)", view.find("apples") + 6)
        view.press("Shift+ArrowRight", "Shift+ArrowRight")
        assert view.selected == " 🍏"
        view.press("Home")
        assert view.span == [red, red]
        view.press("Shift+End")
        assert view.selected == "Red apples 🍏 are ripe."
        view.press("ArrowDown", "Home")
        assert view.span == [view.find("word0"), view.find("word0")]
        view.press("ArrowUp")
        assert view.span == [red, red]


def test_moves_by_words_never_stop_in_white_space(chromium, site):
    """Blocks have nothing but white space between them, which cannot be seen."""
    with viewing(chromium, site, "spaced") as view:
        for key, first, edge in (
            ("Control+ArrowRight", 0, len(view.text)),
            ("Control+ArrowLeft", len(view.text), 0),
        ):
            view("(point) => view.caret.place(point)", first)
            stops = []
            while not stops or view.span[0] != stops[-1]:
                stops.append(view.span[0])
                view.press(key)
            inner = [stop for stop in stops if stop not in {0, len(view.text)}]
            assert len(inner) >= 4
            assert [stop for stop in inner if not view.text[stop - 1 : stop + 1].strip()] == []
            assert not view.text[min(stops[-1], edge) : max(stops[-1], edge)].strip(), "it got to the end"


def test_the_caret_goes_to_the_ends_and_from_block_to_block(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view("view.caret.place(8)")
        view.press("Control+End")
        assert view.span[0] == len(view.text)
        view.press("Control+Home")
        assert view.span == [0, 0]
        view.press("Control+Shift+End")
        assert view.selected == view.text.strip()
        view.press("Control+a")
        assert view.selected == view.text.strip()
        view("(point) => view.caret.place(point)", view.find("ripe"))
        view.press("Control+ArrowDown")
        assert view.span[0] == view.find("word0")
        view.press("Control+ArrowUp", "Control+ArrowUp")
        assert view.span[0] == view.find("Colours")


def test_the_end_of_one_block_is_not_the_start_of_the_next(chromium, site):
    """They are the same position if there is no text between them."""
    with viewing(chromium, site, "apples") as view:
        view("(point) => view.caret.place(point)", view.find("Red"))
        view.press("End")
        end = caret(view)
        assert abs(end["x"] + 1 - view.edge(view.find("word0"), after=False)[0]) < 3
        view.press("ArrowRight")
        assert caret(view)["y"] > end["y"] + 20
        assert view.span[0] == view.find("word0")


def test_the_caret_stays_in_the_document(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view("view.caret.place(0)")
        view.press("ArrowLeft", "ArrowUp", "ArrowLeft")
        assert view.span == [0, 0]
        view("view.caret.place(view.rendered.text.length)")
        view.press("ArrowRight", "ArrowDown", "Shift+ArrowDown")
        assert view.span is not None
        assert view.span[1] == len(view.text)


def test_the_caret_is_drawn_at_its_position(chromium, site):
    with viewing(chromium, site, "apples") as view:
        for words, offset in (("Red", 0), ("apples", 3), ("🍏", 1), ("ripe.", 4), ("word50", 2)):
            point = view.find(words) + offset
            view("(point) => view.caret.place(point)", point)
            box, drawn = view.rect(point - 1, point) if offset else view.rect(point, point + 1), caret(view)
            edge = box["x"] + (box["width"] if offset else 0)
            assert abs(drawn["x"] + 1 - edge) < 2, words
            assert abs(drawn["y"] - box["y"]) < 3
            assert drawn["height"] > 14


@pytest.mark.parametrize("doc", ["apples", "chinese"])
def test_the_caret_is_drawn_at_the_end_of_a_line(chromium, site, doc):
    """Where a line is broken, one position is at the end of it and at the start of the next."""
    with viewing(chromium, site, doc, width=800) as view:
        point = view.find("word0" if doc == "apples" else "苹")
        view("(point) => view.caret.place(point)", point)
        start = caret(view)
        view.press("End")
        end = caret(view)
        assert abs(end["y"] - start["y"]) < 3
        assert end["x"] > start["x"] + 300
        view.press("ArrowRight")
        after = caret(view)
        assert after["y"] > start["y"] + 15
        view.press("Home")
        assert abs(caret(view)["x"] - start["x"]) < 2


def test_right_to_left_text_is_read_from_the_right(chromium, site):
    with viewing(chromium, site, "bidi") as view:
        view("view.caret.place(0)")
        first = caret(view)
        view.press("ArrowLeft")
        assert view.span == [1, 1]
        assert caret(view)["x"] < first["x"] - 3
        view.press("Shift+ArrowLeft", "Shift+ArrowLeft")
        assert view.selected == "בג"
        view.press("Home", "Shift+End")
        assert view.selected == "אבג דהו"
        word = view.find("xyz") - 4
        view("(point) => view.caret.place(point)", word)
        inside, box = caret(view), view.rect(word, word + 1)
        assert abs(inside["x"] + 1 - (box["x"] + box["width"])) < 2  # the first letter's right edge


def test_page_keys_scroll_by_a_page(chromium, site):
    with viewing(chromium, site, "long") as view:
        view("view.caret.place(0)")
        view.rests()
        places = []
        for _ in range(3):
            view.press("PageDown")
            view.rests()
            places.append(view.span[0])
            assert 0 < caret(view)["y"] < 900
        assert places == sorted(places)
        assert places[0] > 500
        view.press("Shift+PageUp")
        view.rests()
        assert view.span[1] - view.span[0] > 500
        assert view.span[1] == places[-1]


def test_positions_are_scrolled_into_view(chromium, site):
    with viewing(chromium, site, "long") as view:
        size = len(view.text)
        for point in (size // 2, size - 10, 10, size // 3):
            view("(point) => view.caret.place(point)", point)
            view.rests()
            assert 0 < caret(view)["y"] < 860
            assert view.span == [point, point]


def test_scrolling_by_hand_is_not_undone(chromium, site):
    with viewing(chromium, site, "long") as view:
        view("""async () => {
            view.caret.place(10);
            await new Promise((done) => requestAnimationFrame(done));
            document.getElementById('scroller').scrollTop = 5000;
        }""")
        view.rests()
        assert view("document.getElementById('scroller').scrollTop") > 4_000


def test_caret_keys_do_nothing_in_a_document_without_text(chromium, site):
    with viewing(chromium, site, "empty") as view:
        view("view.caret.place(0)")
        view.press("ArrowRight", "End", "PageDown", "Control+End", "Control+a")
        assert view.span in (None, [0, 0])


def test_the_gutter_selects_whole_elements(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view.settle()
        point = view.find("Red")
        y = view.rect(point, point + 1)["y"] + 8
        bracket = view.page.get_by_role("treeitem", name="p 1, 22 characters").first
        box = bracket.bounding_box()
        assert box["y"] <= y <= box["y"] + box["height"]
        view.page.mouse.click(box["x"] + 3, y)
        assert view("view.chosen") == ["/article[1]/sec[1]/p[1]"]
        names = view(
            "[...document.querySelectorAll('.bracket')].map((one) => one.getAttribute('aria-label'))"
        )
        assert "row 1, 2 characters" in names
        assert not any(name.startswith(("cell", "em")) for name in names)


def test_the_gutter_shows_path_and_size(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view.settle()
        bracket = view.page.get_by_role("treeitem", name="p 1, 22 characters").first
        bracket.hover()
        assert view.page.inner_text(".tip") == "/article[1]/sec[1]/p[1]\n22 characters"
        frame, text = (
            view.page.locator(".view-frame").bounding_box(),
            view.rect(view.find("Red"), view.find("Red") + 3),
        )
        assert frame["y"] <= text["y"] < frame["y"] + frame["height"]
        view.page.mouse.move(900, 20)
        assert not view.page.is_visible(".tip")
        assert not view.page.is_visible(".view-frame")


def test_the_gutter_with_the_keyboard(chromium, site):
    with viewing(chromium, site, "apples") as view:
        view.settle()
        view.page.focus("#before")
        view.press("Tab")
        while view("document.activeElement.getAttribute('role')") != "treeitem":
            view.press("Tab")
        label = "document.activeElement.getAttribute('aria-label').split(',')[0]"
        assert view(label) == "article 1"
        view.press("ArrowDown")
        assert view(label) == "title 1"
        view.press("ArrowDown", "ArrowRight", "ArrowDown")
        assert view(label) == "p 1"
        view.press("Enter")
        assert view("view.chosen") == ["/article[1]/sec[1]/p[1]"]
        view.press("ArrowLeft")
        assert view(label) == "sec 1"
        assert view("document.activeElement.getAttribute('aria-level')") == "2"
        for _ in range(10):
            view.press("ArrowDown")
        assert view(label) == "row 1"


def test_the_gutter_follows_a_long_article(chromium, site):
    with viewing(chromium, site, "long") as view:
        view.settle()
        first = view("[...document.querySelectorAll('.bracket')].map((one) => one.dataset.row)")
        view("document.getElementById('scroller').scrollTop = 20000")
        view.rests()
        later = view("[...document.querySelectorAll('.bracket')].map((one) => one.dataset.row)")
        assert 3 < len(later) < 400
        assert {row for row in first if int(row) > 3}.isdisjoint(later)
