"""Topics of TREC: blocks of ``<top>``, with or without closing tags.

::

    <top>
    <num> Number: 301
    <title> valve failure
    <desc> Description:
    Why do valves in pumps fail?
    <narr> Narrative:
    A relevant document names a cause of failure.
    </top>

The words before the colon may be missing.  A number loses its leading zeros, as in the judgements: 051 is
topic 51.  ``<con>`` are the keywords; other tags (``<head>``, ``<dom>``, ``<smry>`` and similar) are kept in
``about``.
"""

from __future__ import annotations

import json
import re

from doxel.errors import InputError
from doxel.files.contents import decode_utf8
from doxel.files.file_format import FileFormat
from doxel.topics.topics import TOPICS, Topic, Topics
from doxel.wording import quote_value

__all__ = ["TREC_TOPICS"]

_COLUMNS = {"num": "id", "title": "title", "desc": "description", "narr": "narrative", "con": "keywords"}
_LABELS = {
    "num": "Number",
    "title": "Topic",
    "desc": "Description",
    "narr": "Narrative",
    "con": r"Concept\(s\)",
    "dom": "Domain",
    "smry": "Summary",
    "head": "Tipster Topic Description",
    "fac": r"Factor\(s\)",
    "def": r"Definition\(s\)",
}
_BLOCK = re.compile(r"<top(?:\s[^>]*)?>(.*?)(?:</top>|(?=<top[\s>])|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(rf"<({'|'.join(_LABELS)})>", re.IGNORECASE)
_ANY_TAG = re.compile(rf"</?(?:top|{'|'.join(_LABELS)})(?:\s[^>]*)?>", re.IGNORECASE)


def _read(data: bytes, name: str) -> Topics:
    text = decode_utf8(data, name)
    rows = [
        _parse_block(block[1], name, text.count("\n", 0, block.start()) + 1)
        for block in _BLOCK.finditer(text)
    ]
    if not rows:
        raise InputError("empty file", file=name, wanted="topics in <top>", found="none")
    return Topics(TOPICS.from_rows(rows), format="trec")


def _parse_block(block: str, name: str, line: int) -> dict[str, object]:
    """Return the fields of a topic; a field ends at the next tag."""
    row: dict[str, object] = {"file": name, "line": line}
    about: dict[str, str] = {}
    pieces = _TAG.split(block)
    for tag, content in zip(map(str.lower, pieces[1::2]), pieces[2::2], strict=True):
        text = re.sub(rf"</{tag}>", "", content, flags=re.IGNORECASE).strip()
        text = re.sub(rf"\A{_LABELS[tag]}\s*:\s*", "", text, flags=re.IGNORECASE)
        fields = row if tag in _COLUMNS else about
        key = _COLUMNS.get(tag, tag)
        if key in fields:
            raise InputError("a topic", file=name, line=line, wanted=f"one <{tag}>", found="several")
        if text:
            fields[key] = text
    if "id" not in row:
        found = quote_value(" ".join(block.split()))
        raise InputError("a topic", file=name, line=line, wanted="its number in <num>", found=found)
    row["id"] = re.sub(r"\A0+(?=[0-9]+\Z)", "", str(row["id"]))
    row["about"] = json.dumps(about, ensure_ascii=False) if about else None
    return row


def _write(topics: Topics) -> bytes:
    return "".join(map(_write_topic, topics)).encode()


def _write_topic(topic: Topic) -> str:
    if re.fullmatch(r"0+[0-9]+", topic.id):
        wanted = "a number without leading zeros, which are not read"
        raise InputError(f"topic {topic.id!r} cannot be written as trec", wanted=wanted, found=repr(topic.id))
    lines = ["<top>"]
    for tag, column in _COLUMNS.items():
        text = getattr(topic, column)
        if text is None:
            continue
        if _ANY_TAG.search(text):
            problem = f"topic {topic.id!r} cannot be written as trec"
            raise InputError(problem, wanted="text without the tags of topics", found=quote_value(text))
        label = _LABELS[tag].replace("\\", "")
        lines.append(f"<{tag}> {label}: {text}" if tag != "title" or _has_label(text) else f"<title> {text}")
    return "\n".join([*lines, "</top>", "", ""])


def _has_label(title: str) -> bool:
    return re.match(r"Topic\s*:", title, re.IGNORECASE) is not None


TREC_TOPICS = FileFormat(
    name="trec",
    about="<top> with num, title, desc and narr",
    begins=rb"(?:<!--.*?-->\s*)*<(?i:top)[\s>]",
    read=_read,
    write=_write,
    holds={"topics": frozenset(_COLUMNS.values())},
)
