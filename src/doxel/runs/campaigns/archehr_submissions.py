"""Submissions of ArchEHR-QA: the sentences of a note that a system cites for a case.

2026, subtask 2: ``[{"case_id": "1", "prediction": ["1", "5"]}]``; subtask 4: ``"prediction": [{"answer_id":
"1", "evidence_id": ["2"]}]``; 2025: ``[{"case_id": "1", "answer": "Sentence. |2,3|"}]``, where the citations
are between the last two bars of a line.

A case is a topic, and its note is the document of the same name; sentence 5 is ``/case[1]/sentence[5]``.
Each sentence counts once, at its first mention.  An id that is not a number is a result that was not found.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from doxel.errors import InputError
from doxel.files.json_records import JsonFile, dump_records
from doxel.runs.campaigns.cited_elements import encode_objects, list_cited_elements, restore_objects
from doxel.runs.result_order import order_results
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_format import RunFormat, check_result_values, require_result_columns
from doxel.wording import quote_value

__all__ = ["ARCHEHR_SUBMISSIONS", "build_sentence_path", "list_citations", "read_cases"]

_WANTED = 'a list of cases: [{"case_id": "1", "prediction": ["1", "5"]}]'
_PATH = r"^/case(?:\[1\])?/sentence\[[1-9][0-9]{0,8}\]$"
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def read_cases(data: bytes, name: str) -> tuple[JsonFile, list[dict[str, Any]]]:
    """Return the cases of a file, after checking their ids, which are texts."""
    file = JsonFile(data, name, wanted=_WANTED)
    cases = file.check_objects(file.content, file.content, "the file")
    for case in cases:
        file.take(case, "case_id", str, owner="case")
    file.check_unique(cases, lambda case: file.read_id(case, "case_id", owner="case"))
    if not cases:
        raise InputError("empty file", file=name, wanted=_WANTED, found="no cases")
    return file, cases


def build_sentence_path(sentence: str) -> str | None:
    """Return the path of a sentence in its note, None if its id is not a number from 1.

    >>> build_sentence_path("5"), build_sentence_path("x")
    ('/case[1]/sentence[5]', None)
    """
    return f"/case[1]/sentence[{sentence}]" if _NUMBER.fullmatch(sentence) else None


def list_citations(answer: str) -> list[str]:
    r"""Return the citations of an answer of 2025, between the last two bars of each line and not stripped.

    >>> list_citations("One. |2,3|\nTwo. |5, 3|\nThree.")
    ['2', '3', '5', ' 3']
    """
    parts = [line.rsplit("|", maxsplit=2) for line in answer.strip().split("\n") if line.strip()]
    return [
        citation for part in parts if len(part) == 3 for citation in part[1].split(",") if citation.strip()
    ]


def _list_sentences(file: JsonFile, case: dict[str, Any]) -> list[str]:
    """Return the ids of the sentences that a case cites, in any of the three shapes."""
    if "prediction" not in case:
        return [citation.strip() for citation in list_citations(file.take(case, "answer", str, owner="case"))]
    sentences: list[str] = []
    for item in file.take(case, "prediction", list, owner="case"):
        if isinstance(item, dict):
            file.take(item, "answer_id", str, owner="prediction")
            sentences += file.take_texts(item, "evidence_id", owner="prediction")
        elif isinstance(item, str):
            sentences.append(item)
        else:
            wanted = "ids of sentences, as texts, or objects with answer_id and evidence_id"
            raise file.fail(case, "the prediction of the case", wanted=wanted, found=quote_value(item))
    return sentences


def _list_results(file: JsonFile, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for case in cases:
        topic, sentences = file.read_id(case, "case_id"), dict.fromkeys(_list_sentences(file, case))
        rows += list_cited_elements(topic, topic, sentences, build_sentence_path, file.find_line(case))
    return rows


def _read(data: bytes, name: str) -> Run:
    file, cases = read_cases(data, name)
    results = RESULTS.from_rows(_list_results(file, cases))
    return Run("", results, file=name, format="archehr", about={"archehr": dump_records(cases)})


def _write(run: Run) -> bytes:
    """Write the cases as they were read, or as subtask 2 of 2026 if the results have changed."""
    cases, is_unchanged = restore_objects(run, "archehr", _list_results)
    if is_unchanged:
        return encode_objects(cases)
    wanted = "a sentence of the case's note, such as /case[1]/sentence[5]"
    require_result_columns(run, run.results, ("path",), format_name="archehr", wanted=wanted)
    check_result_values(run, run.results["path"], _PATH, format_name="archehr", wanted=wanted)
    misplaced = run.results.filter(pl.col("topic") != pl.col("doc"))
    if misplaced.height:
        topic, doc = misplaced.select("topic", "doc").row(0)
        problem = f"topic {topic}: a result cannot be written as archehr"
        raise InputError(problem, wanted=f"the document of this topic, {topic}", found=doc)
    sentence = pl.col("path").str.extract(r"([0-9]+)\]$").alias("sentence")
    predicted: dict[str, list[str]] = {case["case_id"]: [] for case in cases}
    for topic, number in order_results(run.results).select("topic", sentence).iter_rows():
        predicted.setdefault(topic, []).append(number)
    return encode_objects([{"case_id": topic, "prediction": numbers} for topic, numbers in predicted.items()])


ARCHEHR_SUBMISSIONS = RunFormat(
    name="archehr",
    about='[{"case_id", "prediction"}]: cited sentences of clinical notes, as ArchEHR-QA',
    begins=rb'\[\s*\{(?=[^{]*"case_id")(?=[^{]*"(?:prediction|answer)"\s*:)',
    read=_read,
    write=_write,
    result_kinds=("element",),
    holds={"results": frozenset({"topic", "doc", "rank", "path"}), "about": frozenset({"archehr"})},
    campaign=True,
)
