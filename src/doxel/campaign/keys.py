"""What a campaign's configuration can say: every key, declared once.

The commented file that ``doxel campaign init`` writes, the reading of it, and the errors about it all derive
from this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from doxel.campaign.values import (
    accept_fingerprint,
    accept_flag,
    accept_ids,
    accept_limit,
    accept_measures,
    accept_option,
    accept_path,
    accept_paths,
    accept_structure,
    accept_task,
    accept_text,
    accept_whole,
    accept_word,
)
from doxel.pooling.gathering import COUNTS
from doxel.pooling.making import JUDGING

__all__ = ["KEYS", "SECTIONS", "Key", "known_keys"]


@dataclass(frozen=True)
class Key:
    """One key: where it stands, what its values are, and what the template says of it.

    ``default`` is its value where the file says nothing, and ``written`` what the template writes: with
    ``active``, as a line that counts, else as a comment to be uncommented.
    """

    section: str
    name: str
    accept: Callable[[Any], Any]
    default: Any
    written: str
    about: str
    active: bool = True


# What the sections are about; the empty name stands for what comes before the first.
SECTIONS = {
    "": "",
    "collection": "The documents, ingested.",
    "topics": "What was asked.  Topics are proposed (candidate), released to participants (selected) and "
    "judged (assessed): files hold them, and lists of ids say which are which.",
    "runs": "What participants returned.",
    "pool": "The documents to judge, made of the runs by 'doxel campaign pool'.",
    "assessments": "What assessors found relevant.",
    "evaluation": "How 'doxel campaign evaluate' and 'doxel campaign report' score: options of "
    "'doxel evaluate'.  "
    "What is given on the command line counts instead.",
    "report": "The page that 'doxel campaign report' writes.",
}

KEYS = (
    Key("", "name", accept_text, None, '"{name}"', "The name of the campaign."),
    Key(
        "collection",
        "folder",
        accept_path,
        "collection.doxel",
        '"collection.doxel"',
        "As made by: doxel ingest documents -o collection.doxel",
    ),
    Key(
        "collection",
        "sources",
        accept_paths,
        ("documents",),
        '["documents"]',
        "Files and folders it is made from.",
    ),
    Key(
        "collection",
        "fingerprint",
        accept_fingerprint,
        None,
        '"0123456789abcdef0123456789abcdef"',
        "Uncomment to pin the texts: another collection is refused.  'doxel campaign status' prints it.",
        active=False,
    ),
    Key(
        "topics",
        "candidate",
        accept_paths,
        ("topics",),
        '["topics"]',
        "Files and folders with all topics that were proposed.",
    ),
    Key(
        "topics",
        "selected",
        accept_ids,
        (),
        '["1", "2"]',
        "The topics that were released.  Without this line, all.",
        active=False,
    ),
    Key(
        "topics",
        "assessed",
        accept_ids,
        (),
        '["1"]',
        "The topics that count in scores.  Without this line, all that were judged.",
        active=False,
    ),
    Key(
        "runs", "files", accept_paths, ("runs",), '["runs"]', "Files, folders and patterns such as runs/*.xml"
    ),
    Key("pool", "file", accept_path, "pools/pool.jsonl", '"pools/pool.jsonl"', "Where the pool is."),
    Key(
        "pool", "depth", accept_whole(1), None, "10", "How far each run is read: so many of what is counted."
    ),
    Key(
        "pool",
        "count",
        accept_word(COUNTS),
        "documents",
        '"documents"',
        "What the depth counts: documents or results.",
    ),
    Key(
        "pool",
        "documents",
        accept_whole(1),
        None,
        "100",
        "How many documents of a topic are enough, instead of a depth or beside it.",
        active=False,
    ),
    Key(
        "pool",
        "judging",
        accept_word(JUDGING),
        "shuffled",
        '"shuffled"',
        "The order of judging: shuffled (it says nothing about ranks), pooled, or collection.",
    ),
    Key("pool", "seed", accept_whole(0), 0, "0", "Of the shuffled order."),
    Key(
        "assessments",
        "files",
        accept_paths,
        ("assessments",),
        '["assessments"]',
        "Files and folders in any format of assessments.",
    ),
    Key(
        "evaluation",
        "measures",
        accept_measures,
        (),
        '["inex2009-focused"]',
        "Measures and named sets ('doxel measures' lists them).  Without it, those of each run's task.",
    ),
    Key(
        "evaluation",
        "task",
        accept_task,
        None,
        '"focused"',
        "The task of all runs.  Without this line, what each declares.",
        active=False,
    ),
    Key(
        "evaluation",
        "topics",
        accept_option("topics"),
        None,
        '"assessed"',
        "Average over all assessed topics, or over the run's own: assessed or run.",
        active=False,
    ),
    Key(
        "evaluation",
        "quant",
        accept_text,
        None,
        '"gen"',
        "The quantisation, where a measure names none.",
        active=False,
    ),
    Key(
        "evaluation",
        "limit",
        accept_limit,
        None,
        "1500",
        'Results of a topic that count: a number, or "none".',
        active=False,
    ),
    Key(
        "evaluation",
        "order",
        accept_option("order"),
        None,
        '"rank"',
        "What the ranking is taken from: rank, file or score.",
        active=False,
    ),
    Key(
        "evaluation",
        "sizes",
        accept_option("sizes"),
        None,
        '"collection"',
        "Sizes as declared by the assessments, or from the collection.",
        active=False,
    ),
    Key(
        "evaluation",
        "on_invalid",
        accept_option("on_invalid"),
        None,
        '"reject"',
        "A run that lacks what a measure requires: reject or repair.",
        active=False,
    ),
    Key(
        "evaluation",
        "structure",
        accept_structure,
        None,
        '"target=strict,support=vague"',
        "How the structure of queries is taken.",
        active=False,
    ),
    Key(
        "evaluation",
        "fol_end",
        accept_flag,
        None,
        "false",
        "The last column of 8-column runs is an end, not a length.",
        active=False,
    ),
    Key("report", "folder", accept_path, "report", '"report"', "Where it is written."),
)


def known_keys(section: str) -> list[str]:
    """Return the keys of a section, and for the top of the file also the sections."""
    keys = [key.name for key in KEYS if key.section == section]
    return keys if section else [*keys, *(f"[{name}]" for name in SECTIONS if name)]
