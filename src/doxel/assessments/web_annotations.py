"""Assessments as W3C Web Annotations (JSON-LD), the format of annotation tools.

=====================  ============================================================================
an assessment          as an annotation
=====================  ============================================================================
the document           ``target.source`` (or the target itself, if it is a string)
the topic              ``value`` of the body with purpose ``identifying``, or else ``tagging``
an aspect              beside a topic that is ``identifying``: ``value`` of a body with purpose ``tagging``
a grade                ``value`` of the body with purpose ``assessing``
a highlight            a target with a TextPositionSelector, a TextQuoteSelector, or both
a best entry point     motivation ``bookmarking``, a TextPositionSelector (its start)
nothing relevant       motivation ``assessing``, a target without selector
=====================  ============================================================================

A highlight with several tags belongs to several aspects.  Weights of aspects cannot be stored.

Annotations are written with an ``id``, which depends on their content alone, so that the same judgement has
the same id in every file; with their ``creator`` and the times of the first and the last change, if they are
known (the assessment site has them); and with doxel as their ``generator``.

A file may contain a list of annotations, an AnnotationPage, an AnnotationCollection that includes its
first page, a single annotation, or JSON lines of annotations.  Several selectors of one target describe
the same text: the two selectors above are used.  A selector that refines another is an error.

References: W3C, Web Annotation Data Model, 2017, sections 3.2 (bodies and targets), 3.3.1 (lifecycle),
3.3.2 (agents), 3.3.5 (purpose),
4.2.4 and 4.2.5 (selectors), 5 (collections).
"""

from __future__ import annotations

import json
import re
import uuid
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.assessments.assessments import (
    BEPS,
    HIGHLIGHTS,
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_complete,
    require_columns,
)
from doxel.assessments.jsonl_assessments import parse_aspect, parse_grade, parse_position
from doxel.errors import InputError
from doxel.files import decode_utf8
from doxel.files.contents import explain_json_error, parse_identifier, parse_json_lines
from doxel.wording import quote_value

__all__ = ["WEB_ANNOTATION", "Provenance", "write_annotations"]

_CONTEXT = "http://www.w3.org/ns/anno.jsonld"
# a quoted "Annotation" inside a document's text has a backslash before its quotation mark
_MARK = rb'(?<!\\)"(?:Annotation(?:Page|Collection)?|https?://www\.w3\.org/ns/anno\.jsonld)"'
_TARGET = re.compile(r'(?<!\\)"target"\s*:')
_SELECTORS = "TextPositionSelector or TextQuoteSelector"


