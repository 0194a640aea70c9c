"""The papers of the project: they agree with the code and with each other."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pagemaker import handbook
from pagemaker.site import DOCS, ROOT, sources

import doxel

PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sources().values()]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def links(page):
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")):
        for child in token.children or ():
            if child.type in {"link_open", "image"}:
                yield str(child.attrs.get("href") or child.attrs.get("src"))
        if token.type == "html_block":
            yield from re.findall(r'(?:src|srcset)="([^"]+)"', token.content)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_sources_are_not_dead(page):
    for link in links(page):
        target = link.partition("#")[0]
        if target and "://" not in target:
            assert (page.parent / target).exists(), f"{name_of(page)}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_name_nothing_of_the_machine(page):
    text = page.read_text("utf-8")
    assert not re.search(r"(?<![\w.\[\]])/(work|home|root|tmp|usr)/", text)


def test_the_citation_names_this_version_and_licence():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == doxel.__version__
    assert "license: Apache-2.0" in citation
    assert "name: The doxel authors" in citation
    assert re.search(r'^title: "doxel', citation, re.MULTILINE)


def test_the_changelog_has_a_section_for_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(doxel.__version__)}\]", changelog, re.MULTILINE)
    kinds = re.findall(r"^### (\w+)$", changelog, re.MULTILINE)
    assert kinds
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/index.md"])
def test_the_number_of_articles_is_right(page):
    assert f"{len(handbook.sources())} articles" in " ".join((ROOT / page).read_text("utf-8").split())


def test_every_decision_is_listed_and_answers_the_same_questions():
    index = (DOCS / "decisions" / "index.md").read_text("utf-8")
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    assert [Path(link).name for link in re.findall(r"\]\((.+?\.md)\)", index)] == [
        page.name for page in pages
    ]
    for number, page in enumerate(pages, 1):
        text = page.read_text("utf-8")
        assert text.startswith(f"# {number}. ")
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert headings == ["Question", "Decision", "Alternatives", "Consequences"]


def test_the_glossary_is_in_order_and_has_the_words_of_the_house():
    entries = re.findall(r"^- \*\*(.+?)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert entries == sorted(entries, key=str.lower)
    words = (
        "topic run result document element passage span highlight assessment grade gain measure score rank"
    )
    assert {*words.split(), "cutoff", "recall base", "BEP"} <= set(entries)


def test_the_files_that_decisions_name_are_there():
    for page in (DOCS / "decisions").glob("0*.md"):
        for name in re.findall(
            r"`((?:documents|measures|evaluation|assessments)/[\w/]*\.py|\w+\.py)`", page.read_text("utf-8")
        ):
            assert list((ROOT / "src" / "doxel").rglob(name)), f"{page.name}: {name}"
