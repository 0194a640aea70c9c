"""Gold of LoCoMo: the turns of a conversation that are the evidence for each question.

``{"sample_id", "conversation": {"session_1": [{"speaker", "dia_id", "text"}]}, "qa": [{"question",
"evidence": ["D1:3"], "category": 1}]}``, one or a list; the sessions may be at the top level.

Evidence becomes highlights by the path of the turn (see :mod:`doxel.runs.campaigns.locomo_predictions`).  An
entry with several ids counts as all of these turns.  Entries that do not name exactly one turn are reported,
because the official figure counts each of them as one entry that is never found.
"""

from __future__ import annotations

import re
from typing import Any

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.files.json_records import JsonFile
from doxel.runs.campaigns.locomo_predictions import (
    build_turn_path,
    iterate_questions,
    read_samples,
)
from doxel.topics.campaign_topics import LOCOMO
from doxel.wording import join_words, pluralise, quote_value

__all__ = ["LOCOMO_GOLD"]

_SESSION = re.compile(r"session_[0-9]+")
_IDS = re.compile(r"D[1-9][0-9]*:[1-9][0-9]*")


def _list_turns(file: JsonFile, sample: dict[str, Any]) -> set[str]:
    """Return the ids of all turns of a conversation."""
    conversation = file.take(sample, "conversation", dict, sample, owner="conversation")
    return {
        file.take(turn, "dia_id", str, owner="turn")
        for key in conversation
        if _SESSION.fullmatch(key)
        for turn in file.take_objects(conversation, key, owner="conversation")
    }


def _read(data: bytes, name: str) -> Assessments:
    file, samples = read_samples(data, name)
    turns = {file.read_id(sample, "sample_id"): _list_turns(file, sample) for sample in samples}
    gold = GoldTables(name, "locomo")
    odd: list[str] = []
    for topic, doc, question in iterate_questions(file, samples):
        line = file.find_line(question)
        gold.judge(topic, doc, line, question.get("question"))
        entries = file.take_texts(question, "evidence", [], owner="question")
        odd += [f"{quote_value(entry)} (line {line})" for entry in entries if entry not in turns[doc]]
        for turn in dict.fromkeys(turn for entry in entries for turn in _IDS.findall(entry)):
            gold.highlight(topic, doc, line, path=build_turn_path(turn))
    subject = pluralise(len(odd), "evidence entry names", "evidence entries name")
    records = [{"sample_id": sample["sample_id"], "qa": sample["qa"]} for sample in samples]
    return gold.build(records, f"{subject} no single turn: {join_words(odd, 12)}" if odd else "")


LOCOMO_GOLD = declare_gold(
    "locomo",
    '{"sample_id", "conversation", "qa"}: evidence turns of conversations, as LoCoMo',
    LOCOMO + rb'(?!.*prediction_context")',
    _read,
)
