"""Read, write and convert files of topics in all formats, which are recognised by content.

============  ====================================================================================
``inex2002``  ``INEX-Topic`` (topic-id, query-type, ct-no) with Title, Description, Narrative, Keywords;
              a title has target elements, content words and context elements (te, cw, ce): see
              :mod:`doxel.topics.target_titles`
``inex2003``  ``inex_topic`` (topic_id, query_type, ct_no) with title, description, narrative,
              keywords; the title of a CAS topic is its query
``inex2005``  the same with castitle, parent, ontopic_keywords, mmtitle; query_type CO+S or CAS, or
              none from 2006
``inex2009``  ``inex-topic-file`` with many ``topic`` (id, ct_no): title, castitle, phrasetitle,
              description, narrative
``jsonl``     lines of JSON objects with an ``id`` and any fields of a topic; the title's key is
              ``text`` (as doxel writes it) or ``title``; other names are read too, such as ``_id``,
              ``query_id`` and ``question``, and a ``question`` without an id is its own id
``bioasq`` …  questions in the files of campaigns: see :mod:`doxel.topics.campaign_topics`
``trec``      ``<top>`` blocks with num, title, desc, narr: see :mod:`doxel.topics.trec_topics`
``tsv``       lines of ``id<TAB>text``; a first line ``id<TAB>text`` is a header, and a title of
              several lines is written as one line
============  ====================================================================================

INEX: until 2008 there is one file per topic, but files with many ``inex_topic`` also occur: the root can
be anything, even an assessment file that quotes its topic.  Text is kept except for the white space
around it; fields that no campaign declared, and other keys of JSON lines, are kept in ``about``.

Some INEX files redeclare the entities lt, gt and amp as words in their internal DTD.  XML fixes their
meaning and the parser follows it, so ``<`` and ``>`` in a query remain operators.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

import polars as pl
from lxml import etree

from doxel.arguments import check_arguments
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.archives import FileSet, Paths, read_file_set
from doxel.files.contents import parse_identifier, parse_json_lines, split_lines
from doxel.files.file_format import Conversion, FileFormat, find_format, recognise_format
from doxel.files.named_sources import iterate_dataset, split_sources
from doxel.markup import XmlParser
from doxel.topics.campaign_topics import CAMPAIGN_TOPICS
from doxel.topics.target_titles import TITLE_PIECES, TitlePiece, translate_title
from doxel.topics.topics import TOPICS, Topic, Topics
from doxel.topics.trec_topics import TREC_TOPICS
from doxel.wording import quote_value

__all__ = ["TOPIC_FORMATS", "convert_topics", "read_topics", "write_topics"]


@check_arguments
def read_topics(paths: Paths, *, format: str | None = None) -> Topics:  # noqa: A002 -- the public word
    """Read topics from a file, or from several files, folders and archives as one set.

    The format of each file is recognised by its content unless ``format`` is given.  An id that occurs
    twice is an error that names both places.  ``ir_datasets:NAME`` is a data set of that library.
    """
    sources = split_sources(paths)
    file_sources = [*sources.databases, *sources.files]  # no topics are read from databases
    parts = [_read_dataset_topics(name) for name in sources.datasets]
    files = read_file_set(file_sources, kind="topics") if file_sources or not parts else FileSet(())
    for name, data in files.files:
        file_format = (
            find_topic_format(format)
            if format
            else recognise_format(TOPIC_FORMATS, data, file=name, kind="topics")
        )
        parts.append(file_format.read(data, name))
    table = pl.concat([part.table for part in parts])
    _refuse_repeated_ids(table)
    formats = {part.format for part in parts}
    notes = (*files.notes, *(note for part in parts for note in part.notes))
    return Topics(table, format=formats.pop() if len(formats) == 1 else None, notes=notes)


def _read_dataset_topics(name: str) -> Topics:
    """Read the queries of a data set; fields that topics do not have are kept in ``about``."""
    rows: list[dict[str, object]] = []
    for number, query in enumerate(iterate_dataset(name, "queries"), 1):
        fields = {key: value for key, value in query._asdict().items() if value not in (None, "")}
        row: dict[str, object] = {"id": fields.pop("query_id"), "file": name, "line": number}
        title = next((key for key in ("title", "text", "query") if isinstance(fields.get(key), str)), None)
        if title is not None:
            row["title"] = fields.pop(title)
        for column in ("description", "narrative"):
            if isinstance(fields.get(column), str):
                row[column] = fields.pop(column)
        row["about"] = json.dumps(fields, ensure_ascii=False, default=str) if fields else None
        rows.append(row)
    return _build_topics(rows, name, "ir_datasets")


@check_arguments
def write_topics(
    topics: Topics,
    path: str | os.PathLike[str],
    format: str,  # noqa: A002 -- the public word
) -> None:
    """Write topics to a file atomically, compressed if its name ends in .gz, .xz or .zst.

    Fields that the format cannot store are left out; the ``losses`` of the format list them.
    """
    write_file(path, find_topic_format(format).write(topics))


def _refuse_repeated_ids(table: pl.DataFrame) -> None:
    duplicates = table.filter(pl.col("id").is_duplicated())
    if duplicates.height:
        topic = duplicates["id"][0]
        first, second = duplicates.filter(pl.col("id") == topic).select("file", "line").rows()[:2]
        raise InputError(
            f"topic {quote_value(topic)} occurs twice",
            file=second[0],
            line=second[1],
            wanted="each topic once",
            found=f"the first in {first[0]}, line {first[1]}",
        )


def convert_topics(topics: Topics, target: FileFormat[Topics]) -> Conversion[Topics]:
    """Return topics for a target format, with the columns that it cannot store."""
    return Conversion(topics, tuple(target.losses(topics.tables)))


_INEX_FIELDS: dict[str, tuple[str, ...]] = {
    "inex2002": ("title", "description", "narrative", "keywords"),
    "inex2003": ("title", "description", "narrative", "keywords"),
    "inex2005": (
        *("title", "castitle", "phrasetitle", "mmtitle", "parent", "description", "narrative"),
        *("keywords", "ontopic_keywords"),
    ),
    "inex2009": ("title", "castitle", "phrasetitle", "description", "narrative"),
}
_INEX_ATTRIBUTES = {
    "inex2002": {"topic-id": "id", "query-type": "kind", "ct-no": "ct_no"},
    "inex2003": {"topic_id": "id", "query_type": "kind", "ct_no": "ct_no"},
    "inex2005": {"topic_id": "id", "query_type": "kind", "ct_no": "ct_no"},
    "inex2009": {"id": "id", "ct_no": "ct_no"},
}
_INEX_TAGS = {"inex2002": "INEX-Topic", "inex2009": "topic"}  # of a topic; inex_topic in the other years
_INEX_ROOTS = {"inex2002": "INEX-Topics", "inex2009": "inex-topic-file"}
_SPELLINGS = {
    "topic_id": "id",
    "topic-id": "id",
    "query_type": "kind",
    "query-type": "kind",
    "ct-no": "ct_no",
}
_TITLE_2002 = "title_2002"  # the key in ``about`` of the pieces of a title of 2002, as written
_INEX_COLUMNS = {"id", "kind", "ct_no", *_INEX_FIELDS["inex2005"]}
_LATER = re.compile(rb"<(castitle|ontopic_keywords|mmtitle|parent|phrasetitle)[\s>/]|query_type\s*=\s*.CO\+S")


def _is_2002(head: bytes) -> bool:
    return b"<INEX-Topic" in head.replace(b"\0", b"")


def _is_2009(head: bytes) -> bool:
    return b"<inex-topic-file" in head.replace(b"\0", b"")


def _is_2005(head: bytes) -> bool:
    plain = head.replace(b"\0", b"")
    return b"<inex_topic" in plain and (_LATER.search(plain) is not None or b"query_type" not in plain)


def _is_2003(head: bytes) -> bool:
    return b"<inex_topic" in head.replace(b"\0", b"")


def _read_inex(data: bytes, name: str, *, format_name: str) -> Topics:
    root: Any = XmlParser().parse(data, name)
    tag = _INEX_TAGS.get(format_name, "inex_topic")
    nodes = list(root.iter(tag))
    children = [] if root.tag in {tag, "assessments"} else list(root.iterchildren(etree.Element))
    stray = next((node for node in children if node.tag != tag), None if nodes else root)
    if stray is not None:
        # in a file without topics the root may be correct: the error must not blame it
        is_empty = not (children or nodes)
        problem, found = ("a file without topics", "none") if is_empty else ("topics", f"<{stray.tag}>")
        raise InputError(problem, file=name, line=stray.sourceline, wanted=f"<{tag}>", found=found)
    notes: list[str] = []
    if format_name == "inex2002":
        rows = [_parse_topic_of_2002(node, name, notes) for node in nodes]
    else:
        rows = [_parse_inex_topic(node, name) for node in nodes]
    return Topics(TOPICS.from_rows(rows), format=format_name, notes=tuple(notes))


def _parse_topic_of_2002(node: Any, name: str, notes: list[str]) -> dict[str, object]:
    """Parse a topic of 2002, whose tags are capitalised; the title becomes a query or plain words."""
    for child in node.iterchildren(etree.Element):
        if child.tag.lower() in _INEX_COLUMNS:
            child.tag = child.tag.lower()
    row = _parse_inex_topic(node, name)
    title = node.find("title")
    pieces = [] if title is None else _list_title_pieces(title, name)
    if not pieces:
        return row
    try:
        translated = translate_title(pieces)
    except InputError as error:
        problem = f"the title of topic {row['id']}"
        raise InputError(
            problem, file=name, line=title.sourceline, wanted=error.wanted, found=error.found
        ) from None
    if translated.note:
        notes.append(f"{name}, line {title.sourceline}: topic {row['id']}: {translated.note}")
    row["title"] = translated.query
    if len(pieces) > 1 or pieces[0][0] != "cw":  # otherwise the title is all there is
        about = json.loads(str(row["about"] or "{}"))
        row["about"] = json.dumps({**about, _TITLE_2002: pieces}, ensure_ascii=False)
    return row


def _list_title_pieces(title: Any, name: str) -> list[TitlePiece]:
    """Return the te, cw and ce of a title, as written; an empty list for a title of plain text."""
    pieces = []
    for child in title.iterchildren(etree.Element):
        tag, text = child.tag.lower(), "".join(child.itertext()).strip()
        if tag not in TITLE_PIECES:
            wanted = " or ".join(f"<{piece}>" for piece in TITLE_PIECES)
            raise InputError(
                "the title of a topic",
                file=name,
                line=child.sourceline,
                wanted=wanted,
                found=f"<{child.tag}>",
            )
        if text:
            pieces.append((tag, text))
    return pieces


def _parse_inex_topic(node: Any, name: str) -> dict[str, object]:
    children = list(node.iterchildren(etree.Element))
    fields = [(_SPELLINGS.get(key, key), value.strip()) for key, value in node.items()]
    fields += [(child.tag, "".join(child.itertext()).strip()) for child in children]
    counts = Counter(key for key, _ in fields)
    duplicate = next((key for key, count in counts.items() if count > 1), None)
    if duplicate is not None:  # keeping one of them would hide the others
        problem = f"the field {duplicate!r} of a topic"
        raise InputError(problem, file=name, line=node.sourceline, wanted="one", found=f"{counts[duplicate]}")
    row: dict[str, object] = {key: text or None for key, text in fields if key in _INEX_COLUMNS}
    if row.get("id") is None:
        found = f"<{node.tag}> with {', '.join(node.keys()) or 'no attributes'}"
        raise InputError("a topic", file=name, line=node.sourceline, wanted="an id (topic_id)", found=found)
    about = {key: text for key, text in fields if key not in _INEX_COLUMNS}
    about_text = json.dumps(about, ensure_ascii=False) if about else None
    return {**row, "about": about_text, "file": name, "line": node.sourceline}


def _write_inex(topics: Topics, *, format_name: str) -> bytes:
    nodes = [_build_inex_node(topic, format_name) for topic in topics]
    if format_name != "inex2009" and len(nodes) == 1:
        root = nodes[0]
    else:
        root = etree.Element(_INEX_ROOTS.get(format_name, "inex_topics"))
        root.extend(nodes)
    etree.indent(root, space="  ")
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _build_inex_node(topic: Topic, format_name: str) -> etree._Element:
    node = etree.Element(_INEX_TAGS.get(format_name, "inex_topic"))
    is_2002 = format_name == "inex2002"
    try:
        for attribute, column in _INEX_ATTRIBUTES[format_name].items():
            if getattr(topic, column) is not None:
                node.set(attribute, getattr(topic, column))
        for column in _INEX_FIELDS[format_name]:
            if getattr(topic, column) is not None:
                field = etree.SubElement(node, column.capitalize() if is_2002 else column)
                if is_2002 and column == "title":
                    _write_title_of_2002(field, topic)
                else:
                    field.text = getattr(topic, column)
        for key, value in topic.about.items():
            if is_2002 and key == _TITLE_2002:
                continue
            etree.SubElement(node, key).text = value if isinstance(value, str) else json.dumps(value)
    except ValueError as error:
        wanted = "names and characters that XML allows"
        raise InputError(f"topic {topic.id!r}", wanted=wanted, found=str(error)) from None
    return node


def _are_title_pieces(value: object) -> TypeGuard[list[TitlePiece]]:
    return isinstance(value, list) and all(
        isinstance(piece, list | tuple)
        and len(piece) == 2
        and piece[0] in TITLE_PIECES
        and isinstance(piece[1], str)
        for piece in value
    )


def _write_title_of_2002(field: etree._Element, topic: Topic) -> None:
    """Write the pieces of a title as they were read, or a title of another year as content words."""
    pieces = topic.about.get(_TITLE_2002)
    if isinstance(pieces, str):  # the formats of other years store it as text
        with contextlib.suppress(ValueError):
            pieces = json.loads(pieces)
    if pieces is not None and not _are_title_pieces(pieces):
        wanted = f'{_TITLE_2002} as a list of pairs such as ["te", "article"]'
        raise InputError(f"topic {topic.id!r}", wanted=wanted, found=quote_value(pieces))
    if pieces is None:
        if topic.nexi is not None:
            wanted = "a title without a query: 2002 has te, cw and ce instead"
            raise InputError(f"topic {topic.id!r}", wanted=wanted, found=quote_value(topic.nexi))
        pieces = [("cw", topic.title)]
    for tag, text in pieces:
        etree.SubElement(field, tag).text = text


def _declare_inex_format(name: str, about: str, recognises: Callable[[bytes], bool]) -> FileFormat[Topics]:
    return FileFormat(
        name=name,
        about=about,
        begins=rb"<",
        accepts=recognises,
        read=partial(_read_inex, format_name=name),
        write=partial(_write_inex, format_name=name),
        holds={"topics": frozenset((*_INEX_ATTRIBUTES[name].values(), *_INEX_FIELDS[name], "about"))},
    )


INEX_TOPIC_FORMATS = (
    _declare_inex_format("inex2002", "INEX-Topic with te, cw and ce (2002)", _is_2002),
    _declare_inex_format("inex2009", "inex-topic-file with many topics (2009 and later)", _is_2009),
    _declare_inex_format("inex2005", "inex_topic with castitle (2005 to 2008)", _is_2005),
    _declare_inex_format("inex2003", "inex_topic, one file per topic (2003 and 2004)", _is_2003),
)


_JSONL_COLUMNS = tuple(name for name in TOPICS.schema if name not in {"about", "file", "line"})
_ID_NAMES = ("_id", "topic", "topic_id", "query_id", "qid", "question_id")
_QUESTION_NAMES = ("question", "query", "user_input")
# names in lines of results or gold, which may have a question as well
_RESULT_NAME = re.compile(
    rb'"(?:doc\w*|source|file\w*|text|content|page_content|\w*contexts|references?|start|rank|score)"\s*:'
)
_TSV_HEADERS = {("id", "text"), ("id", "title"), ("topic", "text"), ("topic", "title"), ("id", "query")}


def _is_tsv(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")[0]
    return first.count(b"\t") == 1 and not first.startswith((b"{", b"<"))


def _read_tsv(data: bytes, name: str) -> Topics:
    rows: list[dict[str, object]] = []
    for number, (line, text) in enumerate(split_lines(data, name)):
        fields = tuple(part.strip() for part in text.split("\t"))
        if number == 0 and tuple(part.lower() for part in fields) in _TSV_HEADERS:
            continue
        if len(fields) != 2 or not all(fields):
            wanted = "an id, a tab and a text"
            raise InputError("a topic", file=name, line=line, wanted=wanted, found=quote_value(text))
        rows.append({"id": fields[0], "title": fields[1], "file": name, "line": line})
    return _build_topics(rows, name, "tsv")


def _write_tsv(topics: Topics) -> bytes:
    lines = []
    for topic in topics:
        title = " ".join((topic.title or "").split()) if _breaks_a_line(topic.title) else topic.title
        if not title or _breaks_a_line(topic.id):
            raise InputError(
                f"topic {topic.id!r}", wanted="an id without tabs, and a title", found=quote_value(title)
            )
        lines.append(f"{topic.id}\t{title}\n")
    return "".join(lines).encode()


def _breaks_a_line(text: str | None) -> bool:
    return text is not None and any(mark in text for mark in "\t\n\r")


def _is_jsonl(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not first.startswith(b"{"):
        return False
    has_question = any(f'"{name}"'.encode() in first for name in (*_QUESTION_NAMES, "title"))
    return b'"id"' in first or b'"_id"' in first or (has_question and not _RESULT_NAME.search(first))


def _read_jsonl(data: bytes, name: str) -> Topics:
    return _build_topics(
        [_parse_jsonl_topic(record, name, line) for line, record in parse_json_lines(data, name)],
        name,
        "jsonl",
    )


def _parse_jsonl_topic(record: dict[str, Any], name: str, line: int) -> dict[str, object]:
    row: dict[str, object] = {"file": name, "line": line}
    record = _rename_keys(record)
    if "text" in record and "title" in record:
        raise InputError("a topic", file=name, line=line, wanted="either a text or a title", found="both")
    about = {
        key: value
        for key, value in record.items()
        if key not in (*_JSONL_COLUMNS, "text") and not (key == "metadata" and not value)
    }
    for key, value in record.items():
        column = "title" if key == "text" else key
        if column in {"id", "ct_no", "parent"} and value is not None:
            row[column] = parse_identifier(value, f"the {key} of a topic", file=name, line=line)
        elif column in _JSONL_COLUMNS and value is not None:
            if not isinstance(value, str):
                problem = f"the {key} of a topic"
                raise InputError(problem, file=name, line=line, wanted="a string", found=quote_value(value))
            row[column] = value.strip() or None
    if "id" not in row:
        raise InputError("a topic", file=name, line=line, wanted='an "id"', found=quote_value(list(record)))
    row["about"] = json.dumps(about, ensure_ascii=False) if about else None
    return row


def _rename_keys(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the keys ``id`` and ``text`` instead of other names for them.

    >>> _rename_keys({"qid": 7, "question": "Why?"}), _rename_keys({"query": "Why?"})
    ({'id': 7, 'text': 'Why?'}, {'text': 'Why?', 'id': 'Why?'})
    """
    names: dict[str, str] = {}
    if "id" not in record:
        names |= dict.fromkeys([name for name in _ID_NAMES if name in record][:1], "id")
    if not record.keys() & {"text", "title"}:
        names |= dict.fromkeys([name for name in _QUESTION_NAMES if name in record][:1], "text")
    renamed = {names.get(key, key): value for key, value in record.items()}
    if "id" not in renamed and "text" in names.values():
        renamed["id"] = renamed["text"]
    return renamed


