"""The tables of a campaign's gold, filled while its file is read, and the declaration of its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, AssessmentFormat, Assessments
from doxel.errors import InputError
from doxel.files.file_format import WritingRefusal
from doxel.files.json_records import dump_records

__all__ = ["GoldTables", "declare_gold"]

_SCALE = "2006"


class GoldTables:
    """Judged documents, highlights and questions, in the order of the file.

    >>> gold = GoldTables("g.json", "squad")
    >>> gold.judge("q1", "d", 1, "Who?")
    >>> gold.highlight("q1", "d", 1, start=0, end=5)
    >>> gold.build().highlights.select("topic", "start", "end").rows()
    [('q1', 0, 5)]
    """

    def __init__(self, file: str, format_name: str) -> None:
        self._file, self._format = file, format_name
        self._judged: dict[tuple[str, str], dict[str, Any]] = {}
        self._highlights: list[dict[str, Any]] = []
        self._questions: dict[str, str] = {}
        self.topics: dict[str, int | None] = {}  # with the lines of their first documents

    def judge(self, topic: str, doc: str, line: int | None, question: object = None) -> None:
        """Add a judged document once, and the text of its question if it has one."""
        row = {"topic": topic, "doc": doc, "file": self._file, "line": line}
        self._judged.setdefault((topic, doc), row)
        self.topics.setdefault(topic, line)
        self.ask(topic, question)

    def ask(self, topic: str, question: object) -> None:
        """Store the text of a question, unless it is empty."""
        if isinstance(question, str) and question:
            self._questions[topic] = question

    def highlight(self, topic: str, doc: str, line: int | None, **place: Any) -> None:
        """Add a relevant passage or element."""
        self._highlights.append({"topic": topic, "doc": doc, "line": line, **place})

    def build(
        self, records: list[dict[str, Any]] | None = None, *notes: str, wanted: str = "questions"
    ) -> Assessments:
        """Return the assessments; ``records`` are kept for the official figures, empty notes left out."""
        if not self._judged:
            raise InputError("empty file", file=self._file, wanted=wanted, found="none")
        return Assessments(
            scale=_SCALE,
            judged=JUDGED.from_rows(self._judged.values()),
            highlights=HIGHLIGHTS.from_rows(self._highlights),
            file=self._file,
            format=self._format,
            about={} if records is None else {self._format: dump_records(records)},
            notes=tuple(filter(None, notes)),
            questions=self._questions,
        )


def declare_gold(
    name: str,
    about: str,
    begins: bytes,
    read: Callable[[bytes, str], Assessments],
    *,
    accepts: Callable[[bytes], bool] | None = None,
    write: Callable[[Assessments], bytes] | None = None,
    holds: Mapping[str, frozenset[str]] | None = None,
) -> AssessmentFormat:
    """Return the format of a campaign's gold; without ``write`` it is only read."""
    return AssessmentFormat(
        name=name,
        about=about,
        scale=_SCALE,
        begins=begins,
        accepts=accepts,
        read=read,
        write=write or WritingRefusal(name),
        holds=holds or {},
        campaign=True,
    )
