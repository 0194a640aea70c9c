"""Answers to BioASQ task b, phase A, as runs: the snippets of each question in the order of its list.

The documents of a question and all other keys are kept beside the results; a file without any snippet is a
run of whole documents.  ``bioasq_questions`` describes the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from doxel.files.json_records import JsonFile, dump_records
from doxel.runs.campaigns.bioasq_questions import (
    SNIPPET_COLUMNS,
    list_documents,
    list_snippets,
    read_questions,
    write_questions,
)
from doxel.runs.result_order import order_results
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_format import RunFormat, build_writing_error, check_result_values, require_result_columns
from doxel.topics.campaign_topics import BIOASQ

__all__ = ["BIOASQ_ANSWERS"]

_TEXT_ID = r"^[^/]+/[^/]+$"


def _list_results(file: JsonFile, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    snippets = [list_snippets(file, question) for question in questions]
    if not any(snippets):
        snippets = [
            [
                {"topic": file.read_id(question), "doc": doc, "line": file.find_line(question)}
                for doc in documents
            ]
            for question in questions
            if (documents := list_documents(file, question))
        ]
    return [{**row, "rank": rank} for rows in snippets for rank, row in enumerate(rows, 1)]


def _read(data: bytes, name: str) -> Run:
    file, questions = read_questions(data, name)
    results = RESULTS.from_rows(_list_results(file, questions))
    return Run("", results, file=name, format="bioasq", about={"bioasq": dump_records(questions)})


def _write(run: Run) -> bytes:
    if not (run.results.height or run.about.get("bioasq")):
        require_result_columns(run, run.results, (), format_name="bioasq", wanted="results")
    is_snippet = run.results["start"].is_not_null()
    docs = run.results["doc"].zip_with(is_snippet, pl.Series(["a/b"]))
    wanted = "a document id made of a PubMed id and a section, such as 11/abstract"
    check_result_values(run, docs, _TEXT_ID, format_name="bioasq", wanted=wanted)
    for result in run.results.filter(is_snippet & run.results["end"].is_null()).head(1).iter_rows(named=True):
        raise build_writing_error(run, result, format_name="bioasq", wanted="an end as well")
    ordered = order_results(run.results)
    snippets = ordered.filter(pl.col("start").is_not_null()).select(SNIPPET_COLUMNS)
    documents = ordered.filter(pl.col("start").is_null()).select("topic", "doc")
    return write_questions(run.about, snippets.rows(), documents.rows())


BIOASQ_ANSWERS = RunFormat(
    name="bioasq",
    about='{"questions": [...]} with documents and snippets, as BioASQ task b, phase A',
    begins=BIOASQ,
    read=_read,
    write=_write,
    result_kinds=("span", "whole"),
    holds={"results": frozenset({*SNIPPET_COLUMNS, "rank"}), "about": frozenset({"bioasq"})},
    campaign=True,
    combines=True,
)
