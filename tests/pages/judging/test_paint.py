"""Marks over a document, painted by the browser or drawn as boxes; the document's DOM does not change."""

import pytest
from benchmarks.longarticle import long_article

from doxel.assess.web.static_files import make_static_address
from pages.judging.served_site import judging_site
from pages.judging.viewing import viewing

DOCUMENTS = {
    "apples": "<article><title>Apples</title>"
    "<p>Red <em>apples</em> 🍏 are <b>ripe</b>, green ones are not.</p>\n"
    "<p>Pears <code>keep</code> long.</p><note><p>A note on plums.</p></note>"
    + "".join(f"<p>Paragraph {number} of many.</p>" for number in range(60))
    + "</article>",
    "bidi": "<article><p>אבגד הוזח טיכל</p></article>",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(
        tmp_path_factory.mktemp("paint"), {**DOCUMENTS, "long": long_article(150_000)}
    ) as new_site:
        yield new_site


@pytest.fixture(params=["highlights", "boxes"])
def way(request):
    """How marks are painted: with the Custom Highlight API, or without it."""
    return {"without_highlights": request.param == "boxes"}


@pytest.fixture
def see(chromium, site, way):
    """Opens documents, and checks that they are painted in the tested way."""

    def open_document(doc, **options):
        return Checked(viewing(chromium, site, doc, **way, **options), way)

    return open_document


class Checked:
    """A document that is painted in the tested way."""

    def __init__(self, opening, way):
        self.opening, self.way = opening, way

    def __enter__(self):
        view = self.opening.__enter__()
        gone = view("[typeof CSS.highlights, typeof Highlight]") == ["undefined", "undefined"]
        assert gone == self.way["without_highlights"]
        return view

    def __exit__(self, *error):
        return self.opening.__exit__(*error)


def colours(view, start, end):
    """The colours of the box of some text, how often each is there, most frequent first."""
    return [colour for _, colour in sorted(view.picture(start, end).getcolors(100_000), reverse=True)]


def near(colour, other, by=12):
    return all(abs(value - two) <= by for value, two in zip(colour, other, strict=True))


def paint(view, name, *spans):
    view("([name, spans]) => view.painter.set(name, spans)", [name, [list(span) for span in spans]])


YELLOW, WHITE, BLUE = (255, 229, 138), (255, 255, 255), (43, 95, 179)


def test_judged_text_has_another_background(see):
    with see("apples") as view:
        start, end = view.find("apples 🍏"), view.find(" are ")
        assert near(colours(view, start, end)[0], WHITE)
        paint(view, "judged", (start, end))
        assert near(colours(view, start, end)[0], YELLOW)
        assert near(colours(view, view.find("Red"), start - 1)[0], WHITE)
        assert near(colours(view, end + 1, end + 4)[0], WHITE)
        assert min(sum(colour) for colour in colours(view, start, start + 6)) < 200  # the letters stay dark
        paint(view, "judged")
        assert near(colours(view, start, end)[0], WHITE)


def test_the_document_is_not_touched(see):
    with see("apples") as view:
        view("""() => { view.before = view.rendered.root.outerHTML; view.changes = 0;
            new MutationObserver((records) => { view.changes += records.length; }).observe(view.rendered.root,
                {subtree: true, childList: true, attributes: true, characterData: true}); }""")
        paint(view, "judged", (3, 40), (50, 60))
        paint(view, "retrieved", (0, 45))
        paint(view, "judged", (3, 20), (24, 40))
        view("view.painter.setPoint('bep', 5)")
        view("view.caret.select(5, 20)")
        view.press("ArrowRight", "Shift+ArrowDown")
        view.page.mouse.wheel(0, 300)
        view.settle()
        assert view("view.changes") == 0
        assert view("view.rendered.root.outerHTML === view.before")


def test_judged_and_retrieved_are_seen_at_once(see):
    with see("apples") as view:
        start, end = view.find("green"), view.find(" are not")
        paint(view, "retrieved", (start, end))
        assert near(colours(view, start, end)[0], WHITE)
        assert any(near(colour, BLUE, 40) for colour in colours(view, start, end))
        paint(view, "judged", (start, end))
        pixels = colours(view, start, end)
        assert near(pixels[0], YELLOW)
        assert any(colour[2] > colour[0] + 40 for colour in pixels)  # blue, with yellow behind it or not


def test_marks_are_seen_where_the_text_has_a_background_of_its_own(see):
    with see("apples") as view:
        for words in ("keep", "plums"):
            start = view.find(words)
            paint(view, "judged", (start, start + len(words)))
            red, green, blue = colours(view, start, start + len(words))[0]
            assert red > 220
            assert green > 200
            assert blue < 170


def test_marks_are_visible_in_the_dark_scheme(see):
    with see("apples", scheme="dark") as view:
        start, end = view.find("green"), view.find(" are not")
        paint(view, "judged", (start, end))
        red, green, blue = colours(view, start, end)[0]
        assert red > blue + 40
        assert green > blue + 30
        assert red < 130
        assert max(sum(colour) for colour in colours(view, start, end)) > 500  # the letters stay light


def test_marks_are_visible_with_forced_colours(see):
    with see("apples", forced_colors="active") as view:
        start, end = view.find("green"), view.find(" are not")
        plain = colours(view, start, end)
        paint(view, "judged", (start, end))
        judged = colours(view, start, end)
        assert judged != plain
        paint(view, "judged")
        paint(view, "retrieved", (start, end))
        assert colours(view, start, end) not in (plain, judged)


def test_right_to_left_marks(see):
    with see("bidi") as view:
        paint(view, "judged", (5, 9))
        assert near(colours(view, 5, 9)[0], YELLOW)
        assert near(colours(view, 0, 4)[0], WHITE)
        assert near(colours(view, 10, 14)[0], WHITE)


def test_marks_move_with_the_text(see):
    with see("apples") as view:
        start = view.find("Paragraph 30")
        paint(view, "judged", (start, start + 12))
        view("document.getElementById('scroller').scrollTop = 1200")
        assert near(colours(view, start, start + 12)[0], YELLOW)
        view.page.set_viewport_size({"width": 390, "height": 800})
        view("(point) => view.caret.place(point)", start)
        view("getSelection().removeAllRanges()")
        assert near(colours(view, start, start + 12)[0], YELLOW)
        assert near(colours(view, start + 14, start + 20)[0], WHITE)


def test_marks_in_a_long_article(see):
    with see("long") as view:
        size = len(view.text)
        paint(view, "judged", (0, size))
        point = view("view.rendered.outline.start[2000]")
        view("(point) => view.caret.place(point)", point)
        view.rests()
        view("getSelection().removeAllRanges()")
        assert near(colours(view, point, point + 4)[0], YELLOW)
        paint(view, "judged", (0, point), (point + 5, size))
        assert near(colours(view, point, point + 4)[0], WHITE)


def test_two_documents_do_not_remove_each_others_marks(see):
    with see("apples") as view:
        start = view.find("green")
        paint(view, "judged", (start, start + 5))
        view(
            """async (address) => {
            const {Painter} = await import(address);
            const other = new Painter(view.rendered, view.positions);
            other.set('judged', [[0, 3]]);
            other.set('judged', []);
            other.destroy();
        }""",
            make_static_address("view/highlight_paint.js"),
        )
        assert near(colours(view, start, start + 5)[0], YELLOW)
        view("view.painter.destroy()")
        assert near(colours(view, start, start + 5)[0], WHITE)


def test_the_entry_point_has_a_flag(see):
    with see("apples") as view:
        point = view.find("ripe")
        view("(point) => view.painter.setPoint('bep', point)", point)
        view.settle()
        flag = view.page.locator(".point-bep").bounding_box()
        box = view.rect(point, point + 1)
        assert abs(flag["x"] - box["x"]) < 3
        assert abs(flag["y"] - box["y"]) < 4
        view.page.set_viewport_size({"width": 390, "height": 800})
        view.rests()
        flag, box = view.page.locator(".point-bep").bounding_box(), view.rect(point, point + 1)
        assert abs(flag["x"] - box["x"]) < 3
        view("view.painter.setPoint('bep', null)")
        assert view.page.locator(".point-bep").count() == 0


def test_a_large_selection_is_seen(see):
    with see("long") as view:
        view("view.caret.select(0, view.rendered.text.length)")
        plain = view.find("A long one")
        assert not near(colours(view, plain, plain + 6)[0], WHITE)
        view("view.caret.place(0)")
        view.settle()
        assert near(colours(view, plain, plain + 6)[0], WHITE)


@pytest.mark.integration
def test_two_million_characters(chromium, tmp_path, way):
    """The benchmark "reading" measures the speed; this test checks the result."""
    with (
        judging_site(tmp_path, {"huge": long_article(2_000_000)}) as site,
        Checked(viewing(chromium, site, "huge", **way), way) as view,
    ):
        size = len(view.text)
        assert size > 2_000_000
        assert view("view.rendered.outline.length") > 55_000
        assert "🍏" in view.text
        start = view.text.index("passage", size * 3 // 4)
        view("(start) => view.caret.select(start, start + 7)", start)
        view.rests()
        assert view.selected == "passage"
        paint(
            view,
            "judged",
            *([place * 1_000, place * 1_000 + 500] for place in range(500)),
            (start, start + 7),
        )
        view("getSelection().removeAllRanges()")
        assert near(colours(view, start, start + 7)[0], YELLOW)


def test_the_same_span_twice_is_taken_away_as_one(see):
    with see("apples") as view:
        start = view.find("green")
        paint(view, "judged", (start, start + 5), (start, start + 5))
        assert near(colours(view, start, start + 5)[0], YELLOW)
        paint(view, "judged")
        assert near(colours(view, start, start + 5)[0], WHITE)
