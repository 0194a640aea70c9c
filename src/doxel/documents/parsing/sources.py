"""The kinds of source documents, and the documents in the given sources.

A document's kind is given by the suffix of its name; a single file with another suffix is recognised by
its first characters.  To add a kind, write a file that ends in its declaration and add a line to
``SOURCE_KINDS``.

In a file of JSON lines every line is a document, so that a file is like an archive.  A line is ``{"id":
"a", "text": "..."}``; an optional ``"format"`` is the kind of the text (``markdown``, ``html``), plain
text by default.  The document's id is the id as written, without control characters; a number becomes its
digits.  A line with ``_id`` instead is one of BEIR: its text is the title, one blank and the text, or the
text alone if the title is empty.  Other keys are left out and counted.  A document's source is
``corpus.jsonl#id``, even if its file has another suffix.

The documents of ``ir_datasets:NAME`` are read like such lines, and so are the documents of a single file in
the shape of a campaign (see *campaign_documents*).  A line with ``pmid`` is an article of PubMed.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from doxel.documents.document_names import LINE_MARK
from doxel.documents.parsing.campaign_documents import (
    ARTICLE_KEYS,
    CampaignDocument,
    build_article,
    has_campaign_root,
    iterate_campaign_documents,
)
from doxel.documents.parsing.html import HTML
from doxel.documents.parsing.markdown import MARKDOWN
from doxel.documents.parsing.node_columns import NodeColumns, SourceKind, SourceReader
from doxel.documents.parsing.pdf import PDF, PDF_MARK
from doxel.documents.parsing.plain_text import TEXT
from doxel.documents.parsing.xml import XML
from doxel.errors import InputError
from doxel.files import Member, iterate_members, strip_compression
from doxel.files.budget import check_memory, find_limit
from doxel.files.contents import decode_source
from doxel.files.named_sources import is_dataset_name, iterate_dataset
from doxel.markup import Declarations

__all__ = [
    "BEIR",
    "LINE_MARK",
    "SOURCE_KINDS",
    "SOURCE_KINDS_BY_NAME",
    "SourceReaders",
    "find_kind",
    "find_kind_by_name",
    "find_suffix",
    "iterate_documents",
]


def iterate_documents(
    sources: Iterable[str], ignored: Counter[str], left_out: Counter[str]
) -> Iterator[Member]:
    """Yield the documents of all sources; files of other kinds in folders are counted in ``ignored``.

    A single file is read as a document whatever its suffix.  Each line of JSON is a document; keys that are
    not read are counted in ``left_out``.
    """
    for source in sources:
        if is_dataset_name(source):
            yield from _iterate_dataset_documents(source)
            continue
        is_file = os.path.isfile(source)  # noqa: PTH113 -- False where pathlib raises PermissionError
        for member in iterate_members(source):
            if is_file and (documents := _find_campaign_documents(member)) is not None:
                yield from documents
            elif find_kind_by_name(member.name) or member.whole:
                yield member
            elif _is_json_lines(member.name):
                yield from read_records(member, left_out)
            elif is_file and member.path is not None:
                yield from _iterate_single_file(member, left_out)
            else:
                ignored[find_suffix(member.name) or "no suffix"] += 1


def _find_campaign_documents(file: Member) -> Iterator[Member] | None:
    """Return the documents of a file in the shape of a campaign, None for any other file."""
    if file.path is None or find_suffix(file.name) not in _CAMPAIGN_SUFFIXES:
        return None
    try:
        if find_suffix(file.name) == ".xml" and not has_campaign_root(file.read()):
            return None
        documents = iterate_campaign_documents(file.read(), file.display)
    except InputError:  # reading it again will report the error
        return None
    return None if documents is None else _build_campaign_members(documents, file)


def _build_campaign_members(documents: Iterator[CampaignDocument], file: Member) -> Iterator[Member]:
    stem = strip_compression(file.name).removesuffix(find_suffix(file.name))
    try:
        for document in documents:
            display = file.display if document.line is None else f"{file.display}, line {document.line}"
            content = codecs.BOM_UTF8 + document.content.encode()
            name = f"{stem}{LINE_MARK}{document.id}"
            yield Member(name, display, len(content), content=content, kind=document.kind)
    except InputError as error:
        yield Member(file.name, file.display, refusal=error)


def _iterate_dataset_documents(source: str) -> Iterator[Member]:
    stem = source.replace(":", "/")
    for number, document in enumerate(iterate_dataset(source, "docs"), 1):
        display = f"{source}, document {number}"
        text = document.default_text() if hasattr(document, "default_text") else document.text
        if not text.strip():
            refusal = InputError("empty document", file=display, wanted="text", found="none")
            yield Member(f"{stem}{LINE_MARK}{document.doc_id}", display, refusal=refusal)
            continue
        content = codecs.BOM_UTF8 + text.encode("utf-8", "surrogatepass")
        yield Member(
            f"{stem}{LINE_MARK}{document.doc_id}", display, len(content), content=content, kind=TEXT.name
        )


def _iterate_single_file(member: Member, left_out: Counter[str]) -> Iterator[Member]:
    try:
        has_records = _looks_like_json_lines(member.read())
    except InputError:  # reading it again will report the error
        has_records = False
    if has_records:
        yield from read_records(member, left_out)
    else:
        yield member


SOURCE_KINDS: tuple[SourceKind, ...] = (XML, HTML, MARKDOWN, TEXT, PDF)
BEIR = replace(TEXT, name="beir", rule="beir-title-text", suffixes=())
SOURCE_KINDS_BY_NAME = {kind.name: kind for kind in (*SOURCE_KINDS, BEIR)}
_BY_SUFFIX = {suffix: kind for kind in SOURCE_KINDS for suffix in kind.suffixes}
_HEAD = 1024


def find_suffix(name: str) -> str:
    """Return the suffix of a file name in lower case, ignoring compression suffixes.

    >>> find_suffix("tc/2001/T0111.XML.gz"), find_suffix("v1.2/README")
    ('.xml', '')
    """
    stem, dot, suffix = strip_compression(name).rpartition(".")
    has_suffix = bool(stem) and not stem.endswith("/") and "/" not in suffix  # a hidden file has none
    return (dot + suffix).lower() if has_suffix and suffix else ""


def find_kind_by_name(name: str) -> SourceKind | None:
    """Return the kind of document that a file's name indicates, or None."""
    return _BY_SUFFIX.get(find_suffix(name))


