"""Cases of an audit as doxel's own tables, and as files in the formats that scorers read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, find_assessment_format
from doxel.assessments.assessments import (
    BEPS,
    ELEMENTS,
    HIGHLIGHTS,
    JUDGED,
    AssessmentFormat,
    Assessments,
)
from doxel.auditing.audit_cases import AuditCase, Passage
from doxel.errors import InputError
from doxel.files.outputs import write_file
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_files import RUN_FORMATS, find_run_format
from doxel.runs.run_format import RunFormat

__all__ = [
    "ARTICLE_IDS",
    "CELL",
    "PARAGRAPHS",
    "CaseFormat",
    "build_assessments",
    "build_run",
    "find_case_format",
]

CELL = 5
"""The characters of a paragraph in cases of elements."""

PARAGRAPHS = 90
"""The paragraphs of an article in cases of elements."""

ARTICLE_IDS = tuple(f"{letter}{number}" for letter in "de" for number in (1, 2, 3, 4, 5, 6, 9))
"""The documents of cases of passages and elements, before and after renaming."""

_SIZE_OF_DOCUMENTS = 1000  # declared, where a format wants it
# formats of runs and of assessments that belong together under different names
_PARTNERS = {
    "fol": "qrels",
    "inex-xml": "inex2006",
    "run-json": "qrels-json",
    "msmarco": "trec",
}
# formats that restrict the names of documents
_DOCUMENT_NAMES: dict[str, Callable[[str], str]] = {
    "bioasq": lambda doc: f"{doc}/abstract",  # a snippet is in a section of its document
    "genomics": lambda doc: f"{ord(doc[0])}{doc[1:]}",  # PMIDs are numbers
}
_SUFFIXES = {
    "bioasq": "json",
    "jsonl": "jsonl",
    "run-json": "json",
    "qrels-json": "json",
    "inex-xml": "xml",
    "inex2006": "xml",
}
Named = Sequence[tuple[str, AuditCase]]


@dataclass(frozen=True)
class CaseFormat:
    """The formats in which a scorer reads gold and runs."""

    gold: AssessmentFormat
    run: RunFormat

    @property
    def shape(self) -> str:
        """The shape of the cases that can be written."""
        return "spans" if "span" in self.run.result_kinds else "documents"

    @property
    def states_judged(self) -> bool:
        """Whether gold can name documents that are judged and hold nothing relevant."""
        passage = Passage("1", "d1", 0, 1)
        plain = AuditCase((passage,), (passage,), shape=self.shape)
        judged = AuditCase((passage,), (passage,), judged=(("1", "d2"),), shape=self.shape)
        try:
            return self._pack_gold(plain) != self._pack_gold(judged)
        except InputError:
            return False

    def write(self, case: AuditCase, folder: Path, suffix: str = "") -> tuple[Path, Path]:
        """Write gold and run to a folder, and return their paths."""
        gold, run = (
            folder / f"{name}{suffix}.{_SUFFIXES.get(file_format.name, 'txt')}"
            for name, file_format in (("gold", self.gold), ("run", self.run))
        )
        write_file(gold, self._pack_gold(case))
        write_file(run, self.run.write(self.build_run(case)))
        return gold, run

    def build_run(self, case: AuditCase) -> Run:
        """Return the run of a case with documents named as the format wants them."""
        is_ranked = bool({"rank", "rsv"} & self.run.holds.get("results", frozenset()))
        return build_run([("", self._name_documents(case))], is_ranked=is_ranked)

    def build_assessments(self, case: AuditCase) -> Assessments:
        """Return the gold of a case with documents named as the format wants them."""
        return build_assessments([("", self._name_documents(case))])

    def _pack_gold(self, case: AuditCase) -> bytes:
        return self.gold.write(self.build_assessments(case))

    def _name_documents(self, case: AuditCase) -> AuditCase:
        name = _DOCUMENT_NAMES.get(self.run.name)
        if name is None:
            return case
        gold, results = (
            tuple(passage._replace(doc=name(passage.doc)) for passage in passages)
            for passages in (case.gold, case.results)
        )
        judged = tuple((topic, name(doc)) for topic, doc in case.judged)
        return replace(case, gold=gold, results=results, judged=judged)


def find_case_format(name: str) -> CaseFormat:
    """Return the formats that a name stands for: of a run, or "GOLD:RUN".

    >>> find_case_format("fol").gold.name, find_case_format("qrels:jsonl").run.name
    ('qrels', 'jsonl')
    """
    gold_name, colon, run_name = name.partition(":")
    if colon:
        case_format = CaseFormat(find_assessment_format(gold_name), find_run_format(run_name))
    else:
        run_name = next((run for run, gold in _PARTNERS.items() if gold == name and run != "msmarco"), name)
        names = {file_format.name for file_format in ASSESSMENT_FORMATS}
        known_names = [
            run.name
            for run in RUN_FORMATS
            if _PARTNERS.get(run.name, run.name) in names and not run.is_read_only
        ]
        if run_name not in known_names:
            wanted = f"{', '.join(known_names)}, or GOLD:RUN"
            raise InputError("the format of cases", wanted=wanted, found=repr(name))
        run_format = find_run_format(run_name)
        case_format = CaseFormat(find_assessment_format(_PARTNERS.get(run_name, run_name)), run_format)
    if not {"span", "whole"} & set(case_format.run.result_kinds):
        wanted = "runs of spans or of whole documents"
        raise InputError("the format of cases", wanted=wanted, found=case_format.run.name)
    return case_format


def build_run(named_cases: Named, *, is_ranked: bool = True, own_documents: bool = False) -> Run:
    """Return the results of all cases as one run; a case's name precedes its topics.

    With ``own_documents`` no topic shares its documents with another, so that its results are its chunks.
    Lines of a format that has neither ranks nor scores are in the order of the ranks in each topic.
    """
    rows: list[dict[str, object]] = []
    for name, case in named_cases:
        lines = case.list_ranked_results()
        if not is_ranked:
            places = {topic: place for place, topic in enumerate(case.list_topics())}
            lines.sort(key=lambda line: (places[line[1].topic], line[0]))
        rows += [
            {
                "topic": f"{name}{passage.topic}",
                "doc": f"{name}{passage.topic}-{passage.doc}" if own_documents else passage.doc,
                **({"rank": rank, "rsv": 100.0 - rank} if is_ranked else {}),
                **_locate_result(passage, case.shape),
            }
            for rank, passage in lines
        ]
    return Run("audit", RESULTS.from_rows(rows))


def _locate_result(passage: Passage, shape: str) -> dict[str, Any]:
    if shape == "documents":
        return {}
    if shape in {"elements", "articles"}:
        return {"path": _get_path(passage, shape)}
    return {"start": passage.start} | ({} if shape == "points" else {"end": passage.end})


def _get_path(passage: Passage, shape: str) -> str:
    return "/article[1]" if shape == "articles" else f"/article[1]/p[{passage.start + 1}]"


def build_assessments(named_cases: Named, *, own_documents: bool = False) -> Assessments:
    """Return the gold of all cases, named as in ``build_run``."""
    shape = named_cases[0][1].shape
    judged: dict[tuple[str, str], dict[str, object]] = {}
    passages: list[Passage] = []
    for name, case in named_cases:
        pairs = [*(passage[:2] for passage in case.list_gold()), *case.judged]
        for place, (plain_topic, plain_doc) in enumerate(pairs):
            topic = f"{name}{plain_topic}"
            doc = f"{topic}-{plain_doc}" if own_documents else plain_doc
            grade = float(place < len(case.gold))
            if grade:
                passages.append(case.list_gold()[place]._replace(topic=topic, doc=doc))
            row = {"topic": topic, "doc": doc, "docsize": _SIZE_OF_DOCUMENTS}
            judged.setdefault((topic, doc), {**row, "grade": grade} if shape == "documents" else row)
    return Assessments(_SCALES[shape], JUDGED.from_rows(judged.values()), **_BUILDERS[shape](passages))


def _build_highlights(passages: Iterable[Passage]) -> dict[str, Any]:
    return {"highlights": HIGHLIGHTS.from_rows(passage._asdict() for passage in passages)}


def _build_elements(passages: Iterable[Passage], shape: str = "elements") -> dict[str, Any]:
    """Return whole paragraphs, or articles, that are highlighted and highly exhaustive."""
    length = CELL * PARAGRAPHS if shape == "articles" else CELL
    grades, spans = [], []
    for topic, doc, start, end in passages:
        place = {"topic": topic, "doc": doc}
        path = _get_path(Passage(topic, doc, start, end), shape)
        grades.append({**place, "path": path, "exhaustivity": "2", "size": length, "rsize": length})
        spans.append({**place, "start": start * length, "end": end * length})
    return {"elements": ELEMENTS.from_rows(grades), "highlights": HIGHLIGHTS.from_rows(spans)}


def _build_articles(passages: Iterable[Passage]) -> dict[str, Any]:
    return _build_elements(passages, "articles")


def _build_points(passages: Iterable[Passage]) -> dict[str, Any]:
    """Return the passages, and their first character in each document as the best entry point."""
    passages = list(passages)
    firsts: dict[tuple[str, str], int] = {}
    for topic, doc, start, _ in passages:
        firsts[topic, doc] = min(start, firsts.get((topic, doc), start))
    beps = [{"topic": topic, "doc": doc, "position": start} for (topic, doc), start in firsts.items()]
    return {**_build_highlights(passages), "beps": BEPS.from_rows(beps)}


_BUILDERS: dict[str, Callable[[Iterable[Passage]], dict[str, Any]]] = {
    "spans": _build_highlights,
    "documents": lambda _: {},
    "elements": _build_elements,
    "articles": _build_articles,
    "points": _build_points,
}
_SCALES = {
    "spans": "2006",
    "documents": "documents",
    "elements": "2005",
    "articles": "2005",
    "points": "2006",
}
