"""Topics in the XML formats of INEX campaigns.

============  ====================================================================================
``inex2003``  ``inex_topic`` (topic_id, query_type, ct_no) with title, description, narrative,
              keywords; the title of a CAS topic is its query
``inex2005``  the same with castitle, parent, ontopic_keywords, mmtitle; query_type CO+S or CAS, or
              none from 2006
``inex2009``  ``inex-topic-file`` with many ``topic`` (id, ct_no): title, castitle, phrasetitle,
              description, narrative
============  ====================================================================================

Until 2008 there is one file per topic, but files with many ``inex_topic`` also occur: the root can be
anything, even an assessment file that quotes its topic.  Text is kept except for the white space around
it; fields that no campaign declared are kept in ``about``.

Some files redeclare the entities lt, gt and amp as words in their internal DTD.  XML fixes their meaning
and the parser follows it, so ``<`` and ``>`` in a query remain operators.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from lxml import etree

from doxel.errors import InputError
from doxel.files.formats import Format
from doxel.markup import XmlParser
from doxel.topics.topics import TOPICS, Topic, Topics

__all__ = ["FORMATS"]

_HELD: dict[str, tuple[str, ...]] = {
    "inex2003": ("title", "description", "narrative", "keywords"),
    "inex2005": (
        *("title", "castitle", "phrasetitle", "mmtitle", "parent", "description", "narrative"),
        *("keywords", "ontopic_keywords"),
    ),
    "inex2009": ("title", "castitle", "phrasetitle", "description", "narrative"),
}
_ATTRIBUTES = {
    "inex2003": {"topic_id": "id", "query_type": "kind", "ct_no": "ct_no"},
    "inex2005": {"topic_id": "id", "query_type": "kind", "ct_no": "ct_no"},
    "inex2009": {"id": "id", "ct_no": "ct_no"},
}
_SPELLINGS = {"topic_id": "id", "topic-id": "id", "query_type": "kind", "query-type": "kind"}
_COLUMNS = {"id", "kind", "ct_no", *_HELD["inex2005"]}
_LATER = re.compile(rb"<(castitle|ontopic_keywords|mmtitle|parent|phrasetitle)[\s>/]|query_type\s*=\s*.CO\+S")


def _is_2009(head: bytes) -> bool:
    return b"<inex-topic-file" in head.replace(b"\0", b"")


def _is_2005(head: bytes) -> bool:
    plain = head.replace(b"\0", b"")
    return b"<inex_topic" in plain and (_LATER.search(plain) is not None or b"query_type" not in plain)


def _is_2003(head: bytes) -> bool:
    return b"<inex_topic" in head.replace(b"\0", b"")


def _read(data: bytes, name: str, *, format_name: str) -> Topics:
    root: Any = XmlParser().parse(data, name)
    tag = "topic" if format_name == "inex2009" else "inex_topic"
    nodes = list(root.iter(tag))
    others = [] if root.tag in {tag, "assessments"} else list(root.iterchildren(etree.Element))
    stray = next((node for node in others if node.tag != tag), None if nodes else root)
    if stray is not None:
        # in a file without topics the root may be correct: the error must not blame it
        is_empty = not (others or nodes)
        problem, found = ("a file without topics", "none") if is_empty else ("topics", f"<{stray.tag}>")
        raise InputError(problem, file=name, line=stray.sourceline, wanted=f"<{tag}>", found=found)
    return Topics(TOPICS.from_rows(_row(node, name) for node in nodes), format=format_name)


def _row(node: Any, name: str) -> dict[str, object]:
    children = list(node.iterchildren(etree.Element))
    fields = [(_SPELLINGS.get(key, key), value.strip()) for key, value in node.items()]
    fields += [(child.tag, "".join(child.itertext()).strip()) for child in children]
    counts = Counter(key for key, _ in fields)
    repeated = next((key for key, count in counts.items() if count > 1), None)
    if repeated is not None:  # keeping one of them would hide the others
        problem = f"the field {repeated!r} of a topic"
        raise InputError(problem, file=name, line=node.sourceline, wanted="one", found=f"{counts[repeated]}")
    row: dict[str, object] = {key: text or None for key, text in fields if key in _COLUMNS}
    if row.get("id") is None:
        found = f"<{node.tag}> with {', '.join(node.keys()) or 'no attributes'}"
        raise InputError("a topic", file=name, line=node.sourceline, wanted="an id (topic_id)", found=found)
    about = {key: text for key, text in fields if key not in _COLUMNS}
    about_text = json.dumps(about, ensure_ascii=False) if about else None
    return {**row, "about": about_text, "file": name, "line": node.sourceline}


def _write(topics: Topics, *, format_name: str) -> bytes:
    nodes = [_node(topic, format_name) for topic in topics]
    if format_name != "inex2009" and len(nodes) == 1:
        root = nodes[0]
    else:
        root = etree.Element("inex-topic-file" if format_name == "inex2009" else "inex_topics")
        root.extend(nodes)
    etree.indent(root, space="  ")
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _node(topic: Topic, format_name: str) -> etree._Element:
    node = etree.Element("topic" if format_name == "inex2009" else "inex_topic")
    try:
        for attribute, column in _ATTRIBUTES[format_name].items():
            if getattr(topic, column) is not None:
                node.set(attribute, getattr(topic, column))
        for column in _HELD[format_name]:
            if getattr(topic, column) is not None:
                etree.SubElement(node, column).text = getattr(topic, column)
        for key, value in topic.about.items():
            etree.SubElement(node, key).text = value if isinstance(value, str) else json.dumps(value)
    except ValueError as error:
        wanted = "names and characters that XML allows"
        raise InputError(f"topic {topic.id!r}", wanted=wanted, found=str(error)) from None
    return node


def _format(name: str, about: str, recognises: Callable[[bytes], bool]) -> Format[Topics]:
    return Format(
        name=name,
        about=about,
        recognises=recognises,
        read=partial(_read, format_name=name),
        write=partial(_write, format_name=name),
        holds={"topics": frozenset((*_ATTRIBUTES[name].values(), *_HELD[name], "about"))},
    )


FORMATS = (
    _format("inex2009", "inex-topic-file with many topics (2009 and later)", _is_2009),
    _format("inex2005", "inex_topic with castitle (2005 to 2008)", _is_2005),
    _format("inex2003", "inex_topic, one file per topic (2003 and 2004)", _is_2003),
)
