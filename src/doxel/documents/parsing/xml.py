"""XML documents: their text and nodes, by the rule ``xml-text-nodes``.

A document's text is the concatenation of its text nodes in document order, not normalised; comments and
processing instructions are left out, CDATA and entities are resolved.  An element is the span of the text
nodes inside it.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from lxml import etree

from doxel.documents.parsing.node_columns import NodeColumns, SourceKind, SourceReader
from doxel.markup import Declarations, XmlParser

__all__ = ["XML", "add_nodes", "extract_text"]


def extract_text(root: etree._Element) -> bytes:
    """Return the text of a document, as UTF-8.

    >>> extract_text(etree.fromstring("<a>one<!-- no --><b>two</b><?no?>, <![CDATA[<three>]]></a>"))
    b'onetwo, <three>'
    """
    return etree.tostring(root, method="text", encoding="utf-8", with_tail=False)


def add_nodes(columns: NodeColumns, root: etree._Element) -> None:
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


def _open_reader(declared: Declarations) -> SourceReader:
    parser = XmlParser(declared)

    def read(columns: NodeColumns, data: bytes, name: str) -> bytes:
        root = parser.parse(data, name)
        add_nodes(columns, root)
        return extract_text(root)

    return read


XML = SourceKind(
    "xml",
    rule="xml-text-nodes",
    suffixes=(".xml", ".nxml", ".jats", ".tei", ".dbk", ".docbook", ".page", ".xhtml"),
    open=_open_reader,
    in_lines=False,  # XML declares encodings and entities per file
)
