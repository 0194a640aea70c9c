"""XML documents: their text and nodes, by the rule ``xml-text-nodes``.

A document's text is the concatenation of its text nodes in document order, not normalised; comments and
processing instructions are left out, CDATA and entities are resolved.  An element is the span of the text
nodes inside it.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from lxml import etree

from doxel.documents.columns import NodeColumns
from doxel.documents.declare import Kind, Reader
from doxel.markup import Declarations, XmlParser

__all__ = ["XML", "add_document", "text_of"]


def text_of(root: etree._Element) -> bytes:
    """Return the text of a document, as UTF-8.

    >>> text_of(etree.fromstring("<a>one<!-- no --><b>two</b><?no?>, <![CDATA[<three>]]></a>"))
    b'onetwo, <three>'
    """
    return etree.tostring(root, method="text", encoding="utf-8", with_tail=False)


def add_document(columns: NodeColumns, root: etree._Element) -> None:
    """Append the nodes of a document to ``columns``."""
    nodes: list[Any] = list(root.iter())
    first = columns.begin()
    columns.tag.extend(map(columns.tags.__getitem__, map(attrgetter("tag"), nodes)))
    columns.child_count.extend(map(len, nodes))
    columns.text_size.extend([len(node.text or "") for node in nodes])
    columns.tail_size.extend([len(node.tail or "") for node in nodes])
    owners, names, values = columns.attribute_node, columns.attribute_name, columns.attribute_value
    numbers = columns.attribute_names
    for number, node in enumerate(nodes, first):
        for name, value in node.items():
            owners.append(number)
            names.append(numbers[name])
            values.append(value)


def _open(declared: Declarations) -> Reader:
    parser = XmlParser(declared)

    def read(columns: NodeColumns, data: bytes, name: str) -> bytes:
        root = parser.parse(data, name)
        add_document(columns, root)
        return text_of(root)

    return read


XML = Kind(
    "xml",
    rule="xml-text-nodes",
    suffixes=(".xml", ".nxml", ".jats", ".tei", ".dbk", ".docbook", ".page", ".xhtml"),
    open=_open,
    in_lines=False,  # XML declares encodings and entities per file
)
