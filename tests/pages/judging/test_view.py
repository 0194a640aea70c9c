"""A document in a real browser: its DOM, and the positions of its text."""

import random
from itertools import pairwise

import pytest
from benchmarks.longarticle import long_article

from pages.judging.served_site import judging_site
from pages.judging.viewing import viewing

DOCUMENTS = {
    "apples": """<article>
  <title>Apples</title>
  <sec>
    <title>On  colours</title>
    <p>Red <em>apples
      are</em> ripe, and <b>green</b> ones are not.</p>
    <p>Pears <i>🍏 and 👩‍👩‍👧‍👦 apples</i> 🍐 differ.</p>
    <p>Nobody eats n\u0303o e\u0301clairs.</p>
  </sec>
  <sec><p>Last<sub>2</sub> words.</p><p>Touching.</p></sec>
</article>""",
    "bidi": "<article><p>שלום <b>עולם</b> טוב</p><p>One word is עברית here.</p>"
    "<p>مرحبا بالعالم</p></article>",
    "hostile": """<html onload="globalThis.pwned = 1"><head><script>globalThis.pwned = 2</script>
<style>body { display: none } .view-text * { color: red }</style>
<meta http-equiv="refresh" content="0;url=//elsewhere.invalid/"/><base href="//elsewhere.invalid/"/>
<link rel="stylesheet" href="//elsewhere.invalid/x.css"/></head>
<body onclick="globalThis.pwned = 3" style="position: fixed" class="view-caret" id="document">
<a href="javascript:globalThis.pwned = 4" onmouseover="globalThis.pwned = 5">A link</a>
<img src="//elsewhere.invalid/x.png" onerror="globalThis.pwned = 6"/>
<iframe src="//elsewhere.invalid/">x</iframe><object data="//elsewhere.invalid/"/>
<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.pwned = 7"><script>globalThis.pwned = 8</script>
</svg><form action="//elsewhere.invalid/"><input name="a" autofocus="" onfocus="globalThis.pwned = 9"/>
<button formaction="javascript:globalThis.pwned = 10">Press</button></form>
<embed src="//elsewhere.invalid/"/><template><p>in a template</p></template><slot/>
<dialog open="">d</dialog><custom-element is="x">e</custom-element>
<constructor>c</constructor><__proto__>p</__proto__><toString>t</toString>
<textarea>area</textarea><select><option>o</option></select><video autoplay="" src="//elsewhere.invalid/"/>
<p>&lt;img src=x onerror="globalThis.pwned = 11"&gt; {{ 7 * 7 }}</p></body></html>""",
    "deep": "<a>" + "<list><item><b><quote>x" * 60 + "</quote></b></item></list>" * 60 + "</a>",
    "tables": "<a>" + "<table><row><cell>" * 40 + "in" + "</cell></row></table>" * 40 + "</a>",
    "wide": "<a><table><row>"
    + "".join(f"<cell>column{number}</cell>" for number in range(20))
    + "</row></table><table><row><cell>a</cell><cell>b</cell></row></table></a>",
    "empty": "<article/>",
    "blank": "<article>  <p> </p>\n</article>",
    "names": "<article><contrib><name><surname>Lowe</surname><given-names>John</given-names></name></contrib>"
    "<contrib><name><surname>Poe</surname> <given-names>Ann</given-names></name></contrib></article>",
    "unknown": "<card><dish><called>Soup</called><told>With <what>leeks</what> in it.</told></dish></card>",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    documents = {**DOCUMENTS, "long": long_article(150_000)}
    with judging_site(tmp_path_factory.mktemp("view"), documents) as new_site:
        yield new_site


HARMLESS = "div p h2 h3 h4 h5 h6 ul li blockquote table tbody tr td th hr br span b i u s sub sup small code"


@pytest.mark.parametrize("doc", [*DOCUMENTS, "long"])
def test_a_document_is_its_text_in_harmless_elements(chromium, site, doc):
    with viewing(chromium, site, doc) as view:
        assert view("view.rendered.root.textContent") == view.text
        names = view("""() => {
            const all = [...view.rendered.root.querySelectorAll('*')];
            return [[...new Set(all.map((one) => one.localName))],
                    [...new Set(all.flatMap((one) => one.getAttributeNames()))]];
        }""")
        assert set(names[0]) <= set(HARMLESS.split())
        assert set(names[1]) <= {"class", "style", "tabindex", "role", "aria-label"}
        # a style is that of our own boxes alone
        assert view("view.rendered.root.querySelectorAll('[style]:not(.view-part)').length") == 0


def test_a_hostile_document_does_nothing(chromium, site):
    with viewing(chromium, site, "hostile") as view:
        view.page.mouse.move(400, 300)
        view.page.get_by_text("A link").click()
        view.page.get_by_text("Press").click()
        view.settle()
        assert view("globalThis.pwned") is None
        assert view("document.activeElement.id") == "document"
        assert view("document.querySelectorAll('#document').length") == 1
        assert view("location.pathname") == "/"
        assert "{{ 7 * 7 }}" in view.page.inner_text("#document")
        # requests to elsewhere and complaints of the page fail where it was opened


def test_deep_documents_stay_within_the_screen(chromium, site):
    for doc in ("deep", "tables"):
        with viewing(chromium, site, doc) as view:
            box = view("view.container.getBoundingClientRect().toJSON()")
            last = view.rect(len(view.text) - 1, len(view.text))
            assert last["width"] > 1
            assert box["left"] - 1 <= last["x"] < box["right"]


def test_a_table_that_is_too_wide_scrolls_sideways(chromium, site):
    with viewing(chromium, site, "wide", width=390) as view:
        view.settle()
        assert view.page.get_by_role("group", name="Wide table").count() == 1
        assert view("document.scrollingElement.scrollWidth") == 390
        last = view.find("column19")
        assert view.rect(last, last + 8)["x"] > 390
        view("(point) => view.caret.place(point)", last + 2)
        assert view.rect(last, last + 2)["x"] + 10 < 390


def test_words_of_adjacent_elements_are_separated(chromium, site):
    """A name in two elements is read as two words, also where the source has no space between them."""
    with viewing(chromium, site, "names") as view:
        family, given_name = view.rect(0, 4), view.rect(4, 8)
        assert given_name["x"] > family["x"] + family["width"] + 2
        spaced = view.find("Poe")
        assert view.rect(spaced + 3, spaced + 4)["width"] < 8


def test_unknown_tags_are_blocks_or_inline_as_they_are_used(chromium, site):
    with viewing(chromium, site, "unknown") as view:
        soup, leeks = view.rect(0, 4), view.rect(view.find("leeks"), view.find("leeks") + 5)
        beside = view.rect(view.find("With"), view.find("With") + 4)
        assert soup["y"] + soup["height"] <= beside["y"]
        assert leeks["y"] == beside["y"]


@pytest.mark.parametrize("doc", [*DOCUMENTS, "long"])
def test_dom_places_and_positions_convert_both_ways(chromium, site, doc):
    with viewing(chromium, site, doc) as view:
        size = len(view.text)
        points = range(size + 1) if size < 2_000 else sorted(random.Random(1).sample(range(size + 1), 500))
        wrong = view(
            """(points) => points.filter((point) => ['after', 'before'].some((side) => {
                const {node, offset} = view.positions.place(point, side);
                return view.positions.point(node, offset) !== point;
            }))""",
            list(points),
        )
        assert wrong == []


@pytest.mark.parametrize("doc", ["apples", "bidi", "hostile", "long"])
def test_ranges_hold_the_characters_of_their_spans(chromium, site, doc):
    with viewing(chromium, site, doc) as view:
        draw = random.Random(2)
        ends = [sorted(draw.choices(range(len(view.text) + 1), k=2)) for _ in range(100)]
        texts = view("(spans) => spans.map((span) => view.positions.range(...span).toString())", ends)
        assert texts == [view.text[start:end] for start, end in ends]


def test_dom_places_outside_the_text_convert_to_positions(chromium, site):
    with viewing(chromium, site, "apples") as view:
        assert view("view.positions.point(document.getElementById('before'), 0)") == 0
        assert view("view.positions.point(document.getElementById('after').firstChild, 2)") == len(view.text)
        assert view("view.positions.point(document.body, 0)") == 0
        assert view("view.positions.point(document.body, document.body.childNodes.length)") == len(view.text)
        at = """(path) => { const row = view.rendered.outline.row(path), node = view.rendered.nodes[row];
            const {parentNode} = node, index = [...parentNode.childNodes].indexOf(node);
            return [[node, 0], [node, node.childNodes.length], [parentNode, index], [parentNode, index + 1]]
                .map((place) => view.positions.point(...place)); }"""
        start = view.find("Red")
        end = view.find("ones are not.") + len("ones are not.")
        assert view(at, "/article[1]/sec[1]/p[1]") == [start, end, start, end]


def test_a_drag_across_markup(chromium, site):
    with viewing(chromium, site, "apples") as view:
        start, end = view.find("d apples"), view.find("reen")
        view.drag(view.edge(start), view.edge(end))
        assert view.span == [start, end]
        assert view.selected.split() == ["d", "apples", "are", "ripe,", "and", "g"]


@pytest.mark.parametrize(
    ("first", "last"),
    [("rs 🍏", "nd 👩"), ("🍏", " and 👩"), ("ears", "👩‍👩"), ("👩‍👩", " apples🍐"), ("s 🍏", "differ")],
)
def test_a_drag_across_emoji(chromium, site, first, last):
    """Positions after an emoji are those of Python, which counts it once and the browser twice."""
    with viewing(chromium, site, "apples") as view:
        start, end = view.find(first.replace("🍐", " 🍐")), view.find(last.replace("apples🍐", "apples 🍐"))
        view.drag(view.edge(start), view.edge(end))
        assert view.span == [start, end]


def test_a_drag_backwards_selects_the_same(chromium, site):
    with viewing(chromium, site, "apples") as view:
        start, end = view.find("apples"), view.find("differ")
        view.drag(view.edge(end), view.edge(start))
        assert view.span == [start, end]


def test_a_drag_from_element_to_element(chromium, site):
    """From the first character of one element to the last of another, across a boundary."""
    with viewing(chromium, site, "apples") as view:
        start, end = view.find("apples\n"), view.find("green") + len("green")
        view.drag(view.edge(start), view.edge(end, after=False))
        assert view.span == [start, end]
        whole = view.find("Last")
        view.drag(view.edge(whole), view.edge(view.find("Touching") - 1 + 1, after=False))
        assert view.selected == "Last2 words."


def test_right_to_left_text(chromium, site):
    with viewing(chromium, site, "bidi") as view:
        start, end = view.find("עולם"), view.find(" טוב")
        first, last = view.rect(start, start + 1), view.rect(end - 1, end)
        assert first["x"] > last["x"]  # it is read from the right
        view.drag(view.edge(start, backwards=True), view.edge(end, after=False, backwards=True))
        assert view.span == [start, end]
        start, end = view.find("word is"), view.find("ת here") + 1
        view.drag(view.edge(start), view.edge(view.find(" here") + 1))
        assert view.selected == "word is עברית "
        assert end < view.span[1]
        # a paragraph that begins with a right-to-left word is at the right
        assert view.rect(0, 1)["x"] > view.rect(view.find("One"), view.find("One") + 1)["x"] + 200
        last = view.find("مرحبا")
        assert view.rect(last, last + 1)["x"] > view.rect(view.find("One"), view.find("One") + 1)["x"] + 200


def test_a_double_click_takes_a_word_and_a_triple_click_a_paragraph(chromium, site):
    with viewing(chromium, site, "apples") as view:
        x, y = view.edge(view.find("ripe") + 2)
        view.page.mouse.dblclick(x, y)
        assert view.selected.strip() == "ripe"
        view.page.mouse.click(x, y, click_count=3)
        end = view.find("ones are not.") + len("ones are not.")
        assert view.span == [view.find("Red"), end]
        x, y = view.edge(view.find("Last") + 2)
        view.page.mouse.click(x, y, click_count=3)
        assert view.selected == "Last2 words."
        x, y = view.edge(view.find("Touching") + 2)
        view.page.mouse.click(x, y, click_count=3)
        assert view.selected == "Touching."


def test_collapsed_white_space_counts_in_positions(chromium, site):
    with viewing(chromium, site, "apples") as view:
        start, end = view.find("apples\n"), view.find(" ripe")
        assert view.text[start:end] == "apples\n      are"
        box = view.rect(start, end)
        space = view.rect(view.find("Red") + 3, view.find("Red") + 4)
        assert box["height"] < 40  # one line, where the source has two
        view.drag(view.edge(start), view.edge(end))
        assert view.span == [start, end]
        assert view.rect(view.find("On  ") + 2, view.find("On  ") + 4)["width"] < 2.5 * space["width"]


def test_a_selection_that_ends_outside_of_the_document(chromium, site):
    with viewing(chromium, site, "apples") as view:
        start = view.find("words")
        after = view.page.locator("#after").bounding_box()
        view.drag(view.edge(start), (after["x"] + 30, after["y"] + 8))
        assert view.selected.strip() == "words.Touching."
        before = view.page.locator("#before").bounding_box()
        view.drag(view.edge(start), (before["x"] + 20, before["y"] + 8))
        assert (view.span[0], view.span[1]) == (view.find("Apples"), start)
        view("getSelection().selectAllChildren(document.body)")
        assert view.selected == view.text.strip()
        view("getSelection().selectAllChildren(document.getElementById('after'))")
        assert view.span is None
        view("getSelection().collapse(document.getElementById('before'), 0)")
        assert view.span is None
        view("getSelection().removeAllRanges()")
        assert view.span is None


def test_a_caret_is_an_empty_span(chromium, site):
    with viewing(chromium, site, "apples") as view:
        point = view.find("differ")
        view.page.mouse.click(*view.edge(point))
        assert view.span == [point, point]


def test_only_the_visible_part_of_a_long_document_is_laid_out(chromium, site):
    with viewing(chromium, site, "long") as view:
        parts = view("view.rendered.parts.map(({start, end}) => [start, end])")
        assert len(parts) > 10
        assert parts[0][0] == 0
        assert parts[-1][1] == view("view.told.text.length")
        assert all(one[1] == other[0] for one, other in pairwise(parts))
        height = "view.rendered.parts.at(-1).node.getBoundingClientRect().top"
        assert view(height) > 10_000
        end = len(view.text.rstrip())
        view("(end) => view.caret.select(end - 20, end)", end)
        view.rests()
        assert view.span == [end - 20, end]
        assert 0 < view.rect(end - 20, end - 19)["y"] < 900


def test_a_large_selection_does_not_need_the_browser_to_lay_out_everything(chromium, site):
    with viewing(chromium, site, "long") as view:
        size = len(view.text)
        view("(size) => view.caret.select(0, size)", size)
        assert view.span == [0, size]
        assert view("getSelection().isCollapsed")
        view.press("ArrowRight")
        assert view.span[0] == view.span[1]
        view.press("Control+a")
        assert view.span == [0, size]
        view.page.mouse.click(*view.edge(view("view.rendered.outline.start[3]") + 2))
        assert view.span[0] == view.span[1] > 0
