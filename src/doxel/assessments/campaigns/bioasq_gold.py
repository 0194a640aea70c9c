"""Gold of BioASQ task b, phase A: snippets become highlights in the text of their document and section.

The shape is that of answers (see :mod:`doxel.runs.campaigns.bioasq_answers`).  A document that has no snippet
is judged as a whole, with nothing highlighted, under its own id.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, AssessmentFormat, Assessments, check_complete
from doxel.errors import InputError
from doxel.files.json_records import dump_records
from doxel.runs.campaigns.bioasq_answers import (
    list_documents,
    list_snippets,
    read_questions,
    write_questions,
)
from doxel.runs.run import NOT_FOUND_OFFSET
from doxel.topics.campaign_topics import is_bioasq
from doxel.wording import pluralise

__all__ = ["BIOASQ_GOLD"]

_PLACE = ("topic", "doc", "start", "end", "text")


def _read(data: bytes, name: str) -> Assessments:
    file, questions = read_questions(data, name)
    judged: dict[tuple[str, str], dict[str, Any]] = {}
    highlights: list[dict[str, Any]] = []
    lost = 0
    for question in questions:
        topic, line = file.read_id(question), file.find_line(question)
        snippets = list_snippets(file, question)
        quoted = {row["doc"].partition("/")[0] for row in snippets}
        whole = [doc for doc in list_documents(file, question) if doc not in quoted]
        for row in (*snippets, *({"topic": topic, "doc": doc, "line": line} for doc in whole)):
            judged.setdefault(
                (topic, row["doc"]), {"topic": topic, "doc": row["doc"], "file": name, "line": row["line"]}
            )
        placed = [row for row in snippets if row["start"] != NOT_FOUND_OFFSET]
        lost += len(snippets) - len(placed)
        highlights += placed
    note = (
        f"{pluralise(lost, 'snippet ends', 'snippets end')} in another section than "
        f"{'it begins' if lost == 1 else 'they begin'}, before the offset of the begin, and cannot be placed"
    )
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(judged.values()),
        highlights=HIGHLIGHTS.from_rows(highlights),
        file=name,
        format="bioasq",
        about={"bioasq": dump_records(questions)},
        notes=(note,) if lost else (),
        questions={
            file.read_id(question): question["body"]
            for question in questions
            if isinstance(question.get("body"), str)
        },
    )


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "bioasq")
    highlights = assessments.relevant_highlights
    wrong = highlights.filter(
        pl.col("start").is_null() | pl.col("end").is_null() | ~pl.col("doc").str.contains("^[^/]+/[^/]+$")
    )
    if wrong.height:
        topic, doc = wrong.select("topic", "doc").row(0)
        wanted = "offsets in a document and section such as 11/abstract"
        raise InputError(
            f"topic {topic}, document {doc}: a highlight cannot be written as bioasq", wanted=wanted
        )
    bare = assessments.judged.join(highlights, on=["topic", "doc"], how="anti")
    section = bare.filter(pl.col("doc").str.contains("/"))
    if section.height:
        topic, doc = section.select("topic", "doc").row(0)
        wanted = "a highlight in it, or a whole document"
        raise InputError(f"topic {topic}: {doc} cannot be written as bioasq", wanted=wanted, found="neither")
    documents = assessments.judged.select("topic", pl.col("doc").str.replace("/.*$", "")).unique(
        maintain_order=True
    )
    return write_questions(assessments.about, highlights.select(_PLACE).rows(), documents.rows())


BIOASQ_GOLD = AssessmentFormat(
    name="bioasq",
    about='{"questions": [...]} with documents and snippets, as BioASQ task b, phase A',
    scale="2006",
    recognises=is_bioasq,
    read=_read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset(_PLACE),
        "about": frozenset({"bioasq"}),
    },
    campaign=True,
)
