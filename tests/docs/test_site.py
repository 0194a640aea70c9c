"""The built site: no dead links, no foreign hosts, and the content of declarations and handbook."""

import re
from collections import Counter
from urllib.parse import quote_plus

import picture_judging
import pytest
from lxml import etree, html
from pagemaker import handbook, measures
from pagemaker.site import DOCS, sources

import doxel
import doxel.errors
from doxel.assess.judging_events import EVENT_KINDS
from doxel.assess.web.routes.site_routes import OLD_ADDRESS_ENDPOINTS
from doxel.assess.web.server import ENDPOINTS
from doxel.measures import MEASURES
from doxel.measures.measure_parameters import DEPENDS, show_value

pytestmark = pytest.mark.integration  # building the site takes a minute

HANDBOOK = {slug: etree.fromstring(xml) for slug, xml in handbook.sources().items()}
BY_SPHINX = {"genindex.html", "py-modindex.html", "search.html"}
EMBEDDED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "object": "data", "embed": "src"}


@pytest.fixture(scope="session")
def pages(site):
    """The pages as trees, by path."""
    return {
        path.relative_to(site).as_posix(): html.fromstring(path.read_bytes())
        for path in sorted(site.rglob("*.html"))
    }


def words(tree):
    return " ".join(tree.text_content().replace("¶", "").split())


def main(tree):
    (article,) = tree.xpath("//article[@role='main']")
    return article


def main_links(tree):
    return [
        str(href) for article in tree.xpath("//article[@role='main']") for href in article.xpath(".//a/@href")
    ]


def written(pages):
    """The pages that have a source."""
    return {path: tree for path, tree in pages.items() if path not in BY_SPHINX}


def test_every_source_is_in_the_site(pages):
    expected = {f"{name.removesuffix('.md')}.html" for name in sources()}
    expected |= {f"handbook/{slug}.html" for slug in HANDBOOK} | {"handbook/index.html"}
    expected |= {f"measures/{family.page}.html" for family in measures.families()}
    expected |= {"measures/index.html", "measures/sets.html", "api/index.html", "api/errors.html"}
    assert expected <= set(written(pages))


def test_every_page_has_one_title_and_one_first_heading(pages):
    for path, tree in written(pages).items():
        assert words(tree.find(".//title")), path
        assert len(list(main(tree).iter("h1"))) == 1, path


def test_ids_are_unique(pages):
    for path, tree in written(pages).items():
        # the theme puts the id of a table on the box around it as well
        counts = Counter(main(tree).xpath(".//*[not(contains(@class, 'table-wrapper'))]/@id"))
        assert [name for name, count in counts.items() if count > 1] == [], path


def test_no_link_is_dead(site, pages):
    ids = {path: {*tree.xpath("//@id"), *tree.xpath("//a/@name")} for path, tree in pages.items()}
    dead = []
    for path, tree in pages.items():
        for href in main_links(tree):
            target, _, fragment = href.partition("#")
            if "://" in target:
                continue
            file = (site / path).parent.joinpath(target).resolve() if target else (site / path).resolve()
            targets = ids.get(file.relative_to(site.resolve()).as_posix(), set())
            if not file.is_file() or (fragment and fragment not in targets):
                dead.append(f"{path}: {href}")
    assert dead == []


def test_external_links_are_few_and_safe(pages):
    links = {href for tree in pages.values() for href in main_links(tree) if "://" in href}
    other_tools = {
        "distributed.dask.org",
        "www.dask.org",
        "jobqueue.dask.org",
        "kubernetes.dask.org",
        "github.com",
        "ir-measur.es",
        "ir-datasets.com",
        "amenra.github.io",
        "developers.llamaindex.ai",
        "docs.ragas.io",
    }
    hosts = {link.split("/")[2] for link in links}
    assert hosts <= {"www.w3.org", "inria.hal.science", "keepachangelog.com", "semver.org"} | other_tools
    assert all(link.startswith("https://") for link in links)


def test_pages_load_nothing_from_other_hosts(site, pages):
    for path, tree in pages.items():
        for tag, attribute in EMBEDDED.items():
            for value in tree.xpath(f"//{tag}/@{attribute}"):
                file = (site / path).parent / value.partition("?")[0]
                assert value.startswith(("data:", "#")) or file.exists(), f"{path}: {value}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", style.read_text("utf-8")), (
            style.name
        )


def test_formulas_are_mathml(pages):
    for family in measures.families():
        formulas = pages[f"measures/{family.page}.html"].xpath("//div[@class='formula']")
        assert len(formulas) == family.docstring.count(".. math::")
        assert all(formula.xpath("*[local-name()='math']") for formula in formulas)


def test_search_index_covers_the_generated_pages(site):
    index = (site / "searchindex.js").read_text("utf-8")
    for page in ("handbook/overlap", "measures/xcg", "api/evaluation", "tutorial"):
        assert f'"{page}"' in index


