"""Random trees with few tag names, so that queries and exclusions match some of their elements."""

from __future__ import annotations

from random import Random

from lxml import etree

__all__ = ["TAGS", "random_tree"]

TAGS = ("a", "b", "c", "d")


def random_tree(chance: Random, depth: int = 0) -> etree._Element:
    """Return a tree of at most six levels; some elements have attributes, some leaves have a text."""
    node = etree.Element(chance.choice(TAGS))
    if chance.random() < 0.2:
        node.set(chance.choice("nm"), str(chance.randrange(4)))
    if depth < 5:
        for _ in range(chance.choice((0, 0, 1, 2, 3))):
            child = random_tree(chance, depth + 1)
            child.tail = chance.choice(("", "", "x"))
            node.append(child)
    if not len(node):
        node.text = chance.choice(("", "1", " 2 ", "3", "x"))
    return node
