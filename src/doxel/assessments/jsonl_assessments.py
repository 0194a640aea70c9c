"""Assessments as JSON lines, the simplest format to write by hand or with a program.

==================================================  ===============================================
``{"topic", "doc", "start", "end"}`` (+ "grade")    a highlight, by offsets
``{"topic", "doc", "text"}`` (+ "grade")            a highlight, by quotation (+ "prefix", "suffix")
``{"topic", "doc", "page"}`` (+ "grade")            a page of a PDF file as a highlight, from 1
``{"topic", "doc", "bep"}``                         a best entry point
``{"topic", "doc"}``                                judged, nothing relevant
``{"topic", "aspects": {NAME: {...}}}``             weights of aspects ("weight", "vital")
==================================================  ===============================================

A highlight of grade 0 or below judges its document, and its text is not relevant.

A highlight may name the "aspect" of the topic that it answers: of the highlights of one aspect, one is
enough.  A line with "aspects" sets their weight (above 0, 1 by default), and whether they are vital (true by
default); it judges no document.

With a page, start, end and bep count within the page.  A highlight may have both offsets and quotation.
Lines with other names for topic, document or place (``question``, ``source``, ``start_index``, ``content``;
see :mod:`doxel.adapters.column_names`) are read like such rows in Python; a text without a document is
searched for in all documents.

Other keys are ignored and listed in the notes.  But a line with other keys and none of the keys above is an
error: otherwise a misspelt key would turn a relevant document into one with nothing relevant.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from doxel.adapters.column_names import (
    adopt_names,
    has_foreign_grade,
    has_foreign_names,
    list_document_names,
    spread_lists,
)
from doxel.assessments.assessments import (
    ASPECTS,
    BEPS,
    HIGHLIGHTS,
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_complete,
)
from doxel.documents.document_names import NO_DOCUMENT
from doxel.documents.page_places import build_page_path
from doxel.errors import InputError
from doxel.files.contents import parse_identifier, parse_json_lines
from doxel.wording import join_words, pluralise, quote_value

__all__ = [
    "JSONL_ASSESSMENTS",
    "parse_aspect",
    "parse_aspects",
    "parse_grade",
    "parse_position",
    "read_gold_records",
]

_LARGEST_GRADE = sys.float_info.max  # a JSON integer may be larger than any float
_HIGHLIGHT_KEYS = ("start", "end", "text", "prefix", "suffix", "grade", "aspect")
_RESULT_KEYS = ("run", "rank", "score", "rsv", "distance")
_ALL_KEYS = {"topic", "doc", "page", "bep", *_HIGHLIGHT_KEYS}
_KEY_COMBINATIONS = '"start" and "end", "text", "page", "bep", or only "topic" and "doc"'


def _is_jsonl(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n[")  # the file may be one list
    return start.startswith(b"{") and (b'"topic"' in start.partition(b"\n")[0] or _has_gold(start))


def _has_gold(start: bytes) -> bool:
    """Return whether the first JSON object of a file has gold."""
    try:
        record, _ = json.JSONDecoder().raw_decode(start.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return "topic" in record or any(map(has_foreign_names, spread_lists(record, gold=True)[:1]))


def _read(data: bytes, name: str) -> Assessments:
    lines = [
        (line, member)
        for line, record in parse_json_lines(data, name)
        for member in spread_lists(record, gold=True)
    ]
    examples = {tuple(record): record for _, record in lines}.values()  # one for each combination of keys
    is_foreign = bool(lines) and (
        has_foreign_names(lines[0][1])
        or any(map(has_foreign_grade, examples))
        or any("doc" not in record and "aspects" not in record for _, record in lines)
    )
    return read_gold_records(lines, name, "jsonl", is_foreign=is_foreign)


def read_gold_records(
    lines: Sequence[tuple[int, dict[str, Any]]], name: str, format_name: str, *, is_foreign: bool
) -> Assessments:
    """Return the assessments of records with their lines; ``is_foreign`` allows other names for the keys."""
    judged: dict[tuple[str, str], dict[str, object]] = {}
    highlights: list[dict[str, object]] = []
    beps: list[dict[str, object]] = []
    aspects: list[dict[str, object]] = []
    unread_keys: Counter[str] = Counter()
    questions: dict[str, str] = {}
    names: dict[str, dict[str, None]] = {}
    for line, original in lines:
        if "aspects" in original:
            aspects += parse_aspects(original, name, line)
            continue
        record = _adopt(original) if is_foreign else original
        question = record.pop("question", None) if is_foreign else None
        place = _read_pair(record, name, line)
        if is_foreign:
            names.setdefault(place["doc"], {}).update(dict.fromkeys(list_document_names(original)))
        if isinstance(question, str) and question.strip():
            questions.setdefault(place["topic"], question)
        unread_keys.update(key for key in record if key not in _ALL_KEYS)
        judged.setdefault((place["topic"], place["doc"]), {**place, "file": name, "line": line})
        if "bep" in record:
            beps.append({**place, **_read_bep(record, name, line), "line": line})
        elif "start" in record or "text" in record or "page" in record:
            highlights.append({**place, **_read_highlight(record, name, line), "line": line})
    if not judged and not aspects:
        raise InputError("empty file", file=name, wanted="assessments", found="none")
    _refuse_run(unread_keys, len(lines), name)
    notes = [
        f"{name}: the key {key!r} is ignored ({pluralise(count, 'line')})"
        for key, count in unread_keys.items()
    ]
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(judged.values()),
        highlights=HIGHLIGHTS.from_rows(highlights),
        beps=BEPS.from_rows(beps),
        aspects=ASPECTS.from_rows(aspects),
        file=name,
        format=format_name,
        notes=tuple(notes),
        questions=questions,
        foreign_names={doc: tuple(aliases) for doc, aliases in names.items() if set(aliases) - {doc}},
    )


def _refuse_run(others: Mapping[str, int], line_count: int, name: str) -> None:
    """Reject lines of which each has two keys that only the results of a run have."""
    keys = [key for key in _RESULT_KEYS if others.get(key) == line_count]
    if len(keys) >= 2:
        found = f"results of a run, with the keys {join_words([quote_value(key) for key in keys])}"
        raise InputError("assessments", file=name, wanted="relevant parts of documents", found=found)


def _adopt(record: dict[str, Any]) -> dict[str, Any]:
    """Return a line of gold with doxel's keys; nulls are the same as missing keys."""
    renamed = _fill_missing_document(adopt_names(record, gold=True))
    return {key: value for key, value in renamed.items() if value is not None}


