"""The kinds of source documents, and how they are recognised.

A document's kind is given by the suffix of its name; a single file with another suffix is recognised by
its first characters.  To add a kind, write a file that ends in its declaration and add a line to ``KINDS``.
"""

from __future__ import annotations

import codecs

from doxel.documents.columns import NodeColumns
from doxel.documents.declare import Kind, Reader
from doxel.documents.html import HTML
from doxel.documents.markdown import MARKDOWN
from doxel.documents.plaintext import TEXT
from doxel.documents.xml import XML
from doxel.files import Member, strip_compression
from doxel.markup import Declarations

__all__ = ["KINDS", "KINDS_BY_NAME", "Readers", "kind_by_name", "kind_of", "suffix_of"]

KINDS: tuple[Kind, ...] = (XML, HTML, MARKDOWN, TEXT)
KINDS_BY_NAME = {kind.name: kind for kind in KINDS}
_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
_HEAD = 1024


def suffix_of(name: str) -> str:
    """Return the suffix of a file name in lower case, ignoring compression suffixes.

    >>> suffix_of("tc/2001/T0111.XML.gz"), suffix_of("v1.2/README")
    ('.xml', '')
    """
    stem, dot, suffix = strip_compression(name).rpartition(".")
    has_suffix = bool(stem) and not stem.endswith("/") and "/" not in suffix  # a hidden file has none
    return (dot + suffix).lower() if has_suffix and suffix else ""


def kind_by_name(name: str) -> Kind | None:
    """Return the kind of document that a file's name indicates, or None."""
    return _BY_SUFFIX.get(suffix_of(name))


def kind_of(member: Member, data: bytes) -> Kind:
    """Return the kind of a document: the member's own, else by its name, else by its content."""
    if member.kind is not None:
        return KINDS_BY_NAME[member.kind]
    return kind_by_name(member.name) or _by_content(data)


def _by_content(data: bytes) -> Kind:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    head = data[:_HEAD].decode("utf-16" if wide else "utf-8-sig", "ignore").lstrip().lower()
    if head.startswith(("<!doctype html", "<html")):
        return HTML
    return XML if head.startswith("<") or not head else TEXT


class Readers:
    """Reads documents of all kinds, one after the other, into the columns of one part."""

    def __init__(self, columns: NodeColumns, declared: Declarations) -> None:
        self._columns, self._declared = columns, declared
        self._readers: dict[str, Reader] = {}

    def add(self, member: Member, data: bytes) -> tuple[str, bytes]:
        """Append a document and return its text rule and its text."""
        kind = kind_of(member, data)
        reader = self._readers.get(kind.name)
        if reader is None:
            reader = self._readers[kind.name] = kind.open(self._declared)
        return kind.rule, reader(self._columns, data, member.display)
