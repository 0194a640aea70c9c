"""Pools as JSON lines, one a topic and document, in the order of judging.

::

    {
        "topic": "1",
        "doc": "overlap",
        "order": 1,
        "fingerprint": "5f0c...",
        "elements": [{"path": "/article[1]", "start": 0, "end": 9310}],
        "passages": [{"start": 120, "end": 340}],
        "contributions": [
            {"run": "bm25", "rank": 4, "element": 0},
            {"run": "windows", "rank": 1, "passage": 0},
        ],
    }

``contributions`` say which run had retrieved what at which rank; a blind pool is without them.  One that
names neither an element nor a passage is of the document only.  ``fingerprint`` is that of the
collection, and the same in all lines; without a collection it is left out, and so are ``start`` and ``end``
of elements.  Other keys are left out and counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl

from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.lines import identifier, json_lines
from doxel.files.sets import Paths, read_file_set
from doxel.pooling.pool import CONTRIBUTIONS, DOCUMENTS, PARTS, Pool
from doxel.wording import counted, shown

__all__ = ["read_pool", "write_pool"]

_KEYS = ("topic", "doc", "order", "fingerprint", "elements", "passages", "contributions")
_LARGEST = 10**15


def write_pool(pool: Pool, path: str | os.PathLike[str]) -> None:
    """Write a pool to a file, whole or not at all; .gz, .xz and .zst are compressed."""
    write_file(path, "".join(f"{line}\n" for line in _lines(pool)).encode())


def _lines(pool: Pool) -> Iterator[str]:
    contributions: dict[tuple[str, str], list[tuple[int | None, str, int]]] = {}
    for topic, doc, part, run, rank in pool.contributions.select(CONTRIBUTIONS.schema.keys()).iter_rows():
        contributions.setdefault((topic, doc), []).append((part, run, rank))
    for document in pool:
        line: dict[str, Any] = {"topic": document.topic, "doc": document.doc, "order": document.order}
        if pool.fingerprint is not None:
            line["fingerprint"] = pool.fingerprint
        lists: dict[str, list[dict[str, Any]]] = {"element": [], "passage": []}
        places: list[tuple[str, int]] = []
        for part in document.parts:
            kind = "passage" if part.path is None else "element"
            places.append((kind, len(lists[kind])))
            told = {"path": part.path, "start": part.start, "end": part.end}
            lists[kind].append({name: value for name, value in told.items() if value is not None})
        line |= {"elements": lists["element"], "passages": lists["passage"]}
        given = contributions.get((document.topic, document.doc))
        if given:
            line["contributions"] = [
                {"run": run, "rank": rank, **(dict([places[part]]) if part is not None else {})}
                for part, run, rank in given
            ]
        yield json.dumps(line, ensure_ascii=False)


def read_pool(paths: Paths) -> Pool:
    """Read a pool from a file, or from several files, folders and archives as one.

    A document that is pooled twice for a topic, or lines with different fingerprints, are errors.
    """
    files = read_file_set(paths, kind="pools")
    reader = _Reader()
    for name, data in files.files:
        for line, record in json_lines(data, name):
            reader.take(record, name, line)
    left_out = tuple(f"{counted(count, 'value')} left out: {key!r}" for key, count in reader.unknown.items())
    documents = DOCUMENTS.from_rows(reader.documents)
    return Pool(
        documents=_grouped(documents, "topic", "order"),
        parts=PARTS.from_rows(reader.parts),
        contributions=_grouped(CONTRIBUTIONS.from_rows(reader.contributions), "run", "topic", "rank"),
        fingerprint=reader.fingerprint[0] if reader.fingerprint else None,
        file=files.files[0][0] if len(files.files) == 1 else None,
        notes=(*files.notes, *left_out),
    )


def _grouped(table: pl.DataFrame, group: str, *by: str) -> pl.DataFrame:
    """Return a table with its groups together, in the order in which they first appear."""
    first = pl.col("row").min().over(group)
    return table.with_row_index("row").sort(first, *by, maintain_order=True).drop("row")


class _Reader:
    """Takes lines, one after the other, and remembers what each says of all."""

    def __init__(self) -> None:
        self.documents: list[dict[str, object]] = []
        self.parts: list[dict[str, object]] = []
        self.contributions: list[dict[str, object]] = []
        self.fingerprint: tuple[str, str, int] | None = None
        self.unknown: Counter[str] = Counter()
        self._places: dict[tuple[str, str], tuple[str, int]] = {}
        self._orders: Counter[str] = Counter()

    def take(self, record: dict[str, Any], file: str, line: int) -> None:
        """Take the object of a line."""
        self.unknown.update(key for key in record if key not in _KEYS)
        at = _Line(record, file, line)
        topic, doc = (identifier(record.get(name), name, file=file, line=line) for name in ("topic", "doc"))
        known = self._places.setdefault((topic, doc), (file, line))
        if known != (file, line):
            raise at.error(
                f"document {doc!r} of topic {topic!r} a second time",
                wanted="each document of a topic once",
                found=f"the first in {known[0]}, line {known[1]}",
            )
        self._take_fingerprint(at)
        self._orders[topic] += 1
        order = at.whole(record, "order", lowest=1) or self._orders[topic]
        here: dict[str, object] = {"topic": topic, "doc": doc}
        self.documents.append({**here, "order": order})
        numbers = self._take_parts(at, here)
        for one in at.objects("contributions"):
            run = identifier(one.get("run"), "a contribution: run", file=file, line=line)
            rank = at.whole(one, "rank", lowest=1)
            if rank is None:
                raise at.error("a contribution: rank", wanted="a whole number from 1", found="nothing")
            self.contributions.append({**here, "part": at.part(one, numbers), "run": run, "rank": rank})

    def _take_fingerprint(self, at: _Line) -> None:
        value = at.record.get("fingerprint")
        found = value if isinstance(value, str) and value else None
        if value is not None and found is None:
            raise at.error("fingerprint", wanted="a string that is not empty", found=shown(value))
        if not self.documents and found is not None:
            self.fingerprint = (found, at.file, at.line)
        expected = None if self.fingerprint is None else self.fingerprint[0]
        if found != expected:
            before = f"that of the lines before, {expected}" if expected else "none, as in the lines before"
            raise at.error("fingerprint", wanted=before, found=found or "none")

    def _take_parts(self, at: _Line, here: dict[str, object]) -> dict[str, list[int]]:
        """Keep the parts of a document in the order of its text; return their numbers, list by list."""
        found: list[tuple[str, int, dict[str, Any]]] = []
        for key, kind in (("elements", "element"), ("passages", "passage")):
            for place, one in enumerate(at.objects(key)):
                path, start, end = one.get("path"), at.whole(one, "start"), at.whole(one, "end")
                wrong_path = not isinstance(path, str) if kind == "element" else path is not None
                if wrong_path or (start is None) != (end is None) or (end or 0) < (start or 0):
                    wanted = '{"path", "start", "end"}' if kind == "element" else '{"start", "end"}'
                    raise at.error(f"{key}, number {place}", wanted=wanted, found=shown(one))
                if kind == "passage" and start is None:
                    raise at.error(f"{key}, number {place}", wanted='{"start", "end"}', found=shown(one))
                found.append((kind, place, {"path": path, "start": start, "end": end}))
        numbers: dict[str, list[int]] = {
            kind: [0] * sum(one == kind for one, _, _ in found) for kind in ("element", "passage")
        }
        for number, (kind, place, part) in enumerate(sorted(found, key=_text_order)):
            numbers[kind][place] = number
            self.parts.append({**here, "part": number, **part})
        return numbers


def _text_order(found: tuple[str, int, dict[str, Any]]) -> tuple[Any, ...]:
    part = found[2]
    start, end, path = part["start"], part["end"], part["path"]
    nowhere = start is None
    return nowhere, start or 0, -(end or 0), path is None, len(path or ""), path or ""


class _Line:
    """The object of one line, and how to complain about it."""

    def __init__(self, record: dict[str, Any], file: str, line: int) -> None:
        self.record, self.file, self.line = record, file, line

    def error(self, problem: str, *, wanted: str, found: str) -> InputError:
        return InputError(problem, file=self.file, line=self.line, wanted=wanted, found=found)

    def whole(self, record: dict[str, Any], name: str, *, lowest: int = 0) -> int | None:
        """Return a whole number, None where there is none."""
        value = record.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST:
            return value
        raise self.error(name, wanted=f"a whole number from {lowest}", found=shown(value))

    def objects(self, name: str) -> list[dict[str, Any]]:
        """Return a list of objects; nothing is an empty one."""
        value = self.record.get(name)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return value
        raise self.error(name, wanted="a list of objects", found=shown(value))

    def part(self, contribution: dict[str, Any], numbers: dict[str, list[int]]) -> int | None:
        """Return the number of the part that a contribution names."""
        for kind, known in numbers.items():
            place = self.whole(contribution, kind)
            if place is None:
                continue
            if place >= len(known):
                raise self.error(
                    f"a contribution: {kind}",
                    wanted=f"a number below {len(known)}, which are listed",
                    found=str(place),
                )
            return known[place]
        return None