# -- measures --


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.declaration.name)
def test_every_measure_has_its_section(measure, pages):
    declared = measure.declaration
    family = next(family for family in measures.families() if measure in family.measures)
    tree = main(pages[f"measures/{family.page}.html"])
    (heading,) = [node for node in tree.iter("h2") if re.split(r"[@\[]", words(node))[0] == declared.name]
    assert declared.summary[1:] in words(tree)
    for parameter in declared.parameters.values():
        (row,) = tree.xpath(
            "//table[normalize-space(thead/tr/th[1])='parameter']/tbody/tr[normalize-space(th)=$name]",
            name=parameter.name,
        )
        default = str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)
        assert [words(cell) for cell in row][1:3] == [str(parameter.kind), default]
    (href,) = pages["measures/index.html"].xpath(
        "//article//a[starts-with(@href, $page) and normalize-space()=$name]/@href",
        page=f"{family.page}.html#",
        name=words(heading),
    )
    assert href.partition("#")[2] in heading.getparent().xpath("@id | span/@id")


@pytest.mark.parametrize("family", measures.families(), ids=lambda family: family.name)
def test_every_family_has_the_text_of_its_module(family, pages):
    page = re.sub(r"\W+", " ", words(main(pages[f"measures/{family.page}.html"])))
    for sentence in ("Rewards:", "When it misleads:", "Neighbours:"):
        _, separator, rest = family.docstring.partition(f"\n{sentence}")
        if separator:
            assert (
                " ".join(re.sub(r"\W+", " ", rest.partition("\n\n")[0].replace("``", "")).split())[:60]
                in page
            )


@pytest.mark.parametrize("family", measures.families(), ids=lambda family: family.name)
def test_every_family_has_a_worked_example_and_the_demo(family, pages):
    examples = pages[f"measures/{family.page}.html"].xpath("//section[@id='worked-example']/section")
    assert len(examples) == 2
    for example in examples:
        (table,) = score_tables(example)
        scores = [words(cell) for cell in table.iterfind("tbody/tr/td")]
        assert any(re.match(r"\d+\.\d{4}", score) for score in scores)


def score_tables(example):
    return example.xpath(".//table[normalize-space(thead/tr/th[1])='run']")


# Worked out in exact fractions for tree A: run p4 S2 p1, Focused, alpha 1 (Kazai and Lalmas 2006 for the
# definitions); and for inex_eval_ng with grades, where half of S2 was seen: (150 + 225) / (300 + 300).
@pytest.mark.parametrize(
    ("path", "measure", "score"),
    [
        ("measures/xcg.html", "nxCG@1", "0.5000 = 1/2"),
        ("measures/xcg.html", "nxCG@2", "0.4286 = 3/7"),
        ("measures/xcg.html", "nxCG@3", "1.0000"),
        ("measures/effort-precision.html", "MAep", "0.5139 = 37/72"),
        ("measures/hixeval.html", "HiXEval_P@2", "0.5000 = 1/2"),
        ("measures/hixeval.html", "HiXEval_R@2", "0.6923 = 9/13"),
        ("measures/inex-eval-ng.html", "inex_eval_ng_P@2", "0.6250 = 5/8"),
        ("measures/result-overlap.html", "overlap@2", "1.0000"),
    ],
)
def test_the_worked_example_is_right(path, measure, score, pages):
    (table,) = score_tables(pages[path].xpath("//section[@id='worked-example']/section")[0])
    column = [words(cell) for cell in table.iterfind("thead/tr/th")].index(measure)
    (row,) = table.xpath("tbody/tr[normalize-space(th)='nested']")
    assert words(row[column]) == score


def test_requirements_are_described(pages):
    facts = words(pages["measures/generalised-precision.html"])
    assert 'grouped articles and no overlap; with score="bep" one result per document' in facts


# -- the handbook --


def test_every_article_has_a_page_and_a_place_in_the_contents(pages):
    contents = main(pages["handbook/index.html"])
    assert [words(heading) for heading in contents.iter("h2")] == ["Foundations", "Measures", "Practice"]
    assert contents.xpath(".//dt/a/@href") == [f"{slug}.html" for slug in HANDBOOK]
    for slug, root in HANDBOOK.items():
        assert words(main(pages[f"handbook/{slug}.html"]).find(".//h1")) == handbook.plain_text(
            root.find("head/title")
        )


def all_words(node):
    """Every word of the text nodes of an element, with its count; an index is a word of its own."""
    return Counter(re.findall(r"[^\W_]+", " ".join(node.xpath(".//text()"))))


@pytest.mark.parametrize("slug", HANDBOOK)
def test_no_word_of_an_article_is_lost(slug, pages):
    assert all_words(HANDBOOK[slug]) - all_words(main(pages[f"handbook/{slug}.html"])) == Counter()


