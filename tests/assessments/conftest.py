"""A small collection for assessments."""

import pytest

from doxel.documents.collection import read_collection
from doxel.documents.ingestion import ingest

# The text of document a is "One 😀two three": "One " from 0, "😀two" from 4, " three" from 8 to 14.
SOURCES = {
    "tc/2001/a.xml": "<article><p>One <!-- not text --><b>\U0001f600two</b><?no text?> three</p></article>",
    "tc/2002/b.xml": "<article><p>same words, </p><p>same words</p></article>",
    "tc/2003/c.xml": "<x:article xmlns:x='urn:x'>\n  <x:p>first</x:p>\n  <x:p>second</x:p>\n</x:article>",
}


@pytest.fixture(scope="session")
def collection(tmp_path_factory):
    """Three articles: with an emoji and a comment, with repeated words, and with a namespace."""
    folder = tmp_path_factory.mktemp("sources")
    for name, text in SOURCES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    ingest([str(folder)], str(folder / "articles.doxel"))
    return read_collection(folder / "articles.doxel")
