"""HTML: text nodes after the parser's repairs, and sections opened by headings."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

import doxel
from documents.shapes import check_document, ingested, sectioned, shape, slices
from doxel.documents.parsing.html import find_declared_encoding
from doxel.errors import InputError, MarkupError
from doxel.markup import HtmlParser
from random_share import count_cases

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>On 😀</title><meta charset="utf-8">
<style>p { color: red }</style><script>if (1 < 2) { x() }</script></head>
<body class="a"><p>Before.</p>
<h1>Top</h1><p>One <b>bold<!-- aside --> word</b>.
<h2>Sub</h2><ul><li>a<li>b</ul>
<h2>Other</h2>tail text<template><p>no text</p></template>
<h1>Second</h1>
</body></html>
"""


def body_of(document):
    """Return the shapes in the body of a page."""
    return dict(shape(document)[1])["body"]


def test_the_text_is_the_text_nodes_without_scripts_and_comments():
    with ingested({"a.html": PAGE}) as collection:
        text = collection["a"].text
        check_document(collection["a"])
    assert "On 😀" in text
    assert "bold word" in text
    assert "a\n" not in text[: text.index("Top")]
    assert not any(hidden in text for hidden in ("color", "x()", "no text", "aside"))


def test_scripts_styles_and_templates_are_elements_without_text():
    with ingested({"a.html": PAGE}) as collection:
        document = collection["a"]
        for tag in ("style", "script", "template"):
            assert slices(document, tag) == [""]
        assert document.attributes(0) == {"lang": "en"}
        assert collection.breaks(0).height == 1


def test_headings_open_sections():
    with ingested({"a.html": PAGE}) as collection:
        document = collection["a"]
        assert body_of(document) == [
            "p",
            (
                "section",
                [
                    "h1",
                    ("p", ["b"]),
                    ("section", ["h2", ("ul", ["li", "li"])]),
                    ("section", ["h2", "template"]),
                ],
            ),
            ("section", ["h1"]),
        ]
        assert slices(document, "section")[2] == "Othertail text\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<section><h2>a</h2><p>b</p></section>", [("section", ["h2", "p"])]),
        (
            "<article><p>x</p><h2>a</h2><h3>b</h3>c<h2>d</h2></article>",
            [("article", ["p", "h2", ("section", ["h3"]), ("section", ["h2"])])],
        ),
        (
            "<div class=mw-heading><h2>a</h2><span>edit</span></div><p>b</p>",
            [("section", [("div", ["h2", "span"]), "p"])],
        ),
        ("<hgroup><h1>a</h1><p>sub</p></hgroup><p>b</p>", [("section", [("hgroup", ["h1", "p"]), "p"])]),
        ("<div><h2>a</h2><p>b</p></div><p>c</p>", [("div", [("section", ["h2", "p"])]), "p"]),
        ("<div>x<h2>a</h2></div><p>c</p>", [("div", [("section", ["h2"])]), "p"]),
        ("<h1>a</h1><h3>b</h3><h2>c</h2>", [("section", ["h1", ("section", ["h3"]), ("section", ["h2"])])]),
        ("<h2><a><h3>x</h3></a></h2>", [("section", [("h2", [("a", ["h3"])])])]),
    ],
)
def test_sections_begin_and_end_with_headings(body, expected):
    with ingested({"a.html": f"<body>{body}</body>"}) as collection:
        assert body_of(collection["a"]) == expected


@pytest.mark.parametrize(
    ("broken", "text", "expected"),
    [
        ("<p>a<p>b", "ab", ["p", "p"]),
        ("plain & simple", "plain & simple", None),
        ("<b>a<i>b</b>c</i>", "abc", [("b", ["i"])]),
        ("</p><p>a</div>", "a", ["p"]),
        ("<html><p>a</p></html><p>b</p></html> c", "ab c", ["p", "p"]),
        ("<p>a</p></html>\n<!-- made by hand -->\n", "a", ["p"]),
        ("<table><tr><td>a<td>b</table>", "ab", [("table", [("tr", ["td", "td"])])]),
        ("<p>caf&eacute; &unknown; &#x1F600;", "café &unknown; 😀", ["p"]),
        ("<o:p>a</o:p><a$b[1]>c", "ac", ["p", "a_b_1_"]),
    ],
)
def test_broken_html_is_repaired(broken, text, expected):
    with ingested({"a.html": broken}) as collection:
        document = collection["a"]
        assert document.text == text
        assert expected is None or body_of(document) == expected
        check_document(document)


# Encodings


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<p>é😀".encode(), "é😀"),
        ("<p>é😀".encode("utf-8-sig"), "é😀"),
        ("<p>é😀".encode("utf-16"), "é😀"),
        ("<meta charset=latin1><p>é€".encode("cp1252"), "é€"),
        ('<meta http-equiv=x content="text/html; charset=koi8-r"><p>Д'.encode("koi8-r"), "Д"),
        ("<meta charset=utf-16><p>é".encode(), "é"),
        ("<meta charset=latin1><p>é".encode("utf-8-sig"), "é"),
        ("<?xml version='1.0' encoding='latin1'?><html><p>é</html>".encode(), "é"),
    ],
)
def test_pages_are_decoded_by_mark_declaration_or_as_utf8(data, text):
    with ingested({"a.html": data}) as collection:
        assert collection["a"].text == text


