"""Documents in the file formats of campaigns, many per file, with the elements that gold refers to.

=========  ==========================================================  ====================================
PubMed     ``{"pmid", "title", "abstract", "sections"?}``: lines,       ``/article[1]/title[1]``,
           a list, or ``{"articles": [...]}``; or XML,                  ``/abstract[1]``, ``/section[2]``
           ``PubmedArticleSet/PubmedArticle``
LoCoMo     ``{"sample_id", "conversation": {"session_1": [...]}}``     ``/conversation[1]/session[1]/turn[3]``
ArchEHR    XML, ``annotations/case[@id]//sentence[@id]``               ``/case[1]/sentence[5]``
QASPER     ``{paper_id: {"title", "abstract", "full_text"}}``          ``/paper[1]/section[2]/p[1]``
SQuAD      ``{"data": [{"title", "paragraphs": [{"context"}]}]}``      the context alone, as plain text
=========  ==========================================================  ====================================

Each becomes a small XML document, so that its text is that of its elements, one per line.  Positions of
elements are the numbers that the campaign gives them: where a number is missing, the element is empty.
Characters that XML does not allow become blanks, so that offsets do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from doxel.errors import InputError
from doxel.files.json_records import JsonFile
from doxel.markup import XmlParser
from doxel.wording import quote_value

__all__ = [
    "ARTICLE_KEYS",
    "CampaignDocument",
    "are_contracts",
    "build_article",
    "has_campaign_root",
    "iterate_campaign_documents",
    "iterate_contexts",
]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SESSION = re.compile(r"session_([1-9][0-9]{0,4})")
_TURN = re.compile(r"D([0-9]+):([1-9][0-9]{0,4})")
_HEAD = 4096
_ABSTRACT_KEYS = ("abstract", "abstractText", "documentAbstract")
ARTICLE_KEYS = {"pmid", "title", "sections", *_ABSTRACT_KEYS}
"""The keys of an article that are read."""


class CampaignDocument(NamedTuple):
    """A document: its id, its content, the kind of this content, and its line in the file."""

    id: str
    content: str
    kind: str
    line: int | None


def iterate_campaign_documents(data: bytes, name: str) -> Iterator[CampaignDocument] | None:
    """Return the documents of a file in the shape of a campaign, None for any other file."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if root := _ROOT.match(data[:_HEAD]):
        return _iterate_cases(data, name) if root[1] == b"annotations" else _iterate_pubmed(data, name)
    try:
        file = JsonFile(data, name, wanted="documents") if head.startswith((b"{", b"[")) else None
    except InputError:  # JSON lines, or no JSON at all: other readers report the error
        file = None
    return None if file is None else _iterate_records(file)


def _iterate_records(file: JsonFile) -> Iterator[CampaignDocument] | None:
    """Return the documents of a JSON file, by the keys of its first object."""
    records = file.content if isinstance(file.content, list) else [file.content]
    first = next((record for record in records if isinstance(record, dict)), {})
    articles = first.get("articles", first.get("documents"))
    documents: Iterator[CampaignDocument] | None = None
    if "conversation" in first or any(map(_SESSION.fullmatch, first)):
        documents = _iterate_conversations(file, records)
    elif isinstance(first.get("data"), list):
        documents = _build_contexts(file)
    elif isinstance(articles, list) or "pmid" in first:
        documents = _iterate_articles(file, articles if isinstance(articles, list) else records)
    elif first and all(isinstance(value, dict) and "full_text" in value for value in first.values()):
        documents = _iterate_papers(file)
    return documents


_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>]*>)*"
    rb"<(annotations|PubmedArticleSet|PubmedArticle)[\s>]",
    re.DOTALL,
)


def has_campaign_root(data: bytes) -> bool:
    """Return whether a file of XML begins like the notes of ArchEHR-QA, or like articles of PubMed."""
    return _ROOT.match(data[:_HEAD]) is not None