def test_an_article_keeps_its_structure(pages):
    root = HANDBOOK["overlap"]
    article = main(pages["handbook/overlap.html"])

    def count(*tags):
        return len(list(root.iter(*tags)))

    assert len(article.xpath(".//div[contains(@class, 'example')]")) == count("example") == 1
    assert len(list(article.iter("table"))) == count("table")
    assert len(article.xpath(".//p[@class='formula']")) == count("formula")
    assert len(article.xpath(".//section[@id='references']/ol/li")) == count("reference")
    assert len(article.xpath(".//div[contains(@class, 'note')]")) == count("note")
    assert len(list(article.iter("h2", "h3", "h4"))) == count("section") + 1  # and the references
    assert len(article.xpath(".//a[contains(@class, 'internal')]")) == count("link", "cite")


# -- the Python reference --


@pytest.mark.parametrize("name", [name for name in doxel.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented(name, pages):
    target = f"doxel.errors.{name}" if name in doxel.errors.__all__ else f"doxel.{name}"
    (page,) = [
        tree
        for path, tree in pages.items()
        if path.startswith("api/") and tree.xpath("//dt[@id=$id]", id=target)
    ]
    first_line = (getattr(doxel, name).__doc__ or "").strip().partition("\n")[0].replace("``", "")
    assert re.sub(r"\W", "", first_line)[:40] in re.sub(r"\W", "", words(main(page)))
    assert pages["api/index.html"].xpath("//article//a[contains(@href, $id)]", id=f"#{target}")


@pytest.mark.parametrize("name", doxel.errors.__all__)
def test_every_error_is_documented(name, pages):
    assert pages["api/errors.html"].xpath("//dt[@id=$id]", id=f"doxel.errors.{name}")


def test_every_declared_table_is_documented(pages):
    documented = {
        words(node) for path, tree in pages.items() if path.startswith("api/") for node in tree.iter("h2")
    }
    assert {
        f"Table: {name}" for name in ("topics", "results of a run", "scores", "recall base")
    } <= documented


@pytest.mark.parametrize("internal", [" at 0x", "<factory>"])
def test_no_page_shows_an_internal_value(internal, pages):
    assert not [path for path, tree in pages.items() if internal in words(tree)]


def test_every_kind_of_event_and_every_field_of_its_body_is_in_the_table(pages):
    (table,) = main(pages["assess.html"]).xpath(".//table[.//th[normalize-space()='kind']]")
    rows = [[words(cell) for cell in row.iterfind("td")] for row in table.iterfind("tbody/tr")]
    assert [kind for kind, _, _ in rows] == list(EVENT_KINDS)
    for name, body, effect in rows:
        kind = EVENT_KINDS[name]
        assert effect == kind.about
        for field in kind.body:
            label = f"{field.name}, optional" if field.is_optional else field.name
            assert f"{label}: {field.wanted}" in body


def test_every_page_of_the_assessment_site_has_a_picture():
    paths = [path.partition("?")[0] for _, path in picture_judging._PAGES.values()]
    # pages that need a token or a document, or an empty server; the last one redirects
    paths += ["/set-up/x", "/invitations/x", "/assignments/1/documents/x", "/organiser/campaign"]
    paths += ["/assignments/1/continue"]
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and not endpoint.is_api and endpoint not in OLD_ADDRESS_ENDPOINTS:
            pattern = re.sub(r"\{[^}]+\}", "[^ ]+", endpoint.path)
            is_file = endpoint.path.startswith("/static/")
            assert is_file or any(re.fullmatch(pattern, path) for path in paths), endpoint.path


def test_the_pictures_of_the_site_are_shown_and_small():
    page = (DOCS / "assess-pages.md").read_text(encoding="utf-8")
    files = {path.name: path.stat().st_size for path in (DOCS / "pictures" / "site").glob("*.png")}
    assert set(re.findall(r"\]\(pictures/site/([^)]+)\)", page)) == set(files)
    assert {f"{name}.png" for name in picture_judging._PAGES} <= set(files)
    assert sum(files.values()) < 1_500_000


@pytest.mark.parametrize("query", ["recall@5", "mrr", "context recall", "hit rate"])
def test_a_search_for_a_name_of_other_tools_shows_its_words_first(query, site, chromium):
    page = chromium.new_page()
    try:
        # the search loads the pages that it found, which a browser forbids to pages from files
        page.route(
            "http://docs.test/**",
            lambda route: route.fulfill(path=site / route.request.url.split("/", 3)[3].partition("?")[0]),
        )
        page.goto(f"http://docs.test/search.html?q={quote_plus(query)}")
        page.get_by_text("Search finished, found").wait_for()
        titles = page.locator("#search-results li > a").all_text_contents()
        assert titles[0].startswith("Words: INEX and RAG")
        excerpt = page.locator("#search-results li").first.locator("p.context").text_content()
        assert excerpt.lower().startswith(query)
    finally:
        page.close()
