"""What the elements of a document are, found by walking the tree of lxml node by node.

Slow and plain: the oracle of the arrays.  Nothing here comes from doxel.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

__all__ = ["Walk", "local_xpath", "parse", "walk"]

_string = etree.XPath("string()")  # the concatenated text nodes below an element, by definition


@dataclass
class Walk:
    """The elements of a document in document order, one list a property."""

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
        found: list[list[int]] = [[] for _ in self.nodes]
        for row, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(row)
        return found

    @property
    def label_paths(self) -> list[str]:
        chains = [[*reversed(above), row] for row, above in enumerate(self.ancestors)]
        return ["".join(f"/{self.tags[row]}" for row in chain) for chain in chains]


def parse(source: bytes) -> etree._Element:
    """Parse a document with nothing but lxml."""
    return etree.fromstring(source, etree.XMLParser(resolve_entities=True, no_network=True))


def walk(root: etree._Element) -> Walk:
    """Visit all nodes of a document."""
    found = Walk()
    _visit(found, root, [], 1, 0)
    return found


def _visit(found: Walk, node: etree._Element, above: list[int], sibling: int, position: int) -> int:
    """Note an element and all below it; return the position after it."""
    row = len(found.nodes)
    name = etree.QName(node)
    found.nodes.append(node)
    found.texts.append(str(_string(node)))
    found.paths.append(f"{found.paths[above[0]] if above else ''}/{name.localname}[{sibling}]")
    found.tags.append(name.localname)
    found.namespaces.append(name.namespace)
    found.parents.append(above[0] if above else -1)
    found.ancestors.append(above)
    found.siblings.append(sibling)
    found.subtree_ends.append(-1)
    found.attributes.append({str(key): str(value) for key, value in node.attrib.items()})
    position += len(node.text or "")
    seen: Counter[str] = Counter()
    for child in node:
        if isinstance(child.tag, str):
            local = etree.QName(child).localname
            seen[local] += 1
            position = _visit(found, child, [row, *above], seen[local], position)
        else:  # a comment or a processing instruction
            found.breaks.append((row, position))
        position += len(child.tail or "")
    found.subtree_ends[row] = len(found.nodes)
    return position


def local_xpath(path: str) -> str:
    """Turn ``/a[1]/b[2]`` into an XPath that compares local names only."""
    steps = [step.partition("[") for step in path.strip("/").split("/")]
    return "".join(f"/*[local-name()='{name}'][{rest}" for name, _, rest in steps)