def _add(parent: etree._Element, tag: str, text: str = "", **attributes: str) -> etree._Element:
    """Add an element on a separate line."""
    node = etree.SubElement(
        parent, tag, {name: _NOT_XML.sub(" ", value) for name, value in attributes.items()}
    )
    node.text = _NOT_XML.sub(" ", text)
    node.tail = "\n"
    return node


def _encode(root: etree._Element) -> str:
    return str(etree.tostring(root, encoding="unicode"))


def build_article(record: dict[str, Any], file: str, line: int | None) -> CampaignDocument:
    """Return an article of PubMed, with title, abstract and further sections as elements."""
    identifier = record.get("pmid")
    if isinstance(identifier, bool) or not isinstance(identifier, int | str) or not str(identifier).strip():
        found = "nothing" if identifier is None else quote_value(identifier)
        raise InputError("the pmid of an article", file=file, line=line, wanted="an id", found=found)
    texts = {"title": record.get("title")}
    texts["abstract"] = next((record[key] for key in _ABSTRACT_KEYS if record.get(key)), None)
    sections = record.get("sections") or []
    for label, text in (*texts.items(), *(("section", section) for section in sections)):
        if text is not None and not isinstance(text, str):
            problem = f"the {label} of article {identifier}"
            raise InputError(problem, file=file, line=line, wanted="a text", found=quote_value(text))
    root = etree.Element("article")
    for tag, text in (*texts.items(), *(("section", section) for section in sections)):
        _add(root, tag, text or "")
    return CampaignDocument(str(identifier).strip(), _encode(root), "xml", line)


def _iterate_pubmed(data: bytes, name: str) -> Iterator[CampaignDocument]:
    """Yield the articles of PubMed's own XML; each part of an abstract is on a line, after its label."""
    source: Any = XmlParser().parse(data, name)
    for article in source.iter("PubmedArticle", "PubmedBookArticle"):
        identifier = _read_text(next(article.iter("PMID"), None))
        if not identifier:
            place = {"file": name, "line": article.sourceline}
            raise InputError("an article", **place, wanted="a PMID", found="none")
        parts = [
            f"{part.get('Label')}: {_read_text(part)}" if part.get("Label") else _read_text(part)
            for part in next(article.iter("Abstract"), ())
            if part.tag == "AbstractText"
        ]
        title = _read_text(next(article.iter("ArticleTitle", "BookTitle"), None))
        record = {"pmid": identifier, "title": title, "abstract": "\n".join(parts)}
        yield build_article(record, name, article.sourceline)


def _read_text(element: Any) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def _iterate_articles(file: JsonFile, records: list[Any]) -> Iterator[CampaignDocument]:
    for record in file.check_objects(records, file.content, "the articles"):
        yield build_article(record, file.name, file.find_line(record))


def _iterate_conversations(file: JsonFile, records: list[Any]) -> Iterator[CampaignDocument]:
    for sample in file.check_objects(records, file.content, "the conversations"):
        root = etree.Element("conversation")
        conversation = file.take(sample, "conversation", dict, sample, owner="sample")
        sessions = sorted(
            (int(match[1]), match[0]) for key in conversation if (match := _SESSION.fullmatch(key))
        )
        for number, key in sessions:
            while len(root) < number - 1:
                _add(root, "session")
            date = str(conversation.get(f"{key}_date_time") or "")
            session = _add(root, "session", **({"date": date} if date else {}))
            for turn in file.take_objects(conversation, key, owner="conversation"):
                _add_turn(file, session, turn, number)
        if not sessions:
            raise file.fail(
                sample, "a conversation", wanted="sessions named session_1, session_2, ...", found="none"
            )
        name = file.read_id(sample, "sample_id", owner="conversation")
        yield CampaignDocument(name, _encode(root), "xml", file.find_line(sample))


