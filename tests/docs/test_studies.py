"""The pages of studies show the findings of the studies."""

import re

import pytest
from pagemaker import studies
from pagemaker.studies import STUDIES_FOLDER

from doxel.studies import STUDIES

STALE = "is stale: run 'make docs', and look at what has changed"


@pytest.mark.integration
def test_the_pages_are_not_stale(ask):
    pages = studies.demo_pages(pictures=False, results={study.name: ask(study.name) for study in STUDIES})
    assert set(pages) == {"index.md", *(f"{study.name}.md" for study in STUDIES)}
    for name, content in pages.items():
        assert (STUDIES_FOLDER / name).read_text("utf-8") == content, f"{name} {STALE}"


def test_every_picture_is_there():
    for page in STUDIES_FOLDER.glob("*.md"):
        pictures = re.findall(r"!\[.*?\]\(([^)]+)\)", page.read_text("utf-8"))
        assert [picture for picture in pictures if not (STUDIES_FOLDER / picture).is_file()] == [], page.name
    listed = {
        picture
        for page in STUDIES_FOLDER.glob("*.md")
        for picture in re.findall(r"\(([^)]+\.png)\)", page.read_text("utf-8"))
    }
    assert {path.name for path in STUDIES_FOLDER.glob("*.png")} == listed


@pytest.mark.integration
def test_the_page_about_real_articles_is_not_stale(shared_data):
    pages = studies.real_page(shared_data / "plos-jats")
    name = "real-articles.md"
    assert (STUDIES_FOLDER / name).read_text("utf-8") == pages[name], f"{name} {STALE}"


def test_remarks_hold_no_figures_that_could_drift():
    for path in (STUDIES_FOLDER.parent / "pagemaker" / "remarks").glob("*.md"):
        if path.stem in {study.name for study in STUDIES}:
            years = r"(19|20)\d\d"
            assert not re.search(r"\d", re.sub(years, "", path.read_text("utf-8"))), path.name
