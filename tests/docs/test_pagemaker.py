"""What makes the pages: formulas, docstrings, fences, escaping."""

import doctest
import importlib
import pkgutil

import pagemaker
import pytest
from lxml import etree
from pagemaker import docstrings, escaping, mathml
from pagemaker.handbook import Article, _Writer
from pagemaker.markdown import render
from pagemaker.template import Page, whole_page


@pytest.mark.parametrize("name", [one.name for one in pkgutil.iter_modules(pagemaker.__path__)])
def test_examples_in_docstrings(name):
    outcome = doctest.testmod(importlib.import_module(f"pagemaker.{name}"))
    assert outcome.failed == 0


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a_i", "<msub><mi>a</mi><mi>i</mi></msub>"),
        ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        (r"\sum_{i \le r} b", "<munder><mo>∑</mo><mrow><mi>i</mi><mo>≤</mo><mi>r</mi></mrow></munder>"),
        (r"\frac{1}{i}", "<mfrac><mn>1</mn><mi>i</mi></mfrac>"),
        (r"\text{ unseen}", "<mtext>\N{NO-BREAK SPACE}unseen</mtext>"),
        ("a - b", "<mi>a</mi><mo>−</mo><mi>b</mi>"),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("s i", '<mi>s</mi><mspace width="0.2em"/><mi>i</mi>'),
    ],
)
def test_a_formula_becomes_mathml(latex, expected):
    found = mathml.block(latex)
    etree.fromstring(found)
    assert expected in found


@pytest.mark.parametrize("latex", [r"\unknown", "{a", "a}", r"\frac{a}", r"\text a", "a_"])
def test_a_formula_that_is_not_understood_is_an_error(latex):
    with pytest.raises(ValueError, match=r"in |of "):
        mathml.block(latex)


def test_formulas_stand_on_lines_of_their_own():
    assert mathml.block(r"a = b, \quad c = d").count("<math ") == 2


def test_docstrings_are_escaped():
    assert "<script>" not in docstrings.render("a <script> ``<b>``")
    assert docstrings.inline("``<b>``") == "<code>&lt;b&gt;</code>"


def test_sections_of_a_docstring():
    found = docstrings.render(
        "First.\n\nParameters\n----------\none\n    The first.\ntwo\n    The second,\n    long.\n"
    )
    assert "<dt><code>two</code></dt><dd>The second, long.</dd>" in found


def test_a_literal_block():
    assert "<pre><code>a &lt; b\n  c</code></pre>" in docstrings.render(
        "So::\n\n    a < b\n      c\n\nAfter."
    )
    assert "<p>After.</p>" in docstrings.render("So::\n\n    a < b\n      c\n\nAfter.")


def test_markdown_does_not_let_html_through(tmp_path):
    assert "<script>" not in render("# A\n\n<script>x</script>\n", folder=tmp_path).body


def test_headings_of_the_same_words_have_anchors_of_their_own(tmp_path):
    found = render("# A\n\n## B\n\n## B\n", folder=tmp_path)
    assert [one.anchor for one in found.headings] == ["b", "b-1"]


def test_a_title_is_escaped():
    assert "<title>a &lt; b · doxel</title>" in whole_page(Page("x.html", "a < b", ""), version="0")


def test_attributes_are_escaped():
    assert escaping.element("a", "x", href='"><script>') == '<a href="&quot;&gt;&lt;script&gt;">x</a>'


def article(body):
    text = (
        "<article id='a'><head><title>T</title><summary>S</summary></head>"
        f"<body><section><title>One</title>{body}</section></body>"
        "<back><references><reference id='r'>R</reference></references></back></article>"
    )
    return Article("a", etree.fromstring(text))


def written(body):
    one = article(body)
    return _Writer(one, {"a": one}).body()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a &lt; b</p>", "<p>a &lt; b</p>"),
        ("<p>a<!-- c -->b<?d?>e</p>", "<p>abe</p>"),
        ("<p><cite ref='r'/></p>", '<a href="#ref-r">[1]</a>'),
        ("<p><link ref='a'/></p>", '<a href="a.html">T</a>'),
        (
            "<list type='number'><item>x<list><item>y</item></list></item></list>",
            "<ol><li>x<ul><li>y</li></ul></li></ol>",
        ),
        ("<note>n</note>", '<aside class="note"><p>n</p></aside>'),
        ("<quote><p>q</p><source>s</source></quote>", "<footer>s</footer>"),
        ("<formula>e_i of char_rec</formula>", "e<sub>i</sub> of char_rec"),
        (
            "<table><row><hcell>h</hcell></row><row><cell>c</cell></row></table>",
            '<thead><tr><th scope="col">h</th></tr></thead>',
        ),
    ],
)
def test_an_article_is_written(body, expected):
    assert expected in written(body)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<p><link ref='nowhere'/></p>", "no article 'nowhere'"),
        ("<p><cite ref='nobody'/></p>", "no reference 'nobody'"),
        ("<picture/>", "no way to show <picture>"),
        ("<p><blink>x</blink></p>", "no way to show <blink>"),
    ],
)
def test_what_cannot_be_shown_is_an_error(body, problem):
    with pytest.raises(ValueError, match=problem):
        written(body)
