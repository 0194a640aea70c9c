"""Gold of TREC Genomics 2006-07: lines of ``topic PMID offset length ASPECT|ASPECT``, separated by tabs.

Offsets are bytes of the HTML file; the encoding is Latin-1; topics are integers.  A line with fewer than five
columns is not gold: the official program skips it silently, doxel reports it.  An empty aspect counts as
a separate aspect in the official figures.

Files of pools are read too: the fifth column is RELEVANT or NOT_RELEVANT (2007), or the sixth is DEFINITELY,
POSSIBLY or NOT (2006); lines that start with # are comments.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from doxel.assessments.assessments import Assessments, check_complete, check_judged_ids, require_columns
from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.errors import InputError
from doxel.files.contents import decode_utf8
from doxel.files.json_records import load_records
from doxel.wording import join_words, pluralise, quote_value

__all__ = ["GENOMICS_GOLD", "list_gold_passages"]

_WANTED = "topic PMID offset length ASPECT|ASPECT, separated by tabs"
_POOL_GRADES = {"RELEVANT": 1.0, "NOT_RELEVANT": None, "DEFINITELY": 2.0, "POSSIBLY": 1.0, "NOT": None}
_LARGEST = 10**12


def _split(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")]


def _is_gold(head: bytes) -> bool:
    """Check the first line with five columns; shorter ones are skipped, as the program does."""
    for line in head[:65_536].removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        if line.count("\t") >= 4 and not line.startswith("#"):
            fields = _split(line)
            numbers = (fields[0], fields[2], fields[3])
            return all(field.isdigit() for field in numbers) and fields[1].upper() not in {"", "0", "Q0"}
    return False


def _read(data: bytes, name: str) -> Assessments:
    gold = GoldTables(name, "genomics")
    passages: list[dict[str, Any]] = []
    short: list[int] = []
    for number, line in enumerate(_decode(data, name).split("\n"), 1):
        fields = _split(line)
        if not line.strip() or line.startswith("#"):
            continue
        if len(fields) < 5:
            short.append(number)
            continue
        passage, grade, is_pooled = _read_passage(fields, name, number)
        topic, doc = passage["topic"], passage["doc"]
        gold.judge(topic, doc, number)
        if is_pooled and grade is None:
            continue
        span = {"start": passage["start"], "end": passage["end"], "grade": grade}
        for aspect in dict.fromkeys(passage["aspects"]):
            gold.highlight(topic, doc, number, **span, aspect=aspect or None)
        passages.append(passage)
    note = f"lines with fewer than five columns are not gold and are left out: {join_words(short)}"
    return gold.build(passages, note if short else "", wanted=_WANTED)


def _decode(data: bytes, name: str) -> str:
    try:
        return decode_utf8(data, name)
    except InputError:  # names of aspects; numbers are the same in both encodings
        return data.decode("latin-1")


def _read_passage(fields: list[str], name: str, line: int) -> tuple[dict[str, Any], float | None, bool]:
    """Return a passage, its grade if the line is one of a pool, and whether it is one."""
    for field, label in zip((fields[0], fields[2], fields[3]), ("topic", "offset", "length"), strict=True):
        if not (field.isascii() and field.isdigit() and int(field) < _LARGEST):
            wanted = "a whole number, 0 or more"
            raise InputError(f"the {label}", file=name, line=line, wanted=wanted, found=quote_value(field))
    if not fields[1] or any(character.isspace() for character in fields[1]):
        raise InputError("the PMID", file=name, line=line, wanted="an id", found=quote_value(fields[1]))
    start, size = int(fields[2]), int(fields[3])
    judgement = fields[5] if len(fields) == 6 else fields[4]
    is_pooled = judgement in _POOL_GRADES
    aspects = [aspect.strip() for aspect in fields[4].split("|")]
    passage = {"topic": str(int(fields[0])), "doc": fields[1], "start": start, "end": start + size}
    return {**passage, "aspects": [""] if is_pooled else aspects}, _POOL_GRADES.get(judgement), is_pooled


def list_gold_passages(assessments: Assessments) -> list[dict[str, Any]]:
    """Return the gold passages in the order of the file: topic, doc, start, end, aspects."""
    if assessments.format == "genomics" and assessments.about.get("genomics"):
        return load_records(assessments.about["genomics"])
    highlights = assessments.relevant_highlights
    require_columns(highlights, ["start", "end"], "genomics", "a highlight", "its place in bytes")
    grouped = highlights.group_by("topic", "doc", "start", "end", maintain_order=True).agg(
        aspects=pl.col("aspect").fill_null("")
    )
    return grouped.to_dicts()


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "genomics")
    check_judged_ids(assessments.judged, "genomics")
    bare = assessments.judged.join(assessments.relevant_highlights, on=["topic", "doc"], how="anti")
    if bare.height:
        topic, doc = bare.select("topic", "doc").row(0)
        count = pluralise(bare.height, "document without a passage", "documents without passages")
        problem = f"topic {topic}, document {doc} cannot be written as genomics"
        raise InputError(problem, wanted="a relevant passage in each judged document", found=count)
    lines = []
    for passage in list_gold_passages(assessments):
        if not (passage["topic"].isascii() and passage["topic"].isdigit()):
            wanted = "a whole number as topic"
            raise InputError(
                "a topic cannot be written as genomics", wanted=wanted, found=repr(passage["topic"])
            )
        size = passage["end"] - passage["start"]
        aspects = "|".join(passage["aspects"])
        lines.append(f"{passage['topic']}\t{passage['doc']}\t{passage['start']}\t{size}\t{aspects}\n")
    return "".join(lines).encode()


GENOMICS_GOLD = declare_gold(
    "genomics",
    "topic PMID offset length ASPECT|ASPECT: passages in bytes, as TREC Genomics 2006-07",
    rb"[^\t]*\t",
    _read,
    accepts=_is_gold,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset({"topic", "doc", "start", "end", "aspect"}),
        "about": frozenset({"genomics"}),
    },
)
