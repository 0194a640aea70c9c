"""The one safe XML parser: every byte of XML that doxel reads goes through here.

XML is hostile until parsed safely.  No network, no external entity, no external DTD; internal
entities are resolved, with libxml2's bounds on amplification, depth (256) and text size in force.
Where a user names declaration files (``--dtd``) or asks for the standard character names
(``--entities html``), those declarations are put into the document's internal subset, and a
resolver serves exactly them: nothing else is ever opened.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from lxml import etree

from doxel.errors import MarkupError
from doxel.files import read_bytes

__all__ = ["Declarations", "XmlParser", "declarations"]

_SCHEME = "doxel:"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*([\[>])")
_XML_DECLARATION = re.compile(r"\A(?:\ufeff|\xef\xbb\xbf)?\s*<\?xml[^>]*\?>")
_POSITION = re.compile(r", line \d+, column \d+.*\Z", re.DOTALL)
_UNDEFINED = "a declared entity: name its file with --dtd, or supply the standard names with --entities html"


@dataclass(frozen=True)
class Declarations:
    """Entity declarations from outside a document: files by base name, in the order named."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files)


def declarations(dtd: tuple[str, ...] = (), entities: str | None = None) -> Declarations:
    """Read the named declaration files, and the standard character names if asked for."""
    files = {PurePath(path).name: read_bytes(path) for path in dtd}
    if entities == "html":
        files["html entities"] = _html_entities().encode("ascii")
    return Declarations(files)


def _html_entities() -> str:
    built_in = {"lt", "gt", "amp", "quot", "apos"}
    names = {name.removesuffix(";"): text for name, text in html.entities.html5.items() if name.endswith(";")}
    return "".join(
        f'<!ENTITY {name} "{"".join(f"&#{ord(character)};" for character in text)}">\n'
        for name, text in sorted(names.items())
        if name not in built_in and not set(text) & set("<&")
    )


class _Resolver(etree.Resolver):
    """Serves the named declarations, and refuses everything else."""

    def __init__(self, declared: Declarations) -> None:
        super().__init__()
        self._declared = declared
        self.refused: str | None = None

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:  # type: ignore[override]
        del public_id
        name = PurePath((system_url or "").removeprefix(_SCHEME)).name
        if name in self._declared.files:
            return self.resolve_string(self._declared.files[name], context)  # type: ignore[call-arg]
        self.refused = system_url or ""
        return self.resolve_string("", context)  # type: ignore[call-arg]


class XmlParser:
    """Parses documents, one after the other, with the same declarations.

    >>> XmlParser().parse(b"<a>caf&#233;</a>", "a.xml").text
    'café'
    >>> XmlParser().parse(b"<a><b></a>", "a.xml")
    Traceback (most recent call last):
    doxel.errors.MarkupError: a.xml, line 1: not well-formed XML: wanted matching tags, \
found Opening and ending tag mismatch: b line 1 and a
    """

    def __init__(self, declared: Declarations | None = None) -> None:
        self._declared = declared or Declarations()
        self._resolver = _Resolver(self._declared)
        self._parser = etree.XMLParser(
            # With declarations the resolver stands guard, and must be asked for external ones.
            resolve_entities=True if self._declared else "internal",  # type: ignore[arg-type]
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            strip_cdata=True,
        )
        self._parser.resolvers.add(self._resolver)

    def parse(self, data: bytes, name: str) -> etree._Element:
        """Return the root element of a document, or raise MarkupError with file and line."""
        if not data.strip():
            raise MarkupError("empty file", file=name, wanted="an XML document", found="no content")
        if self._declared:
            data = _inject(data, self._declared)
        self._resolver.refused = None
        try:
            root = etree.fromstring(data, self._parser)
        except etree.XMLSyntaxError as error:
            raise _markup_error(error, name) from None
        except ValueError as error:  # text that XML cannot hold
            raise MarkupError("not XML", file=name, wanted="an XML document", found=str(error)) from None
        if self._resolver.refused is not None:
            raise MarkupError(
                "names an external entity or DTD that was not declared with --dtd",
                file=name,
                wanted="one of the named files",
                found=repr(self._resolver.refused),
            )
        return root


def _inject(data: bytes, declared: Declarations) -> bytes:
    """Put references to the declarations into the internal subset, on a line that is there already."""
    encoding = "utf-16" if data.startswith(_UTF16) else "latin-1"  # latin-1 keeps every byte
    text = data.decode(encoding)
    subset = "".join(
        f'<!ENTITY % doxel{number} SYSTEM "{_SCHEME}{file}"> %doxel{number}; '
        for number, file in enumerate(declared.files)
    )
    doctype = _DOCTYPE.search(text)
    if doctype is None:
        start = _XML_DECLARATION.match(text)
        at = start.end() if start else 0
        text = f"{text[:at]}<!DOCTYPE document [{subset}]>{text[at:]}"
    elif doctype.group(1) == "[":
        text = f"{text[: doctype.end()]}{subset}{text[doctype.end() :]}"
    else:
        text = f"{text[: doctype.end() - 1]} [{subset}]{text[doctype.end() - 1 :]}"
    return text.encode(encoding)


def _markup_error(error: etree.XMLSyntaxError, name: str) -> MarkupError:
    message = _POSITION.sub("", error.msg or "unreadable markup")
    wanted = "well-formed markup"
    if "Entity" in message and "not defined" in message:
        wanted = _UNDEFINED
    elif "amplification" in message:
        wanted, message = "entities that expand moderately", "entities that expand without bound"
    elif "Excessive depth" in message:
        wanted, message = "elements nested at most 256 deep", "deeper nesting"
    elif "encoding" in message.lower():
        wanted = "text in the encoding that the document declares (UTF-8 where it declares none)"
    elif "tag mismatch" in message:
        wanted = "matching tags"
    elif "Document is empty" in message or "Start tag expected" in message:
        wanted = "an XML document"
    elif "Premature end" in message or "Extra content" in message:
        wanted = "one complete root element"
    return MarkupError("not well-formed XML", file=name, line=error.lineno, wanted=wanted, found=message)
