"""The bundled campaign: copies its files to a folder and ingests its handbook.

The collection is a handbook of structured retrieval evaluation with 48 articles, which also serves as
documentation.  Topics, runs and assessments in the formats of all years come with it, and the same articles
as Markdown with the highlights as spans, for chunk retrieval.  ``tools/demo_data`` makes these files.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from doxel.documents.ingestion import IngestReport, ingest
from doxel.files import write_folder

__all__ = ["DemoFiles", "write_demo"]

_ASSESSMENTS = {
    "qrels": "handbook.qrels",
    "jsonl": "handbook.jsonl",
    "inex2006": "inex2006",
    "inex2005": "inex2005",
    "inex2003": "inex2003.xml",
    "inex2002": "inex2002.xml",
}


@dataclass(frozen=True)
class DemoFiles:
    """The paths of the campaign's files; ``assessments`` has a file or folder per format.

    ``markdown`` holds the handbook as Markdown, ``markdown_gold`` the relevant spans of that Markdown.
    """

    handbook: Path
    collection: Path
    topics: Path
    runs: tuple[Path, ...]
    assessments: Mapping[str, Path]
    ingested: IngestReport
    markdown: Path
    markdown_gold: Path


def write_demo(folder: str | Path) -> DemoFiles:
    """Write the bundled campaign to a folder: sources, collection, topics, runs and assessments.

    Files of an earlier call are replaced.  The folder changes only when all files are complete.
    """
    out = Path(folder)
    with write_folder(out, replace=True) as staged, as_file(files("doxel") / "data") as data:
        shutil.copytree(data / "handbook", staged / "handbook")
        for name in ("runs", "assessments", "handbook-markdown"):
            shutil.copytree(data / "demo" / name, staged / name)
        for name in ("topics.xml", "handbook-markdown.jsonl"):
            shutil.copy(data / "demo" / name, staged / name)
        report = ingest(staged / "handbook", staged / "handbook.doxel")
    return DemoFiles(
        handbook=out / "handbook",
        collection=out / "handbook.doxel",
        topics=out / "topics.xml",
        runs=tuple(sorted((out / "runs").iterdir())),
        assessments={name: out / "assessments" / place for name, place in _ASSESSMENTS.items()},
        ingested=report,
        markdown=out / "handbook-markdown",
        markdown_gold=out / "handbook-markdown.jsonl",
    )
