"""Single documents: their text, their table of elements, and the way from element to element."""

import pytest

import doxel
from documents.commands import write_files
from doxel.errors import CollectionError, InputError

ARTICLE = """<article xmlns:x="urn:x"><title lang="en">On <i>doxels</i></title><body>
<p>First 😀 paragraph.</p><x:p>Another<!-- aside --> one.</x:p><empty/></body></article>"""


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path / "s", {"one.xml": ARTICLE, "two.xml": "<article>Two</article>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    return tmp_path / "c"


def test_a_document_has_a_text_and_a_table_of_elements(folder):
    document = doxel.read_collection(str(folder))["one"]
    assert (document.id, document.source) == ("one", "one.xml")
    assert document.text == "On doxels\nFirst 😀 paragraph.Another one."
    assert document.elements.select(
        "path", "tag", "start", "end", "depth", "parent", "subtree_end"
    ).rows() == [
        ("/article[1]", "article", 0, 40, 1, -1, 7),
        ("/article[1]/title[1]", "title", 0, 9, 2, 0, 3),
        ("/article[1]/title[1]/i[1]", "i", 3, 9, 3, 1, 3),
        ("/article[1]/body[1]", "body", 9, 40, 2, 0, 7),
        ("/article[1]/body[1]/p[1]", "p", 10, 28, 3, 3, 5),
        ("/article[1]/body[1]/p[2]", "p", 28, 40, 3, 3, 6),
        ("/article[1]/body[1]/empty[1]", "empty", 40, 40, 3, 3, 7),
    ]


def test_a_document_navigates_between_elements(folder):
    document = doxel.read_collection(folder)["one"]
    second = document.find("/article[1]/body[1]/p[2]")
    assert document.text_of(second) == "Another one."
    assert document.path(second) == "/article[1]/body[1]/p[2]"
    assert document.span(second) == (28, 40)
    assert document.parent(second) == 3
    assert document.ancestors(second) == [3, 0]
    assert document.children(3) == [4, 5, 6]
    assert document.parent(0) is None
    assert document.attributes(1) == {"lang": "en"}
    assert document.find("/article/body/x:p[2]") == second  # positions of 1 and prefixes may be left out


def test_finding_a_missing_element_is_an_error(folder):
    document = doxel.read_collection(folder)["one"]
    with pytest.raises(CollectionError, match=r"document 'one' has no element /article\[1\]/p\[1\]"):
        document.find("/article[1]/p[1]")
    with pytest.raises(InputError, match=r"element path: wanted .*, found 'p'"):
        document.find("p")
