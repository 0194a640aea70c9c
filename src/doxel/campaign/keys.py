"""The keys of a campaign's configuration, each declared once.

The commented file that ``doxel campaign init`` writes, the reader and its error messages all derive from
this table.
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
    """A key: its section, the check of its values, and its lines in the template.

    ``default`` is its value if the file does not set it.  ``written`` is the value in the template, where
    the key is commented out unless ``active``.
    """

    section: str
    name: str
    accept: Callable[[Any], Any]
    default: Any
    written: str
    about: str
    active: bool = True


# Descriptions of the sections; the empty name is the top of the file.
SECTIONS = {
    "": "",
    "collection": "The ingested documents.",
    "topics": "The topics.  All proposed topics (candidate) are in files; lists of ids name those that were "
    "released to participants (selected) and those that were judged (assessed).",
    "runs": "The runs of the participants.",
    "pool": "The documents to judge; 'doxel campaign pool' makes the pool from the runs.",
    "assessments": "The judgements of the assessors.",
    "evaluation": "Options of 'doxel evaluate' for 'doxel campaign evaluate' and 'doxel campaign report'.  "
    "Options on the command line take precedence.",
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
        "The collection, made by: doxel ingest documents -o collection.doxel",
    ),
    Key(
        "collection",
        "sources",
        accept_paths,
        ("documents",),
        '["documents"]',
        "The files and folders to ingest.",
    ),
    Key(
        "collection",
        "fingerprint",
        accept_fingerprint,
        None,
        '"0123456789abcdef0123456789abcdef"',
        "Uncomment to reject collections with other texts.  'doxel campaign status' prints the fingerprint.",
        active=False,
    ),
    Key(
        "topics",
        "candidate",
        accept_paths,
        ("topics",),
        '["topics"]',
        "Files and folders with all proposed topics.",
    ),
    Key(
        "topics",
        "selected",
        accept_ids,
        (),
        '["1", "2"]',
        "The released topics.  Default: all.",
        active=False,
    ),
    Key(
        "topics",
        "assessed",
        accept_ids,
        (),
        '["1"]',
        "The topics to score.  Default: all judged topics.",
        active=False,
    ),
    Key(
        "runs", "files", accept_paths, ("runs",), '["runs"]', "Files, folders and patterns such as runs/*.xml"
    ),
    Key("pool", "file", accept_path, "pools/pool.jsonl", '"pools/pool.jsonl"', "The pool file."),
    Key(
        "pool",
        "depth",
        accept_whole(1),
        None,
        "10",
        "Pool the first N documents or results of each run per topic (see count).",
    ),
    Key(
        "pool",
        "count",
        accept_word(COUNTS),
        "documents",
        '"documents"',
        "What depth counts: documents or results.",
    ),
    Key(
        "pool",
        "documents",
        accept_whole(1),
        None,
        "100",
        "Stop at N documents per topic; can be combined with depth.",
        active=False,
    ),
    Key(
        "pool",
        "judging",
        accept_word(JUDGING),
        "shuffled",
        '"shuffled"',
        "The order of judging: shuffled (hides the ranks), pooled, or collection.",
    ),
    Key("pool", "seed", accept_whole(0), 0, "0", "Seed of the shuffled order."),
    Key(
        "assessments",
        "files",
        accept_paths,
        ("assessments",),
        '["assessments"]',
        "Files and folders in any assessment format.",
    ),
    Key(
        "evaluation",
        "measures",
        accept_measures,
        (),
        '["inex2009-focused"]',
        "Measures and named sets; 'doxel measures' lists them.  Default: the official set of the task.",
    ),
    Key(
        "evaluation",
        "task",
        accept_task,
        None,
        '"focused"',
        "The task of all runs.  Default: the task that each run declares.",
        active=False,
    ),
    Key(
        "evaluation",
        "topics",
        accept_option("topics"),
        None,
        '"assessed"',
        "Average over all assessed topics (assessed) or over the topics of the run (run).",
        active=False,
    ),
    Key(
        "evaluation",
        "quant",
        accept_text,
        None,
        '"gen"',
        "The quantisation (how grades become gains) of measures that name none.",
        active=False,
    ),
    Key(
        "evaluation",
        "limit",
        accept_limit,
        None,
        "1500",
        'Score only the first N results per topic: a number, or "none".',
        active=False,
    ),
    Key(
        "evaluation",
        "order",
        accept_option("order"),
        None,
        '"rank"',
        "Rank results by their rank, their order in the file, or their score: rank, file or score.",
        active=False,
    ),
    Key(
        "evaluation",
        "sizes",
        accept_option("sizes"),
        None,
        '"collection"',
        "Take element sizes from the assessments (declared) or from the collection.",
        active=False,
    ),
    Key(
        "evaluation",
        "on_invalid",
        accept_option("on_invalid"),
        None,
        '"reject"',
        "Runs that do not meet a measure's requirements: reject or repair.",
        active=False,
    ),
    Key(
        "evaluation",
        "structure",
        accept_structure,
        None,
        '"target=strict,support=vague"',
        "Whether results must match the structure of the queries: strict or vague.",
        active=False,
    ),
    Key(
        "evaluation",
        "fol_end",
        accept_flag,
        None,
        "false",
        "Read the last column of 8-column runs as an end offset, not a length.",
        active=False,
    ),
    Key("report", "folder", accept_path, "report", '"report"', "The folder to write."),
)


def known_keys(section: str) -> list[str]:
    """Return the keys of a section; for the top of the file, also the sections."""
    keys = [key.name for key in KEYS if key.section == section]
    return keys if section else [*keys, *(f"[{name}]" for name in SECTIONS if name)]