def test_unknown_encodings_are_refused_with_the_line():
    for charset in ("klingon", "hex", "undefined", "idna", "unicode_escape"):
        with pytest.raises(InputError, match=rf"a\.html, line 2: charset: wanted .*, found '{charset}'"):
            find_declared_encoding(f"\n<meta charset={charset}>".encode(), "a.html")


# Properties


_TAGS = ("p", "b", "div", "ul", "li", "h1", "h2", "h3", "section", "article", "table", "td", "a", "script")
_SCRAPS = st.sampled_from(
    [f"<{tag}>" for tag in _TAGS]
    + [f"</{tag}>" for tag in _TAGS]
    + [
        "<!-- c -->",
        "<?pi?>",
        "&amp;",
        "&",
        "<",
        ">",
        "text",
        "😀",
        "\r\n",
        " ",
        "<!",
        "<![CDATA[x]]>",
        "<p a=1 a>",
    ]
)
scraps = st.lists(st.one_of(_SCRAPS, _SCRAPS, st.text(max_size=2)), max_size=50).map("".join)


@given(st.lists(scraps, min_size=1, max_size=5))
@settings(max_examples=count_cases(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_a_page(sources):
    sources = [f"<p>x{source}".replace("\0", "") for source in sources]
    with ingested({f"{number}.html": source for number, source in enumerate(sources)}) as collection:
        for number, source in enumerate(sources):
            document = collection[str(number)]
            check_document(document)
            root = etree.fromstring(source.encode(), etree.HTMLParser(encoding="utf-8"))
            hidden = "ancestor::script or ancestor::style or ancestor::template"
            assert document.text == "".join(root.xpath(f"//text()[not({hidden})]"))


_PLAIN_TAGS = (
    *_TAGS[:-1],
    "html",
    "body",
    "head",
    "tr",
    "form",
    "select",
    "option",
    "span",
    "br",
    "frameset",
)


@given(st.lists(st.tuples(st.sampled_from(_PLAIN_TAGS), st.sampled_from(["<{}>", "</{}>"])), max_size=60))
@settings(max_examples=count_cases(100), deadline=None)
def test_broken_markup_loses_no_word(tags):
    """There is a word between any two tags; all of them are in the text, in order."""
    page = "w" + "".join(f"{form.format(tag)} w{number} " for number, (tag, form) in enumerate(tags))
    with ingested({"a.html": page}) as collection:
        assert collection["a"].text.split() == page_words(page)
        check_document(collection["a"])


def page_words(page):
    return ["w", *re.findall(r"w\d+", page)]


_blocks = st.recursive(
    st.sampled_from(["p", "h1", "h2", "h3", "h4", "pre"]),
    lambda inner: st.tuples(st.sampled_from(["div", "blockquote"]), st.lists(inner, min_size=2, max_size=5)),
    max_leaves=25,
)


def written(block) -> str:
    """Write a shape as HTML."""
    if isinstance(block, str):
        return f"<{block}>text</{block}>"
    return f"<{block[0]}>{''.join(map(written, block[1]))}</{block[0]}>"


def in_sections(block):
    if isinstance(block, str):
        return block
    return block[0], sectioned([in_sections(child) for child in block[1]])


@given(st.lists(_blocks, min_size=1, max_size=8))
@settings(max_examples=count_cases(60), deadline=None)
def test_sections_match_the_blocks_they_were_generated_from(blocks):
    page = "<body>" + "".join(map(written, blocks)) + "</body>"
    with ingested({"a.html": page}) as collection:
        assert body_of(collection["a"]) == sectioned([in_sections(block) for block in blocks])


# Pages that are refused


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("<div>" * 10_000, "wanted elements nested at most 256 deep, found deeper nesting"),
        ("<p>" + "a" * 11_000_000, "wanted at most ten megabytes of text between two tags, found more"),
        ("<!-- nothing -->", "wanted an HTML document, found no text and no element"),
    ],
)
def test_pages_that_the_parser_would_cut_short_are_refused(page, sentence):
    with pytest.raises(MarkupError, match=sentence):
        HtmlParser().parse(page, "a.html")


def test_a_parser_still_works_after_a_refused_page():
    parser = HtmlParser()
    with pytest.raises(MarkupError):
        parser.parse("<div>" * 10_000, "a.html")
    assert parser.parse("<p>x", "b.html").tag == "html"


def test_a_page_nested_250_deep_is_read():
    with ingested({"a.html": "<div>" * 250 + "x"}) as collection:
        assert int(collection["a"].forest.depth.max()) == 252
        check_document(collection["a"])


def test_sections_may_make_a_page_too_deep(tmp_path):
    page = "<h1>a</h1><h2>b</h2><blockquote>" * 90
    (tmp_path / "a.html").write_text(page)
    report = doxel.ingest(tmp_path / "a.html", tmp_path / "c")
    assert [error.problem for error in report.refused] == ["nested too deeply"]
    assert "256 deep, including the sections opened by headings" in str(report.refused[0])