def find_kind(member: Member, data: bytes) -> SourceKind:
    """Return the kind of a document: the member's own, else by its name, else by its content."""
    if member.kind is not None:
        return SOURCE_KINDS_BY_NAME[member.kind]
    return find_kind_by_name(member.name) or _find_kind_by_content(data)


def _find_kind_by_content(data: bytes) -> SourceKind:
    if data.startswith(PDF_MARK):
        return PDF
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    head = data[:_HEAD].decode("utf-16" if wide else "utf-8-sig", "ignore").lstrip().lower()
    if head.startswith(("<!doctype html", "<html")):
        return HTML
    return XML if head.startswith("<") or not head else TEXT


_LARGE = 1_000_000  # bytes; the memory for larger documents is compared with the limit of the process
_MEMORY_PER_BYTE = 24  # bytes; reading a document of paragraphs takes half of that and the threads the rest
_MEMORY_PER_TAG = 750  # bytes; decisive for documents of almost only empty elements


class SourceReaders:
    """Reads documents of all kinds, one after the other, into the columns of one part."""

    def __init__(self, columns: NodeColumns, declared: Declarations) -> None:
        self._columns, self._declared = columns, declared
        self._readers: dict[str, SourceReader] = {}

    def add(self, member: Member, data: bytes) -> tuple[str, bytes]:
        """Append a document and return its text rule and its text."""
        limit = find_limit("document-bytes")
        if len(data) > limit:
            wanted = f"documents of at most {limit:,} bytes; --budget document-bytes=N allows more"
            raise InputError("", file=member.display, wanted=wanted, found=f"{len(data):,}")
        if len(data) > _LARGE:
            size = max(len(data) * _MEMORY_PER_BYTE, data.count(b"<") * _MEMORY_PER_TAG)
            check_memory(size, member.display)
        kind = find_kind(member, data)
        reader = self._readers.get(kind.name)
        if reader is None:
            reader = self._readers[kind.name] = kind.open(self._declared)
        return kind.rule, reader(self._columns, data, member.display)


_SUFFIXES = (".jsonl", ".ndjson")
_CAMPAIGN_SUFFIXES = (".json", ".xml")
_FORMATS = tuple(kind.name for kind in SOURCE_KINDS if kind.in_lines)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_WANTED = 'an object such as {"id": "a", "text": "..."}'


