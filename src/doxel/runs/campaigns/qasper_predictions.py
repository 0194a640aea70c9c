"""Predictions for QASPER: lines of ``{"question_id", "predicted_answer", "predicted_evidence": [texts]}``.

Evidence is given as the text of paragraphs, the best first, without the paper it is from: texts are searched
in all documents of the collection.
"""

from __future__ import annotations

import json
from typing import Any

from doxel.errors import InputError
from doxel.files.contents import parse_identifier, parse_json_lines
from doxel.files.json_records import dump_records, load_records
from doxel.runs.result_order import order_results
from doxel.runs.run import NO_DOCUMENT, RESULTS, Run
from doxel.runs.run_format import RunFormat, require_result_columns
from doxel.wording import quote_value

__all__ = ["QASPER_PREDICTIONS"]

_WANTED = '{"question_id", "predicted_answer", "predicted_evidence": [texts]}'


def _read(data: bytes, name: str) -> Run:
    rows: list[dict[str, Any]] = []
    lines: dict[str, int] = {}
    records = []
    for line, record in parse_json_lines(data, name):
        topic = parse_identifier(record.get("question_id"), "the question_id", file=name, line=line)
        if topic in lines:
            found = f"another in line {lines[topic]}"
            raise InputError(f"question {topic}", file=name, line=line, wanted="one line", found=found)
        lines[topic] = line
        evidence = record.get("predicted_evidence")
        if not isinstance(evidence, list) or not all(isinstance(text, str) for text in evidence):
            problem, found = "the predicted_evidence", quote_value(evidence)
            raise InputError(problem, file=name, line=line, wanted="a list of texts", found=found)
        records.append(record)
        texts = [text for text in evidence if text.strip()]
        rows += [
            {"topic": topic, "doc": NO_DOCUMENT, "rank": rank, "text": text, "line": line}
            for rank, text in enumerate(texts, 1)
        ]
    if not records:
        raise InputError("empty file", file=name, wanted=_WANTED, found="no predictions")
    about = {"qasper": dump_records(records)}
    return Run("", RESULTS.from_rows(rows), file=name, format="qasper", about=about)


def _write(run: Run) -> bytes:
    require_result_columns(run, run.results, ("text",), format_name="qasper", wanted="texts of paragraphs")
    original_records = {
        str(record["question_id"]): record for record in load_records(run.about.get("qasper", ""))
    }
    evidence: dict[str, list[str]] = {topic: [] for topic in original_records}
    for topic, text in order_results(run.results).select("topic", "text").iter_rows():
        evidence.setdefault(topic, []).append(text)
    records = [
        {
            "question_id": topic,
            "predicted_answer": "",
            **original_records.get(topic, {}),
            "predicted_evidence": texts,
        }
        for topic, texts in evidence.items()
    ]
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records).encode()


QASPER_PREDICTIONS = RunFormat(
    name="qasper",
    about='lines of {"question_id", "predicted_evidence"}: texts of paragraphs, as QASPER',
    begins=rb'\{(?=[^\n]*"question_id")(?=[^\n]*"predicted_evidence")',
    read=_read,
    write=_write,
    result_kinds=("quotation",),
    holds={"results": frozenset({"topic", "rank", "text"}), "about": frozenset({"qasper"})},
    campaign=True,
)