def _add_turn(file: JsonFile, session: etree._Element, turn: dict[str, Any], number: int) -> None:
    """Add a turn at the position that its id gives."""
    name = file.take(turn, "dia_id", str, owner="turn")
    match = _TURN.fullmatch(name)
    if match is None or int(match[1]) != number or int(match[2]) <= len(session):
        wanted = f"D{number}:{len(session) + 1}, or a later turn of session {number}"
        raise file.fail(turn, "the dia_id of the turn", wanted=wanted, found=quote_value(name))
    while len(session) < int(match[2]) - 1:
        _add(session, "turn")
    speaker = file.take(turn, "speaker", str, "", owner="turn")
    _add(session, "turn", file.take(turn, "text", str, "", owner="turn"), id=name, speaker=speaker)


def _iterate_papers(file: JsonFile) -> Iterator[CampaignDocument]:
    for name, paper in file.content.items():
        root = etree.Element("paper")
        for key in ("title", "abstract"):
            _add(root, key, file.take(paper, key, str, "", owner="paper"))
        for section in file.take_objects(paper, "full_text", owner="paper"):
            node = _add(root, "section")
            _add(node, "heading", file.take(section, "section_name", str, "", owner="section"))
            for text in file.take_texts(section, "paragraphs", owner="section"):
                _add(node, "p", text)
        yield CampaignDocument(name, _encode(root), "xml", file.find_line(paper))


def are_contracts(file: JsonFile, articles: list[dict[str, Any]]) -> bool:
    """Return whether articles are CUAD's: of one paragraph each, with ids that begin with the title."""
    names = []
    for article in articles:
        paragraphs = file.take_objects(article, "paragraphs", owner="article")
        names += [
            len(paragraphs) == 1 and str(question.get("id")).startswith(f"{article.get('title')}__")
            for paragraph in paragraphs
            for question in file.take_objects(paragraph, "qas", [], owner="paragraph")
        ]
    return bool(names) and all(names)


def iterate_contexts(
    file: JsonFile, articles: list[dict[str, Any]], *, is_cuad: bool
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the document name, the context and the object of each paragraph of SQuAD or CUAD."""
    for article in articles:
        title = file.take(article, "title", str, owner="article")
        for position, paragraph in enumerate(file.take_objects(article, "paragraphs", owner="article")):
            context = file.take(paragraph, "context", str, owner="paragraph")
            yield title if is_cuad else f"{title}:{position}", context, paragraph


def _build_contexts(file: JsonFile) -> Iterator[CampaignDocument]:
    articles = file.take_objects(file.content, "data", owner="file")
    is_cuad = are_contracts(file, articles)
    for name, context, paragraph in iterate_contexts(file, articles, is_cuad=is_cuad):
        yield CampaignDocument(name, context, "text", file.find_line(paragraph))


def _iterate_cases(data: bytes, name: str) -> Iterator[CampaignDocument]:
    root: Any = XmlParser().parse(data, name)
    for case in root.iter("case"):
        document = etree.Element("case")
        for sentence in case.iter("sentence"):
            number = sentence.get("id", "")
            if not re.fullmatch("[1-9][0-9]{0,4}", number) or int(number) <= len(document):
                wanted = f"the id {len(document) + 1}, or a higher number"
                raise InputError(
                    f"a sentence of case {case.get('id')}",
                    file=name,
                    line=sentence.sourceline,
                    wanted=wanted,
                    found=quote_value(number),
                )
            while len(document) < int(number) - 1:
                _add(document, "sentence")
            _add(document, "sentence", "".join(sentence.itertext()).strip(), id=number)
        if not case.get("id") or not len(document):
            found = "a case without id" if not case.get("id") else f"none in case {case.get('id')}"
            raise InputError(
                "notes", file=name, line=case.sourceline, wanted="sentences with ids", found=found
            )
        yield CampaignDocument(case.get("id"), _encode(document), "xml", case.sourceline)
