"""Gold of BioASQ task b, phase A: snippets become highlights in the text of their document and section.

The shape is that of answers (see :mod:`doxel.runs.campaigns.bioasq_questions`).  A document that has no
snippet is judged as a whole, with nothing highlighted, under its own id.
"""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import Assessments, check_complete
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.errors import InputError
from doxel.runs.campaigns.bioasq_questions import (
    SNIPPET_COLUMNS,
    list_documents,
    list_snippets,
    read_questions,
    write_questions,
)
from doxel.runs.run import NOT_FOUND_OFFSET
from doxel.topics.campaign_topics import BIOASQ
from doxel.wording import pluralise

__all__ = ["BIOASQ_GOLD"]


def _read(data: bytes, name: str) -> Assessments:
    file, questions = read_questions(data, name)
    gold = GoldTables(name, "bioasq")
    lost = 0
    for question in questions:
        topic, line = file.read_id(question), file.find_line(question)
        gold.ask(topic, question.get("body"))
        snippets = list_snippets(file, question)
        quoted = {row["doc"].partition("/")[0] for row in snippets}
        for row in snippets:
            gold.judge(topic, row["doc"], row["line"])
            if row["start"] == NOT_FOUND_OFFSET:
                lost += 1
            else:
                gold.highlight(**row)
        for doc in list_documents(file, question):
            if doc not in quoted:
                gold.judge(topic, doc, line)
    note = (
        f"{pluralise(lost, 'snippet ends', 'snippets end')} in another section than "
        f"{'it begins' if lost == 1 else 'they begin'}, at a smaller offset, and cannot be located"
    )
    return gold.build(questions, note if lost else "", wanted="documents or snippets")


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "bioasq")
    highlights = assessments.relevant_highlights
    misplaced = highlights.filter(
        pl.col("start").is_null() | pl.col("end").is_null() | ~pl.col("doc").str.contains("^[^/]+/[^/]+$")
    )
    if misplaced.height:
        topic, doc = misplaced.select("topic", "doc").row(0)
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
    return write_questions(assessments.about, highlights.select(SNIPPET_COLUMNS).rows(), documents.rows())


BIOASQ_GOLD = declare_gold(
    "bioasq",
    '{"questions": [...]} with documents and snippets, as BioASQ task b, phase A',
    BIOASQ,
    _read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset(SNIPPET_COLUMNS),
        "about": frozenset({"bioasq"}),
    },
)
