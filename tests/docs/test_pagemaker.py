"""The pieces of the site: formulas, reStructuredText, adapted Markdown, and articles of the handbook."""

import doctest
import importlib
import pkgutil

import pagemaker
import pytest
from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from docutils.utils.math import MathError
from lxml import etree, html
from pagemaker import rst
from pagemaker.formulas import to_mathml
from pagemaker.handbook import ArticleWriter
from pagemaker.site import DOCS, adapt_markdown
from pagemaker.view_tables import PLACE, describe_members, list_views, tabulate_views

from doxel.evaluation.views.view_builders import BUILDERS
from doxel.measures.topic_arrays import TopicArrays, TopicGold, TopicResults


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(pagemaker.__path__)])
def test_examples_in_docstrings(name):
    outcome = doctest.testmod(importlib.import_module(f"pagemaker.{name}"))
    assert outcome.failed == 0


# -- formulas --


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a_i", "<msub><mi>a</mi><mi>i</mi></msub>"),
        ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        (r"\sum_{i \le r} b", "∑</mo><mrow><mi>i</mi><mo>≤</mo><mi>r</mi></mrow></munder>"),
        (r"\frac{1}{i}", "<mfrac><mn>1</mn><mi>i</mi></mfrac>"),
        (r"\text{ unseen}", "<mtext>\N{NO-BREAK SPACE}unseen</mtext>"),
        ("a - b", "<mi>a</mi><mo>−</mo><mi>b</mi>"),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("s i", '<mi>s</mi><mspace width="0.1667em"></mspace><mi>i</mi>'),
        ("nxCG", "<mi>nxCG</mi>"),
        (r"i_{run}", "<msub><mi>i</mi><mi>run</mi></msub>"),
    ],
)
def test_formula_becomes_mathml(latex, expected):
    mathml = to_mathml(latex, as_block=True)
    etree.fromstring(mathml)
    assert expected in mathml.replace("\n", "").replace("  ", "")


@pytest.mark.parametrize("latex", [r"\unknown", "{a", "a}", r"\frac{a}", "a_"])
def test_invalid_formula_is_an_error(latex):
    with pytest.raises(MathError):
        to_mathml(latex)


def test_formulas_are_on_separate_lines():
    assert to_mathml(r"a = b, \quad c = d", as_block=True).count("<math ") == 2


# -- reStructuredText --


def test_escaped_text_has_no_markup():
    text = r"a *b* `c` |d| e_ \f <script>"
    document = publish_doctree(rst.escape(text))
    assert document.astext() == text
    assert [node.tagname for node in document.findall()] == ["document", "paragraph", "#text"]


def test_table_has_a_header_a_first_column_and_a_caption():
    document = publish_doctree(rst.table(("a", "b"), [("c", "``d``"), ("e", "")], caption="f"))
    page = html.fromstring(publish_from_doctree(document, writer="html5"))
    assert page.xpath("string(//caption)").strip() == "f"
    assert [cell.text_content() for cell in page.xpath("//thead//th")] == ["a", "b"]
    assert [cell.text_content() for cell in page.xpath("//tbody//th")] == ["c", "e"]
    assert page.xpath("//tbody//span[@class='docutils literal']")


# -- Markdown --


@pytest.mark.parametrize(
    ("name", "markdown", "expected"),
    [
        ("index.md", "[a](../CHANGELOG.md)", "[a](changelog.md)"),
        ("contributing.md", "[a](docs/formats.md#runs)", "[a](formats.md#runs)"),
        ("contributing.md", "[a](CHANGELOG.md)", "[a](changelog.md)"),
        ("tutorial.md", "[a](../src/doxel/data/handbook/overlap.xml)", "[a](handbook/overlap.xml)"),
        ("decisions/a.md", "[a](../../src/doxel/measures#b)", "[a](../measures/index.rst#b)"),
        ("studies/a.md", "[a](../report.md)", "[a](../report.md)"),
        ("tutorial.md", "[a](https://www.w3.org/a.html)", "[a](https://www.w3.org/a.html)"),
        ("tutorial.md", "```text file=a.run\nb\n```", "```{code-block} text\n:caption: a.run\n\nb\n```"),
        ("sources.md", "## Source 004\n", "(source-004)=\n## Source 004\n"),
    ],
)
def test_markdown_is_adapted(name, markdown, expected):
    assert adapt_markdown(name, markdown).startswith(expected)


