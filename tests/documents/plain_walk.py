"""The elements of a document, collected by walking the tree of lxml node by node.

Slow and simple: the oracle of the arrays.  Nothing here is imported from doxel.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

__all__ = ["Walk", "local_xpath", "parse", "walk"]

_string = etree.XPath("string()")  # the concatenated text nodes below an element, by definition


@dataclass
class Walk:
    """The elements of a document in document order, one list per property."""

    nodes: list[etree._Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    namespaces: list[str | None] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ancestors: list[list[int]] = field(default_factory=list)
    siblings: list[int] = field(default_factory=list)
    subtree_ends: list[int] = field(default_factory=list)
    attributes: list[dict[str, str]] = field(default_factory=list)
    breaks: list[tuple[int, int]] = field(default_factory=list)

    @property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.nodes]
        for row, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(row)
        return children

    @property
    def label_paths(self) -> list[str]:
        chains = [[*reversed(above), row] for row, above in enumerate(self.ancestors)]
        return ["".join(f"/{self.tags[row]}" for row in chain) for chain in chains]


def parse(source: bytes) -> etree._Element:
    """Parse a document with nothing but lxml."""
    return etree.fromstring(source, etree.XMLParser(resolve_entities=True, no_network=True))


def walk(root: etree._Element) -> Walk:
    """Visit all nodes of a document."""
    elements = Walk()
    _visit(elements, root, [], 1, 0)
    return elements


def _visit(elements: Walk, node: etree._Element, above: list[int], sibling: int, position: int) -> int:
    """Add an element and its descendants; return the position after it."""
    row = len(elements.nodes)
    name = etree.QName(node)
    elements.nodes.append(node)
    elements.texts.append(str(_string(node)))
    elements.paths.append(f"{elements.paths[above[0]] if above else ''}/{name.localname}[{sibling}]")
    elements.tags.append(name.localname)
    elements.namespaces.append(name.namespace)
    elements.parents.append(above[0] if above else -1)
    elements.ancestors.append(above)
    elements.siblings.append(sibling)
    elements.subtree_ends.append(-1)
    elements.attributes.append({str(key): str(value) for key, value in node.attrib.items()})
    position += len(node.text or "")
    counts: Counter[str] = Counter()
    for child in node:
        if isinstance(child.tag, str):
            local = etree.QName(child).localname
            counts[local] += 1
            position = _visit(elements, child, [row, *above], counts[local], position)
        else:  # a comment or a processing instruction
            elements.breaks.append((row, position))
        position += len(child.tail or "")
    elements.subtree_ends[row] = len(elements.nodes)
    return position


def local_xpath(path: str) -> str:
    """Turn ``/a[1]/b[2]`` into an XPath that compares local names only."""
    steps = [step.partition("[") for step in path.strip("/").split("/")]
    return "".join(f"/*[local-name()='{name}'][{rest}" for name, _, rest in steps)
