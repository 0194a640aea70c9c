"""Predictions for LoCoMo: the turns or sessions of a conversation that a system retrieved for a question.

The file has the questions of the gold with ``prediction_context``: ids of turns (``D1:3``) or sessions
(``S1``), the best first; it is one object ``{"sample_id", "qa": [...]}`` or a list of them.  Questions have
no id: a topic is ``sample_id:position``, counted from 0.

Turn D1:3 is ``/conversation[1]/session[1]/turn[3]`` of the document ``sample_id``.  A context of another
shape is a result that was not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxel.errors import InputError
from doxel.files.json_records import JsonFile, dump_records
from doxel.runs.campaigns.cited_elements import encode_objects, list_cited_elements, restore_objects
from doxel.runs.result_order import order_results
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_format import RunFormat, check_result_values, require_result_columns
from doxel.topics.campaign_topics import LOCOMO
from doxel.wording import quote_value

__all__ = [
    "LOCOMO_PREDICTIONS",
    "build_turn_path",
    "find_context",
    "iterate_questions",
    "read_samples",
]

_WANTED = 'conversations with questions: {"sample_id", "qa": [...]}, or a list of them'
_TURN = re.compile(r"D([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")
_SESSION = re.compile(r"S([1-9][0-9]{0,5})")
_PATH = re.compile(r"/conversation(?:\[1\])?/session\[([0-9]+)\](?:/turn\[([0-9]+)\])?")


def read_samples(data: bytes, name: str) -> tuple[JsonFile, list[dict[str, Any]]]:
    """Return the conversations of a file, after checking their ids."""
    file = JsonFile(data, name, wanted=_WANTED)
    content = [file.content] if isinstance(file.content, dict) else file.content
    samples = file.check_objects(content, file.content, "the file")
    file.check_unique(samples, lambda sample: file.read_id(sample, "sample_id", owner="conversation"))
    if not samples:
        raise InputError("empty file", file=name, wanted=_WANTED, found="no conversations")
    return file, samples


def iterate_questions(
    file: JsonFile, samples: list[dict[str, Any]]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield topic, conversation and object of each question."""
    for sample in samples:
        name = file.read_id(sample, "sample_id")
        for position, question in enumerate(file.take_objects(sample, "qa", owner="conversation")):
            yield f"{name}:{position}", name, question


def build_turn_path(name: str) -> str | None:
    """Return the path of a turn or session in its conversation, None for another name.

    >>> build_turn_path("D2:10"), build_turn_path("S3"), build_turn_path("D8:6; D9:17")
    ('/conversation[1]/session[2]/turn[10]', '/conversation[1]/session[3]', None)
    """
    if turn := _TURN.fullmatch(name):
        return f"/conversation[1]/session[{turn[1]}]/turn[{turn[2]}]"
    session = _SESSION.fullmatch(name)
    return f"/conversation[1]/session[{session[1]}]" if session else None


def find_context(file: JsonFile, question: dict[str, Any]) -> list[str] | None:
    """Return the retrieved context of a question, None if it has none.

    Systems write it as ``prediction_context``, or after their name: ``gpt_prediction_context``.
    """
    keys = [key for key in question if key.endswith("prediction_context")]
    if len(keys) > 1:
        found = ", ".join(keys[:3])
        raise file.fail(question, "the question", wanted="one prediction_context", found=found)
    if not keys or question[keys[0]] is None:
        return None
    return file.take_texts(question, keys[0], owner="question")


def _list_results(file: JsonFile, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for topic, doc, question in iterate_questions(file, samples):
        contexts = find_context(file, question) or []
        rows += list_cited_elements(topic, doc, contexts, build_turn_path, file.find_line(question))
    return rows


def _read(data: bytes, name: str) -> Run:
    file, samples = read_samples(data, name)
    results = RESULTS.from_rows(_list_results(file, samples))
    return Run("", results, file=name, format="locomo", about={"locomo": dump_records(samples)})


def _write(run: Run) -> bytes:
    """Write the questions as they were read; other results replace their contexts."""
    samples, is_unchanged = restore_objects(run, "locomo", _list_results)
    if is_unchanged:
        return encode_objects(samples[0] if len(samples) == 1 else samples)
    wanted = "a turn or session, such as /conversation[1]/session[1]/turn[3]"
    require_result_columns(run, run.results, ("path",), format_name="locomo", wanted=wanted)
    check_result_values(run, run.results["path"], f"^{_PATH.pattern}$", format_name="locomo", wanted=wanted)
    by_name = {str(sample["sample_id"]): sample for sample in samples}
    for question in (question for sample in samples for question in sample["qa"]):
        for key in [key for key in question if key.endswith("prediction_context")]:
            del question[key]
    ordered = order_results(run.results).select("topic", "doc", "path")
    for topic, doc, path in ordered.iter_rows():
        question = _find_question(by_name, topic, doc)
        match = _PATH.fullmatch(path)
        session, turn = match.groups() if match else (None, None)
        question.setdefault("prediction_context", []).append(f"D{session}:{turn}" if turn else f"S{session}")
    output = list(by_name.values())
    return encode_objects(output[0] if len(output) == 1 else output)


def _find_question(samples: dict[str, dict[str, Any]], topic: str, doc: str) -> dict[str, Any]:
    """Return the question of a topic, after adding empty ones up to its position."""
    name, _, position = topic.rpartition(":")
    if name != doc or not re.fullmatch("[0-9]{1,6}", position):
        problem, wanted = "a topic cannot be written as locomo", f"{doc}:POSITION, such as {doc}:0"
        raise InputError(problem, wanted=wanted, found=quote_value(topic))
    questions: list[dict[str, Any]] = samples.setdefault(name, {"sample_id": name, "qa": []})["qa"]
    questions += [{"evidence": []} for _ in range(int(position) + 1 - len(questions))]
    return questions[int(position)]


LOCOMO_PREDICTIONS = RunFormat(
    name="locomo",
    about='{"sample_id", "qa"} with prediction_context: turns or sessions of conversations, as LoCoMo',
    begins=rb'(?=.*prediction(?:_context)?")(?:%b|[{\[](?=.{,4096}"sample_id"))' % LOCOMO,
    read=_read,
    write=_write,
    result_kinds=("element",),
    holds={"results": frozenset({"topic", "doc", "rank", "path"}), "about": frozenset({"locomo"})},
    campaign=True,
)