# -- the handbook --


def article(body):
    text = (
        "<article id='a'><head><title>T</title><summary>S</summary></head>"
        f"<body><section><title>One</title>{body}</section></body>"
        "<back><references><reference id='r'>R</reference></references></back></article>"
    )
    document = new_document("overlap", get_default_settings(Parser()))
    ArticleWriter("overlap", etree.fromstring(text), document).write()
    return document


def content(body):
    """The elements of an article's first section, without the title, as XML."""
    (section,) = (node for node in article(body).findall(nodes.section) if node["names"] == ["one"])
    tree = etree.fromstring(section.asdom().toxml())
    return "".join(etree.tostring(node, encoding="unicode") for node in tree[1:])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a &lt; b</p>", "<paragraph>a &lt; b</paragraph>"),
        ("<p>a<!-- c -->b<?d?>e</p>", "<paragraph>abe</paragraph>"),
        ("<p><cite ref='r'/></p>", 'refid="ref-r">[1]</reference>'),
        ("<p><link ref='pooling'>x</link></p>", 'refuri="pooling.html">x</reference>'),
        (
            "<list type='number'><item>x<list><item>y</item></list></item></list>",
            '<list_item><paragraph>x</paragraph><bullet_list bullet="-"><list_item><paragraph>y</paragraph>',
        ),
        ("<note>n</note>", "<note><paragraph>n</paragraph></note>"),
        ("<quote><p>q</p><source>s</source></quote>", "<attribution>s</attribution>"),
        ("<formula>e_i of char_rec</formula>", "e<subscript>i</subscript> of char_rec"),
        ("<p><em>a <code>b</code></em></p>", "<emphasis>a <literal>b</literal></emphasis>"),
        (
            "<table><row><hcell>h</hcell></row><row><cell>c</cell></row></table>",
            "<thead><row><entry><paragraph>h</paragraph></entry></row></thead>",
        ),
    ],
)
def test_article_becomes_nodes(body, expected):
    assert expected in content(body)


def test_sections_with_the_same_title_have_different_ids():
    document = article("<section><title>A</title></section><section><title>A</title></section>")
    ids = [name for section in document.findall(nodes.section) for name in section["ids"]]
    assert len(ids) == len(set(ids)) == 5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<p><link ref='nowhere'/></p>", "no article 'nowhere'"),
        ("<p><cite ref='nobody'/></p>", "no reference 'nobody'"),
        ("<picture/>", "<picture> is not supported here"),
        ("<p><blink>x</blink></p>", "<blink> is not supported here"),
    ],
)
def test_unsupported_markup_is_an_error(body, message):
    with pytest.raises(ValueError, match=message):
        article(body)


# -- the tables of views --


@pytest.mark.parametrize("view", [*list_views(), TopicGold, TopicResults], ids=lambda view: view.__name__)
def test_every_field_of_a_view_is_explained_in_its_docstring(view):
    members = list(describe_members(view))
    assert members
    assert [name for name, _, meaning in members if not meaning] == []


def test_every_view_has_its_table_on_the_page_of_own_measures():
    page = adapt_markdown("own-measures.md", f"# Title\n\n{PLACE}\n")
    assert PLACE not in page
    for view in BUILDERS:
        assert view is TopicArrays or f"\n#### `{view.__name__}`\n" in page
    assert "| `found` | topics x ranks | relevant characters seen so far, each counted once |" in page
    assert tabulate_views() in page
    assert PLACE in (DOCS / "own-measures.md").read_text("utf-8")
