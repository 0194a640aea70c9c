"""A small campaign with names and texts that could break a page, and its report."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from documents.commands import doxel, write_files
from doxel.documents import read_collection

__all__ = [
    "EVIL_RUN",
    "EVIL_TEXT",
    "EVIL_TOPIC",
    "LATEX_RUN",
    "RTL_RUN",
    "write_campaign",
    "write_report",
]

EVIL_RUN = "</script><script>document.title='taken'</script>"
RTL_RUN = "הרצה"
LATEX_RUN = r"*[a_b&c%$#{}~^\x"
EVIL_TOPIC = "=cmd"
EVIL_TEXT = "<img src=x onerror=alert(1)>"

SEA = "The sea is wide 🌊 and deep. "
SHIP = "A ship with three masts sails before the wind. "
SAND = "Sand is dry. "
HEBREW = "הים רחב ועמוק. "


def article(*paragraphs: str) -> str:
    inside = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<article><title>Words 🙂 of the day</title><body>{inside}</body></article>"


DOCUMENTS = {
    "source/sea.xml": article(SEA * 3, SHIP * 2, SAND),
    "source/ship.xml": article(SHIP * 4, SEA, HEBREW * 3),
    "source/sand.xml": article(SAND * 6, "Read <b>this</b> first: &lt;img src=x onerror=alert(1)&gt;"),
}
TOPICS = [EVIL_TOPIC, "2", "3"]


def path(paragraph: int) -> str:
    return f"/article[1]/body[1]/p[{paragraph}]"


# topic -> results: document and paragraph
RUNS = {
    EVIL_RUN: {
        EVIL_TOPIC: [("sea", 1), ("ship", 2), ("sand", 1)],
        "2": [("ship", 1), ("sea", 2)],
        "3": [("sand", 2)],
    },
    RTL_RUN: {EVIL_TOPIC: [("sand", 1), ("sea", 1)], "2": [("sea", 2)], "3": [("ship", 3), ("sand", 1)]},
    LATEX_RUN: {EVIL_TOPIC: [("ship", 2)], "2": [("sand", 1)], "3": [("sand", 2), ("ship", 3)]},
}


def highlights(folder: Path) -> list[dict[str, object]]:
    """The relevant text: the sea, ships, and the Hebrew; with an emoji inside and before."""
    texts = {doc: read_collection(folder / "words.doxel")[doc].text for doc in ("sea", "ship", "sand")}
    wanted = {EVIL_TOPIC: "wide 🌊 and deep", "2": "three masts", "3": "רחב"}
    rows: list[dict[str, object]] = []
    for topic, words in wanted.items():
        for doc, text in texts.items():
            begin, is_present = text.find(words), False
            while begin >= 0:
                rows.append({"topic": topic, "doc": doc, "start": begin, "end": begin + len(words)})
                is_present, begin = True, text.find(words, begin + 1)
            if is_present:
                rows.append({"topic": topic, "doc": doc, "bep": text.find(words)})
            else:
                rows.append({"topic": topic, "doc": doc})
    return rows


def write_campaign(folder: Path) -> SimpleNamespace:
    """Write the campaign to a folder and return the paths of its files."""
    write_files(folder, DOCUMENTS)
    assert doxel("ingest", folder / "source", "-o", folder / "words.doxel").status == 0
    lines = [json.dumps(row) for row in highlights(folder)]
    write_files(folder, {"gold.jsonl": "\n".join(lines) + "\n"})
    runs = []
    for number, (name, topics) in enumerate(RUNS.items()):
        rows = [
            {"run": name, "topic": topic, "doc": doc, "path": path(paragraph), "rank": rank}
            for topic, results in topics.items()
            for rank, (doc, paragraph) in enumerate(results, 1)
        ]
        runs.append(folder / f"{number}.jsonl")
        write_files(folder, {runs[-1].name: "".join(json.dumps(row) + "\n" for row in rows)})
    titles = "".join(f"{topic}\t{EVIL_TEXT} {topic}\n" for topic in TOPICS)
    write_files(folder, {"topics.tsv": titles})
    return SimpleNamespace(
        folder=folder, gold=folder / "gold.jsonl", collection=folder / "words.doxel", runs=runs
    )


def write_report(campaign: SimpleNamespace) -> Path:
    """Write the report of the campaign with the command, and return its folder."""
    out = campaign.folder / "report"
    options = ["-a", campaign.gold, "-c", campaign.collection, "-t", campaign.folder / "topics.tsv"]
    measures = ["-m", "MAiP, iP@0, char_rec@10, char_prec@10", "--curve", "iP", "--curve", "char_rec"]
    outcome = doxel("report", *options, *measures, "--title", EVIL_TEXT, "-o", out, *campaign.runs)
    assert outcome.status == 0, outcome.err
    return out
