"""Runs in INEX XML (2002-2008).

``inex-submission`` with its attributes; ``topic-fields``, ``description``, ``collections``; then ``topic``
elements with their ``result`` elements, each with a ``file``, one of ``path``, ``passage`` and ``fol``, and
a ``rank`` or an ``rsv`` or both.  The header is kept in ``Run.about``; ``Run.task`` is the task by doxel's
name.  A ``fol`` without a length is an entry point, in runs of tasks with entry points.

Regular files are read in bulk (:mod:`doxel.runs.inex_xml_bulk`).  If a file is irregular, its results are
read one by one: this is slower, accepts every valid file, and reports each error with its line.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from doxel.errors import InputError, MarkupError
from doxel.markup import ILLEGAL_CHARACTERS, XML_ESCAPES, XmlParser, escape_xml, etree, find_line
from doxel.runs.inex_xml_bulk import XML_RESULT_CHILDREN, XML_RESULT_FIELDS, cut_at_topics, read_pieces
from doxel.runs.result_fields import PATH, PLACE, parse_fields
from doxel.runs.run import (
    ABOUT_KEYS,
    INEX_TASK_NAMES,
    NOT_FOUND_OFFSET,
    RESULTS,
    Run,
    find_task,
    list_task_names,
)
from doxel.runs.run_format import (
    RunFormat,
    build_writing_error,
    check_ids,
    check_numbers,
    check_result_values,
    fill_missing_ranks,
    require_result_columns,
)
from doxel.wording import quote_value

__all__ = ["INEX_XML"]

_ATTRIBUTES = ("participant-id", "run-id", "task", "query", "topic-part", "submission-type", "result-type")
_HEADER_ELEMENTS = ("topic-fields", "description", "collections")
_BEP_TASKS = {None, "best-in-context"}


def _recognise_inex_xml(head: bytes) -> bool:
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            head = head.decode(encoding, "ignore").encode()
    return head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<") and b"<inex-submission" in head


def _read(data: bytes, name: str) -> Run:
    return _read_in_bulk(data, name) or _read_whole(data, name)


def _read_in_bulk(data: bytes, name: str) -> Run | None:
    """Read a regular file, or return None: the caller then finds the error and its line."""
    cut_run = cut_at_topics(data)
    if cut_run is None:
        return None
    try:
        root = XmlParser().parse(cut_run.header, name)
    except MarkupError:
        return None
    header = _Header.read(root, name)
    content = read_pieces(cut_run.pieces, entry_points=header.entry_points)
    return None if content is None else header.run(*content)


def _read_whole(data: bytes, name: str) -> Run:
    root = XmlParser().parse(data, name)
    header = _Header.read(root, name)
    return header.run(*read_each_result(root, name, entry_points=header.entry_points))


@dataclass(frozen=True)
class _Header:
    """The metadata of a run, before the first topic of its file."""

    name: str
    id: str
    task: str | None
    about: dict[str, str]
    notes: tuple[str, ...]

    @property
    def entry_points(self) -> bool:
        """Whether results may be offsets without lengths."""
        return self.task in _BEP_TASKS

    @classmethod
    def read(cls, root: Any, name: str) -> _Header:
        """Read the root element and its children that are not topics."""
        if root.tag != "inex-submission":
            raise InputError(
                "a run",
                file=name,
                line=root.sourceline,
                wanted="<inex-submission>",
                found=f"<{root.tag}>",
            )
        attributes = dict(root.attrib)
        about = {key: attributes[key].strip() for key in _ATTRIBUTES if key in attributes and key != "run-id"}
        unread = Counter(
            f"attribute {key}" for key in attributes if key not in _ATTRIBUTES and "{" not in key
        )
        for child in root.iterchildren(etree.Element):
            if child.tag in _HEADER_ELEMENTS and child.tag not in about:
                about[child.tag] = _read_header_element(child)
            elif child.tag != "topic":
                unread[f"element {child.tag}"] += 1
        left_out = ", ".join(f"{label} ({count:,})" for label, count in unread.items())
        notes = (f"left out of the header: {left_out}",) if left_out else ()
        return cls(name, attributes.get("run-id", "").strip(), _read_task(root, name), about, notes)

    def run(self, table: pl.DataFrame, empty_topics: list[str]) -> Run:
        """Return the run of this header with its results."""
        about = {**self.about, "empty-topics": ", ".join(empty_topics)}
        about = {key: about[key] for key in ABOUT_KEYS if about.get(key)}
        return Run(
            self.id,
            build_results(table),
            self.task,
            file=self.name,
            about=about,
            format="inex-xml",
            notes=self.notes,
        )


def _read_task(root: Any, name: str) -> str | None:
    task_name = root.get("task", "").strip()
    task = find_task(task_name)
    if task_name and task is None:
        raise InputError(
            "the task of a run",
            file=name,
            line=root.sourceline,
            wanted=list_task_names(),
            found=quote_value(task_name),
        )
    return task


def _read_header_element(element: Any) -> str:
    """Return an element of the header as one string."""
    if element.tag == "topic-fields":
        return " ".join(f"{key}={value.strip()}" for key, value in element.items())
    if element.tag == "collections":
        names = [name.xpath("string()").strip() for name in element.iterchildren("collection")]
        return ", ".join(names or [element.xpath("string()").strip()])
    return str(element.xpath("string()").strip())


def _write(run: Run) -> bytes:
    results = fill_missing_ranks(run, run.results)
    _check_results(run, results)
    before, _, after = _write_header(run).rpartition("</inex-submission>")
    empty = run.about.get("empty-topics", "")
    topics = [
        *_write_topics(results),
        *(f' <topic topic-id="{escape_xml(name)}"/>\n' for name in empty.split(", ") if name),
    ]
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{before}{"".join(topics)}</inex-submission>{after}'.encode()
    )


def _check_results(run: Run, results: pl.DataFrame) -> None:
    """Reject results that the format cannot write correctly."""
    options = {"format_name": "inex-xml"}
    require_result_columns(run, results, ("topic", "doc"), wanted="a topic and a document", **options)
    check_numbers(run, results, format_name="inex-xml")
    check_ids(run, results, format_name="inex-xml")
    for column in ("topic", "doc"):
        check_result_values(
            run,
            results[column],
            f"^[^{ILLEGAL_CHARACTERS}]*$",
            wanted="characters that XML allows",
            **options,
        )
    has_path, has_start = pl.col("path").is_not_null(), pl.col("start").is_not_null()
    for result in results.filter(has_path == has_start).head(1).iter_rows(named=True):
        wanted = "a path, or an offset and a length"
        raise build_writing_error(
            run, result, wanted=wanted, found="both" if result["path"] is not None else None, **options
        )
    for result in results.filter(has_start & pl.col("end").is_null()).head(1).iter_rows(named=True):
        if run.task not in _BEP_TASKS:
            raise build_writing_error(
                run, result, wanted=f"an offset and a length, in a {run.task} run", **options
            )
    ends = pl.select(pl.when(results["path_end"].is_null()).then(results["path"])).to_series()
    check_result_values(run, ends, PATH.pattern, wanted=PATH.wanted, **options)
    for column in ("path", "path_end"):
        check_result_values(run, results[column], PLACE.pattern, wanted=PLACE.wanted, **options)
    sizes = results.select((pl.col("end") - pl.col("start")).cast(pl.String)).to_series()
    check_result_values(run, sizes, "^[0-9]", wanted="a length of 0 or more", **options)


def _write_header(run: Run) -> str:
    """Return the document without its topics."""
    root: Any = etree.Element("inex-submission")
    try:
        for key, value in _build_attributes(run).items():
            root.set(key, value)
        for key in _HEADER_ELEMENTS:
            if key in run.about:
                root.append(_build_header_element(key, run.about[key], run))
    except ValueError as error:
        raise InputError(
            "the header of a run", file=run.file, wanted="text that XML allows", found=str(error)
        ) from None
    root.text = "\n"
    for child in root:
        child.tail = "\n"
    return str(etree.tostring(root, encoding="unicode")) + "\n"


def _build_attributes(run: Run) -> dict[str, str]:
    unknown = ", ".join(key for key in run.about if key not in ABOUT_KEYS)
    if unknown:
        keys = ", ".join(ABOUT_KEYS)
        raise InputError("the header of a run", file=run.file, wanted=f"only {keys}", found=unknown)
    header: Mapping[str, str | None] = {**run.about, "run-id": run.id}
    if run.task is not None and find_task(run.about.get("task", "")) != run.task:
        header = {**header, "task": INEX_TASK_NAMES.get(run.task, run.task)}
    return {key: value for key in _ATTRIBUTES if (value := header.get(key))}


def _build_header_element(key: str, text: str, run: Run) -> Any:
    element: Any = etree.Element(key)
    if key == "topic-fields":
        for pair in text.split():
            name, equals, value = pair.partition("=")
            if not equals:
                wanted = "pairs such as title=yes"
                raise InputError(
                    "the topic-fields of a run", file=run.file, wanted=wanted, found=quote_value(text)
                )
            element.set(name, value)
    elif key == "collections":
        for name in text.split(", "):
            etree.SubElement(element, "collection").text = name
    else:
        element.text = text
    return element


def _write_topics(results: pl.DataFrame) -> list[str]:
    """Return the topics as XML; neighbouring results of the same topic share one element."""
    safe = {name: pl.col(name).str.replace_many(XML_ESCAPES) for name in ("topic", "doc", "path", "path_end")}
    length = pl.col("end") - pl.col("start")
    place = (
        pl.when(pl.col("path_end").is_not_null())
        .then(pl.format('<passage start="{}" end="{}"/>', safe["path"], safe["path_end"]))
        .when(pl.col("path").is_not_null())
        .then(pl.format("<path>{}</path>", safe["path"]))
        .when(pl.col("end").is_null())
        .then(pl.format('<fol offset="{}"/>', "start"))
        .otherwise(pl.format('<fol offset="{}" length="{}"/>', "start", length))
    )
    rank, rsv = (pl.format(f"<{name}>{{}}</{name}>", name).fill_null("") for name in ("rank", "rsv"))
    result = pl.format("  <result><file>{}</file>{}{}{}</result>\n", safe["doc"], place, rank, rsv)
    return (
        results.select(topic=safe["topic"], block=pl.col("topic").rle_id(), result=result)
        .group_by("block", maintain_order=True)
        .agg(pl.col("topic").first(), pl.col("result").str.join(""))
        .select(pl.format(' <topic topic-id="{}">\n{} </topic>\n', "topic", "result"))
        .to_series()
        .to_list()
    )


INEX_XML = RunFormat(
    name="inex-xml",
    about="inex-submission (2002-2008): elements, passages and offsets, with the header of the run",
    begins=rb"<",
    accepts=_recognise_inex_xml,
    read=_read,
    write=_write,
    result_kinds=("span", "point", "element", "range"),
    holds={
        "results": frozenset({"topic", "doc", "rank", "rsv", "path", "path_end", "start", "end"}),
        "about": frozenset({"id", *ABOUT_KEYS}),
    },
)


_PLACE_TAGS = {"path", "passage", "fol"}
_RESULT_CONTENT = "file, one of path, passage and fol, then rank or rsv or both"


def build_results(table: pl.DataFrame) -> pl.DataFrame:
    """Turn fields into the columns of ``RESULTS``."""
    is_lost = (pl.col("start") == NOT_FOUND_OFFSET) & pl.col("length").is_not_null()
    end = pl.when(is_lost).then(NOT_FOUND_OFFSET).otherwise(pl.col("start") + pl.col("length"))
    path = pl.coalesce("path", "passage_start")
    return RESULTS.fit(table.with_columns(path=path, path_end=pl.col("passage_end"), end=end))


def read_each_result(root: Any, name: str, *, entry_points: bool) -> tuple[pl.DataFrame, list[str]]:
    """Return results as ``XML_RESULT_FIELDS`` with topic and line, and the topics without results.

    ``entry_points``: a ``fol`` may have no length.
    """
    rows: list[dict[str, object]] = []
    empty_topics: list[str] = []
    for result in root.iterchildren("result"):
        raise InputError("a result outside of topics", file=name, line=find_line(result), wanted="<topic>")
    for topic in root.iterchildren("topic"):
        topic_id = topic.get("topic-id", "").strip()
        if not topic_id:
            attributes = ", ".join(topic.keys()) or "no attributes"
            wanted = "the attribute topic-id"
            raise InputError("a topic", file=name, line=find_line(topic), wanted=wanted, found=attributes)
        results = _find_results(topic, name)
        rows += [
            {
                **_ResultReader(name, result, entry_points=entry_points).fields(),
                "topic": topic_id,
                "line": find_line(result),
            }
            for result in results
        ]
        empty_topics += [] if results else [topic_id]
    if not rows:
        raise InputError("a run without results", file=name, wanted="<topic> with <result>", found="none")
    schema = {**dict.fromkeys((*XML_RESULT_FIELDS, "topic"), pl.String), "line": pl.UInt32}
    return parse_fields(pl.DataFrame(rows, schema=schema), XML_RESULT_FIELDS, name), empty_topics


def _find_results(topic: Any, name: str) -> list[Any]:
    results: list[Any] = []
    for child in topic.iterchildren(etree.Element):
        if child.tag == "result":
            results.append(child)
        elif child.tag != "collections":
            tag = f"<{child.tag}>"
            raise InputError("a topic", file=name, line=find_line(child), wanted="<result>", found=tag)
    return results


def _read_text(element: Any) -> str:
    """Return the text of an element, without comments."""
    return element.xpath("string()") if len(element) else element.text or ""


class _ResultReader:
    """Reads one result, with an error for each possible fault."""

    def __init__(self, name: str, result: Any, *, entry_points: bool) -> None:
        self.name, self.result, self.entry_points = name, result, entry_points

    def fields(self) -> dict[str, str]:
        """Return the fields of the result as written, without white space around them."""
        fields: dict[str, str] = {}
        tags: list[str] = []
        for child in self.result.iterchildren(etree.Element):
            if child.tag not in XML_RESULT_CHILDREN:
                raise self._error(_RESULT_CONTENT, f"<{child.tag}>", child)
            if child.tag in tags:
                raise self._error(f"one <{child.tag}>", f"a second <{child.tag}>", child)
            tags.append(child.tag)
            fields |= self._fields_of(child)
        if (
            not fields.get("doc")
            or not {"rank", "rsv"} & fields.keys()
            or len(_PLACE_TAGS.intersection(tags)) != 1
        ):
            raise self._error(
                _RESULT_CONTENT, ", ".join(f"<{tag}>" for tag in tags) or "nothing", self.result
            )
        return fields

    def _fields_of(self, child: Any) -> dict[str, str]:
        values = {
            column: _read_text(child) if attribute is None else child.get(attribute)
            for column, attribute in XML_RESULT_CHILDREN[child.tag].items()
        }
        if self.entry_points and values.get("length", "") is None:
            del values["length"]
        missing_attributes = [
            XML_RESULT_CHILDREN[child.tag][column] for column, value in values.items() if value is None
        ]
        if missing_attributes:
            attributes = ", ".join(child.keys()) or "no attributes"
            raise self._error(f"<{child.tag}> with the attribute {missing_attributes[0]}", attributes, child)
        return {column: value.strip() for column, value in values.items()}

    def _error(self, wanted: str, found: str, node: Any) -> InputError:
        shortened = found if len(found) <= 80 else f"{found[:80]}..."
        return InputError("a result", file=self.name, line=find_line(node), wanted=wanted, found=shortened)