def _write_jsonl(topics: Topics) -> bytes:
    return "".join(
        json.dumps(_build_jsonl_record(topic), ensure_ascii=False) + "\n" for topic in topics
    ).encode()


def _build_jsonl_record(topic: Topic) -> dict[str, object]:
    record = {
        "text" if column == "title" else column: getattr(topic, column)
        for column in _JSONL_COLUMNS
        if getattr(topic, column) is not None
    }
    return {**record, **topic.about}


def _build_topics(rows: list[dict[str, object]], name: str, format_name: str) -> Topics:
    if not rows:
        raise InputError("empty file", file=name, wanted="topics", found="none")
    return Topics(TOPICS.from_rows(rows), format=format_name)


TSV_TOPICS = FileFormat(
    name="tsv",
    about="lines of id, tab, text",
    accepts=_is_tsv,
    read=_read_tsv,
    write=_write_tsv,
    holds={"topics": frozenset({"id", "title"})},
)

JSONL_TOPICS = FileFormat(
    name="jsonl",
    about='lines of JSON objects: {"id", "text", ...}',
    begins=rb"\{",
    accepts=_is_jsonl,
    read=_read_jsonl,
    write=_write_jsonl,
    holds={"topics": frozenset((*_JSONL_COLUMNS, "about"))},
)


TOPIC_FORMATS: tuple[FileFormat[Topics], ...] = (
    *INEX_TOPIC_FORMATS,
    *CAMPAIGN_TOPICS,
    TREC_TOPICS,
    JSONL_TOPICS,
    TSV_TOPICS,
)


def find_topic_format(name: str) -> FileFormat[Topics]:
    """Return the topic format with the given name."""
    return find_format(TOPIC_FORMATS, name, kind="topics")
