"""Read and write pools as JSON lines, one per topic and document, in the order of judging.

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

``contributions`` list the runs that retrieved a part, with its rank; a blind pool has none.  A
contribution without an element or passage belongs to the document as a whole.  ``fingerprint`` is the
fingerprint of the collection, the same in all lines; without a collection it is missing, like ``start``
and ``end`` of elements.  Other keys are left out and counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from doxel.arguments import check_arguments
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.archives import Paths, read_file_set
from doxel.files.contents import parse_identifier, parse_json_lines
from doxel.pooling.document_pool import CONTRIBUTIONS, DOCUMENTS, PARTS, Pool
from doxel.wording import pluralise, quote_value

__all__ = ["parse_pool", "read_pool", "write_pool"]

_KEYS = ("topic", "doc", "order", "fingerprint", "elements", "passages", "contributions")
_LARGEST = 10**15


@check_arguments
def write_pool(pool: Pool, path: str | os.PathLike[str]) -> None:
    """Write a pool to a file atomically; .gz, .xz and .zst files are compressed."""
    write_file(path, "".join(f"{line}\n" for line in _format_lines(pool)).encode())


def _format_lines(pool: Pool) -> Iterator[str]:
    contributions: dict[tuple[str, str], list[tuple[int | None, str, int]]] = {}
    for topic, doc, part, run, rank in pool.contributions.select(CONTRIBUTIONS.schema.keys()).iter_rows():
        contributions.setdefault((topic, doc), []).append((part, run, rank))
    for document in pool:
        line: dict[str, Any] = {"topic": document.topic, "doc": document.doc, "order": document.order}
        if pool.fingerprint is not None:
            line["fingerprint"] = pool.fingerprint
        lists: dict[str, list[dict[str, Any]]] = {"element": [], "passage": []}
        indices: list[tuple[str, int]] = []
        for part in document.parts:
            kind = "passage" if part.path is None else "element"
            indices.append((kind, len(lists[kind])))
            values = {"path": part.path, "start": part.start, "end": part.end}
            lists[kind].append({name: value for name, value in values.items() if value is not None})
        line |= {"elements": lists["element"], "passages": lists["passage"]}
        document_contributions = contributions.get((document.topic, document.doc))
        if document_contributions:
            line["contributions"] = [
                {"run": run, "rank": rank, **(dict([indices[part]]) if part is not None else {})}
                for part, run, rank in document_contributions
            ]
        yield json.dumps(line, ensure_ascii=False)


@check_arguments
def read_pool(paths: Paths) -> Pool:
    """Read a pool from a file, or from several files, folders and archives as one pool.

    A document that is pooled twice for a topic, or lines with different fingerprints, are errors.
    """
    files = read_file_set(paths, kind="pools")
    pool = parse_pool(files.files)
    return replace(pool, notes=(*files.notes, *pool.notes))


def parse_pool(files: Sequence[tuple[str, bytes]]) -> Pool:
    """Parse a pool from the names and contents of its files."""
    reader = _PoolReader()
    for name, data in files:
        for line, record in parse_json_lines(data, name):
            reader.take(record, name, line)
    left_out = tuple(
        f"{pluralise(count, 'value')} left out: {key!r}" for key, count in reader.unknown.items()
    )
    documents = DOCUMENTS.from_rows(reader.documents)
    return Pool(
        documents=_group_rows(documents, "topic", "order"),
        parts=PARTS.from_rows(reader.parts),
        contributions=_group_rows(CONTRIBUTIONS.from_rows(reader.contributions), "run", "topic", "rank"),
        fingerprint=reader.fingerprint[0] if reader.fingerprint else None,
        file=files[0][0] if len(files) == 1 else None,
        notes=left_out,
    )


def _group_rows(table: pl.DataFrame, group: str, *by: str) -> pl.DataFrame:
    """Return a table with its groups together, in the order in which they first appear."""
    first = pl.col("row").min().over(group)
    return table.with_row_index("row").sort(first, *by, maintain_order=True).drop("row")


class _PoolReader:
    """Collects the rows of all lines, and checks that the lines agree with each other."""

    def __init__(self) -> None:
        self.documents: list[dict[str, object]] = []
        self.parts: list[dict[str, object]] = []
        self.contributions: list[dict[str, object]] = []
        self.fingerprint: tuple[str, str, int] | None = None
        self.unknown: Counter[str] = Counter()
        self._places: dict[tuple[str, str], tuple[str, int]] = {}
        self._orders: Counter[str] = Counter()

    def take(self, record: dict[str, Any], file: str, line: int) -> None:
        """Add the rows of a line."""
        self.unknown.update(key for key in record if key not in _KEYS)
        pool_line = _PoolLine(record, file, line)
        topic, doc = (
            parse_identifier(record.get(name), name, file=file, line=line) for name in ("topic", "doc")
        )
        first_file, first_line = self._places.setdefault((topic, doc), (file, line))
        if (first_file, first_line) != (file, line):
            raise pool_line.error(
                f"document {doc!r} of topic {topic!r} a second time",
                wanted="each document of a topic once",
                found=f"the first in {first_file}, line {first_line}",
            )
        self._take_fingerprint(pool_line)
        self._orders[topic] += 1
        order = pool_line.read_whole(record, "order", lowest=1) or self._orders[topic]
        pair: dict[str, object] = {"topic": topic, "doc": doc}
        self.documents.append({**pair, "order": order})
        numbers = self._take_parts(pool_line, pair)
        for contribution in pool_line.read_objects("contributions"):
            run = parse_identifier(contribution.get("run"), "a contribution: run", file=file, line=line)
            rank = pool_line.read_whole(contribution, "rank", lowest=1)
            if rank is None:
                raise pool_line.error("a contribution: rank", wanted="a whole number from 1", found="nothing")
            part = pool_line.read_part(contribution, numbers)
            self.contributions.append({**pair, "part": part, "run": run, "rank": rank})

    def _take_fingerprint(self, pool_line: _PoolLine) -> None:
        value = pool_line.record.get("fingerprint")
        fingerprint = value if isinstance(value, str) and value else None
        if value is not None and fingerprint is None:
            raise pool_line.error(
                "fingerprint", wanted="a string that is not empty", found=quote_value(value)
            )
        if not self.documents and fingerprint is not None:
            self.fingerprint = (fingerprint, pool_line.file, pool_line.line)
        expected = None if self.fingerprint is None else self.fingerprint[0]
        if fingerprint != expected:
            wanted = f"{expected}, as in the lines before" if expected else "none, as in the lines before"
            raise pool_line.error("fingerprint", wanted=wanted, found=fingerprint or "none")

    def _take_parts(self, pool_line: _PoolLine, pair: dict[str, object]) -> dict[str, list[int]]:
        """Add the parts of a document in the order of its text; return their numbers, by list."""
        parts: list[tuple[str, int, dict[str, Any]]] = []
        for key, kind in (("elements", "element"), ("passages", "passage")):
            for index, item in enumerate(pool_line.read_objects(key)):
                path, start, end = (
                    item.get("path"),
                    pool_line.read_whole(item, "start"),
                    pool_line.read_whole(item, "end"),
                )
                wrong_path = not isinstance(path, str) if kind == "element" else path is not None
                if wrong_path or (start is None) != (end is None) or (end or 0) < (start or 0):
                    wanted = '{"path", "start", "end"}' if kind == "element" else '{"start", "end"}'
                    raise pool_line.error(f"{key}, number {index}", wanted=wanted, found=quote_value(item))
                if kind == "passage" and start is None:
                    wanted = '{"start", "end"}'
                    raise pool_line.error(f"{key}, number {index}", wanted=wanted, found=quote_value(item))
                parts.append((kind, index, {"path": path, "start": start, "end": end}))
        numbers: dict[str, list[int]] = {
            kind: [0] * sum(part_kind == kind for part_kind, _, _ in parts) for kind in ("element", "passage")
        }
        for number, (kind, index, part) in enumerate(sorted(parts, key=_text_order)):
            numbers[kind][index] = number
            self.parts.append({**pair, "part": number, **part})
        return numbers


def _text_order(item: tuple[str, int, dict[str, Any]]) -> tuple[Any, ...]:
    part = item[2]
    start, end, path = part["start"], part["end"], part["path"]
    lacks_position = start is None
    return lacks_position, start or 0, -(end or 0), path is None, len(path or ""), path or ""


class _PoolLine:
    """The object of one line, with checks of its values."""

    def __init__(self, record: dict[str, Any], file: str, line: int) -> None:
        self.record, self.file, self.line = record, file, line

    def error(self, problem: str, *, wanted: str, found: str) -> InputError:
        return InputError(problem, file=self.file, line=self.line, wanted=wanted, found=found)

    def read_whole(self, record: dict[str, Any], name: str, *, lowest: int = 0) -> int | None:
        """Return the whole number of a key, None if it is missing."""
        value = record.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST:
            return value
        raise self.error(name, wanted=f"a whole number from {lowest}", found=quote_value(value))

    def read_objects(self, name: str) -> list[dict[str, Any]]:
        """Return the list of objects of a key, empty if it is missing."""
        value = self.record.get(name)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        raise self.error(name, wanted="a list of objects", found=quote_value(value))

    def read_part(self, contribution: dict[str, Any], numbers: dict[str, list[int]]) -> int | None:
        """Return the number of the part of a contribution, None for the document as a whole."""
        for kind, part_numbers in numbers.items():
            index = self.read_whole(contribution, kind)
            if index is None:
                continue
            if index >= len(part_numbers):
                raise self.error(
                    f"a contribution: {kind}",
                    wanted=f"a number below {len(part_numbers)}, the number of listed {kind}s",
                    found=str(index),
                )
            return part_numbers[index]
        return None
