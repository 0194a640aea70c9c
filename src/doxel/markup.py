"""Safe parsing of XML and HTML; all markup that doxel reads is parsed here.

XML may be hostile.  The parser uses no network, no external entities and no external DTD; internal
entities are resolved within libxml2's limits on amplification, depth (256) and text size.  With
declaration files (``--dtd``) or the standard character names (``--entities html``), those
declarations replace the document's external DTD, so that the document's own declarations come
first.  A resolver serves exactly these files and opens nothing else.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from doxel.errors import InputError, MarkupError
from doxel.files import read_bytes
from doxel.files.budget import check_time, find_limit

__all__ = [
    "ILLEGAL_CHARACTERS",
    "XML_ESCAPES",
    "Declarations",
    "HtmlParser",
    "XmlParser",
    "escape_xml",
    "etree",
    "find_line",
    "read_declarations",
]


class _LateModule:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


if TYPE_CHECKING:
    from lxml import etree
else:
    etree = _LateModule("lxml.etree")  # most evaluations read no XML

XML_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
"""The references that replace characters with a meaning in XML, and white space that parsers change."""

ILLEGAL_CHARACTERS = r"\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"
"""The characters that XML cannot contain, for use in a character class of a regular expression."""

_LAST_CERTAIN_LINE = 65_534  # beyond it, libxml2 stores line numbers only for text nodes
_SUBSET = "doxel:declarations"
_HTML = "the standard character names"
_PROBE = b"<document/>"
# Encodings with more than one byte per ASCII character, by the first bytes of a document.
_WIDE = {
    b"\xff\xfe\x00\x00": "utf-32-le",
    b"\x00\x00\xfe\xff": "utf-32-be",
    b"<\x00\x00\x00": "utf-32-le",
    b"\x00\x00\x00<": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"<\x00": "utf-16-le",
    b"\x00<": "utf-16-be",
}
_XML_DECLARATION = re.compile(r"\A(?:\ufeff|\xef\xbb\xbf)?(?:<\?xml\s.*?\?>)?", re.DOTALL)
_STANDALONE = re.compile(r"\bstandalone\s*=\s*([\"'])yes\1")
_BEFORE_ROOT = re.compile(r"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_QUOTED = r"(?:\"[^\"]*\"|'[^']*')"
_DOCTYPE = re.compile(rf"<!DOCTYPE\s+[^\s\[>]+(\s+(?:SYSTEM|PUBLIC\s+{_QUOTED})\s+{_QUOTED})?")
_POSITION = re.compile(r", line \d+, column \d+.*\Z", re.DOTALL)
_HTML_END = re.compile(r"</html\b[^<>]*+>", re.IGNORECASE)  # linear, also without any end
_AFTER_HTML = re.compile(r"(?:\s|<!--.*?-->)*+", re.DOTALL)
# a start tag; it matches at every < that begins one, and no part is tried twice, so that a search is linear
_START_TAG = re.compile(rb"""<[^\s<>/!?](?:[^<>"']++|"[^"]*+"|'[^']*+')*+""")
_QUOTED_VALUE = re.compile(rb"""\"[^"]*+"|'[^']*+'""")
_DEEPEST = 256  # libxml2 refuses deeper trees
_UNDEFINED = (
    "an entity that the document itself declares (other files are not read); "
    "pass the file that declares it with --dtd, or the standard names with --entities html"
)


@dataclass(frozen=True)
class Declarations:
    """Entity declarations from outside a document: file contents by base name, in the order given."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files)


def read_declarations(
    dtd: tuple[str | os.PathLike[str], ...] = (), entities: str | None = None
) -> Declarations:
    """Read declaration files, and add the standard character names if ``entities`` is "html"."""
    files: dict[str, bytes] = {}
    for path in dtd:
        name = PurePath(path).name
        if name in files:
            wanted = "different base names, because documents refer to declaration files by them"
            raise InputError(
                "two declaration files with the same name", file=str(path), wanted=wanted, found=name
            )
        files[name] = read_bytes(path)
        # checked with the files before it, because a file may build on them
        _check_syntax(Declarations(files), str(path))
    _check_references(Declarations(files))
    if entities == "html":
        files[_HTML] = _declare_html_entities().encode("ascii")
    return Declarations(files)


def _check_syntax(declared: Declarations, newest: str) -> None:
    """Parse the declarations once, so that an error in them is not reported for every document."""
    parser = XmlParser(declared)
    try:
        parser.parse(_PROBE, newest)
    except MarkupError as error:
        if parser.refused is None:
            wanted = "declarations of entities"
            raise InputError("not a DTD", file=newest, wanted=wanted, found=error.found) from None


def _check_references(declared: Declarations) -> None:
    parser = XmlParser(declared)
    with contextlib.suppress(MarkupError):
        parser.parse(_PROBE, "declarations")
    if parser.refused is not None:
        base = PurePath(parser.refused).name.encode()
        file = next((name for name, content in declared.files.items() if base in content), None)
        wanted = "every file that it refers to, passed with --dtd"
        raise InputError("refers to another file", file=file, wanted=wanted, found=repr(parser.refused))


def _declare_html_entities() -> str:
    import html.entities

    built_in = {"lt", "gt", "amp", "quot", "apos"}
    names = {name.removesuffix(";"): text for name, text in html.entities.html5.items() if name.endswith(";")}
    return "".join(
        f'<!ENTITY {name} "{"".join(map(_write_character_reference, text))}">\n'
        for name, text in sorted(names.items())
        if name not in built_in
    )


def _write_character_reference(character: str) -> str:
    # the parser resolves references in a declaration once, and the result must not be markup
    return f"&#38;#{ord(character)};" if character in "<&" else f"&#{ord(character)};"


@cache
def _define_resolver() -> Any:
    """Return the class of resolvers, whose base comes with lxml."""

    class EntityResolver(etree.Resolver):
        """Serves the given declarations and refuses everything else."""

        def __init__(self, declared: Declarations) -> None:
            super().__init__()
            self._served = dict(declared.files)
            parts = [f"doxel:{number}" for number in range(len(declared.files))]
            self._served.update(zip(parts, declared.files.values(), strict=True))
            subset = "".join(
                f'<!ENTITY % doxel{number} SYSTEM "{part}"> %doxel{number};'
                for number, part in enumerate(parts)
            )
            self._served[_SUBSET] = subset.encode("ascii")
            self.refused: str | None = None

        def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:  # type: ignore[override]
            del public_id
            address = system_url or ""
            content = self._served.get(address, self._served.get(PurePath(unquote(address)).name))
            if content is None:
                self.refused = address
            return self.resolve_string(content or b"", context)  # type: ignore[call-arg]

    return EntityResolver


class XmlParser:
    """Parses XML documents, all with the same declarations.

    >>> XmlParser().parse(b"<a>caf&#233;</a>", "a.xml").text
    'café'
    >>> XmlParser().parse(b"<a><b></a>", "a.xml")
    Traceback (most recent call last):
    doxel.errors.MarkupError: a.xml, line 1: not well-formed XML: wanted matching tags, \
found Opening and ending tag mismatch: b line 1 and a
    """

    def __init__(self, declared: Declarations | None = None) -> None:
        self._declared = declared or Declarations()
        self._resolver = _define_resolver()(self._declared)
        self._parser = etree.XMLParser(
            # With declarations, external entities go to the resolver, which refuses unknown ones.
            resolve_entities=True if self._declared else "internal",  # type: ignore[arg-type]
            no_network=True,
            load_dtd=bool(self._declared),
            huge_tree=False,
            strip_cdata=True,
        )
        self._parser.resolvers.add(self._resolver)

    def parse(self, data: bytes, name: str) -> etree._Element:
        """Return the root element of a document, or raise MarkupError with file and line."""
        if not data.strip():
            raise MarkupError("empty file", file=name, wanted="an XML document", found="no content")
        self._resolver.refused = None
        began = _begin_parsing(data, name)
        try:
            root = etree.fromstring(_insert_subset(data) if self._declared else data, self._parser)
        except etree.XMLSyntaxError as error:
            self._check_refused(data, name)
            raise _build_xml_error(error, name) from None
        except ValueError as error:  # characters that XML cannot contain
            raise MarkupError("not XML", file=name, wanted="an XML document", found=str(error)) from None
        self._check_refused(data, name)
        _check_parsed(root, began, name)
        return root

    @property
    def refused(self) -> str | None:
        """The external file that the last document referred to without being declared, or None."""
        refused: str | None = self._resolver.refused
        return refused

    def _check_refused(self, data: bytes, name: str) -> None:
        refused = self.refused
        if refused is None:
            return
        at = data.find(refused.encode())
        raise MarkupError(
            "refers to an external entity or DTD that was not passed with --dtd",
            file=name,
            line=data.count(b"\n", 0, at) + 1 if at >= 0 else None,
            wanted="one of the files passed with --dtd",
            found=repr(refused),
        )


def escape_xml(text: str) -> str:
    """Escape text for writing it to XML.

    >>> escape_xml('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return "".join(XML_ESCAPES.get(character, character) for character in text)


def find_line(node: Any) -> int:
    """Return the line on which an element begins.

    Beyond line 65,534 libxml2 gives the line where the element's first text ends, or, for an empty
    element, where the text after it ends; the line ends of that text are subtracted.
    """
    line = int(node.sourceline)
    if line <= _LAST_CERTAIN_LINE:
        return line
    if not node.text and len(node):
        return find_line(node[0])
    return line - (node.text or node.tail or "").count("\n")


def _insert_subset(data: bytes) -> bytes:
    """Replace the document's external DTD by our declarations, without moving any line.

    All encodings of XML except the wide ones write markup as ASCII; decoding as Latin-1 keeps every byte.
    """
    encoding = next((name for start, name in _WIDE.items() if data.startswith(start)), "latin-1")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return data  # the parser will report the error
    declaration = _XML_DECLARATION.match(text)
    at = declaration.end() if declaration else 0
    # the declarations also apply to documents that claim to need none
    head = _STANDALONE.sub("", text[:at])
    before_root = _BEFORE_ROOT.match(text, at)
    doctype = _DOCTYPE.match(text, before_root.end() if before_root else at)
    if doctype is None:
        text = f'{head}<!DOCTYPE document SYSTEM "{_SUBSET}">{text[at:]}'
    else:
        start, stop = doctype.span(1) if doctype.group(1) else (doctype.end(), doctype.end())
        lines = "\n" * text.count("\n", start, stop)
        text = f'{head}{text[at:start]} SYSTEM "{_SUBSET}"{lines}{text[stop:]}'
    return text.encode(encoding)


def _build_xml_error(error: etree.XMLSyntaxError, name: str) -> MarkupError:
    message = " ".join(_POSITION.sub("", error.msg or "unreadable markup").split())
    wanted = "well-formed markup"
    if "Entity" in message and "not defined" in message:
        wanted = _UNDEFINED
    elif "amplification" in message:
        wanted, message = "entities that expand within limits", "entities that expand without limit"
    elif "Excessive depth" in message:
        wanted, message = "elements nested at most 256 deep", "deeper nesting"
    elif "encoding" in message.lower():
        wanted = "text in the encoding that the document declares (UTF-8 if it declares none)"
    elif "tag mismatch" in message:
        wanted = "matching tags"
    elif "Document is empty" in message or "Start tag expected" in message:
        wanted = "an XML document"
    elif "Premature end" in message or "Extra content" in message:
        wanted = "one complete root element"
    return MarkupError("not well-formed XML", file=name, line=error.lineno, wanted=wanted, found=message)


class HtmlParser:
    """Parses HTML and repairs it as libxml2 does.

    Missing end tags and missing ``html`` and ``body`` elements are added, end tags without a start tag
    are dropped, and text after the end of ``html`` is kept.  A comment or tag without an end swallows
    the rest of the document.  No file is opened and no script is run.  Documents that libxml2 would
    cut short (nesting deeper than 256, more than ten megabytes of text without a tag) are refused.

    >>> [node.tag for node in HtmlParser().parse("<p>one<p>two", "a.html").iter()]
    ['html', 'body', 'p', 'p']
    """

    def __init__(self) -> None:
        self._parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False)

    def parse(self, text: str, name: str) -> etree._Element:
        """Return the root element of a document, or raise MarkupError with file and line."""
        data = _remove_html_end(text).encode()
        began = _begin_parsing(data, name)
        try:
            root: etree._Element | None = etree.fromstring(data, self._parser)
        except etree.XMLSyntaxError as error:
            message = _POSITION.sub("", error.msg or "unreadable markup")
            raise MarkupError(
                "not HTML", file=name, line=error.lineno, wanted="an HTML document", found=message
            ) from None
        for entry in self._parser.error_log:
            if entry.level == etree.ErrorLevels.FATAL:
                raise _build_html_error(entry.message, entry.line, name)
        if root is None:
            raise MarkupError(
                "not HTML", file=name, wanted="an HTML document", found="no text and no element"
            )
        _check_parsed(root, began, name)
        return root


def _begin_parsing(data: bytes, name: str) -> float:
    """Refuse elements with very many attributes, which libxml2 compares pair by pair; return the time."""
    limit = find_limit("attributes")
    plain = data.replace(b"\0", b"") if data.startswith(tuple(_WIDE)) else data
    if _may_have_long_tag(plain, limit):
        for tag in _START_TAG.finditer(plain):
            if tag.end() - tag.start() <= 2 * limit:
                continue
            count = len(_QUOTED_VALUE.sub(b" ", tag[0]).split()) - 1
            if count > limit:
                line = plain.count(b"\n", 0, tag.start()) + 1
                wanted = f"elements with at most {limit:,} attributes; --budget attributes=N allows more"
                raise MarkupError("", file=name, line=line, wanted=wanted, found=f"about {count:,}")
    return time.monotonic()


def _may_have_long_tag(data: bytes, limit: int) -> bool:
    """Return whether a tag may have more attributes than the limit, without a look at every tag."""
    size, at = 2 * limit, 0  # an attribute takes two bytes at least
    while len(data) - at > size:
        last = data.rfind(b"<", at, at + size)
        if last < 0:
            return True
        at = last + 1
    # HTML allows < in the values of attributes
    return len(data) > size and data.count(b"=") > limit


def _check_parsed(root: etree._Element, began: float, name: str) -> None:
    """Refuse a document that took too long, or that is deeper than allowed."""
    check_time(began, name)
    deepest = find_limit("depth")
    if deepest >= _DEEPEST:  # the parser has checked it
        return
    depth = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > deepest:
            wanted = f"elements nested at most {deepest:,} deep"
            raise MarkupError("", file=name, line=find_line(node), wanted=wanted, found="deeper nesting")


def _remove_html_end(text: str) -> str:
    """Remove the end tag of html if more text follows, because libxml2 would stop reading there."""
    end = _HTML_END.search(text)
    if end is None or _AFTER_HTML.fullmatch(text, end.end()):
        return text
    return _HTML_END.sub("", text)


def _build_html_error(message: str, line: int, name: str) -> MarkupError:
    wanted, found = "an HTML document", " ".join(message.split())
    if "Excessive depth" in message:
        wanted, found = "elements nested at most 256 deep", "deeper nesting"
    elif "size limit" in message or "too long" in message:
        wanted, found = "at most ten megabytes of text between two tags", "more"
    return MarkupError("HTML that cannot be read", file=name, line=line, wanted=wanted, found=found)
