"""Pages as they are read without scripts."""

from lxml import etree

__all__ = ["tree", "words"]


def tree(answer):
    """Return the tree of a page."""
    assert answer.status_code == 200, answer.text
    return etree.HTML(answer.text)


def words(answer):
    """Return the text of the main part of a page."""
    return " ".join("".join(tree(answer).find(".//main").itertext()).split())