@dataclass
class _AnnotationReader:
    """Collects the rows of all annotations."""

    name: str
    label: str = ""
    judged: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    highlights: list[dict[str, object]] = field(default_factory=list)
    beps: list[dict[str, object]] = field(default_factory=list)
    count: int = 0

    def add(self, annotation: dict[str, Any], line: int | None) -> None:
        """Add the rows of one annotation; without a line, errors give the number of the annotation."""
        self.count += 1
        self.label = self.name if line is not None else f"{self.name}, annotation {self.count}"
        if "target" not in annotation:
            raise self._refusal("an annotation", "a target", quote_value(list(annotation)), line)
        bodies = [body for body in _as_list(annotation.get("body")) if isinstance(body, dict)]
        topic, aspects = self._topic(bodies, line)
        grade = self._grade(bodies, line)
        is_bookmark = "bookmarking" in _as_list(annotation.get("motivation"))
        for target in _as_list(annotation["target"]):
            place = {"topic": topic, "doc": self._doc(target, line)}
            self.judged.setdefault((topic, place["doc"]), {**place, "file": self.name, "line": line})
            selectors = self._selectors(target, line)
            if aspects and (is_bookmark or not selectors):
                raise self._refusal(
                    "tags beside a topic", "a highlight to which these aspects belong", "none", line
                )
            if grade is not None and grade > 0 and not selectors:
                wanted = "a selector of the text that it grades; whole documents have grades in TREC qrels"
                raise self._refusal(f"grade {grade:g} of an annotation", wanted, "none", line)
            if is_bookmark and "start" not in selectors:
                raise self._refusal("a best entry point", "a TextPositionSelector", "none", line)
            if is_bookmark:
                self.beps.append({**place, "position": selectors["start"], "line": line})
            elif selectors:
                highlight = {**place, **selectors, "grade": grade, "line": line}
                aspect_names: list[str | None] = [*aspects] or [None]
                self.highlights += [{**highlight, "aspect": aspect} for aspect in aspect_names]

    def _topic(self, bodies: list[dict[str, Any]], line: int | None) -> tuple[str, list[str]]:
        """Return the topic and the aspects of an annotation: tags are aspects if the topic is identified."""
        identified, tags = [], []
        for body in bodies:
            purposes = _as_list(body.get("purpose"))
            if "identifying" in purposes:
                identified.append(body.get("value"))
            elif "tagging" in purposes:
                tags.append(body.get("value"))
        values, aspects = (identified, tags) if identified else (tags, [])
        if len(values) != 1:
            wanted = (
                'one body with purpose "tagging" (beside aspects "identifying"), whose value is the topic'
            )
            raise self._refusal("the topic of an annotation", wanted, f"{len(values)}", line)
        topic = parse_identifier(values[0], "the topic of an annotation", file=self.label, line=line)
        return topic, [parse_aspect(aspect, self.label, line) for aspect in aspects]

    def _grade(self, bodies: list[dict[str, Any]], line: int | None) -> float | None:
        values = [body.get("value") for body in bodies if "assessing" in _as_list(body.get("purpose"))]
        if not values:
            return None
        try:
            value = float(values[0]) if isinstance(values[0], str) and len(values) == 1 else values[0]
        except ValueError:
            value = values[0]
        return parse_grade(value if len(values) == 1 else values, self.label, line)

    def _doc(self, target: Any, line: int | None) -> str:
        source = target.get("source", target.get("id")) if isinstance(target, dict) else target
        source = source.get("id") if isinstance(source, dict) else source
        return parse_identifier(source, "the source of a target", file=self.label, line=line)

    def _selectors(self, target: Any, line: int | None) -> dict[str, object]:
        selectors = _as_list(target.get("selector")) if isinstance(target, dict) else []
        values: dict[str, object] = {}
        for selector in selectors:
            if not isinstance(selector, dict) or "refinedBy" in selector:
                raise self._refusal("a selector", f"{_SELECTORS}, not refined", quote_value(selector), line)
            if selector.get("type") == "TextPositionSelector":
                values |= self._position(selector, line)
            elif selector.get("type") == "TextQuoteSelector":
                values |= self._quote(selector, line)
        if selectors and not values:
            types = ", ".join(quote_value(selector.get("type")) for selector in selectors)
            raise self._refusal("the selectors of a target", _SELECTORS, types, line)
        return values

    def _position(self, selector: dict[str, Any], line: int | None) -> dict[str, object]:
        start, end = (parse_position(selector.get(key), key, self.label, line) for key in ("start", "end"))
        if end < start:
            offsets = f"start {start}, end {end}"
            raise self._refusal("a TextPositionSelector", "an end after its start", offsets, line)
        return {"start": start, "end": end}

    def _quote(self, selector: dict[str, Any], line: int | None) -> dict[str, object]:
        parts = {"text": "exact", "prefix": "prefix", "suffix": "suffix"}
        values: dict[str, object] = {
            column: selector[key] for column, key in parts.items() if selector.get(key) is not None
        }
        is_valid = all(isinstance(value, str) for value in values.values())
        if not isinstance(values.get("text"), str) or not is_valid:
            raise self._refusal(
                "a TextQuoteSelector", "texts, one of them exact", quote_value(selector), line
            )
        return values

    def _refusal(self, problem: str, wanted: str, found: str, line: int | None) -> InputError:
        return InputError(problem, file=self.label, line=line, wanted=wanted, found=found)