def _is_json_lines(name: str) -> bool:
    """Return whether a file contains documents as lines of JSON, by its name."""
    return strip_compression(name).lower().endswith(_SUFFIXES)


def _looks_like_json_lines(data: bytes) -> bool:
    """Return whether the first line of a file is an object with an id and a text."""
    try:
        record = json.loads(_convert_to_utf8(data, "").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError, InputError):
        return False
    return isinstance(record, dict) and (
        "pmid" in record or ("text" in record and ("id" in record or "_id" in record))
    )


def read_records(file: Member, left_out: Counter[str]) -> Iterator[Member]:
    """Yield the documents of a file; an invalid line becomes a member with a ``refusal``.

    Keys that are not read are counted in ``left_out``.
    """
    name = strip_compression(file.name)
    stem = next((name[: -len(end)] for end in _SUFFIXES if name.lower().endswith(end)), name)
    try:
        data = _convert_to_utf8(file.read(), file.display)
    except InputError as error:
        yield Member(file.name, file.display, refusal=error)
        return
    if not data.strip():
        refusal = InputError("empty file", file=file.display, wanted=_WANTED, found="no content")
        yield Member(file.name, file.display, refusal=refusal)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield _build_member(line, stem, file.display, number, left_out)


def _convert_to_utf8(data: bytes, name: str) -> bytes:
    """Convert a file with the byte order mark of UTF-16 to UTF-8, so that it can be split into lines."""
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return decode_source(data, name).encode() if is_utf16 else data.removeprefix(codecs.BOM_UTF8)


def _build_member(line: bytes, stem: str, file: str, number: int, left_out: Counter[str]) -> Member:
    try:
        identifier, text, kind, unread_keys = _parse_record(line, file, number)
    except InputError as error:
        return Member(f"{stem}{LINE_MARK}{number}", file, len(line), refusal=error)
    left_out.update(unread_keys)
    # the reader removes one byte order mark: without this one it would remove one from the text itself
    content = codecs.BOM_UTF8 + text.encode()
    display = f"{file}, line {number}"
    return Member(f"{stem}{LINE_MARK}{identifier}", display, len(line), content=content, kind=kind)


def _parse_record(line: bytes, file: str, number: int) -> tuple[str, str, str, set[str]]:
    """Return id, text and format of a document, and the other keys of its line."""

    def build_error(problem: str, wanted: str, found: object) -> InputError:
        return InputError(problem, file=file, line=number, wanted=wanted, found=str(found))

    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise build_error("", "UTF-8 text", f"byte 0x{line[error.start]:02x}") from None
    except (ValueError, RecursionError) as error:
        raise build_error("not a line of JSON", _WANTED, error) from None
    if not isinstance(record, dict):
        raise build_error("", _WANTED, _shorten_json(record))
    if "pmid" in record and "text" not in record:
        article = build_article(record, file, number)
        return article.id, article.content, article.kind, record.keys() - ARTICLE_KEYS
    text, kind = record.get("text"), record.get("format", "text")
    title = None if "id" in record else record.get("title")
    if isinstance(title, str) and isinstance(text, str):
        text = f"{title} {text}" if title else text
        kind = kind if "format" in record else BEIR.name
    if not isinstance(text, str):
        keys = f"the keys {', '.join(record)}" if record else "no keys"
        details = ("a string", _shorten_json(text)) if "text" in record else ('the key "text"', keys)
        raise build_error("text of a document", *details)
    if odd := _NO_TEXT.search(text):
        found = "a null character" if odd[0] == "\0" else "half of a surrogate pair"
        raise build_error("text of a document", "valid text", found)
    if kind not in (*_FORMATS, BEIR.name):
        raise build_error("format of a document", f"one of {', '.join(_FORMATS)}", _shorten_json(kind))
    identifier = _find_identifier(record, build_error)
    read_keys = {"id" if "id" in record else "_id", "text", "format"} | (
        {"title"} if isinstance(title, str) else set()
    )
    unread_keys = {key for key in record.keys() - read_keys if record[key] != {}}
    return identifier, text, kind, unread_keys


def _find_identifier(record: dict[str, Any], build_error: Any) -> str:
    identifier = record.get("id", record.get("_id"))
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier)
    if not isinstance(identifier, str) or not identifier.strip() or _CONTROL.search(identifier):
        wanted = "a string that is not empty and without control characters, or a whole number"
        raise build_error(
            "id of a document", wanted, "none" if identifier is None else _shorten_json(identifier)
        )
    return identifier


def _shorten_json(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