def _fill_missing_document(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with ``NO_DOCUMENT`` as the document of a text that names none."""
    has_text = isinstance(record.get("text"), str) and bool(record["text"].strip())
    return {**record, "doc": NO_DOCUMENT} if has_text and record.get("doc") is None else record


def _read_pair(record: dict[str, Any], name: str, line: int) -> dict[str, str]:
    """Return topic and document of a line, after checking that its keys fit together."""
    keys = set(record)
    is_whole_span = ("start" in keys) == ("end" in keys)
    is_highlight = bool(keys & {"start", "text"}) or ("page" in keys and "bep" not in keys)
    is_valid = (
        is_whole_span
        and not ("bep" in keys and keys & set(_HIGHLIGHT_KEYS))
        and (is_highlight or not keys & set(_HIGHLIGHT_KEYS))
        and (is_highlight or "bep" in keys or not keys - {"topic", "doc"})
        and ("text" in keys or not keys & {"prefix", "suffix"})
    )
    if not is_valid:
        keys_text = ", ".join(quote_value(key, 30) for key in list(record)[:8])
        raise InputError("an assessment", file=name, line=line, wanted=_KEY_COMBINATIONS, found=keys_text)
    return {
        key: parse_identifier(record.get(key), f"the {key}", file=name, line=line) for key in ("topic", "doc")
    }


def _read_page(record: dict[str, Any], name: str, line: int) -> int | None:
    page = record.get("page")
    if page is None or (isinstance(page, int) and not isinstance(page, bool) and 1 <= page < 1 << 31):
        return page
    wanted = "a whole number from 1"
    raise InputError("the page", file=name, line=line, wanted=wanted, found=quote_value(page))


def _read_bep(record: dict[str, Any], name: str, line: int) -> dict[str, object]:
    position = parse_position(record["bep"], "bep", name, line)
    page = _read_page(record, name, line)
    return {"position": position} if page is None else {"path": build_page_path(page, position)}


def _read_highlight(record: dict[str, Any], name: str, line: int) -> dict[str, object]:
    values: dict[str, object] = {}
    if "start" in record:
        start, end = (parse_position(record[key], key, name, line) for key in ("start", "end"))
        if end < start:
            offsets = f"start {start}, end {end}"
            raise InputError(
                "a highlight", file=name, line=line, wanted="an end after its start", found=offsets
            )
        values |= {"start": start, "end": end}
    page = _read_page(record, name, line)
    if page is not None:
        values |= _convert_page(page, values)
    for key in ("text", "prefix", "suffix"):
        if key in record:
            if not isinstance(record[key], str) or (key == "text" and not record[key].strip()):
                value = quote_value(record[key])
                raise InputError(f"the {key}", file=name, line=line, wanted="a text", found=value)
            values[key] = record[key]
    if record.get("grade") is not None:
        values["grade"] = parse_grade(record["grade"], name, line)
    if record.get("aspect") is not None:
        values["aspect"] = parse_aspect(record["aspect"], name, line)
    return values


def _convert_page(page: int, values: dict[str, Any]) -> dict[str, object]:
    """Return the path of a page, or of a span in it, in place of offsets."""
    if "start" not in values:
        return {"path": build_page_path(page)}
    first, last = (build_page_path(page, values[key]) for key in ("start", "end"))
    return {"path": first, "path_end": last, "start": None, "end": None}


def parse_aspect(value: object, name: str, line: int | None) -> str:
    """Return a value as the name of an aspect; anything but a text that is not empty is an error."""
    if isinstance(value, str) and value.strip():
        return value
    wanted = "a text that is not empty"
    raise InputError("the aspect", file=name, line=line, wanted=wanted, found=quote_value(value))


def parse_aspects(record: Mapping[str, Any], name: str, line: int) -> list[dict[str, object]]:
    """Return the aspects that a line declares for a topic, as rows."""
    stray_keys = [key for key in record if key not in {"topic", "aspects"}]
    aspects = record["aspects"]
    if stray_keys or not isinstance(aspects, Mapping):
        found = ", ".join(quote_value(key, 30) for key in stray_keys) or quote_value(aspects)
        wanted = '"topic" and "aspects", the settings of aspects by name'
        raise InputError("a line with aspects", file=name, line=line, wanted=wanted, found=found)
    topic = parse_identifier(record.get("topic"), "the topic", file=name, line=line)
    rows: list[dict[str, object]] = []
    for aspect, settings in aspects.items():
        row: dict[str, object] = {"topic": topic, "aspect": parse_aspect(aspect, name, line)}
        if not isinstance(settings, Mapping) or set(settings) - {"weight", "vital"}:
            wanted, found = '"weight", "vital" or neither', quote_value(settings)
            raise InputError(f"aspect {aspect!r}", file=name, line=line, wanted=wanted, found=found)
        rows.append({**row, **_parse_settings(settings, aspect, name, line), "file": name, "line": line})
    return rows


def _parse_settings(settings: Mapping[str, Any], aspect: str, name: str, line: int) -> dict[str, object]:
    """Return the weight of an aspect and whether it is vital, if they are set."""
    weight: Any = settings.get("weight")
    vital = settings.get("vital")
    if "weight" in settings:
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 < weight <= _LARGEST_GRADE:
            wanted, found = "a number above 0", quote_value(weight)
            raise InputError(f"the weight of {aspect!r}", file=name, line=line, wanted=wanted, found=found)
    if "vital" in settings and not isinstance(vital, bool):
        wanted, found = "true or false", quote_value(vital)
        raise InputError(f"vital of {aspect!r}", file=name, line=line, wanted=wanted, found=found)
    return {"weight": None if weight is None else float(weight), "vital": vital}


def parse_position(value: object, label: str, name: str, line: int | None) -> int:
    """Return a value as an offset in a text; any other value is an error."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62:
        return value
    wanted = "a whole number, 0 or more"
    raise InputError(f"the {label}", file=name, line=line, wanted=wanted, found=quote_value(value))


def parse_grade(value: object, name: str, line: int | None) -> float:
    """Return a value as a grade; a value that is not a number is an error."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_GRADE:
        return float(value)
    raise InputError("the grade", file=name, line=line, wanted="a number", found=quote_value(value))


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "jsonl")
    records: dict[tuple[str, str], list[dict[str, object]]] = {
        key: [] for key in assessments.judged.select("topic", "doc").iter_rows()
    }
    for topic, doc, position in assessments.beps.select("topic", "doc", "position").iter_rows():
        records[topic, doc].append({"bep": _require_position(position, "best entry point", topic, doc)})
    for topic, doc, *values in assessments.highlights.select("topic", "doc", *_HIGHLIGHT_KEYS).iter_rows():
        record = {key: value for key, value in zip(_HIGHLIGHT_KEYS, values, strict=True) if value is not None}
        if "text" not in record:
            _require_position(record.get("start"), "highlight", topic, doc)
            _require_position(record.get("end"), "highlight", topic, doc)
        records[topic, doc].append(record)
    lines = [
        json.dumps({"topic": topic, "doc": doc, **record}, ensure_ascii=False)
        for (topic, doc), pair_records in records.items()
        for record in pair_records or [{}]
    ]
    lines += [
        json.dumps({"topic": topic, "aspects": settings}, ensure_ascii=False)
        for topic, settings in _group_aspects(assessments).items()
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _group_aspects(assessments: Assessments) -> dict[str, dict[str, dict[str, object]]]:
    """Return the settings of aspects by topic and name."""
    topics: dict[str, dict[str, dict[str, object]]] = {}
    rows = assessments.aspects.select("topic", "aspect", "weight", "vital").iter_rows()
    for topic, aspect, weight, vital in rows:
        settings = {"weight": weight, "vital": vital}
        stated = {key: value for key, value in settings.items() if value is not None}
        topics.setdefault(topic, {})[aspect] = stated
    return topics


def _require_position(value: object, label: str, topic: str, doc: str) -> object:
    if value is None:
        problem = f"a {label} of topic {topic}, document {doc} cannot be written as jsonl"
        wanted = "its position; pass a collection with -c to find it"
        raise InputError(problem, wanted=wanted, found="none")
    return value


JSONL_ASSESSMENTS = AssessmentFormat(
    name="jsonl",
    about='lines of JSON objects: {"topic", "doc", "start", "end", ...}',
    scale="2006",
    begins=rb"[{\[]",
    accepts=_is_jsonl,
    read=_read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset({"topic", "doc", *_HIGHLIGHT_KEYS}),
        "beps": frozenset({"topic", "doc", "position"}),
        "aspects": frozenset({"topic", "aspect", "weight", "vital"}),
    },
)