def _as_list(value: Any) -> list[Any]:
    """Return a value as a list: JSON-LD writes a single value without one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _read(data: bytes, name: str) -> Assessments:
    reader = _AnnotationReader(name)
    for line, annotation in _parse_annotations(data, name):
        reader.add(annotation, line)
    if not reader.judged:
        raise InputError("empty file", file=name, wanted="annotations", found="none")
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(reader.judged.values()),
        highlights=HIGHLIGHTS.from_rows(reader.highlights),
        beps=BEPS.from_rows(reader.beps),
        file=name,
        format="web-annotation",
    )


def _parse_annotations(data: bytes, name: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    text = decode_utf8(data, name)
    try:
        document = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(document, ensure_ascii=False).encode()  # raises for half of a surrogate pair
    except json.JSONDecodeError as error:
        if error.msg.startswith("Extra data"):
            yield from parse_json_lines(data, name)
            return
        fault = f"{error.msg} at column {error.colno}"
        raise InputError("annotations", file=name, line=error.lineno, wanted="JSON", found=fault) from None
    except (ValueError, RecursionError) as error:
        raise InputError("annotations", file=name, wanted="JSON", found=explain_json_error(error)) from None
    items = _find_items(document, name)
    # the JSON parser gives no line numbers; each annotation has one target, whose line can be searched for
    ends = [match.start() for match in re.finditer("\n", text)]
    lines = [bisect(ends, match.start()) + 1 for match in _TARGET.finditer(text)]
    has_lines = len(lines) == len(items)
    for number, item in enumerate(items):
        line = lines[number] if has_lines else None
        if not isinstance(item, dict):
            raise InputError(
                "annotations", file=name, line=line, wanted="an object each", found=quote_value(item)
            )
        yield line, item


def _find_items(document: Any, name: str) -> list[Any]:
    if isinstance(document, list):
        return document
    kinds = _as_list(document.get("type")) if isinstance(document, dict) else []
    if "AnnotationCollection" in kinds:
        document = document.get("first")
        kinds = ["AnnotationPage"] if isinstance(document, dict) else []
    if "AnnotationPage" in kinds and isinstance(document.get("items"), list):
        if document.get("next") is not None:
            next_page = f"a next page, {quote_value(document['next'])}"
            raise InputError("annotations", file=name, wanted="all annotations in one file", found=next_page)
        return list(document["items"])
    if "Annotation" in kinds:
        return [document]
    wanted = (
        "an Annotation, a list of them, an AnnotationPage, or an AnnotationCollection with its first page"
    )
    raise InputError("annotations", file=name, wanted=wanted, found=quote_value(kinds or document))


@dataclass(frozen=True)
class Provenance:
    """Who judged a document, and when they began and last changed it, in ISO 8601."""

    creator: str
    created: str
    modified: str


_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, _CONTEXT)
_GENERATOR = {"type": "Software", "name": f"doxel {__version__}"}


def _make_id(content: object) -> str:
    """Return an IRI that depends on a content alone."""
    return uuid.uuid5(_NAMESPACE, json.dumps(content, ensure_ascii=False, sort_keys=True)).urn


def _write(assessments: Assessments) -> bytes:
    return write_annotations(assessments, {})


def write_annotations(assessments: Assessments, provenance: Mapping[tuple[str, str], Provenance]) -> bytes:
    """Write assessments as a page of annotations, with who made them and when, by topic and document."""
    check_complete(assessments, "web-annotation")
    remedy = "pass a collection with -c to find it"
    require_columns(assessments.beps, ["position"], "web-annotation", "a best entry point", remedy)
    without_text = assessments.highlights.filter(pl.col("text").is_null())
    require_columns(without_text, ["start", "end"], "web-annotation", "a highlight", remedy)
    annotations: dict[tuple[str, str], list[dict[str, object]]] = {
        key: [] for key in assessments.judged.select("topic", "doc").iter_rows()
    }
    for row in assessments.beps.iter_rows(named=True):
        selector = {"type": "TextPositionSelector", "start": row["position"], "end": row["position"]}
        annotations[row["topic"], row["doc"]].append(_build_annotation(row, "bookmarking", selector))
    for row in assessments.highlights.iter_rows(named=True):
        annotations[row["topic"], row["doc"]].append(
            _build_annotation(row, "highlighting", _build_selector(row))
        )
    items = [
        json.dumps(_complete_annotation(annotation, provenance.get((topic, doc))), ensure_ascii=False)
        for (topic, doc), pair_annotations in annotations.items()
        for annotation in pair_annotations
        or [_build_annotation({"topic": topic, "doc": doc}, "assessing", None)]
    ]
    page = ",\n".join(items)
    head = f'"@context": "{_CONTEXT}", "id": "{_make_id(items)}", "type": "AnnotationPage", "startIndex": 0'
    return f'{{{head}, "items": [\n{page}\n]}}\n'.encode()


def _complete_annotation(annotation: dict[str, object], source: Provenance | None) -> dict[str, object]:
    """Return an annotation with its id, its creator, its times and its generator."""
    agent: dict[str, object] = {}
    if source is not None:
        creator = {"id": _make_id(["person", source.creator]), "type": "Person", "name": source.creator}
        agent = {"creator": creator, "created": source.created, "modified": source.modified}
    content = [annotation, None if source is None else source.creator]
    return {"id": _make_id(content), **annotation, **agent, "generator": _GENERATOR}


def _build_selector(row: dict[str, Any]) -> object:
    selectors: list[dict[str, object]] = []
    if row["start"] is not None and row["end"] is not None:
        selectors.append({"type": "TextPositionSelector", "start": row["start"], "end": row["end"]})
    if row["text"] is not None:
        context = {key: row[key] for key in ("prefix", "suffix") if row[key] is not None}
        selectors.append({"type": "TextQuoteSelector", "exact": row["text"], **context})
    return selectors if len(selectors) > 1 else selectors[0]


def _build_annotation(row: dict[str, Any], motivation: str, selector: object) -> dict[str, object]:
    has_aspect = row.get("aspect") is not None
    purpose = "identifying" if has_aspect else "tagging"
    body = [{"type": "TextualBody", "purpose": purpose, "value": row["topic"]}]
    if has_aspect:
        body.append({"type": "TextualBody", "purpose": "tagging", "value": row["aspect"]})
    if row.get("grade") is not None:
        body.append({"type": "TextualBody", "purpose": "assessing", "value": repr(row["grade"])})
    target = {"source": row["doc"], "selector": selector} if selector is not None else row["doc"]
    return {"type": "Annotation", "motivation": motivation, "body": body, "target": target}


WEB_ANNOTATION = AssessmentFormat(
    name="web-annotation",
    about="W3C Web Annotations with TextPositionSelector and TextQuoteSelector",
    scale="2006",
    begins=rb"[{\[].*?" + _MARK,
    read=_read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset(
            {"topic", "doc", "start", "end", "text", "prefix", "suffix", "grade", "aspect"}
        ),
        "beps": frozenset({"topic", "doc", "position"}),
    },
)
